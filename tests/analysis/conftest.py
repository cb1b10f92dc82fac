"""Small made-up studies, written once as `measure` writes them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from nbformat import NotebookNode

from analysis.figures.script import Material
from analysis.study import as_frame, read
from dyad.library import INFO
from dyad.tables import Draws, summary, synthetic
from tests.tables.made import frame, row

EXECUTE = Path(__file__).with_name("execute.py")
FOLDER = Path(__file__).parents[2] / "analysis"
Outputs = dict[str, list[NotebookNode]]  # by cell
SCORED = tuple(name for name in INFO if name != "t0")


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models and two judges: all archetypes in 60 s, and two of them in 120 s as well."""
    folder = tmp_path_factory.mktemp("studies") / "small"
    design: dict[str, Any] = {"models": 2, "scenarios": 3, "repetitions": 1}
    short = synthetic.study(**design, archetypes=SCORED)
    long = synthetic.study(**design, archetypes=("t1_1", "t2"), conditions=[synthetic.Condition(120.0)])
    synthetic.write(folder, pd.concat([short, long], ignore_index=True))
    return folder


@pytest.fixture(scope="session")
def material(study_folder: Path) -> Material:
    study = read(study_folder)
    return Material(study, as_frame(summary(study.runs, Draws(40, 100))))


@pytest.fixture(scope="session")
def bare_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One conversation of one agent with itself, without a judge and without a turn that could be taken."""
    folder = tmp_path_factory.mktemp("studies") / "bare"
    about = {"archetype": "t0", "agent": "X", "partner": "X", "lang": "en", "channel": "clean", "twin": ""}
    made = frame([row("tor_end", 0.0, 0.0, **about), row("tor_end", 0.0, 0.0, seat="b", role="b", **about)])
    synthetic.write(folder, made)
    return folder


def executed(folder: Path, notebooks: Mapping[str, NotebookNode]) -> dict[str, Outputs]:
    """Execute notebooks where Jupyter would; kernel and client end with a process of their own."""
    paths = {name: folder / f"{name}.ipynb" for name in notebooks}
    for name, path in paths.items():
        nbformat.write(notebooks[name], path)
    subprocess.run([sys.executable, EXECUTE, FOLDER, *paths.values()], check=True)
    return {name: _outputs(nbformat.read(path, as_version=4)) for name, path in paths.items()}


def _outputs(notebook: NotebookNode) -> Outputs:
    cells = {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}
    failed = [output for outputs in cells.values() for output in outputs if output.output_type == "error"]
    assert not failed, "\n".join(failed[0].traceback)
    return cells
