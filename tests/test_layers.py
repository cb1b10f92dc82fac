"""The layers of the design: a file imports only from its own layer or below."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("layers")  # one worker parses the files

ROOT = Path(__file__).parents[1]
LAYERS = {
    0: {"errors", "spec", "audio", "text", "stats"},
    1: {"bridge", "store", "registry", "library", "speech", "sums", "http"},
    2: {"agents", "host", "testing"},
    3: {"plan", "missing", "simulate", "health", "hear", "judge", "measure", "launch", "pipeline", "room",
        "trial", "probes", "tables", "suites"},
    4: {"cli", "report", "annotate", "__main__"},
}  # fmt: skip
LAYER_OF = {name: layer for layer, names in LAYERS.items() for name in names}
HEAVY = {
    "torch", "moshi", "ray", "anthropic", "httpx2", "matplotlib", "lifelines", "statsmodels", "onnxruntime",
    "ctranslate2", "tokenizers", "pocketsphinx", "hibari", "parselmouth", "faster_whisper", "pandas",
    "pyarrow", "hydra", "omegaconf", "rich",
}  # fmt: skip
FILES = sorted((ROOT / "dyad").rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def place(path: Path) -> str:
    parts = path.relative_to(ROOT / "dyad").parts
    return parts[0].removesuffix(".py")


def imported(tree: ast.AST, path: Path) -> set[str]:
    """Absolute names of everything that a file imports, wherever the import stands."""
    names: set[str] = set()
    package = path.relative_to(ROOT).with_suffix("").parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: -node.level]) if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            names |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return names


def test_every_file_has_a_layer() -> None:
    assert not {place(path) for path in FILES} - {"__init__"} - LAYER_OF.keys()


def test_imports_go_down() -> None:
    """From its own layer or below."""
    wrong = [
        f"{path} imports {name}"
        for path in FILES
        for name in imported(tree_of(path), path)
        if (there := layer_of(name)) is not None and there > LAYER_OF.get(place(path), max(LAYERS))
    ]
    assert not wrong


def layer_of(name: str) -> int | None:
    """The layer of a module of dyad; None of any other."""
    parts = name.split(".")
    return LAYER_OF.get(parts[1]) if parts[0] == "dyad" and len(parts) > 1 else None


def test_agents_do_not_import_each_other() -> None:
    wrong = []
    for path in (path for path in FILES if place(path) == "agents"):
        own = path.relative_to(ROOT / "dyad/agents").parts[0].removesuffix(".py")
        names = [name.split(".") for name in imported(tree_of(path), path)]
        others = {parts[2] for parts in names if parts[:2] == ["dyad", "agents"] and len(parts) > 2}
        wrong += [f"{path} imports {other}" for other in others - {own}]
    assert not wrong


def test_what_all_suites_share_knows_none_of_them() -> None:
    """One more suite is one more folder and a line of the registry."""
    own = {path.parent for path in (ROOT / "dyad/suites").glob("*/family.py")} | {ROOT / "dyad/suites/mini"}
    shared = [path for path in FILES if not {*path.parents} & own and path.parent.name != "prepare"]
    of_one = tuple(f"dyad.suites.{folder.name}" for folder in own)
    wrong = [
        f"{path} imports {x}"
        for path in shared
        for x in imported(tree_of(path), path)
        if x.startswith(of_one)
    ]
    assert not wrong


def test_heavy_imports_are_inside_functions() -> None:
    """An `engine` folder is an exception, being all torch and imported inside of functions only; so are the
    doubles, which only workers import.
    """
    wrong = []
    for path in FILES:
        if path.parent.name == "engine" or "doubles" in path.parts:
            continue
        top = [node for node in tree_of(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
        parts = [name.split(".") for name in imported(ast.Module(list(top), []), path)]
        wrong += [f"{path} imports {part}" for part in parts if part[0] in HEAVY or "engine" in part]
    assert not wrong


def test_import_dyad_is_light() -> None:
    code = "import sys, dyad; print(sorted(set(sys.modules) & {'numpy', 'torch', 'pandas', 'hydra'}))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.strip() == "[]"


def test_files_stay_small() -> None:
    sizes = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in FILES}
    assert not {name: n for name, n in sizes.items() if n > 400}


def test_nothing_imports_analysis() -> None:
    for path in FILES:
        assert not any(n.split(".")[0] == "analysis" for n in imported(tree_of(path), path))
