"""A suite's table is opened where a study's is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest

from analysis.figures import scores
from analysis.figures.script import Material, Plot, all_conditions, write
from analysis.study import as_frame, read, tables_of
from dyad.measure.rows import COLUMNS
from dyad.tables import Draws, synthetic

FIRST_LOOK = Path(__file__).parents[2] / "analysis" / "first_look.ipynb"
TURNS = {"echo": (1.0, 1.0, 0.0, 1.0), "tone": (0.0, 1.0, 0.0, 0.0)}  # whether it took the turn, by stimulus


@pytest.fixture
def suite_folder(tmp_path: Path) -> Path:
    """Two agents on four stimuli of one set of FDB."""
    about = {"suite": "fdb_mini", "task": "mini_pause_handling", "archetype": "pause", "mode": "compat"}
    about |= {"measure": "tor", "unit": "share", "better": -1, "n": 1.0, "observed": True, "judge": ""}
    made = [
        dict.fromkeys(COLUMNS, "") | about
        | {"agent": agent, "value": value, "scenario": f"clip.{i}", "run_id": f"{agent}-{i}"}
        for agent, values in TURNS.items()
        for i, value in enumerate(values)
    ]  # fmt: skip
    synthetic.write(tmp_path / "mini", pd.DataFrame(made, columns=list(COLUMNS)))
    return tmp_path / "mini"


def test_the_first_look_shows_means_and_differences_of_a_suite(
    suite_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DYAD_STUDY", str(suite_folder))
    shown: list[pd.DataFrame] = []
    known: dict[str, Any] = {"display": shown.append}
    for cell in nbformat.read(FIRST_LOOK, as_version=4).cells:
        if cell.cell_type == "code":
            text = cell.source.replace("%matplotlib inline", "").replace(
                "Draws(2000, 10_000)", "Draws(40, 100)"
            )
            exec(compile(text, cell.id, "exec"), known)
    means, differences = shown
    place = ("compat", "mini_pause_handling", "tor")
    assert means.loc[(*place, "echo"), ["value", "n"]].tolist() == [0.75, 4]
    assert means.loc[(*place, "tone"), "value"] == 0.25
    assert differences.loc[(*place, "echo", "tone"), "value"] == 0.5
    assert "8 trials of fdb_mini" in (told := capsys.readouterr().out)
    assert "claims hold" not in told


def test_a_figure_of_conversations_is_left_out_of_a_suite_in_a_line(
    suite_folder: Path, tmp_path: Path
) -> None:
    study = read(suite_folder)
    material = Material(study, as_frame(tables_of(study, Draws(20, 40))))
    told = list(write(Plot("scores", scores.draw, all_conditions), material, tmp_path))
    assert told == ["no scores: no task has a score"]
