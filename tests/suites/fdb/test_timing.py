"""Stop and response latency of Full-Duplex-Bench v1.5: suite_fdb.md §7.3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.spec.suite import Span, Stimulus
from dyad.stats import kaplan_meier
from dyad.suites.fdb.timing import (
    MODEL_GAP_S,
    USER_GAP_S,
    latencies,
    merged,
    response_gaps,
    stop_intervals,
    strict_latencies,
)
from dyad.suites.protocol import Scored, Sound, Trial

RATE = 16_000


def as_pairs(spans: Sequence[Span]) -> list[Span]:
    return [(float(a), float(b)) for a, b in spans]


def test_gaps_are_closed_as_in_the_worked_example() -> None:
    user = [(0.5, 3.0), (3.5, 4.0), (7.275, 11.467)]
    model = [(4.6, 6.0), (6.4, 8.4), (12.3, 15.0)]
    assert merged(user, USER_GAP_S) == [(0.5, 4.0), (7.275, 11.467)]
    assert merged(model, MODEL_GAP_S) == [(4.6, 8.4), (12.3, 15.0)]


@pytest.mark.parametrize(
    ("spans", "gap", "closed"),
    [
        ([(0, 1), (1.5, 2)], 0.5, [(0, 2)]),
        ([(0, 1), (1.501, 2)], 0.5, [(0, 1), (1.501, 2)]),
        ([(3, 4), (0, 5)], 0.5, [(0, 5)]),
        ([], 0.5, []),
    ],
)
def test_a_gap_of_just_the_limit_is_closed(spans: list[Span], gap: float, closed: list[Span]) -> None:
    assert merged(spans, gap) == closed


# Each row of the table: user, model, intervals of stopping, gaps before responses.
ROWS = {
    "two turns": (
        [(0.5, 4.0), (7.275, 11.467)],
        [(4.6, 8.4), (12.3, 15.0)],
        [(7.275, 8.4)],
        [(4.0, 4.6), (11.467, 12.3)],
    ),
    "floor holder": ([(0.5, 4), (7, 9)], [(4.6, 14)], [(7, 9)], [(4, 4.6)]),
    "early answer": ([(0.5, 4)], [(3.2, 6)], [(3.2, 4.0)], []),
    "stutter": (
        [(0, 4), (6, 8)],
        [(4.5, 6.3), (6.9, 7.2), (8.6, 9)],
        [(6, 6.3), (6.9, 7.2)],
        [(4, 4.5), (8, 8.6)],
    ),
    "nothing": ([], [], [], []),
    "two that end in one ms": ([(0, 1), (1.0002, 3)], [(0.5, 1.0004)], [(1.0, 1.0)], []),
    "an answer within the ms": ([(0, 1)], [(0.5, 1), (1.0002, 2)], [(0.5, 1)], [(1, 1)]),
    "two users before one start": ([(0, 1), (2, 3)], [(4, 5)], [], [(3, 4)]),
}


@pytest.mark.parametrize("name", ROWS)
def test_intervals_of_the_authors_script(name: str) -> None:
    user, model, stops, gaps = ROWS[name]
    assert as_pairs(stop_intervals(user, model)) == as_pairs(stops)
    assert as_pairs(response_gaps(user, model)) == as_pairs(gaps)


def test_without_the_cap_a_floor_holder_stops_when_it_stops() -> None:
    user, model, _, _ = ROWS["floor holder"]
    assert stop_intervals(user, model, {"stop_capped": False}) == [(7, 14)]


def test_without_early_starts_an_early_answer_is_no_stop() -> None:
    user, model, _, _ = ROWS["early answer"]
    assert stop_intervals(user, model, {"stop_early_start": False}) == []
    user, model, stops, _ = ROWS["two turns"]
    assert stop_intervals(user, model, {"stop_early_start": False}) == stops


segments = st.lists(st.integers(0, 400), min_size=2, max_size=12, unique=True).map(
    lambda at: [(a / 20, b / 20) for a, b in zip(sorted(at)[::2], sorted(at)[1::2], strict=False)]
)


@settings(max_examples=60, deadline=None)
@given(segments, segments)
def test_intervals_lie_in_both_channels_and_end_apart(user: list[Span], model: list[Span]) -> None:
    user, model = merged(user, USER_GAP_S), merged(model, MODEL_GAP_S)
    stops = stop_intervals(user, model)
    for start, end in stops:
        assert start < end
        assert any(a <= start and end <= b for a, b in user)
        assert any(a <= start and end <= b for a, b in model)
    assert len({end for _, end in stops}) == len(stops)
    for asked, answered in response_gaps(user, model):
        assert asked < answered
        assert not any(asked < start < answered for start, _ in model)


@pytest.mark.parametrize(
    ("model", "span", "stop", "resp"),
    [
        # stops 1.125 s after the start of the overlap, answers .833 s after its end
        ([(4.6, 8.4), (12.3, 15.0)], (7.275, 11.467), (1.125, True), (0.833, True)),
        # the floor holder: not capped at the user's speech; it never starts anew before the end at 20 s
        ([(4.6, 14)], (7, 9), (7.0, True), (11.0, False)),
        # was silent when the overlap started: no chance to stop
        ([(9.5, 12)], (7, 9), None, (0.5, True)),
        # an early answer within the overlap is neither a stop nor a response
        ([(8.0, 10), (15, 16)], (7, 9), None, (6.0, True)),
        # talks until the recording ends
        ([(4.6, 20.0)], (7, 9), (13.0, False), (11.0, False)),
        # stutters: the first segment counts, the response is the first start after the overlap
        ([(4.5, 6.3), (6.9, 7.2), (8.6, 9)], (6, 8), (0.3, True), (0.6, True)),
        # starts when the overlap does, and again when it ends
        ([(7.0, 8.0), (9.0, 9.5)], (7, 9), None, (0.0, True)),
        # talks over the whole overlap: the next start after its stop
        ([(4.6, 10), (12, 13)], (7, 9), (3.0, True), (3.0, True)),
        ([], (7, 9), None, (11.0, False)),
    ],
)
def test_strict_has_one_value_of_each_per_sample(
    model: list[Span], span: Span, stop: tuple[float, bool] | None, resp: tuple[float, bool]
) -> None:
    stopped, responded = strict_latencies(model, span, 20.0)
    if stop is None:
        assert stopped == Scored("stop_latency", 0.0, 0.0)
    else:
        assert (stopped.value, stopped.observed, stopped.n) == (pytest.approx(stop[0]), stop[1], 1.0)
    assert (responded.value, responded.observed) == (pytest.approx(resp[0]), resp[1])


def test_an_overlap_at_the_end_of_the_recording_leaves_no_time_to_answer() -> None:
    assert strict_latencies([(1, 3)], (2, 4), 4.0)[1] == Scored("resp_latency", 0.0, 0.0)


def test_survival_curves_take_responses_that_never_come() -> None:
    samples = ([(9.5, 12)], [(10, 12)], [])
    found = [strict_latencies(model, (7, 9), 20.0)[1] for model in samples]
    curve = kaplan_meier([one.value for one in found], [one.observed for one in found])
    assert curve is not None
    assert (curve.median, curve.n, sum(curve.n_events), curve.n_missing) == (1.0, 3, 2, 0)


def sound(seconds: float, speech: Sequence[Span]) -> Sound:
    """A channel in which Silero hears speech in windows whose start lies in a span."""
    size = round(seconds * RATE)
    at = np.arange(-(-size // 512)) * 512 / RATE
    probs = np.any([(at >= a) & (at < b) for a, b in speech] or [at < 0], axis=0).astype(np.float32)
    return Sound(np.zeros(size, np.int16), RATE, (), probs, probs)


def trial(user: Sequence[Span], model: Sequence[Span], span: Span | None = (8.0, 12.0)) -> Trial:
    stimulus = Stimulus(id="x.1", task="x", kind="overlap", clip="1", folder=".", duration_s=16, span=span)
    return Trial(stimulus, sound(16, model), sound(16, user))


def test_compat_pools_intervals_and_takes_the_user_from_the_vad() -> None:
    # windows of 32 ms and padding of 30 ms: speech [0.512, 4.0] is heard as [0.482, 4.03]
    made = trial([(0.512, 4.0), (8.0, 12.0)], [(4.6, 9.0), (12.6, 15.0)], span=None)
    stop, resp = latencies(made, "compat", {})
    assert (stop.measure, stop.n, resp.n) == ("stop_latency", 1.0, 2.0)
    assert stop.value == pytest.approx(9.0 - 8.0, abs=0.1)
    assert resp.value == pytest.approx(0.6 + 0.6, abs=0.2)


def test_strict_takes_the_overlap_from_the_stimulus_and_needs_no_user() -> None:
    stop, resp = latencies(trial([], [(4.6, 9.0), (12.6, 15.0)]), "strict", {})
    assert (stop.value, stop.n) == (pytest.approx(1.0, abs=0.1), 1.0)
    assert resp.value == pytest.approx(0.6, abs=0.1)


def test_what_is_not_known_is_missing_for_a_reason() -> None:
    blind = trial([], [(1, 2)], span=None)
    assert [(s.value, s.reason) for s in latencies(blind, "strict", {})] == [
        (None, "no time of the overlap")
    ] * 2
    unheard = Trial(
        blind.stimulus,
        blind.model,
        Sound(blind.user.pcm, RATE, (), np.zeros(0, np.float32), blind.user.probs),
    )
    assert {s.reason for s in latencies(unheard, "compat", {})} == {"no speech probabilities"}


def test_a_silent_model_has_no_intervals() -> None:
    stop, resp = latencies(trial([(0.5, 4)], []), "compat", {})
    assert (stop.value, stop.n, resp.value, resp.n) == (0.0, 0.0, 0.0, 0.0)
