"""Takeover and latency in pauses, at ends of turns and after interruptions (FDB v1.0, arXiv 2503.04721).

`compat` is the authors' rule on the transcript as it stands: a model takes the turn unless all that it says
lasts less than 1 s in at most three words, wherever that is. Where their scripts crash on a missing time, the
value is missing.

`strict` looks at turns only: words inside speech, joined into inter-pausal units, without those that can be
backchannels.
- Pause: a turn starts in it, or up to 0.4 s before it, or an earlier one is still going on when it starts:
  who never stops must not pass for one who waits.
- End of a turn: the reply is the first turn that is still going on when the user has ended, or starts later.
- Interruption: the same, but started after the interruption did: an older answer that runs on is no reply
  (a transcript that begins at the end of the interruption, as the authors' do, cannot tell).
A reply that starts before the user ends has latency 0 (`latency_raw` negative, `early` 1). Without a reply
the latency is censored at the end of the recording.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from dyad.spec import Label
from dyad.suites.protocol import ASR_FAILED, NO_TRANSCRIPT, Chunk, Mode, Scored, Sound, Trial
from dyad.suites.words import EPSILON, Ipu, ipus, is_backchannel, is_unheard, words_of

from .flags import is_on
from .given import with_theirs
from .rating import rating_score, takeovers

TURN_S, TURN_WORDS = 1.0, 3  # shorter, in no more words: not a turn
LEAD_S = 0.4  # how long before a pause a turn may start that counts for it
REPLY = ("tor", "latency", "latency_raw", "early")

NO_TIMES = "words without times"
NO_SPAN = "no times of the user's turn"
TOO_SHORT = "the recording ends before the user's turn"


def pause_scores(trial: Trial, mode: Mode, flags: Mapping[str, bool]) -> list[Scored]:
    """Return `tor` of a pause, and in strict `tor_any_file` beside it."""
    if mode == "compat":
        return _compat(trial.model.words, None, last_start=True)
    if problem := _problem(trial.model):
        return missing(problem, "tor", "tor_any_file")
    turns, span = turns_of(trial.model), trial.stimulus.span
    tor = missing(NO_SPAN, "tor")[0] if span is None else Scored("tor", float(cuts_in(turns, *span)))
    return [tor, Scored("tor_any_file", float(bool(turns)))]


def turn_taking_scores(trial: Trial, mode: Mode, flags: Mapping[str, bool]) -> list[Scored]:
    """Return `tor` and `latency` at the end of the user's turn; in strict also what stands beside them."""
    span = trial.stimulus.span
    user_end = span[0] if span else None
    if mode == "compat":
        return _compat(trial.model.words, user_end)
    return _strict(trial.model, user_end, -inf)


def interruption_scores(
    trial: Trial,
    labels: Sequence[Label],
    mode: Mode,
    flags: Mapping[str, bool],
    crop: bool = False,
    retries: int = 0,
) -> list[Scored]:
    """Return `tor`, `latency` and `rating` after an interruption; in strict also what stands beside them.

    `crop` leaves only what was said after the interruption, as in the authors' transcripts; `retries`
    replies of the judge could not be read. Both concern compat only.
    """
    start, end = trial.stimulus.span or (None, None)
    if mode == "compat":
        words = trial.model.words
        found = _compat(after(words, end) if crop and words and end is not None else words, end)
    else:
        found = _strict(trial.model, end, -inf if start is None else start)
    tor = found[0]
    if tor.value is None:
        return [*found, *missing(tor.reason, "rating")]
    twice = mode == "compat" and is_on(flags, "rating_counted_twice")
    if mode == "compat":
        found[0] = takeovers(tor.value > 0, retries, flags)
    counted = with_theirs(trial, labels) if mode == "compat" else labels
    return [*found, rating_score(tor.value > 0, counted, twice)]


def took_turn(chunks: Sequence[Chunk], last_start: bool = False) -> bool | None:
    """Return the authors' takeover; None where their script crashes on a missing time.

    `last_start`: a last word without an end ends where it starts, as in the script for pauses.
    """
    if not chunks:
        return False
    start, end = chunks[0].start, chunks[-1].end
    if last_start and end is None:
        end = chunks[-1].start
    if start is None or end is None:
        return None
    return not (end - start < TURN_S and len(chunks) <= TURN_WORDS)


def after(chunks: Sequence[Chunk], t: float) -> tuple[Chunk, ...]:
    """Return the words whose middle is not before `t` seconds, with starts of at least `t`.

    That is what remains of a transcript when only the sound from `t` on is transcribed. A word without an
    end stands for its start; one without a start is kept.
    """
    kept = (chunk for chunk in chunks if chunk.start is None or _middle(chunk.start, chunk.end) >= t)
    return tuple(c if c.start is None else c._replace(start=max(c.start, t)) for c in kept)


def turns_of(sound: Sound) -> tuple[Ipu, ...]:
    """Return a model's turns: inter-pausal units of words inside speech that cannot be backchannels."""
    return tuple(ipu for ipu in ipus(words_of(sound, gate=True)) if not is_backchannel(ipu))


def cuts_in(turns: Sequence[Ipu], start: float, end: float) -> bool:
    """Whether a turn starts in [start − 0.4, end) of a pause, or is still going on when the pause starts."""
    before_end = (turn for turn in turns if turn.start < end - EPSILON)
    return any(t.start >= start - LEAD_S - EPSILON or t.end > start + EPSILON for t in before_end)


def reply(turns: Sequence[Ipu], user_end: float, since: float = -inf) -> Ipu | None:
    """Return the first turn that starts not before `since` and ends after the user."""
    fits = (t for t in turns if t.start >= since - EPSILON and t.end > user_end + EPSILON)
    return next(fits, None)


def missing(reason: str, *measures: str) -> list[Scored]:
    """Return measures that cannot be had."""
    return [Scored(measure, None, 0.0, reason=reason) for measure in measures]


def _compat(words: Sequence[Chunk] | None, user_end: float | None, last_start: bool = False) -> list[Scored]:
    """Return `tor` and, but for pauses (`last_start`), `latency`."""
    names = ("tor",) if last_start else ("tor", "latency")
    if words is None:
        return missing(NO_TRANSCRIPT, *names)
    took = took_turn(words, last_start)
    if took is None:
        return missing(NO_TIMES, *names)
    tor = Scored("tor", float(took))
    return [tor] if last_start else [tor, _compat_latency(took, words, user_end)]


def _compat_latency(took: bool, words: Sequence[Chunk], user_end: float | None) -> Scored:
    start = words[0].start if took else None
    if start is None:
        return Scored("latency", 0.0, 0.0)
    if user_end is None:
        return missing(NO_SPAN, "latency")[0]
    late = start - user_end
    return Scored("latency", 0.0 if late < 0 else late)


def _strict(sound: Sound, user_end: float | None, since: float) -> list[Scored]:
    """Return the takeover by a reply with its latency, and whether there is a turn at all."""
    cropped = since > -inf and not sound.whole  # the transcript begins where the interruption ends
    if problem := _problem(sound, user_end or 0.0 if cropped else 0.0):
        return missing(problem, *REPLY, "tor_any_file")
    turns, duration_s = turns_of(sound), sound.duration_s
    found = missing(NO_SPAN, *REPLY) if user_end is None else _replied(turns, user_end, since, duration_s)
    return [*found, Scored("tor_any_file", float(bool(turns)))]


def _replied(turns: Sequence[Ipu], user_end: float, since: float, duration_s: float) -> list[Scored]:
    if duration_s - user_end <= EPSILON:
        return missing(TOO_SHORT, *REPLY)
    found = reply(turns, user_end, since)
    if found is None:
        left = Scored("latency", duration_s - user_end, observed=False)
        return [Scored("tor", 0.0), left, Scored("latency_raw", 0.0, 0.0), Scored("early", 0.0, 0.0)]
    late = found.start - user_end
    return [
        Scored("tor", 1.0),
        Scored("latency", max(late, 0.0)),
        Scored("latency_raw", late),
        Scored("early", float(late < -EPSILON)),
    ]


def _problem(sound: Sound, since: float = 0.0) -> str:
    """Say why a transcript cannot be trusted: none there, or no word in the speech after `since`."""
    if sound.words is None:
        return NO_TRANSCRIPT
    return ASR_FAILED if is_unheard(sound, since) else ""


def _middle(start: float, end: float | None) -> float:
    return start if end is None else (start + end) / 2
