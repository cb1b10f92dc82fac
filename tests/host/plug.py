"""The fakes of this folder as agents that a configuration can name: a plug-in outside of the package."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dyad.bridge.protocol import Caps, Family
from dyad.host.family import Hosted, HostParams, hosted
from dyad.host.home import Home

FAKES = Path(__file__).with_name("fakes")
# A unit's sound comes out again a unit after it went in; one tick of that is the bridge's. Units of a second
# are held back half a tick more.
CAPS = {
    "echo": Caps("echo"),
    "units_1s": Caps("units_1s", rate_in=16_000, chunk_ms=1_000, lag_ms=960),
    "windows_400ms": Caps("windows_400ms", rate_in=16_000, rate_out=16_000, chunk_ms=400, lag_ms=320),
    "awkward": Caps("awkward"),
    "keeper": Caps("keeper", force=frozenset({"text", "audio"}), snapshot="state"),
}


def fake(name: str) -> Family:
    """Return the family of a fake; `env` is the virtual environment that it runs in."""
    home = Home(name, "3.10")
    return hosted(Hosted(home, HostParams, lambda params: CAPS[name], FAKES / f"{name}.py", about="a fake"))


ECHO, UNITS, WINDOWS, AWKWARD, KEEPER = (fake(name) for name in CAPS)

SELF = {"env": sys.prefix}  # another process, in the interpreter of the tests
ALONE = {**SELF, "rows_per_worker": 1}


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the fakes known to the registry, as an installed package would: by its entry points."""
    package = folder / "fakes_of_tests-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: fakes-of-tests\nVersion: 1\n")
    names = dict(zip(CAPS, ("ECHO", "UNITS", "WINDOWS", "AWKWARD", "KEEPER"), strict=True))
    lines = [f"{name} = tests.host.plug:{attribute}" for name, attribute in names.items()]
    (package / "entry_points.txt").write_text("[dyad.agents]\n" + "\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(folder))
