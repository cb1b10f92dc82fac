"""Corrected shares in a study: the formulas' numbers, out of rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dyad.measure.rows import COLUMNS
from dyad.tables.corrected import CELL_HUMANS, CORRECTED, corrected

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))["vectors"]
V = GOLDEN["judge_correction"]
PAIRS = [(1, 1)] * V["TP"] + [(0, 1)] * V["FP"] + [(1, 0)] * V["FN"] + [(0, 0)] * V["TN"]  # human, judge

Row = dict[str, Any]


def row(run: str, judge: str, value: float | None, n: float = 1.0, **about: Any) -> Row:
    base = dict.fromkeys(COLUMNS, "") | {
        "run_id": run, "archetype": "t3_2", "agent": "X", "partner": "Y", "seat": "a", "judge": judge,
        "measure": "granted", "value": value, "n": n, "window": 60.0, "lang": "en",
    }  # fmt: skip
    return base | about


def frame(rows: Iterable[Row]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(COLUMNS)).astype({"value": float, "n": float})


def labelled(pairs: Sequence[tuple[float | None, float | None]], start: int = 0, **about: Any) -> list[Row]:
    """Rows of a judge and of one person about the same runs."""
    rows = [row(f"r{i}", "model", f, **about) for i, (_, f) in enumerate(pairs, start)]
    return rows + [row(f"r{i}", "human:AB", y, **about) for i, (y, _) in enumerate(pairs, start)]


def alone(labels: Sequence[float | None], start: int = 1000, **about: Any) -> list[Row]:
    """Rows of a judge about runs that nobody else has seen."""
    return [row(f"r{i}", "model", label, **about) for i, label in enumerate(labels, start)]


REST = [1] * V["judge_positive"] + [0] * (V["N"] - V["judge_positive"])


@pytest.fixture(scope="module")
def study() -> pd.DataFrame:
    return frame(labelled(PAIRS) + alone(REST))


def test_ppi_of_the_worked_example(study: pd.DataFrame) -> None:
    overall, cell = corrected(study, "model")
    assert list(overall) == list(CORRECTED)
    assert (overall["agent"], overall["partner"], overall["archetype"], overall["measure"]) == (
        "", "", "t3_2", "granted",
    )  # fmt: skip
    assert (overall["value"], overall["se"], overall["lam"]) == pytest.approx(
        (V["ppi_tuned"]["theta"], V["ppi_tuned"]["se"], V["ppi_tuned"]["lambda"]), abs=1e-6
    )
    assert (overall["n"], overall["n_human"], overall["ties"], overall["missing"]) == (3380, 140, 0, 0)
    assert overall["raw"] == pytest.approx((1960 + 87) / 3380)
    assert cell == overall | {"agent": "X", "partner": "Y"}


def test_rogan_gladen_takes_the_sample_as_calibration() -> None:
    overall = corrected(frame(labelled(PAIRS)), "model", method="rogan_gladen")[0]
    raw, se, sp = 87 / 140, V["se"], V["sp"]
    assert overall["raw"] == pytest.approx(raw)
    assert overall["value"] == pytest.approx((raw + sp - 1) / (se + sp - 1), abs=1e-6)
    assert (overall["method"], overall["lam"]) == ("rogan_gladen", None)


def test_cells_with_few_human_labels_have_no_row_of_their_own() -> None:
    enough, few = PAIRS[:CELL_HUMANS], PAIRS[: CELL_HUMANS - 1]
    rows = labelled(enough, 0) + labelled(few, 100, agent="Y", partner="X") + alone([1, 0], agent="Z")
    found = corrected(frame(rows), "model")
    assert [(x["agent"], x["partner"], x["n_human"]) for x in found] == [("", "", 19), ("X", "Y", 10)]


def test_a_score_of_the_pair_counts_once_overall_and_for_both_agents_in_cells() -> None:
    about = {"archetype": "t2", "measure": "solved", "seat": ""}
    found = corrected(frame(labelled(PAIRS[:12], **about)), "model")
    assert [(x["agent"], x["partner"], x["n"]) for x in found] == [
        ("", "", 12),
        ("X", "Y", 12),
        ("Y", "X", 12),
    ]


def test_people_decide_by_majority_and_ties_are_counted() -> None:
    rows = labelled([(1, 1), (1, 1), (0, 1), (0, 0)])
    rows += [row("r0", "human:CD", 1), row("r0", "human:EF", 0)]  # two of three
    rows += [row("r1", "human:CD", 0)]  # a tie
    rows += [row("r2", "human:CD", None)]  # who does not decide has no vote
    (overall,) = corrected(frame(rows), "model")
    assert (overall["n_human"], overall["ties"], overall["n"]) == (3, 1, 4)


def test_what_the_judge_did_not_label_is_missing_and_corrects_nothing() -> None:
    rows = labelled([(1, 1), (0, 0), (1, 0), (0, None)]) + alone([1, None])
    (overall,) = corrected(frame(rows), "model")
    assert (overall["n"], overall["n_human"], overall["missing"], overall["raw"]) == (4, 3, 2, 0.5)


def test_of_a_conditional_measure_only_the_runs_count_in_which_it_applies() -> None:
    about = {"archetype": "t4_3", "measure": "won_if_decided"}
    rows = labelled([(1, 1), (0, 0), (1, 1)], **about) + alone([1, 0], **about)
    same = corrected(frame(rows), "model")
    rows += [row("r7", "model", 0.0, 0.0, **about), row("r7", "human:AB", 1.0, 1.0, **about)]
    assert corrected(frame(rows), "model") == same
    rows += [row("r1000", "human:AB", 0.0, 0.0, **about)]  # sees no decision where the judge sees one
    assert corrected(frame(rows), "model") == same


def test_only_yes_or_no_can_be_corrected() -> None:
    rows = labelled([(1, 1), (0, 1)], measure="asked")
    rows += labelled([(1, 0.4), (0, 1)], measure="gap_share")
    rows += [counted | {"n": 3.0} for counted in labelled([(1, 1), (0, 1)], measure="duties")]
    assert {x["measure"] for x in corrected(frame(rows), "model")} == {"asked"}


def test_conditions_are_kept_apart() -> None:
    rows = labelled(PAIRS[:4], window=60.0) + labelled(PAIRS[-4:], 50, window=120.0)
    found = corrected(frame(rows), "model")
    assert [(x["condition"], x["n"], x["raw"]) for x in found] == [("60 s", 4, 1.0), ("120 s", 4, 0.0)]


def test_without_people_there_is_nothing_to_correct_with() -> None:
    assert corrected(frame(alone([1, 0, 1])), "model") == []
    assert corrected(frame(labelled([(None, 1), (None, 0)])), "model") == []
    assert corrected(frame([]), "model") == []


def test_a_single_human_label_corrects_nothing_but_is_shown() -> None:
    (overall,) = corrected(frame(labelled([(1, 1)]) + alone([0])), "model")
    assert (overall["value"], overall["low"], overall["raw"], overall["n_human"]) == (None, None, 0.5, 1)


def test_weights_undo_the_choice_of_what_people_saw() -> None:
    """Of 90 easy runs people saw 9, of 10 hard ones all: the judge is wrong in the hard ones only."""
    easy, hard = [(1, 1), (0, 0), (1, 1)] * 3, [(0, 1)] * 10
    rest = [1, 0, 1] * 27
    rows = labelled(easy) + labelled(hard, 100) + alone(rest)
    chances = {f"r{i}": 10.0 for i in range(9)} | {f"r{i}": 1.0 for i in range(100, 110)}
    weights = {(run, "t3.granted", ""): weight for run, weight in chances.items()}
    truth = 60 / 100
    overall = corrected(frame(rows), "model", weights)[0]
    assert overall["raw"] == pytest.approx(0.7)
    assert overall["low"] < truth < overall["high"]
    assert overall["value"] == pytest.approx(truth, abs=0.01)
    assert corrected(frame(rows), "model")[0]["high"] < truth  # taken for a fair sample, it misleads
    with pytest.raises(ValueError, match="weights"):
        corrected(frame(rows), "model", {("r0", "t3.granted", ""): 10.0})


def test_weights_belong_to_the_seat_that_a_question_is_about() -> None:
    about = {"archetype": "t1_1", "measure": "adherence"}
    rows = labelled([(1, 1), (0, 1)], seat="a", **about) + labelled([(1, 1), (0, 1)], seat="b", **about)
    asked = [(f"r{i}", "t1.adherence", seat) for i in (0, 1) for seat in ("a", "b")]
    even = corrected(frame(rows), "model", dict.fromkeys(asked, 2.0))[0]
    assert even["value"] == pytest.approx(0.5)
    heavy = corrected(frame(rows), "model", dict.fromkeys(asked, 1.0) | {("r1", "t1.adherence", "b"): 97.0})
    assert heavy[0]["value"] == pytest.approx(2 / 100)  # of what people saw, one no stands for 97


@pytest.mark.parametrize("method", ["ppi", "rogan_gladen"])
def test_silences_that_people_are_not_asked_about_are_right(method: Any) -> None:
    """People saw the runs with words only; half as many more are silent, and no by rule."""
    about: Row = {"archetype": "t1_1", "measure": "adherence"}
    words = labelled(PAIRS, **about) + alone([1, 0, 1, 0] * 50, **about)
    silences = alone([0] * 170, 5000, **about)
    spoken = corrected(frame(words), "model", method=method)[0]
    silent = {(row["run_id"], "t1.adherence", "a") for row in silences}
    found = corrected(frame(words + silences), "model", method=method, silent=silent)[0]
    assert (spoken["n"], found["n"], found["n_human"]) == (340, 510, 140)
    for key in ("raw", "value", "se", "low", "high"):
        assert found[key] == pytest.approx(spoken[key] * 2 / 3), key
    naive = corrected(frame(words + silences), "model", method=method)[0]
    assert naive["value"] != pytest.approx(found["value"], abs=0.01)


def test_a_measure_of_two_questions_is_not_corrected() -> None:
    """People may have answered one of them only: where nothing was chosen, that decides; else it does not."""
    about = {"archetype": "t2", "seat": ""}
    rows = labelled([(0, 0), (1, 1)], measure="grounded", **about)
    rows += labelled([(0, 0), (1, 1)], measure="solved", **about)
    assert {x["measure"] for x in corrected(frame(rows), "model")} == {"solved"}


def test_a_label_that_scores_both_seats_counts_once() -> None:
    """Who won one of two seats lost the other: over all agents that is half, whatever was said."""
    about = {"archetype": "t4_1", "measure": "won"}
    here = labelled([(1, 1)] * 9 + [(0, 1)] * 3, seat="a", **about)
    there = labelled([(0, 0)] * 9 + [(1, 0)] * 3, seat="b", agent="Y", partner="X", **about)
    found = corrected(frame(here + there), "model")
    assert [(x["agent"], x["partner"], x["n_human"]) for x in found] == [("X", "Y", 12), ("Y", "X", 12)]
    alike = [row | {"agent": "X", "partner": "X"} for row in here + there]
    assert corrected(frame(alike), "model") == []


def test_a_share_lies_inside_its_bounds_and_few_labels_have_no_interval() -> None:
    """In the rows, which files hold as the page shows them; two labels gave [.29, 1.04] once."""
    few = corrected(frame(labelled([(1, 1), (1, 0)]) + alone([1, 0, 1])), "model")[0]
    alike = corrected(frame(labelled([(1, 1)] * 22) + alone([1, 1])), "model")[0]
    three = corrected(frame(labelled([(1, 1)] * 3) + alone([1, 0])), "model")[0]
    for row_ in (few, alike, three):
        assert row_["value"] is not None
        assert (row_["se"], row_["low"], row_["high"]) == (None, None, None)
    high = corrected(frame(labelled([(1, 1)] * 21 + [(0, 1)] + [(1, 0)]) + alone([1] * 40)), "model")[0]
    assert 0 <= high["low"] < high["value"] <= high["high"] == 1.0
    over = corrected(frame(labelled([(1, 0)] * 8 + [(1, 1)] * 12) + alone([1] * 40)), "model")
    assert all(0 <= x[key] <= 1 for x in over for key in ("value", "low", "high") if x[key] is not None)
