"""A whole study of hosted agents through real workers, from the command line to the report."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.cli.main import run
from dyad.store import Store

pytest.importorskip("torch")
pytestmark = pytest.mark.usefixtures("workers_end")

COMMAND = [
    "run", "pairing=pp_raon,pp_mcpm,mcpm_raon", "task=t1,t2,t3,t4", "name=all", "seed=1", "window=3",
    "scenarios.limit=1", "design.repetitions=1", "design.openers=[a]", "design.assignments=first",
    "agent.personaplex.weights=random:tiny", "agent.raon.upstream=double", "agent.minicpm_o.upstream=double",
    "launcher=serial", "report.bootstrap=50", "report.permutations=50",
]  # fmt: skip


def test_models_of_three_environments_play_all_four_tasks_to_the_report(tmp_path: Path) -> None:
    command = [*COMMAND, f"store={tmp_path}"]
    assert run(command) == 0
    store, folders = Store(tmp_path), sorted((tmp_path / "runs").iterdir())
    manifests = [store.manifest(folder.name) for folder in folders]
    assert len(manifests) == 3 * 9
    assert {manifest.ticks for manifest in manifests} == {38}
    hosted = [seat for manifest in manifests for seat in manifest.seats.values() if "python" in seat.numerics]
    assert len(hosted) == 4 * 9  # every seat but those of PersonaPlex, which plays in this process
    page = (tmp_path / "studies/all/report.html").read_text("utf-8")
    assert all(agent in page for agent in ("personaplex", "raon", "minicpm_o"))
    assert run(command) == 0
    assert sorted((tmp_path / "runs").iterdir()) == folders
