"""What docs say of layers, plug-ins, extras and their packages is what code and pins say."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from dyad.registry import BUILT_IN
from dyad.suites.listen import SPEECH
from tests.test_layers import LAYERS

ROOT = Path(__file__).parents[1]
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text("utf-8")
LICENCES = (ROOT / "docs/licences.md").read_text("utf-8")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


def test_the_table_of_layers() -> None:
    lines = re.findall(r"^\| (\d) \| (.*) \|$", ARCHITECTURE, re.M)
    assert {int(layer): set(re.findall(r"`(\w+)`", parts)) for layer, parts in lines} == LAYERS


def test_every_group_of_plug_ins_is_named() -> None:
    assert set(re.findall(r"`dyad\.(\w+)`", ARCHITECTURE.split("The registry has")[1])) == set(BUILT_IN)


def test_the_sidecar_of_suites_is_named() -> None:
    assert SPEECH in ARCHITECTURE


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_extra_has_its_packages_with_a_licence(extra: str) -> None:
    section = LICENCES.split(f"## Extra `[{extra}]`")[1].split("\n## ")[0]
    asked = {re.split(r"[\[<>=]", want)[0].lower() for want in EXTRAS[extra] if not want.startswith("dyad")}
    assert asked <= {name.lower() for name in re.findall(r"^\| \*\*(.+?)\*\* \|", section, re.M)}
