"""Studies that lack this or that: every table says what it can, and why not the rest."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from dyad.library import INFO
from dyad.tables import Draws, of_judge, summary
from dyad.tables.synthetic import study

Change = Callable[[pd.DataFrame], pd.DataFrame]
ARCHETYPES = tuple(name for name, info in INFO.items() if name != "t0")


def made(scenarios: int) -> pd.DataFrame:
    frame = study(models=2, scenarios=scenarios, repetitions=1, archetypes=ARCHETYPES)
    return of_judge(frame, next(name for name in frame["judge"].unique() if name))


@pytest.fixture(scope="module")
def whole() -> pd.DataFrame:
    return made(2)


def lost(share: float) -> Change:
    def change(frame: pd.DataFrame) -> pd.DataFrame:
        gone = np.random.default_rng(0).random(len(frame)) < share
        known = {"value": frame["value"].mask(gone), "n": frame["n"].mask(gone, 0.0)}
        return frame.assign(**known)

    return change


CHANGES: dict[str, Change] = {
    "one agent": lambda f: f[(f["agent"] == "model_1") & (f["partner"] == "model_1")],
    "no self-play": lambda f: f[f["agent"] != f["partner"]],
    "one cell": lambda f: f[(f["agent"] == "model_1") & (f["partner"] == "model_2")],
    "an empty cell": lambda f: f[
        (f["agent"] != "model_1") | (f["partner"] != "model_2") | (f["task"] != "t2")
    ],
    "no judge": lambda f: f[f["judge"] == ""],
    "one row": lambda f: f[:1],
    "nothing": lambda f: f[:0],
    "all missing": lost(1.0),
    "much missing": lost(0.4),
    "no opportunity": lambda f: f.assign(value=0.0, n=0.0),
    "all nought": lambda f: f.assign(value=0.0),
    "all one": lambda f: f.assign(value=f["n"]),
    "all censored": lambda f: f.assign(observed=False),
}


def check(frame: pd.DataFrame) -> None:
    """Every number is finite and of Python, and a row without one says why."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = summary(frame, Draws(4, 4))
    json.dumps(rows, allow_nan=False)
    for row in rows:
        numbers = [x for x in row.values() if isinstance(x, float)]
        assert all(math.isfinite(x) for x in numbers), row
        assert row["value"] is not None or row["low"] is not None or row["note"], row


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_number_is_there_or_says_why_not(whole: pd.DataFrame, change: Change) -> None:
    check(change(whole))


def test_one_scenario_has_no_interval_over_scenarios() -> None:
    frame = made(1)
    check(frame)
    rows = [row for row in summary(frame, Draws(4, 4)) if row["archetype"] in ARCHETYPES]
    assert {row["interval"] for row in rows} <= {
        "",
        "wilson",
        "log-log",
        "pinned",
        "undecided runs lost or won",
    }
