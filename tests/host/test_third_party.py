"""The agent that docs/agents.md shows: a package outside of this repository, in its own environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTNER = ["agent@pairing.b=tone", "pairing.name=wren_tone", "task=t3_1", "scenarios.limit=1", "window=6"]
FEW = ["report.bootstrap=0", "report.permutations=0"]


def blocks() -> dict[str, str]:
    """The files of the example: those blocks of code that name one in their first line."""
    code = re.findall(r"```python\n# (\S+)\n(.*?)```", (ROOT / "docs/agents.md").read_text("utf-8"), re.S)
    return dict(code)


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as pip would lay it out, and a second interpreter that has numpy and nothing else."""
    folder = tmp_path_factory.mktemp("outside")
    site = folder / "site"
    for name, code in blocks().items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(code, "utf-8")
    (site / "wren/__init__.py").touch()
    about = site / "wren-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: wren\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[dyad.agents]\nwren = wren.family:FAMILY\n")
    venv.create(folder / "env", with_pip=False)
    (packages,) = (folder / "env/lib").glob("python*/site-packages")
    for part in ("numpy", "numpy.libs"):
        source = Path(sysconfig.get_path("purelib")) / part
        if source.exists():
            (packages / part).symlink_to(source)
    return folder


def dyad(outside: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(outside / "site")}
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=outside, env=env, capture_output=True, text=True
    )


def test_it_is_sixty_lines(outside: Path) -> None:
    assert set(blocks()) == {"wren/family.py", "wren/inside.py"}
    assert sum(code.count("\n") for code in blocks().values()) <= 66  # blank ones and all


def test_it_keeps_the_contract(outside: Path) -> None:
    code = (
        "from dyad.registry import load; from dyad.testing import check_agent; "
        f"check_agent(load('agents', 'wren'), {{'env': {str(outside / 'env')!r}}})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(outside / "site")},
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr


def test_doctor_and_a_study_play_it_in_its_own_interpreter(outside: Path) -> None:
    env = f"agent.wren.env={outside / 'env'}"
    found = dyad(outside, "dyad", "doctor", "agent=base/wren", env)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "FAIL" not in found.stdout
    study = ["agent@pairing.a=base/wren", *PARTNER, env, "store=store", "launcher=serial", *FEW]
    done = dyad(outside, "dyad", "run", *study)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list((outside / "store/runs").iterdir())


def test_an_environment_that_is_not_there_is_one_line_and_nothing_is_written(outside: Path) -> None:
    done = dyad(
        outside, "dyad", "run", "agent@pairing.a=base/wren", *PARTNER, "store=nothing", "agent.wren.env=no"
    )
    assert done.returncode == 2
    assert "wren" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (outside / "nothing").exists()
