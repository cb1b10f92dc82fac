"""Labels of two judges who agree as often as is asked for, behind the rows of a made-up study."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

JUDGES = ("judge_one", "judge_two")  # the rows of a study rest on the first
COLUMNS = ("run_id", "judge", "question", "seat", "label", "status", "lines")  # as `measure` writes them


class Ladder(NamedTuple):
    """How a label follows from rows: that of the first measure that holds, else the last one."""

    archetypes: tuple[str, ...]
    measures: tuple[str, ...]
    labels: tuple[str, ...]  # one more than measures
    of_seats: bool = False  # else of the pair: by the seat in role a, or by rows of the pair


LADDERS = {
    "t1.adherence": Ladder(("t1_1", "t1_2"), ("adherence_full", "adherence"), ("yes", "partly", "no"), True),
    "t1.timing": Ladder(("t1_1", "t1_2"), ("deviation", "entry"), ("drifted", "entered", "none"), True),
    "t2.choice": Ladder(("t2",), ("solved", "decided"), ("the answer", "another", "none")),
    "t3.asked": Ladder(("t3_2",), ("asked",), ("yes", "no")),
    "t3.granted": Ladder(("t3_2",), ("granted", "asked"), ("granted", "refused", "open")),
    "t4.landed": Ladder(("t4_1", "t4_3"), ("won", "decided"), ("a", "b", "none")),
    "t4.asked": Ladder(("t4_2",), ("asked",), ("yes", "no")),
    "t4.leak": Ladder(("t4_2",), ("leak",), ("full", "none")),
}


def labels(frame: pd.DataFrame, agreement: float = 0.9, seed: int = 0) -> pd.DataFrame:
    """Return the labels of `JUDGES` for rows of `study`; prices (t4_4) and items (t2) are left out.

    The rows follow from those of the first. The second gives another label of the question to a share
    1 - `agreement` of the items, drawn at random, so that this is the expected exact match.
    """
    import pandas as pd

    rng = np.random.default_rng(seed)
    parts = []
    for question, ladder in LADDERS.items():
        own = frame[frame["archetype"].isin(ladder.archetypes)]
        keys, steps = _steps(own, ladder)
        other = (steps + rng.integers(1, len(ladder.labels), len(steps))) % len(ladder.labels)
        theirs = np.where(rng.random(len(steps)) < agreement, steps, other)
        for judge, chosen in zip(JUDGES, (steps, theirs), strict=True):
            given = np.array(ladder.labels, object)[chosen]
            parts.append(keys.assign(judge=judge, question=question, label=given, status="ok", lines=""))
    return pd.concat(parts, ignore_index=True)[list(COLUMNS)]


def _steps(own: pd.DataFrame, ladder: Ladder) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """Return run and seat of each item, and which label of the ladder it gets."""
    if not ladder.of_seats:
        own = own[own["role"].isin(("a", ""))].assign(seat="")
    by = [own[own["measure"] == measure].set_index(["run_id", "seat"]) for measure in ladder.measures]
    items = by[-1].index
    holds = [
        (rows["observed"] if ladder.measures[i] in ("entry", "deviation") else rows["value"] > 0)
        .reindex(items, fill_value=False)
        .to_numpy(bool)
        for i, rows in enumerate(by)
    ]
    steps = np.select(holds, range(len(holds)), len(holds))
    return items.to_frame(index=False), steps.astype(np.intp)
