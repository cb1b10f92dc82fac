"""The notebook on the published numbers runs, and what it finds is what follows from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest

from tests.analysis.conftest import executed

pytestmark = pytest.mark.xdist_group("published")  # one worker runs the notebook

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "analysis" / "published.ipynb"
GOLDEN = json.loads((ROOT / "tests" / "golden" / "statistics.json").read_text("utf-8"))
# What the paper prints and what does not follow from its own tables.
DOES_NOT_HOLD = {
    "T3-1 average of PersonaPlex holds the diagonal",
    "T3-1 average of MiniCPM-o holds the diagonal",
    "T3-1 average of Raon holds the diagonal",
    "T3-1 average of Lychee-FD holds the diagonal",
    "runs behind the landed option are those the first judge calls decided",
    "place of Lychee-FD as a teammate in T2, from below",
    "half of the runs against Raon leak",
}
SHOWN = """
import json
frames = {"checks": checks, "half_rounded": half_rounded, "variance": variance.reset_index(),
          "corrected": corrected.reset_index(), "games": games.reset_index(), "ranks": ranks.reset_index(),
          "leaks": pd.DataFrame(leaks).T.reset_index(), "not_recomputed": not_recomputed}
arrays = {"k": k, "proximity": proximity, "with_itself": with_itself, "decided": decided} | relations
shown = {name: frame.to_dict("list") for name, frame in frames.items()}
shown |= {name: np.asarray(array).tolist() for name, array in arrays.items()}
print(json.dumps(shown | {"transitive": transitive, "balance": balance}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(SHOWN))
    (outputs,) = executed(tmp_path_factory.mktemp("published"), {"published": notebook}).values()
    shown: dict[str, Any] = json.loads(list(outputs.values())[-1][0]["text"])
    return shown


def table(found: dict[str, Any], name: str) -> pd.DataFrame:
    return pd.DataFrame(found[name])


def test_it_is_kept_without_outputs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not [cell for cell in code if cell.outputs or cell.execution_count]


def test_every_statement_follows_but_those_that_are_known_not_to(found: dict[str, Any]) -> None:
    checks = table(found, "checks")
    assert set(checks.loc[~checks["holds"], "check"]) == DOES_NOT_HOLD
    assert set(checks["item"]) >= set(range(1, 14))
    assert checks["check"].is_unique


def test_all_75_averages_hold_and_one_needs_more_than_half_a_digit(found: dict[str, Any]) -> None:
    checks, worse = table(found, "checks"), table(found, "half_rounded")
    assert (checks["item"] == 2).sum() == 75
    assert worse["check"].tolist() == ["T4-1 row MiniCPM-o of 3"]
    assert worse["recomputed"].tolist() == [pytest.approx(0.146667, abs=1e-6)]


@pytest.mark.parametrize("size", [3, 4])
def test_data_files_are_the_golden_cells(size: int) -> None:
    scores = pd.read_csv(ROOT / "analysis" / "published" / "scores.csv")
    models = GOLDEN["published"]["order4"][:size]
    for archetype, cells in GOLDEN["published"][f"matrices{size}"].items():
        own = scores[scores["archetype"] == archetype].set_index("model")
        assert own.loc[models, models].to_numpy(float).tolist() == cells
        assert own.loc[models, f"average_{size}"].tolist() == GOLDEN["published"][f"row_avg{size}"][archetype]


def test_shares_of_variance_are_the_golden_ones(found: dict[str, Any]) -> None:
    names = {"inter": "interaction", "chem": "chemistry"}
    for row in found_rows(found, "variance"):
        key = f"{row['archetype']}@{row['models']}"
        golden = GOLDEN["recomputed"]["eta2"][key] | GOLDEN["recomputed"]["diallel"][key]
        for name, value in golden.items():
            if name not in ("mu", "sst", "selfplay"):
                assert row[names.get(name, name)] == pytest.approx(value, abs=1e-6), (key, name)
        assert 0 < row["rounding"] < 0.04


def test_shares_without_binomial_noise(found: dict[str, Any]) -> None:
    for row in found_rows(found, "corrected"):
        golden = GOLDEN["recomputed"]["corrected_eta2_binomial"][row["archetype"]]
        shares = [row[term] for term in ("model", "partner", "interaction")]
        assert shares == pytest.approx(golden["share"], abs=5e-5)
        assert row["noise"] == pytest.approx(golden["noise"], abs=5e-5)


@pytest.mark.parametrize(
    ("archetype", "size"), [("T4-2", 3), ("T4-2", 4), ("T3-2", 4), ("T4-3", 3), ("T4-4", 3)]
)
def test_games(found: dict[str, Any], archetype: str, size: int) -> None:
    golden = GOLDEN["vectors"]["games"][f"{archetype}_{size}x{size}"]
    models = GOLDEN["published"]["order4"][:size]
    (row,) = [r for r in found_rows(found, "games") if (r["archetype"], r["models"]) == (archetype, size)]
    assert row["value"] == pytest.approx(golden["value"], abs=1e-6)
    assert [row[f"row: {m}"] for m in models] == pytest.approx(golden["row"], abs=1e-4)
    assert [row[f"column: {m}"] for m in models] == pytest.approx(golden["col"], abs=1e-4)


@pytest.mark.parametrize("size", [3, 4])
def test_rankings(found: dict[str, Any], size: int) -> None:
    ranks = table(found, "ranks").query(f"models == {size}")
    vectors = GOLDEN["vectors"]
    assert ranks["Bradley-Terry"].tolist() == pytest.approx(
        vectors["bradley_terry"][f"T4-1_{size}x{size}"], abs=1e-6
    )
    nash = vectors["nash_averaging"][f"T3-1_{size}x{size}"]
    assert ranks["Nash probability"].tolist() == pytest.approx(nash["p"], abs=1e-6)
    assert ranks["Nash skill"].tolist() == pytest.approx(nash["skill"], abs=1e-6)
    share = vectors["transitive_share"][f"T3-1_{size}x{size}"]["share"]
    assert found["transitive"][str(size)] == pytest.approx(share, abs=5e-5)


def test_counts_behind_shares(found: dict[str, Any]) -> None:
    assert found["k"] == GOLDEN["recomputed"]["claim_k"]
    assert found["decided"] == pytest.approx(GOLDEN["recomputed"]["decided_runs_T4-1"])
    balance = GOLDEN["recomputed"]["balance"]
    names = {
        "T4-3 pooled": "T4-3_pooled", "T4-4 mean of cells": "T4-4_mean", "T4-2 mean of cells": "T4-2",
        "T3-2 granted": "T3-2_agreement",
    }  # fmt: skip
    for name, golden in names.items():
        assert found["balance"][name] == pytest.approx(balance[golden], abs=1e-6)
    for row in found_rows(found, "leaks"):
        golden = GOLDEN["vectors"]["hurdle_T4-2"][row["index"]]
        assert row["joint"] == pytest.approx(golden["ask_and_leak"], abs=5e-5)
        assert row["without"] == pytest.approx(golden["leak_given_no_ask"], abs=5e-5)


def test_cooperation(found: dict[str, Any]) -> None:
    golden = GOLDEN["vectors"]
    assert np.allclose(found["proximity"], golden["best_response_proximity_T2_3x3"], atol=5e-5)
    assert found["with_itself"] == pytest.approx(golden["self_minus_cross_T2_4x4"], abs=5e-5)


def test_social_relations(found: dict[str, Any]) -> None:
    golden = GOLDEN["vectors"]["srm"]["T4-2_4x4"]
    assert found["actor"] == pytest.approx(golden["a"], abs=5.1e-5)
    assert found["partner"] == pytest.approx(golden["b"], abs=5.1e-5)
    assert found["partner variance"] == pytest.approx(golden["var_b"], abs=5e-6)


def test_what_cannot_be_recomputed_is_said_with_its_reason(found: dict[str, Any]) -> None:
    missing = table(found, "not_recomputed")
    assert len(missing) > 5
    assert missing["why"].str.len().min() > 10


def found_rows(found: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table(found, name).to_dict("records")]
