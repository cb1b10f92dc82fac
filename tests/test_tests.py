"""What every test keeps to: nothing global is replaced, nothing is left behind, and a hang has a name."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "tests").rglob("*.py"))
REPLACING = {"setattr", "delattr", "patch", "object"}  # of monkeypatch, of Python, of a mock


def imported(tree: ast.AST) -> dict[str, str]:
    """Return what each imported name stands for in full, wherever it is imported."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            origin = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            first = alias.name.split(".")[0]
            names[alias.asname or first] = origin + (alias.name if alias.asname or origin else first)
    return names


def changed(tree: ast.AST) -> Iterator[tuple[int, ast.expr]]:
    """Yield, with its line, each thing that gets another attribute; for a path, the path of the attribute."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            if getattr(node.func, "attr", getattr(node.func, "id", "")) in REPLACING:
                yield node.lineno, node.args[0]
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AugAssign) else node.targets
            yield from (
                (node.lineno, target.value) for target in targets if isinstance(target, ast.Attribute)
            )


def is_ours(parts: list[str]) -> bool:
    place = ROOT.joinpath(*parts)
    return place.is_dir() or place.with_suffix(".py").is_file()


def is_global(thing: ast.expr, names: dict[str, str]) -> bool:
    """Whether this is a module of Python or in one, by whatever way: `dyad.simulate.time` is `time`."""
    path = thing.value if isinstance(thing, ast.Constant) else None
    first, *rest = str(path or ast.unparse(thing)).split(".")
    parts = [*(first if path else names.get(first, "")).split("."), *rest]
    ours = next((n for n in range(len(parts), 0, -1) if is_ours(parts[:n])), 0)
    return bool({*parts[ours : ours + 1]} & sys.stdlib_module_names)


def offences(source: str) -> list[int]:
    tree = ast.parse(source)
    names = imported(tree)
    return [line for line, thing in changed(tree) if is_global(thing, names)]


@pytest.mark.parametrize(
    "line",
    [
        'patch.setattr("time.sleep", 0)',
        'patch.setattr(dyad.simulate.time, "time", 0)',
        'patch.setattr("dyad.speech.engines.importlib.util.find_spec", 0)',
        'patch.setattr(util, "find_spec", 0)',
        'patch.delattr(os, "fork")',
        'patch.object(os, "fork", 0)',
        'setattr(simulate.time, "time", 0)',
        "sys.argv = []",
        "Path.exists = None",
    ],
)
def test_a_global_module_that_is_replaced_is_found(line: str) -> None:
    imports = "import os, sys, dyad.simulate\nfrom dyad import simulate\nfrom pathlib import Path\n"
    assert offences(imports + "def test(patch):\n    from importlib import util\n    " + line) == [6]


def test_what_is_ours_may_be_replaced() -> None:
    source = 'from dyad import registry\npatch.setattr(registry, "entry_points", 0)\nself.code = 1\n'
    assert not offences(source + 'patch.setattr("dyad.room.family_of", 0)')


def test_no_test_replaces_anything_of_a_global_module() -> None:
    """A thread of whoever else is at work in the process would meet it: let the product take a clock."""
    assert not [f"{path.relative_to(ROOT)}:{n}" for path in FILES for n in offences(path.read_text("utf-8"))]


CONFTEST = """
from tests.leftovers import Leftovers

def pytest_sessionstart(session):
    session.config.pluginmanager.register(Leftovers(patience_s=0.1))
"""


def output_of(folder: Path, source: str, *options: str) -> str:
    """Run the tests of a source, as those here are run, and return what is printed."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_some.py").write_text(source)
    command = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml", f"--rootdir={folder}", *options]
    ended = subprocess.run([*command, folder], cwd=ROOT, text=True, capture_output=True)
    assert ended.returncode == 1, ended.stdout + ended.stderr
    return ended.stdout


def test_what_a_test_leaves_behind_is_an_error_with_its_name(tmp_path: Path) -> None:
    source = """
import subprocess, threading, pytest
stay, ends = threading.Event(), [["true"], ["sleep", "60"], []]

@pytest.fixture(scope="module")
def kept():
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    yield
    process.communicate()

def test_held(kept): pass
def test_thread(): threading.Thread(target=stay.wait, name="idler", daemon=True).start()
def test_later(kept): subprocess.run(["true"])
def test_process(kept): ends[2] = subprocess.Popen(ends[1])
def test_end(kept):
    ends[2].kill()
    ends[2].wait()
"""
    printed = output_of(tmp_path, source)
    assert "test_some.py::test_thread left behind: thread 'idler'" in printed
    assert "test_some.py::test_process left behind: process " in printed
    assert ": sleep 60" in printed
    assert "5 passed, 2 errors in" in printed


def test_a_test_that_hangs_is_a_failure_with_its_name_and_the_run_ends(tmp_path: Path) -> None:
    """Where it hangs outside of Python, no signal reaches it: its worker dies."""
    source = """
import ctypes
def test_before(): pass
def test_hangs(): ctypes.CDLL(None).sleep(600)
def test_after(): pass
"""
    printed = output_of(tmp_path, source, "-n1", "--dist=loadgroup", "-o", "timeout=1")
    assert "crashed while running 'test_some.py::test_hangs'" in printed
    assert "1 failed, 1 passed in" in printed
