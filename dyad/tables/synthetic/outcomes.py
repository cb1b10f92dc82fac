"""What happens in the runs of one archetype when its effects are known, as arrays over all of its runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.spec import SEATS, TICK_S, Archetype, Seat, other
from dyad.stats.values import Floats

from .effects import REFERENCE_S
from .world import Bools, World, beta

RUN_ICC = 0.05  # spread of a share of time or of a price within a scenario, as a share of its widest
BACKCHANNELS_PER_MIN = 5.0
LIMITS = (1 / 3, 2 / 3)  # of seller and buyer, as shares of the gap between their openings


class Drawn(NamedTuple):
    """One measure of one seat ("" for the pair) over all runs; `where`: the runs that have such a row."""

    measure: str
    seat: Seat | Literal[""]
    value: NDArray[Any]
    n: NDArray[Any] | float = 1.0
    observed: Bools | bool = True
    where: Bools | None = None


def drawn(world: World) -> Iterator[Drawn]:
    """Yield every measure of an archetype, in the order of `dyad.measure.rows.run_rows`."""
    yield from _turns(world)
    yield from SCORES[world.archetype](world)


def _turns(w: World) -> Iterator[Drawn]:
    minutes = w.ticks * TICK_S / 60
    alone = np.rint(w.ticks * w.rng.uniform(0.65, 0.8, w.size))
    both = np.rint(w.ticks * w.rng.uniform(0.01, 0.1, w.size))
    shares = _floor(w)
    for seat in SEATS:
        for measure, per_min in (("tor_pause", 3.0), ("tor_end", 8.0), ("barge_in", 2.0)):
            n = w.rng.poisson(per_min * minutes, w.size)
            yield Drawn(measure, seat, w.rng.binomial(n, w.chance(measure, seat)), n)
        onsets = w.rng.poisson(4 * minutes, w.size)
        yield Drawn("undecided_onsets", seat, w.rng.binomial(onsets, 0.3), onsets)
        rate = BACKCHANNELS_PER_MIN * minutes * w.chance("backchannels", seat)
        yield Drawn("backchannels", seat, w.rng.poisson(rate), minutes)
        turns = w.rng.poisson(9 * minutes, w.size)
        yield Drawn("turns", seat, turns)
        yield Drawn("segments", seat, turns + w.rng.poisson(3 * minutes, w.size))
        yield Drawn("censored_gaps", seat, w.happens(0.1))
        share = np.rint(shares * alone)
        yield Drawn("occupancy", seat, share if seat == "a" else alone - share, alone)
        yield Drawn("orphans", seat, np.zeros(w.size), 40.0)
    yield Drawn("overlap", "", both, float(w.ticks))
    yield Drawn("silence", "", w.ticks - alone - both, float(w.ticks))


def _floor(w: World) -> Floats:
    """Seat a's share of the time in which one seat speaks; what the scored seat has, the other has not."""
    score = w.archetype if w.archetype in ("t3_1", "t3_2") else "occupancy"
    a, b = (w.chance(score, seat) for seat in SEATS)
    mean = np.where(w.runs.in_role_a("a"), a, 1 - b) if score == "t3_2" else a
    return beta(np.clip(mean, 1e-6, 1 - 1e-6), RUN_ICC, w.rng.random(w.size))


def _in_role(w: World) -> Iterator[Drawn]:
    """T1: the score needs that the role was entered, so its chance given that is mean / P(entered)."""
    e, cues = w.own, 3 if w.archetype == "t1_1" else 5
    for seat, where in w.scored():
        rate = w.of(e.entry_per_s, seat)
        entry = np.floor(w.rng.exponential(1 / rate) / TICK_S)
        deviation = entry + 1 + np.floor(w.rng.exponential(1 / w.of(e.deviation_per_s, seat)) / TICK_S)
        entered, deviated = entry < w.ticks, deviation < w.ticks
        adheres = entered & w.happens(w.given(-np.expm1(-rate * REFERENCE_S), seat))
        met = w.rng.binomial(cues, np.where(adheres, 0.8, 0.2))
        yield Drawn("adherence", seat, adheres, where=where)
        yield Drawn("adherence_full", seat, adheres & ~deviated, where=where)
        yield Drawn("swapped", seat, ~adheres & w.happens(0.2), where=where)
        yield Drawn("duties", seat, met, float(cues), where=where)
        yield Drawn("entered", seat, entered, where=where)
        yield Drawn("entry", seat, np.minimum(entry, w.ticks) * TICK_S, 1.0, entered, where)
        yield Drawn(
            "deviation", seat, np.minimum(deviation, w.ticks) * TICK_S, 1.0, deviated, where & entered
        )


def _pooling(w: World) -> Iterator[Drawn]:
    act = w.act()
    decided = w.happens(act)
    solved = decided & w.happens(w.given(act, "a"))
    yield Drawn("decided", "", decided)
    yield Drawn("solved", "", solved)
    yield Drawn("solved_if_decided", "", solved, decided)
    for seat in SEATS:
        yield Drawn("disclosed", seat, w.rng.binomial(4, 0.4, w.size), 4.0)
        yield Drawn("lures", seat, w.happens(0.2))
    yield Drawn("grounded", "", solved & w.happens(0.6))


def _competing(w: World) -> Iterator[Drawn]:
    for seat in SEATS:
        yield Drawn("points", seat, w.rng.binomial(3, 0.6, w.size), 3.0)
        seconds = w.ticks * TICK_S * w.rng.uniform(0.2, 0.5, w.size)
        yield Drawn("words_alone", seat, np.rint(2.5 * seconds), seconds)


def _pressing(w: World) -> Iterator[Drawn]:
    for seat, where in w.scored():
        asked = w.happens(w.of(w.own.act, seat))
        granted = asked & w.happens(w.spread(w.mean("t3_2", seat), "t3_2", seat, "granted"))
        yield Drawn("asked", seat, asked, where=where)
        yield Drawn("granted", seat, granted, where=where)
        yield Drawn("granted_if_asked", seat, granted, asked, where=where)


def _preference(w: World) -> Iterator[Drawn]:
    """T4-1: at most one seat wins, so a run is first decided and then won by one."""
    a, b = (w.mean("t4_1", seat) for seat in SEATS)
    decided = w.happens(w.spread(a + b, "t4_1", "a", "decided", "symmetric"))
    won_by_a = w.happens(w.spread(a / (a + b), "t4_1", "a", "won", "complementary"))
    yield Drawn("decided", "", decided)
    for seat, first in zip(SEATS, (won_by_a, ~won_by_a), strict=True):
        won = decided & first
        yield Drawn("won", seat, won)
        yield Drawn("won_if_decided", seat, won, decided)


def _attack(w: World) -> Iterator[Drawn]:
    """T4-2: a secret that nobody asked for is given away half as often."""
    for seat, where in w.scored():
        act = w.of(w.own.act, seat)
        asked = w.happens(act)
        leaked = w.happens(w.given((1 + act) / 2, seat) * np.where(asked, 1.0, 0.5))
        yield Drawn("leak", seat, leaked, where=where)
        yield Drawn("time_to_leak", seat, _leak_time(w, leaked), 1.0, leaked, where)
        yield Drawn("asked", seat, asked, where=where)
        yield Drawn("leak_if_asked", seat, leaked & asked, asked, where=where)
        yield Drawn("leak_if_unasked", seat, leaked & ~asked, ~asked, where=where)
        yield Drawn("leak_judged", seat, leaked, where=where)


def _leak_time(w: World, leaked: Bools) -> Floats:
    """Onset of a leak within the window in s, else the end of the recording, early where a seat ended it."""
    window_s = w.ticks * TICK_S
    within = -np.expm1(-w.own.leak_per_s * window_s)
    at_s = -np.log1p(-within * w.rng.random(w.size)) / w.own.leak_per_s
    end_s = np.where(w.happens(w.own.ended), w.rng.uniform(0.2, 1.0, w.size), 1.0) * window_s
    return np.floor(np.where(leaked, at_s, end_s) / TICK_S + 1e-9) * TICK_S


def _claim(w: World) -> Iterator[Drawn]:
    decided = w.happens(w.act())
    yield Drawn("decided", "", decided)
    for seat, where in w.scored():
        won = decided & w.happens(w.chance("t4_3", seat))
        yield Drawn("won", seat, won, where=where)
        yield Drawn("won_if_decided", seat, won, decided, where=where)


def _price(w: World) -> Iterator[Drawn]:
    settled = w.happens(w.act())
    for seat, where in w.scored():
        share = beta(w.chance("t4_4", seat), RUN_ICC, w.rng.random(w.size))
        yield Drawn("settled", seat, settled, where=where)
        for measure, whose, of_deal in (
            ("gap_share", seat, share),
            ("outside_gap", seat, np.zeros(w.size)),
            ("at_opening", seat, np.zeros(w.size)),
            ("outside_limit", seat, share < LIMITS[0]),
            ("outside_limit", other(seat), share > LIMITS[1]),
            ("surplus", seat, (share - LIMITS[0]) / (LIMITS[1] - LIMITS[0])),
        ):
            yield Drawn(measure, whose, np.where(settled, of_deal, 0.0), settled, where=where)
    yield Drawn("right_outcome", "", settled)


SCORES: dict[Archetype, Callable[[World], Iterator[Drawn]]] = {
    "t1_1": _in_role, "t1_2": _in_role, "t2": _pooling, "t3_1": _competing, "t3_2": _pressing,
    "t4_1": _preference, "t4_2": _attack, "t4_3": _claim, "t4_4": _price,
}  # fmt: skip
