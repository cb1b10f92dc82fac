"""The layers of the design: a file imports only from its own layer or below."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = {
    0: {"errors", "spec", "audio", "text", "stats"},
    1: {"bridge", "store", "registry", "library", "speech", "sums"},
    2: {"agents", "host", "testing"},
    3: {"plan", "missing", "simulate", "health", "hear", "judge", "measure", "launch", "pipeline", "room",
        "trial", "probes", "tables", "suites"},
    4: {"cli", "report", "annotate", "__main__"},
}  # fmt: skip
LAYER_OF = {name: layer for layer, names in LAYERS.items() for name in names}
HEAVY = {
    "torch", "moshi", "ray", "anthropic", "httpx2", "matplotlib", "lifelines", "statsmodels", "onnxruntime",
    "ctranslate2", "tokenizers", "pocketsphinx", "hibari", "parselmouth", "faster_whisper", "pandas", "pyarrow",
    "hydra", "omegaconf", "rich",
}  # fmt: skip
FILES = sorted((ROOT / "dyad").rglob("*.py"))


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


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_down(path: Path) -> None:
    here = place(path)
    if here == "__init__":
        return
    assert here in LAYER_OF, f"{path} has no layer"
    for name in imported(ast.parse(path.read_text()), path):
        parts = name.split(".")
        if parts[0] == "dyad" and len(parts) > 1 and parts[1] in LAYER_OF:
            assert LAYER_OF[parts[1]] <= LAYER_OF[here], f"{path} imports {name} from a higher layer"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_agents_do_not_import_each_other(path: Path) -> None:
    if place(path) != "agents":
        return
    own = path.relative_to(ROOT / "dyad/agents").parts[0].removesuffix(".py")
    for name in imported(ast.parse(path.read_text()), path):
        parts = name.split(".")
        if parts[:2] == ["dyad", "agents"] and len(parts) > 2:
            assert parts[2] == own, f"{path} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_heavy_imports_are_inside_functions(path: Path) -> None:
    """An `engine` folder is an exception, being all torch and imported inside of functions only; so are the
    doubles, which only workers import.
    """
    tree = ast.parse(path.read_text())
    top = [n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
    names = {name for node in top for name in imported(ast.Module([node], []), path)}
    if path.parent.name == "engine" or "doubles" in path.parts:
        return
    assert not {name.split(".")[0] for name in names} & HEAVY
    assert not [name for name in names if "engine" in name.split(".")]


def test_import_dyad_is_light() -> None:
    code = "import sys, dyad; print(sorted(set(sys.modules) & {'numpy', 'torch', 'pandas', 'hydra'}))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert out.stdout.strip() == "[]"


def test_files_stay_small() -> None:
    sizes = {str(p.relative_to(ROOT)): len(p.read_text().splitlines()) for p in FILES}
    assert not {name: n for name, n in sizes.items() if n > 400}


def test_nothing_imports_analysis() -> None:
    for path in FILES:
        assert not any(n.split(".")[0] == "analysis" for n in imported(ast.parse(path.read_text()), path))
