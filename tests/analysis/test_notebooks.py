"""Notebooks are kept without outputs, and run top to bottom on a small study and on one without anything."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from nbformat import NotebookNode

from analysis.study import rows_of
from tests.analysis.conftest import FOLDER, Material, Outputs, executed

pytestmark = pytest.mark.xdist_group("figures")  # what is set up once is set up by one worker

NAMES = ("first_look", "interaction", "times", "judges")
FEW = "Draws(40, 100)"


def source(name: str) -> NotebookNode:
    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


@pytest.fixture(scope="module")
def shown(study_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outputs]:
    """What each notebook shows of the study, as if it ran alone."""
    notebooks = {name: source(name) for name in NAMES}
    for notebook in notebooks.values():
        for cell in notebook.cells:
            cell.source = cell.source.replace("Draws(2000, 10_000)", FEW)
        study = f"import os\nos.environ['DYAD_STUDY'] = {str(study_folder)!r}\n%reset -f"
        notebook.cells.insert(0, nbformat.v4.new_code_cell(study))
    return executed(tmp_path_factory.mktemp("notebooks"), notebooks)


def printed(outputs: list[NotebookNode]) -> str:
    return "".join(output.text for output in outputs if output.output_type == "stream")


def is_picture(outputs: list[NotebookNode]) -> bool:
    return any("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.parametrize("name", NAMES)
def test_they_are_kept_without_outputs_and_with_ids_that_stay(name: str) -> None:
    notebook = source(name)
    nbformat.validate(notebook)
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z][a-z-]*", ident) for ident in ids)  # words, not random numbers
    assert not [c for c in notebook.cells if c.cell_type == "code" and (c.outputs or c.execution_count)]


@pytest.mark.parametrize("name", ["first_look", "interaction", "times"])
def test_parameters_stand_in_the_first_code_cell(name: str) -> None:
    first = next(cell for cell in source(name).cells if cell.cell_type == "code")
    assert first.id == "parameters"
    assert "DYAD_STUDY" in first.source
    assert "Draws(2000, 10_000)" in first.source


def test_a_first_look(shown: dict[str, Outputs], material: Material) -> None:
    outputs = shown["first_look"]
    runs = material.study.runs
    assert f"{runs['run_id'].nunique()} conversations" in printed(outputs["read"])
    assert is_picture(outputs["scores"])
    assert is_picture(outputs["times"])
    own = runs[
        (runs["measure"] == "barge_in") & (runs["agent"] == "model_1") & (runs["partner"] == "model_2")
    ]
    rate = own["value"].sum() / own["n"].sum()
    assert f"{rate:.2f}" in outputs["turns"][0].data["text/plain"]
    assert re.search(r"\d+ claims hold, \d+ were looked for", printed(outputs["claims"]))


def test_whose_doing_it_is(shown: dict[str, Outputs], material: Material) -> None:
    outputs = shown["interaction"]
    assert is_picture(outputs["diallel"])
    assert is_picture(outputs["turns"])
    tables = material.tables[material.tables["condition"] == "60 s"]
    edge = tables[(tables["table"] == "eta") & (tables["archetype"] == "t3_2") & (tables["term"] == "model")]
    assert f"{edge['value'].item():.3f}" in outputs["shares"][0].data["text/plain"]
    assert "differences between scores of agents can be told from none" in printed(outputs["contrasts"])
    assert "channel=clean,cut" in printed(outputs["controls"])
    assert all(line[0] in "+−" for line in printed(outputs["claims"]).splitlines())


def test_times(shown: dict[str, Outputs], material: Material) -> None:
    outputs = shown["times"]
    assert is_picture(outputs["curves"])
    assert is_picture(outputs["in-role"])
    assert "n.r." in outputs["medians"][0].data["text/plain"]
    assert "agent model_2" in outputs["cox"][-1].data["text/plain"]
    contrasts = printed(outputs["pseudo-values"]).splitlines()
    tables = rows_of(material.tables[material.tables["condition"] == "60 s"], "contrast")
    known = tables[(tables["measure"] == "entry") & (tables["archetype"] == "t1_1")]["value"].item()
    assert contrasts[0].startswith(f"t1_1 model_1 − model_2: {known:.2f} s [")
    assert "t1_1 entry (km)" in printed(outputs["claims"])


def test_judges(shown: dict[str, Outputs], material: Material) -> None:
    outputs = shown["judges"]
    assert is_picture(outputs["agreement"])
    assert "judge_one – judge_two" in outputs["pairs"][0].data["text/plain"]
    assert "no person labelled" in outputs["corrected"][0].data["text/plain"]
    from analysis.figures.judges import agreements

    least = min(agreements(material.study.labels), key=lambda pair: pair.agreement.ac1 or 1.0)
    assert printed(outputs["least"]).startswith(least.question)


@pytest.mark.parametrize("name", NAMES)
def test_a_study_without_anything_is_told_so(
    name: str, bare_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DYAD_STUDY", str(bare_folder))
    known: dict[str, Any] = {"display": print}
    for cell in source(name).cells:
        if cell.cell_type == "code":  # a kernel for each would take longer than all the rest
            text = cell.source.replace("%matplotlib inline", "").replace("Draws(2000, 10_000)", FEW)
            exec(compile(text, f"{name}:{cell.id}", "exec"), known)
    assert "bare" in capsys.readouterr().out
    assert isinstance(known["study"].table, pd.DataFrame)
