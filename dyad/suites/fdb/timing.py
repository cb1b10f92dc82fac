"""How soon a model stops under an overlap, and answers after it (Full-Duplex-Bench v1.5, arXiv 2507.23159).

`compat` does what the authors' script does with segments of both channels, and pools all intervals as the
fork of HumDial-FDBench (arXiv 2604.21406) does. `strict` has one value of each per sample, from the known
times of the overlap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from dyad.spec.suite import Span
from dyad.suites.protocol import Mode, Scored, Sound, Trial
from dyad.suites.words import EPSILON, speech_of

USER_GAP_S, MODEL_GAP_S = 0.6, 0.5  # closed pauses

FLAGS: dict[str, str] = {
    "stop_capped": "a stop latency ends with the user's speech, also where the model talks on",
    "stop_early_start": "a model that starts while the user speaks has a stop latency",
}

NO_VAD = "no speech probabilities"

Spans = Sequence[Span]


def latencies(trial: Trial, mode: Mode, flags: Mapping[str, bool]) -> list[Scored]:
    """Return `stop_latency` and `resp_latency` in seconds.

    In compat `value` is a sum over `n` intervals, so that pooling gives their micro average. In strict a time
    that the end of the recording cuts off is a lower bound (`observed` False).
    """
    model, user, span = speech(trial.model), speech(trial.user), trial.stimulus.span
    if model is None or (mode == "compat" and user is None):
        return _missing(NO_VAD)
    if mode == "compat":
        return _pooled(merged(user or (), USER_GAP_S), merged(model, MODEL_GAP_S), flags)
    if span is None:
        return _missing("no time of the overlap")
    return strict_latencies(merged(model, MODEL_GAP_S, EPSILON), span, trial.model.duration_s)


def _missing(reason: str) -> list[Scored]:
    return [Scored(name, None, 0.0, reason=reason) for name in ("stop_latency", "resp_latency")]


def speech(sound: Sound) -> list[Span] | None:
    """Return where Silero hears speech with its defaults, in seconds; None where it was not asked."""
    if len(sound.pcm) and not len(sound.probs):
        return None
    return [(start, end) for start, end in speech_of(sound).tolist()]


def merged(spans: Iterable[Span], gap_s: float, slack_s: float = 0.0) -> list[Span]:
    """Return spans in order of their start, with gaps of at most `gap_s` closed."""
    closed: list[Span] = []
    for start, end in sorted(spans):
        if closed and start - closed[-1][1] <= gap_s + slack_s:
            closed[-1] = (closed[-1][0], max(closed[-1][1], end))
        else:
            closed.append((start, end))
    return closed


# compat


def _pooled(user: Spans, model: Spans, flags: Mapping[str, bool]) -> list[Scored]:
    stops = stop_intervals(user, model, flags)
    return [_sum("stop_latency", stops), _sum("resp_latency", response_gaps(user, model))]


def _sum(measure: str, found: Spans) -> Scored:
    return Scored(measure, float(sum(end - start for start, end in found)), float(len(found)))


def stop_intervals(user: Spans, model: Spans, flags: Mapping[str, bool] | None = None) -> list[Span]:
    """Return where user and model speak at once, rounded to ms; of several with one end, the shortest."""
    flags = flags or {}
    shortest: dict[int, Span] = {}
    for user_span, model_span in _meetings(user, model):
        start, end = max(user_span[0], model_span[0]), model_span[1]
        if not flags.get("stop_early_start", True) and model_span[0] >= user_span[0]:
            continue
        if flags.get("stop_capped", True):
            end = min(end, user_span[1])
        key = round(end * 1000)
        if key not in shortest or end - start < shortest[key][1] - shortest[key][0]:
            shortest[key] = (start, end)
    by_end = sorted(shortest.values(), key=lambda span: span[1])
    return [(round(start, 3), round(end, 3)) for start, end in by_end]


def _meetings(user: Spans, model: Spans) -> Iterator[tuple[Span, Span]]:
    """Yield pairs that overlap. Where both end at once the model's is passed first, as by the authors."""
    i = j = 0
    while i < len(user) and j < len(model):
        if min(user[i][1], model[j][1]) > max(user[i][0], model[j][0]):
            yield user[i], model[j]
        if user[i][1] < model[j][1]:
            i += 1
        else:
            j += 1


def response_gaps(user: Spans, model: Spans) -> list[Span]:
    """Return (end of the user, next start of the model), rounded to ms; the latest end for each start."""
    latest: dict[int, Span] = {}
    for _, end in user:
        start = next((start for start, _ in model if start > end), None)
        if start is None:
            continue
        key, gap = round(start * 1000), (round(end, 3), round(start, 3))
        if key not in latest or gap[0] > latest[key][0]:
            latest[key] = gap
    return sorted(latest.values(), key=lambda gap: gap[1])


# strict


def strict_latencies(model: Spans, span: Span, duration_s: float) -> list[Scored]:
    """Return both latencies of one sample, from the model's segments and the overlap [start, end].

    Stop: from the start of the overlap to the end of the model's segment that covers it; n = 0 where the
    model was silent there. Response: from the end of the overlap to the first start of the model at or after
    both it and the stop. Both are censored at the end of the recording, also a response that never comes, so
    that survival curves count it. A recording that ends with the overlap leaves no time to answer: n = 0.
    """
    start, end = span
    covering = next((s for s in model if s[0] < start - EPSILON and start < s[1] - EPSILON), None)
    if covering is None:
        return [_no_chance("stop_latency"), _response(model, end, end, duration_s)]
    stop_s = min(covering[1], duration_s)
    stop = Scored("stop_latency", stop_s - start, observed=stop_s < duration_s - EPSILON)
    return [stop, _response(model, end, max(end, stop_s), duration_s)]


def _response(model: Spans, end: float, from_s: float, duration_s: float) -> Scored:
    if duration_s - end <= EPSILON:
        return _no_chance("resp_latency")
    first = min((start for start, _ in model if start >= from_s - EPSILON), default=None)
    at = duration_s if first is None else first
    return Scored("resp_latency", max(at - end, 0.0), observed=first is not None)


def _no_chance(measure: str) -> Scored:
    return Scored(measure, 0.0, 0.0)
