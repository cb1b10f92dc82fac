"""The sweep of limits and readings, against counting run by run and against known patterns."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dyad.measure.turns import Limits, Mode, Ticks, tor_pause, turn_counts
from dyad.stats import three_way
from dyad.tables.robustness import NO_SHARE, READINGS, TERMS, Talk, robustness, sweep
from tests.tables.made import row

TICKS = 750
ARCHETYPES = ("t1_1", "t3_1", "t4_1")


def channel(rng: np.random.Generator, edges: int = 44) -> Ticks:
    return np.sort(rng.choice(TICKS + 1, edges, replace=False)).reshape(-1, 2)


def talks(agents: str = "XY", archetypes: tuple[str, ...] = ARCHETYPES, seed: int = 0) -> list[Talk]:
    """Four runs of every pair of agents in every archetype, of random speech."""
    rng = np.random.default_rng(seed)
    found = []
    for archetype, agent, partner, _ in product(archetypes, agents, agents, range(4)):
        a, b = channel(rng), channel(rng)
        for who, x, y in (((agent, partner), a, b), ((partner, agent), b, a)):
            about = row("turns", 1, archetype=archetype, agent=who[0], partner=who[1], channel="", twin="")
            found.append(Talk(about | {"lang": "en"}, x, y, TICKS))
    return found


def shares(of: list[Talk], measure: str, mode: Mode, limits: Limits) -> dict[str, float]:
    """η² of the rates that counting every talk under these limits gives."""
    counts = [turn_counts(talk.x, talk.y, talk.ticks, mode, limits)[measure] for talk in of]
    sums = pd.DataFrame([talk.about for talk in of])[["archetype", "agent", "partner"]]
    sums["hits"], sums["n"] = zip(*counts, strict=True)
    cells = sums.groupby(["archetype", "agent", "partner"]).sum()
    split = three_way((cells["hits"] / cells["n"]).to_numpy().reshape(3, 2, 2))
    assert split is not None
    assert split.shares is not None
    return split.shares


@pytest.mark.parametrize("mode", ["paper", "strict"])
@pytest.mark.parametrize(("short", "hold"), [(12, 7), (6, 4), (18, 13), (9, 10)])
def test_every_setting_is_what_counting_with_it_gives(mode: Mode, short: int, hold: int) -> None:
    of, limits = talks(), Limits(backchannel_ticks=short, hold_ticks=hold)
    grid = sweep(of)
    pooled = grid[grid["averaging"] == "pooled"]
    for measure in READINGS:
        at = pooled[(pooled["measure"] == measure) & (pooled["reading"] == READINGS[measure][mode])]
        if measure in ("barge_in", "backchannels"):
            at = at[(at["backchannel_ticks"] == short) & (at["hold_ticks"] == hold)]
        assert len(at) == 1
        assert at[list(TERMS)].iloc[0].to_dict() == pytest.approx(shares(of, measure, mode, limits))


def test_the_grid_is_that_of_the_paper_with_every_reading() -> None:
    grid = sweep(talks())
    assert grid.groupby("measure").size().to_dict() == {
        "tor_pause": 2 * 2, "tor_end": 3 * 2, "barge_in": 13 * 10 * 2 * 2, "backchannels": 13 * 10 * 2,
    }  # fmt: skip
    assert (grid[list(TERMS)].sum(axis=1) - 1).abs().max() < 1e-9


def test_the_mean_of_runs_leaves_out_runs_without_an_opportunity() -> None:
    of = talks()
    of[::5] = [talk._replace(y=talk.y[:0]) for talk in of[::5]]  # a partner who says nothing never pauses
    grid = sweep(of)
    at = grid[(grid["measure"] == "tor_pause") & (grid["reading"] == "paper") & (grid["averaging"] == "runs")]
    sums = pd.DataFrame([talk.about for talk in of])[["archetype", "agent", "partner"]]
    sums["rate"] = [tor_pause(talk.x, talk.y, talk.ticks).rate for talk in of]
    assert 0 < sums["rate"].isna().sum() < len(of) / 4
    means = sums.astype({"rate": float}).groupby(["archetype", "agent", "partner"])["rate"].mean()
    split = three_way(means.to_numpy().reshape(3, 2, 2))
    assert split is not None
    assert at[list(TERMS)].iloc[0].to_dict() == pytest.approx(split.shares)


def summary(grid: pd.DataFrame, mode: Mode = "paper") -> dict[tuple[str, str], dict[str, Any]]:
    return {(r["measure"], r["term"]): r for r in robustness(grid, mode)}


def test_a_pattern_that_holds_everywhere() -> None:
    """X gives short signals and Y none, whoever hears them."""
    of = talks()
    signals = np.array([[100, 103], [200, 203], [300, 303]])
    of = [
        Talk(t.about, signals if t.about["agent"] == "X" else signals[:0], np.array([[50, 700]]), TICKS)
        for t in of
    ]
    found = summary(sweep(of))["backchannels", "model"]
    assert (found["value"], found["low"], found["high"]) == pytest.approx((1, 1, 1))
    assert (found["hits"], found["n"], found["missing"]) == (260, 260, 0)
    assert found["note"] == "model has the larger share in 260 of 260 settings"
    assert found["archetype"] == "archetype"


def test_a_pattern_that_hangs_on_a_limit() -> None:
    """Of 1.2 s are X's signals to anyone and of 0.4 s those of anyone to Y: which of them count decides."""
    of = []
    for talk in talks():
        long = [[100 + 50 * k, 115 + 50 * k] for k in range(3)] if talk.about["agent"] == "X" else []
        short = [[402 + 50 * k, 407 + 50 * k] for k in range(2)] if talk.about["partner"] == "Y" else []
        spoken = np.array(long + short, dtype=np.int64).reshape(-1, 2)
        of.append(Talk(talk.about, spoken, np.array([[50, 700]]), TICKS))
    found = summary(sweep(of))
    model, partner = found["backchannels", "model"], found["backchannels", "partner"]
    assert (model["value"], partner["value"]) == pytest.approx((0, 1))
    assert (model["low"], model["high"]) == pytest.approx((0, 9 / 13))
    assert (partner["low"], partner["high"]) == pytest.approx((4 / 13, 1))
    assert (model["hits"], model["n"]) == (9 * 10 * 2, 260)  # up to 14 ticks only the short ones count


def test_what_has_no_share_is_said() -> None:
    of = [Talk(t.about, t.x, t.y[:0], TICKS) for t in talks()]
    found = summary(sweep(of))
    assert found["tor_end", ""]["note"] == NO_SHARE
    assert (found["tor_end", ""]["n"], found["tor_end", ""]["missing"]) == (0, 6)
    assert all(r["value"] is None for r in found.values())
    assert list(robustness(sweep([]))) == []
    alone = summary(sweep(talks(agents="X")))
    assert alone["tor_end", ""]["note"] == NO_SHARE


def test_conditions_are_not_pooled() -> None:
    both = talks() + [Talk(t.about | {"channel": "cut"}, t.x, t.y, t.ticks) for t in talks(seed=1)]
    grid = sweep(both)
    assert set(grid["condition"]) == {"", "cut"}
    mine = grid[grid["condition"] == "cut"].drop(columns="condition").reset_index(drop=True)
    assert mine.equals(sweep(talks(seed=1)).drop(columns="condition"))
