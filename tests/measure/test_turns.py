"""Turn-taking against worked examples and against rules that hold for every pair of channels."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.measure.occupancy import active, floor
from dyad.measure.turns import (
    LIMITS,
    MODES,
    Limits,
    Mode,
    Ticks,
    barge_in,
    gaps,
    onsets,
    response_times,
    seat_ticks,
    tor_end,
    tor_pause,
    turn_counts,
)
from dyad.spec import Segment

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))["vectors"]
FRAMES, BOUNDARIES = VECTORS["frames"], VECTORS["turn_taking_boundaries"]


def ticks_of(*pairs: tuple[int, int]) -> Ticks:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


T = VECTORS["turn_taking"]["T"]
X, Y = (ticks_of(*VECTORS["turn_taking"][seat]) for seat in "XY")
SIDES = [(X, Y, VECTORS["turn_taking"]["X_against_Y"]), (Y, X, VECTORS["turn_taking"]["Y_against_X"])]


# The conversation of 30 s


def test_seconds_in_ticks() -> None:
    assert (LIMITS.turn_ticks, LIMITS.turn_ticks - 1) == (FRAMES["end_min"], FRAMES["pause_max"])
    assert LIMITS.turn_ticks == FRAMES["long_min"] == LIMITS.backchannel_ticks + 1
    assert LIMITS.hold_ticks == FRAMES["hold_min"]


@pytest.mark.parametrize(("x", "y", "printed"), SIDES, ids=["X", "Y"])
def test_turn_over_rates(x: Ticks, y: Ticks, printed: dict[str, Any]) -> None:
    found = {
        "tor_pause": tor_pause(x, y, T),
        "tor_pause_clean": tor_pause(x, y, T, clean=True),
        "tor_end": tor_end(x, y, T),
        "tor_end_clean": tor_end(x, y, T, rule="clean"),
        "tor_end_floor": tor_end(x, y, T, rule="floor"),
    }
    assert {name: list(count) for name, count in found.items()} == {name: printed[name] for name in found}
    assert gaps(y, T).censored == printed["tail_censored"]


@pytest.mark.parametrize(("x", "y", "printed"), SIDES, ids=["X", "Y"])
def test_onsets_over_the_other(x: Ticks, y: Ticks, printed: dict[str, Any]) -> None:
    found = onsets(x, y, T)
    classes = [{"segment": x[onset.x].tolist(), "class": onset.kind} for onset in found]
    assert classes == printed["onset_classes"]
    assert list(barge_in(found)) == printed["barge_in"]
    assert list(barge_in(found, short_stop_wins=True)) == printed["barge_in_short_stop_wins"]


@pytest.mark.parametrize(("x", "y", "printed"), SIDES, ids=["X", "Y"])
def test_floor(x: Ticks, y: Ticks, printed: dict[str, Any]) -> None:
    shared = floor(x, y, T)
    assert (shared.x, shared.both) == (printed["exclusive_frames"], printed["overlap_frames"])
    assert shared.occupancy.rate == pytest.approx(printed["occupancy"], abs=5e-7)


@pytest.mark.parametrize(("x", "y", "printed"), SIDES, ids=["X", "Y"])
def test_counts_by_mode(x: Ticks, y: Ticks, printed: dict[str, Any]) -> None:
    paper, strict = turn_counts(x, y, T, "paper"), turn_counts(x, y, T, "strict")
    rates = {name: list(paper[name]) for name in ("tor_pause", "tor_end", "barge_in")}
    assert rates == {name: printed[name] for name in rates}
    variants = {
        "tor_pause": "tor_pause_clean", "tor_end": "tor_end_floor", "tor_end_clean": "tor_end_clean",
        "barge_in": "barge_in_short_stop_wins",
    }  # fmt: skip
    assert {name: list(strict[name]) for name in variants} == {n: printed[v] for n, v in variants.items()}
    for counts in (paper, strict):
        assert counts["backchannels"] == (printed["backchannels"], 1)
        assert (counts["turns"], counts["segments"]) == ((printed["turns"], 1), (printed["segments"], 1))
        assert counts["censored_gaps"] == (printed["tail_censored"], 1)
        settled = counts["backchannels"].hits + counts["barge_in"].n
        assert settled + counts["undecided_onsets"].hits == counts["undecided_onsets"].n
        assert counts["undecided_onsets"].n == len(printed["onset_classes"])
    assert set(strict) - set(paper) == {"tor_end_clean"}


def test_response_times() -> None:
    waits, observed = response_times(X, Y, T)
    # Y stops at 60, 120, 200, 260 (X speaking) and 350.
    assert waits.tolist() == [4, 10, 2, 2]
    assert observed.all()
    waits, observed = response_times(Y, X, T)
    # X stops at 150, 206, 275 and 370 while Y is silent; the recording ends at 375.
    assert waits.tolist() == [10, 2, 25, 5]
    assert observed.tolist() == [True, True, True, False]


# Boundaries, in a recording of 100 ticks


@pytest.mark.parametrize("case", BOUNDARIES, ids=[case["name"] for case in BOUNDARIES])
def test_boundaries(case: dict[str, Any]) -> None:
    x, y, ticks = ticks_of(*case["X"]), ticks_of(*case["Y"]), case["T"]
    assert list(tor_pause(x, y, ticks)) == case["tor_pause"]
    assert list(tor_end(x, y, ticks)) == case["tor_end"]
    assert gaps(y, ticks).censored == case["tail_censored"]
    assert [onset.kind for onset in onsets(x, y, ticks)] == case["classes"]


@pytest.mark.parametrize(
    ("x", "y", "kinds"),
    [
        ((50, 60), (10, 50), []),  # starts when Y stops
        ((95, 98), (10, 100), ["unresolved"]),  # the recording ends before Y stops
    ],
)
def test_onsets_at_the_edges(x, y, kinds) -> None:
    assert [o.kind for o in onsets(ticks_of(x), ticks_of(y), 100)] == kinds


def test_limits_move_the_classes() -> None:
    x, y = ticks_of((20, 33)), ticks_of((10, 45))
    assert onsets(x, y, 100)[0].kind == "lost"
    assert onsets(x, y, 100, Limits(backchannel_ticks=13))[0].kind == "backchannel"
    assert onsets(x, y, 100, Limits(hold_ticks=13))[0].kind == "unresolved"


def test_nobody_speaks() -> None:
    nothing = ticks_of()
    for mode in MODES:
        counts = turn_counts(nothing, nothing, 100, mode)
        assert all(count.hits == 0 for count in counts.values())
        assert counts["tor_end"].rate is None
    assert floor(nothing, nothing, 100) == (0, 0, 0, 100)
    assert floor(nothing, nothing, 100).occupancy.rate is None
    assert response_times(X, nothing, T)[0].size == 0


def test_a_segment_outside_the_recording_is_an_error() -> None:
    with pytest.raises(ValueError, match="100"):
        floor(ticks_of((90, 101)), ticks_of(), 100)


def test_segments_of_a_seat_are_sorted() -> None:
    found = [
        Segment(seat="b", start=5, end=9),
        Segment(seat="a", start=1, end=2),
        Segment(seat="b", start=0, end=3),
    ]
    assert seat_ticks(found, "b").tolist() == [[0, 3], [5, 9]]
    assert seat_ticks([], "a").shape == (0, 2)


# Rules for every pair of channels

LENGTH = 160


@st.composite
def channel(draw: st.DrawFn) -> Ticks:
    edges = sorted(draw(st.sets(st.integers(0, LENGTH), max_size=24)))
    return ticks_of(*zip(edges[::2], edges[1::2], strict=False))


@given(channel(), channel())
def test_ticks_are_conserved(x: Ticks, y: Ticks) -> None:
    shared = floor(x, y, LENGTH)
    assert sum(shared) == LENGTH
    assert shared.x + shared.both == active(x, LENGTH).sum() == (x[:, 1] - x[:, 0]).sum()
    assert shared.y + shared.both == (y[:, 1] - y[:, 0]).sum()


@given(channel(), channel())
def test_exchanging_the_seats_exchanges_the_shares(x: Ticks, y: Ticks) -> None:
    ours, theirs = floor(x, y, LENGTH), floor(y, x, LENGTH)
    assert (ours.x, ours.y, ours.both, ours.silence) == (theirs.y, theirs.x, theirs.both, theirs.silence)


@given(channel(), channel(), st.sampled_from(MODES))
def test_hits_never_exceed_opportunities(x: Ticks, y: Ticks, mode: Mode) -> None:
    counts = turn_counts(x, y, LENGTH, mode)
    for name in ("tor_pause", "tor_end", "barge_in"):
        assert 0 <= counts[name].hits <= counts[name].n
    assert counts["turns"].hits + counts["backchannels"].hits <= counts["segments"].hits


@given(channel(), channel())
def test_every_gap_is_counted_once(x: Ticks, y: Ticks) -> None:
    pauses, ends, censored = gaps(y, LENGTH)
    silent_tail = bool(len(y)) and y[-1, 1] < LENGTH
    assert len(pauses) + len(ends) + censored == max(len(y) - 1, 0) + silent_tail
    assert tor_pause(x, y, LENGTH).n == len(pauses)
    assert tor_end(x, y, LENGTH, rule="floor").n == len(ends)


@given(channel(), channel())
def test_each_start_over_the_other_has_one_class(x: Ticks, y: Ticks) -> None:
    speaking = active(y, LENGTH + 1)
    starts = set(y[:, 0].tolist())
    over = [i for i, u in enumerate(x[:, 0].tolist()) if speaking[u] and u not in starts]
    assert [o.x for o in onsets(x, y, LENGTH)] == over


@given(channel(), channel(), st.integers(4, 12))
def test_a_longer_hold_settles_fewer_barge_ins(x: Ticks, y: Ticks, hold: int) -> None:
    # Without backchannels, which a longer hold would turn into something else.
    short, long = (
        Limits(backchannel_ticks=0, hold_ticks=hold),
        Limits(backchannel_ticks=0, hold_ticks=hold + 1),
    )
    less, more = (barge_in(onsets(x, y, LENGTH, limits)) for limits in (long, short))
    assert less.n <= more.n
    assert less.hits <= more.hits


@given(channel(), channel())
def test_more_speech_never_takes_fewer_turns(x: Ticks, y: Ticks) -> None:
    everywhere = ticks_of((0, LENGTH))
    assert tor_end(x, y, LENGTH, rule="floor").hits <= tor_end(everywhere, y, LENGTH, rule="floor").hits


@given(channel(), channel(), st.integers(1, 50), st.sampled_from(MODES))
def test_an_earlier_silence_changes_nothing(x: Ticks, y: Ticks, shift: int, mode: Mode) -> None:
    moved = turn_counts(x + shift, y + shift, LENGTH + shift, mode)
    assert moved == turn_counts(x, y, LENGTH, mode)


@given(channel(), channel())
def test_waiting_ends_inside_the_gap(x: Ticks, y: Ticks) -> None:
    waits, observed = response_times(x, y, LENGTH)
    assert waits.shape == observed.shape
    assert (waits >= 0).all()
    assert (waits[~observed] > 0).all()
