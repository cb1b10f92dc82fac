"""Whether η² of turn-taking hangs on a limit or a definition that somebody had to choose.

DyaFDB (arXiv 2610.08125, App. C) reports that the pattern of its table holds for backchannels of up to 0.5 to
1.5 s and holds of 0.3 to 1.0 s. Here both limits are swept together, and every reading of a definition and
both ways of averaging are tried with them. It takes segments, since rows are counted under one setting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.measure.conversation import seconds
from dyad.measure.turns import (
    LIMITS,
    Count,
    EndRule,
    Limits,
    Mode,
    Overlaps,
    Ticks,
    kinds,
    overlaps,
    tor_end,
    tor_pause,
)
from dyad.spec import task_of
from dyad.stats import eta_squared, three_way_parts, two_way_parts
from dyad.stats.values import Floats

from .cells import divided
from .frame import conditions
from .rows import Row, row

if TYPE_CHECKING:
    import pandas as pd

BACKCHANNEL_TICKS = range(6, 19)  # at most 0.5 to 1.5 s
HOLD_TICKS = range(4, 14)  # at least 0.3 to 1.0 s
READINGS: dict[str, dict[Mode, str]] = {  # how each mode reads a measure
    "tor_pause": {"paper": "paper", "strict": "clean"},
    "tor_end": {"paper": "paper", "strict": "floor"},
    "barge_in": {"paper": "paper", "strict": "short_stop_wins"},
    "backchannels": {"paper": "paper", "strict": "paper"},
}
NO_SHARE = "no share: one agent, an empty cell, or nothing varies"
TERMS = ("task", "model", "partner", "interaction", "residual")


class Talk(NamedTuple):
    """One seat of a run against its partner: what its rows share, both seats' segments, and the length."""

    about: Mapping[str, object]
    x: Ticks
    y: Ticks
    ticks: int


class Setting(NamedTuple):
    """One way to count a measure; limits are those of `Limits`."""

    measure: str
    reading: str
    backchannel_ticks: int
    hold_ticks: int
    averaging: Literal["pooled", "runs"]


Counts = tuple[Floats, Floats]  # hits and opportunities of each talk, [K]


def sweep(talks: Sequence[Talk]) -> pd.DataFrame:
    """Return η² of turn-taking under every setting: one row per condition and `Setting`, one column per term.

    `averaging`: events pooled over runs, or the mean of runs. Cells are agent × partner × `factor`: the
    archetype, or the task where that leaves a cell without opportunities. Shares are NaN if even that does.
    """
    import pandas as pd

    frame = pd.DataFrame([talk.about for talk in talks])
    rows: list[Row] = []
    for condition, part in conditions(frame) if len(frame) else ():
        shares_of = _shares(part)
        for setting, counts in _settings([talks[i] for i in part.index]):
            rows.append({"condition": condition, **setting._asdict(), **shares_of(counts)})
    return pd.DataFrame(rows, columns=["condition", *Setting._fields, "factor", *TERMS])


def robustness(grid: pd.DataFrame, mode: Mode = "paper") -> Iterator[Row]:
    """What a `sweep` says of each share: `value` as the mode defines it, and its ends (`low`, `high`).

    `n` settings have a share and `missing` have none. In `hits` of them the pattern holds: the larger one of
    the agent's and its partner's share is the same as in the mode.
    """
    for (condition, measure), rows in grid.groupby(["condition", "measure"], sort=False):
        known = rows[rows["model"].notna()]
        mine = known[_is_default(known, READINGS[str(measure)][mode])]
        about = {"condition": condition, "measure": measure, "unit": "share of variance", "better": 0}
        about |= {"n": len(known), "missing": len(rows) - len(known)}
        if mine.empty:
            yield row("robustness", **about, note=NO_SHARE)
            continue
        leads = known["model"] > known["partner"]
        same = int((leads == bool(leads[mine.index[0]])).sum())
        larger = "model" if leads[mine.index[0]] else "partner"
        note = f"{larger} has the larger share in {same} of {len(known)} settings"
        for term in (term for term in TERMS if known[term].notna().any()):
            ends = {"low": float(known[term].min()), "high": float(known[term].max()), "interval": "sweep"}
            own = {"archetype": mine["factor"].iloc[0], "term": term, "value": float(mine[term].iloc[0])}
            yield row("robustness", **about, **own, **ends, hits=float(same), note=note)


def _is_default(rows: pd.DataFrame, reading: str) -> pd.Series[bool]:
    usual = (rows["backchannel_ticks"] == LIMITS.backchannel_ticks) & (
        rows["hold_ticks"] == LIMITS.hold_ticks
    )
    return usual & (rows["reading"] == reading) & (rows["averaging"] == "pooled")


def _settings(talks: Sequence[Talk]) -> Iterator[tuple[Setting, Counts]]:
    for measure, reading, limits, counts in (*_of_gaps(talks), *_of_onsets(talks)):
        about = (measure, reading, limits.backchannel_ticks, limits.hold_ticks)
        yield Setting(*about, "pooled"), counts
        had = counts[1] > 0
        yield Setting(*about, "runs"), (np.where(had, divided(*counts), 0.0), had.astype(float))


def _of_gaps(talks: Sequence[Talk]) -> Iterator[tuple[str, str, Limits, Counts]]:
    """Counts that neither of the swept limits can change, by reading."""
    for reading in ("paper", "clean"):
        found = [tor_pause(talk.x, talk.y, talk.ticks, clean=reading == "clean") for talk in talks]
        yield "tor_pause", reading, LIMITS, _columns(found)
    rules: tuple[EndRule, ...] = ("paper", "clean", "floor")
    for rule in rules:
        found = [tor_end(talk.x, talk.y, talk.ticks, rule=rule) for talk in talks]
        yield "tor_end", rule, LIMITS, _columns(found)


def _of_onsets(talks: Sequence[Talk]) -> Iterator[tuple[str, str, Limits, Counts]]:
    """Counts under every pair of limits: the overlaps are found once and told apart anew each time."""
    found = [overlaps(talk.x, talk.y, talk.ticks) for talk in talks]
    joined = Overlaps(*(np.concatenate(parts) for parts in zip(*found, strict=True)))
    owners = np.repeat(np.arange(len(talks)), [len(one.x) for one in found])
    minutes = np.array([seconds(talk.ticks) / 60 for talk in talks])
    for backchannel_ticks, hold_ticks in product(BACKCHANNEL_TICKS, HOLD_TICKS):
        limits = Limits(LIMITS.turn_ticks, backchannel_ticks, hold_ticks)
        of = _by_kind(kinds(joined, limits), owners, len(talks))
        yield "backchannels", "paper", limits, (of["backchannel"], minutes)
        won, lost = of["won"], of["lost"]
        yield "barge_in", "paper", limits, (won, won + lost)
        won = won + of["short_stop"]
        yield "barge_in", "short_stop_wins", limits, (won, won + lost)


def _by_kind(found: NDArray[np.str_], owners: NDArray[np.intp], talks: int) -> dict[str, Floats]:
    named = ("backchannel", "won", "lost", "short_stop")
    return {kind: np.bincount(owners[found == kind], minlength=talks).astype(float) for kind in named}


def _columns(counts: Sequence[Count]) -> Counts:
    table = np.array(counts, float).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _shares(part: pd.DataFrame) -> Callable[[Counts], Row]:
    """Return η² of counts by talk; as in the table of η², cells are pooled over scenarios.

    No term where even the tasks leave a cell without opportunities.
    """
    agents = sorted(set(part["agent"]))
    row_of, column_of = (np.searchsorted(agents, part[who]) for who in ("agent", "partner"))
    factors = (("archetype", str), ("task", task_of)) if len(agents) > 1 else ()
    shapes: dict[str, tuple[NDArray[np.intp], tuple[int, ...]]] = {}
    for factor, level_of in factors:
        names, levels = np.unique(part["archetype"].map(level_of), return_inverse=True)
        shape = (len(names), len(agents), len(agents))
        shapes[factor] = np.ravel_multi_index((levels, row_of, column_of), shape), shape

    def of(counts: Counts) -> Row:
        for factor, (cell, shape) in shapes.items():
            sums = [np.bincount(cell, column, minlength=math.prod(shape)) for column in counts]
            hits, n = np.asarray(sums, np.float64)
            table = divided(hits, n).reshape(shape)
            if not np.isnan(table).any():
                return {"factor": factor} | _eta(table)
        return {}

    return of


def _eta(table: Floats) -> Row:
    """Three-way, or two-way with one level of the factor."""
    one = len(table) == 1
    found = eta_squared(table, two_way_parts) if one else eta_squared(table[None], three_way_parts)
    return {term: float(share[0]) for term, share in found.items()}
