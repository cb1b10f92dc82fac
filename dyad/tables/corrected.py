"""A judge's shares without its errors, from the runs of a study that people labelled as well.

Rows of people are rows like those of any judge, under the name `human:<INITIALS>`. Intervals take items as
independent, as the published formulas do; values and ends lie within [0, 1], as a share does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from dyad.judge.questions import question
from dyad.measure.catalogue import questions_behind
from dyad.stats import Corrected, calibrate, ppi, rogan_gladen

from .frame import conditions

if TYPE_CHECKING:
    import pandas as pd

HUMAN = "human:"
CELL_HUMANS = 10  # a cell with fewer human labels has no correction of its own
CORRECTED = (
    "condition", "archetype", "measure", "agent", "partner", "judge", "method", "raw", "value", "se", "low",
    "high", "n", "n_human", "ties", "missing", "lam",
)  # fmt: skip

Row = dict[str, Any]
Method = Literal["ppi", "rogan_gladen"]
Key = tuple[str, str]  # run and seat
Asked = tuple[str, str, str]  # run, question, and seat; "" where the question is about the pair


@dataclass(frozen=True)
class _Item:
    """What a judge and most people say of one run or seat; None: no label."""

    agent: str
    partner: str
    seat: str
    judged: float | None
    silent: bool = False
    human: float | None = None
    tie: bool = False
    weight: float = 1.0


def corrected(
    frame: pd.DataFrame,
    judge: str,
    weights: Mapping[Asked, float] | None = None,
    method: Method = "ppi",
    silent: Collection[Asked] = (),
) -> list[Row]:
    """Return the corrected shares of a judge, with `CORRECTED`, from a frame of run rows of one mode.

    Each condition, archetype and measure that is yes or no per run, rests on one question and has human
    labels gets a row over all agents (agent and partner are ""), and one per (agent, partner) with at least
    `CELL_HUMANS` of them. Several people decide by majority; ties are left out and counted. `raw` is the
    judge's own share of its `n` labels; `missing` labels it did not give. Of a conditional measure only the
    runs count in which the judge sees the condition; people who do not see it there give no label. Where no
    correction is possible, `value` is None. Where one label scores both seats, no row holds both.

    `weights`: the inverse of the chance with which each item was shown to people; None for equal chances.
    `silent`: items whose labels follow from a silence, which people are not asked: there the judge is right.
    Raises ValueError for an item with human labels and without a weight.
    """
    rows: list[Row] = []
    for condition, part in conditions(frame):
        people = part[part["judge"].str.startswith(HUMAN)]
        for (archetype, measure), own in part[part["judge"] == judge].groupby(["archetype", "measure"]):
            theirs = people[(people["archetype"] == archetype) & (people["measure"] == measure)]
            asked = questions_behind(str(measure), str(archetype))  # of two, people may know one
            if len(asked) == 1 and len(theirs) and _yes_or_no(own) and _yes_or_no(theirs):
                about = {"condition": condition, "archetype": archetype, "measure": measure, "judge": judge}
                sample = _Sample(asked[0], _votes(theirs), weights, silent)
                items = list(_items(own, sample))
                twice = question(asked[0]).unit != "seat" and bool(own.duplicated("run_id").any())
                found = _rows(items, weights is not None, method)
                rows += [about | row for row in found if not (twice and row["agent"] == row["partner"])]
    return [{column: row[column] for column in CORRECTED} for row in rows]


def _yes_or_no(rows: pd.DataFrame) -> bool:
    known = rows[rows["value"].notna()]
    return bool(rows["n"].isin((0, 1)).all() and known["value"].isin((0, 1)).all())


def _votes(rows: pd.DataFrame) -> dict[Key, list[float | None]]:
    """What people say of each item: 1, 0, or None where they see no opportunity."""
    votes: dict[Key, list[float | None]] = {}
    known = rows[rows["value"].notna()]
    for run_id, seat, value, n in zip(
        known["run_id"], known["seat"], known["value"], known["n"], strict=True
    ):
        votes.setdefault((run_id, seat), []).append(float(value) if n else None)
    return votes


@dataclass(frozen=True)
class _Sample:
    """What people say of one measure, and how its question came to them."""

    question: str
    votes: Mapping[Key, Sequence[float | None]]
    weights: Mapping[Asked, float] | None
    silent: Collection[Asked]

    def asked(self, run_id: str, seat: str) -> Asked:
        """The item behind a row: rows of a seat may rest on a question about the pair."""
        return run_id, self.question, seat if question(self.question).unit == "seat" else ""


def _items(own: pd.DataFrame, sample: _Sample) -> Iterator[_Item]:
    counted = own[own["value"].isna() | (own["n"] == 1)]
    columns = (counted[name] for name in ("run_id", "seat", "agent", "partner", "value"))
    for run_id, seat, agent, partner, value in zip(*columns, strict=True):
        asked, ballot = sample.asked(run_id, seat), sample.votes.get((run_id, seat))
        item = _Item(agent, partner, seat, None if math.isnan(value) else float(value))
        if ballot:
            human, count = Counter(ballot).most_common(1)[0]
            weight = 1.0 if sample.weights is None else sample.weights.get(asked, math.nan)
            tie = 2 * count <= len(ballot)
            yield replace(item, human=None if tie else human, tie=tie, weight=weight)
        else:
            yield replace(item, silent=asked in sample.silent)


def _rows(items: Sequence[_Item], weighted: bool, method: Method) -> Iterator[Row]:
    """The row over all agents and those of the cells."""
    if not _count(items):
        return
    yield _row("", "", items, weighted, method)
    cells: dict[tuple[str, str], list[_Item]] = {}
    for item in items:
        cells.setdefault((item.agent, item.partner), []).append(item)
        if item.seat == "" and item.agent != item.partner:  # a pair's score counts for both agents
            cells.setdefault((item.partner, item.agent), []).append(item)
    for (agent, partner), own in sorted(cells.items()):
        if _count(own) >= CELL_HUMANS:
            yield _row(agent, partner, own, weighted, method)


def _count(items: Sequence[_Item]) -> int:
    """How many items have a human label that can be held against the judge's."""
    return sum(item.human is not None and item.judged is not None for item in items)


def _row(agent: str, partner: str, items: Sequence[_Item], weighted: bool, method: Method) -> Row:
    judged = [item.judged for item in items if item.judged is not None]
    found = _correct(items, weighted, method)
    return _share(found) | {
        "agent": agent,
        "partner": partner,
        "method": method,
        "raw": sum(judged) / len(judged),
        "n": len(judged),
        "n_human": _count(items),
        "ties": sum(item.tie for item in items),
        "missing": len(items) - len(judged),
    }


def _share(found: Corrected | None) -> Row:
    """What is known of a share: inside [0, 1], and no standard error where there is no interval."""
    if found is None:
        return dict.fromkeys(("value", "se", "low", "high", "lam"))
    value, low, high = (
        None if x is None else min(1.0, max(0.0, x)) for x in (found.value, found.low, found.high)
    )
    if low == high:
        return {"value": value, "se": None, "low": None, "high": None, "lam": found.lam}
    return {"value": value, "se": found.se, "low": low, "high": high, "lam": found.lam}


def _correct(items: Sequence[_Item], weighted: bool, method: Method) -> Corrected | None:
    """Correct what people could be asked, and put it together with what follows from a silence."""
    asked = [item for item in items if not item.silent]
    found = _of_asked(asked, weighted, method)
    certain = [item.judged for item in items if item.silent and item.judged is not None]
    if found is None or not certain:
        return found
    share = found.n / (found.n + len(certain))
    value = share * found.value + (1 - share) * sum(certain) / len(certain)
    ends = (None if end is None else value + share * (end - found.value) for end in (found.low, found.high))
    low, high = ends
    return replace(found, value=value, se=share * found.se, low=low, high=high)


def _of_asked(items: Sequence[_Item], weighted: bool, method: Method) -> Corrected | None:
    shown = [item for item in items if item.human is not None]
    human, judged = [item.human for item in shown], [item.judged for item in shown]
    weights = [item.weight for item in shown] if weighted else None
    if method == "rogan_gladen":
        return rogan_gladen([item.judged for item in items], calibrate(human, judged, weights))
    return ppi(human, judged, [item.judged for item in items if item.human is None], weights)
