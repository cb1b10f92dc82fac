"""Studies of known effects: their rows are those of real runs, and their truth is what was asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dyad.measure.rows import COLUMNS
from dyad.spec import ARCHETYPES
from dyad.stats import diallel_effects, diallel_parts, exact_match
from dyad.tables.synthetic import CUT, EFFECTS, MAIN, Effects, labels, study, truth, write
from tests.judge.studies import judge, made, some

pytestmark = pytest.mark.xdist_group("recovery")  # what is set up once is set up by one worker

ABOUT = ["archetype", "measure", "task", "role", "kind", "unit", "better", "mode"]


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return study(scenarios=2, repetitions=1, archetypes=ARCHETYPES)


def structure(frame: pd.DataFrame) -> set[Any]:
    about = frame[ABOUT].assign(pair=frame["seat"] == "", judged=frame["judge"] != "")
    return set(about.itertuples(index=False, name=None))


def test_rows_are_those_that_measure_writes(rows: pd.DataFrame, tmp_path: Path) -> None:
    made(tmp_path, some())
    judge(tmp_path, "judge=mechanical")
    real = pd.read_parquet(tmp_path / "studies" / "made" / "table.parquet")
    assert tuple(rows.columns) == tuple(real.columns) == COLUMNS
    assert dict(rows.dtypes) == dict(real.dtypes)
    assert structure(rows) == structure(real)


def test_a_study_has_the_published_counts() -> None:
    runs = study(archetypes=("t1_1", "t3_2"), scenarios=3).drop_duplicates("run_id")
    assert (runs.groupby("scenario").size() == 54).all()
    cross = runs["agent"] != runs["partner"]
    assert runs[cross].groupby(["scenario", "pairing"]).size().unique().tolist() == [12]
    assert runs[~cross].groupby(["scenario", "pairing"]).size().unique().tolist() == [6]
    balanced = runs.groupby(["scenario", "pairing", "opener"]).size()
    assert set(balanced) == {3, 6}


def test_seven_archetypes_of_twenty_scenarios_are_7560_runs() -> None:
    frame = study()
    assert frame["run_id"].nunique() == 7560
    assert set(frame["archetype"]) == set(MAIN)


def test_wins_and_floor_of_two_seats_exclude_each_other(rows: pd.DataFrame) -> None:
    won = rows[rows["measure"].eq("won") & rows["archetype"].eq("t4_1")].groupby("run_id")["value"].sum()
    assert set(won) == {0.0, 1.0}
    floor = rows[rows["measure"] == "occupancy"].groupby("run_id")
    assert (floor["value"].sum() == floor["n"].first()).all()


def test_times_are_whole_ticks_and_censored_at_the_end(rows: pd.DataFrame) -> None:
    times = rows[rows["unit"] == "s"]
    assert np.allclose(times["value"] / 0.08, np.rint(times["value"] / 0.08))
    entry = times[times["measure"] == "entry"]
    assert (entry["observed"] == (entry["value"] < 60)).all()
    assert 0 < entry["observed"].mean() < 1
    entered = rows[rows["measure"].eq("entered") & rows["value"].eq(1)]
    assert len(entered) == rows["measure"].eq("deviation").sum()


@pytest.mark.parametrize("models", [2, 3, 5])
def test_true_means_have_the_effects_that_were_asked_for(models: int) -> None:
    asked = Effects(base=0.4, lift=(0.04, -0.04), edge=(0.03, -0.03), premium=0.06, cycle=0.02 * (models > 2))
    table = truth("t4_2", asked, models)
    found = diallel_effects(table)
    assert found is not None
    assert table.mean() == pytest.approx(0.4)
    assert found.self_premium == pytest.approx(0.06)
    centred = np.resize((0.04, -0.04), models)
    assert np.allclose(found.lift or (), centred - centred.mean())
    cycle = diallel_parts(table)["cycle"]
    assert cycle[0, 1] == pytest.approx(asked.cycle)


def test_what_cannot_be_is_left_out_of_the_truth() -> None:
    strange = Effects(base=0.45, lift=(0.1, -0.1), edge=(0.1, -0.1), cycle=0.05, premium=0.1)
    pooling, floor = truth("t2", strange), truth("t3_1", strange)
    assert np.allclose(pooling, pooling.T)
    assert np.allclose(floor + floor.T, 1)


@pytest.mark.parametrize(
    ("archetype", "effects"),
    [("t4_2", Effects(base=0.95)), ("t4_1", Effects(base=0.5)), ("t3_2", Effects(base=0.1, opener=0.2))],
)
def test_means_outside_0_and_1_are_refused(archetype: Any, effects: Effects) -> None:
    with pytest.raises(ValueError, match="would leave"):
        study(scenarios=2, archetypes=(archetype,), effects=effects)


def test_a_score_cannot_be_more_frequent_than_its_act() -> None:
    rarely = Effects(base=0.5, act=(0.4,))
    with pytest.raises(ValueError, match="more frequent than the act"):
        study(scenarios=2, archetypes=("t2",), effects=rarely)


def test_a_seed_gives_one_study_and_conditions_share_their_scenarios() -> None:
    about: dict[str, Any] = {"scenarios": 4, "archetypes": ("t3_1",), "repetitions": 2}
    same = study(**about, seed=1)
    pd.testing.assert_frame_equal(same, study(**about, seed=1))
    assert not same["value"].equals(study(**about, seed=2)["value"])
    both = study(**about, seed=1, conditions=((60.0, "clean"), (30.0, CUT)))
    assert both["run_id"].nunique() == 2 * same["run_id"].nunique()
    assert both["window"].unique().tolist() == [60.0, 30.0]


def test_a_cut_channel_takes_off_what_hearing_is_worth() -> None:
    deaf = {"t4_2": Effects(base=0.4, heard=0.3)}
    both = study(scenarios=40, archetypes=("t4_2",), effects=deaf, conditions=((60.0, "clean"), (60.0, CUT)))
    leak = both[both["measure"] == "leak"].groupby("channel")["value"].mean()
    assert leak["clean"] - leak[CUT] == pytest.approx(0.3, abs=0.04)


@pytest.mark.parametrize("agreement", [0.6, 0.9])
def test_two_judges_agree_as_often_as_asked(rows: pd.DataFrame, agreement: float) -> None:
    given = labels(rows, agreement)
    wide = given.pivot(index=["run_id", "question", "seat"], columns="judge", values="label")
    n = len(wide)
    assert exact_match(*(wide[name].tolist() for name in wide)) == pytest.approx(agreement, abs=3 / n**0.5)


def test_labels_are_those_that_the_rows_follow_from(rows: pd.DataFrame) -> None:
    own = (
        labels(rows)
        .query("judge == 'judge_one' and question == 't1.adherence'")
        .set_index(["run_id", "seat"])
    )
    kept = rows[rows["measure"] == "adherence"].set_index(["run_id", "seat"])["value"]
    assert ((own["label"] != "no") == (kept.reindex(own.index) == 1)).all()


def test_a_written_study_reads_like_any_other(rows: pd.DataFrame, tmp_path: Path) -> None:
    write(tmp_path / "study", rows)
    table = pd.read_parquet(tmp_path / "study" / "table.parquet")
    pd.testing.assert_frame_equal(table, rows, check_like=False)
    assert table.attrs["settings"][:2] == ["paper", "judge_one"]
    assert "settings" not in rows.attrs
    assert len(pd.read_parquet(tmp_path / "study" / "labels.parquet"))


def test_default_effects_are_all_possible() -> None:
    for name in EFFECTS:
        for models in (2, 3, 4, 6):
            assert truth(name, None, models).shape == (models, models)
