"""Turn-taking against worked examples and against rules that hold for every pair of channels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.measure.occupancy import active, floor
from dyad.measure.turns import (
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

T = 375


def ticks_of(*pairs: tuple[int, int]) -> Ticks:
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


Y = ticks_of((10, 60), (70, 120), (160, 200), (208, 260), (300, 350))
X = ticks_of((30, 36), (64, 84), (130, 150), (202, 206), (245, 275), (310, 330), (340, 346), (352, 370))


# The conversation of 30 s


@pytest.mark.parametrize(
    ("x", "y", "pause", "clean_pause", "end", "clean_end", "floor_end", "censored"),
    [
        (X, Y, (1, 2), (1, 2), (2, 3), (2, 2), (3, 3), 0),
        (Y, X, (0, 2), (0, 0), (3, 5), (3, 3), (4, 5), 1),
    ],
)
def test_turn_over_rates(x, y, pause, clean_pause, end, clean_end, floor_end, censored) -> None:
    assert tor_pause(x, y, T) == pause
    assert tor_pause(x, y, T, clean=True) == clean_pause
    assert tor_end(x, y, T) == end
    assert tor_end(x, y, T, rule="clean") == clean_end
    assert tor_end(x, y, T, rule="floor") == floor_end
    assert gaps(y, T).censored == censored


def test_onset_classes() -> None:
    assert [(*X[o.x], o.kind) for o in onsets(X, Y, T)] == [
        (30, 36, "backchannel"),
        (245, 275, "won"),
        (310, 330, "lost"),
        (340, 346, "short_stop"),
    ]
    assert [(*Y[o.x], o.kind) for o in onsets(Y, X, T)] == [(70, 120, "won")]


def test_barge_in_success() -> None:
    assert barge_in(onsets(X, Y, T)) == (1, 2)
    assert barge_in(onsets(X, Y, T), short_stop_wins=True) == (2, 3)
    assert barge_in(onsets(Y, X, T)) == (1, 1)


def test_floor() -> None:
    shared = floor(X, Y, T)
    assert (shared.x, shared.y, shared.both) == (63, 181, 61)
    assert shared.occupancy.rate == pytest.approx(0.258197, abs=5e-7)
    assert floor(Y, X, T).occupancy.rate == pytest.approx(0.741803, abs=5e-7)


def test_counts_by_mode() -> None:
    paper, strict = turn_counts(X, Y, T, "paper"), turn_counts(X, Y, T, "strict")
    assert paper == {
        "tor_pause": (1, 2),
        "tor_end": (2, 3),
        "barge_in": (1, 2),
        "backchannels": (1, 1),
        "turns": (5, 1),
        "segments": (8, 1),
        "censored_gaps": (0, 1),
    }
    assert strict == paper | {"tor_end": (3, 3), "barge_in": (2, 3)}
    other = turn_counts(Y, X, T, "strict")
    assert other["tor_pause"].rate is None
    assert (other["tor_end"], other["turns"], other["segments"]) == ((4, 5), (3, 1), (5, 1))


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


@pytest.mark.parametrize(
    ("x", "y", "pause", "end"),
    [
        ((42, 60), [(10, 40), (52, 80)], (1, 1), (0, 1)),  # gap of 12
        ((42, 60), [(10, 40), (53, 80)], (0, 0), (1, 2)),  # gap of 13
        ((42, 54), [(10, 40), (52, 80)], (0, 1), (0, 1)),  # 12 ticks of speech
        ((40, 60), [(10, 40), (52, 80)], (1, 1), (0, 1)),  # starts with the gap
        ((52, 70), [(10, 40), (52, 80)], (0, 1), (0, 1)),  # starts after it
        ((87, 100), [(10, 87)], (0, 0), (1, 1)),  # tail of 13
        ((88, 100), [(10, 88)], (0, 0), (0, 0)),  # tail of 12 is censored
    ],
)
def test_gap_boundaries(x, y, pause, end) -> None:
    assert tor_pause(ticks_of(x), ticks_of(*y), 100) == pause
    assert tor_end(ticks_of(x), ticks_of(*y), 100) == end


@pytest.mark.parametrize(
    ("x", "y", "kinds"),
    [
        ((20, 26), (10, 33), ["backchannel"]),
        ((20, 26), (10, 32), ["short_stop"]),
        ((20, 33), (10, 50), ["lost"]),
        ((20, 57), (10, 50), ["won"]),
        ((20, 56), (10, 50), ["unresolved"]),
        ((20, 50), (10, 50), ["unresolved"]),
        ((10, 60), (10, 50), []),
        ((50, 60), (10, 50), []),
        ((95, 98), (10, 100), ["unresolved"]),  # the recording ends before Y stops
    ],
)
def test_onset_boundaries(x, y, kinds) -> None:
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
