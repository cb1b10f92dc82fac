"""Names → code."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from dyad import registry
from dyad.bridge.protocol import Family
from dyad.errors import ConfigError


@pytest.mark.parametrize("name", ["silence", "echo", "tone", "playback"])
def test_built_in_agents_are_families_of_that_name(name):
    family = registry.load("agents", name)
    assert isinstance(family, Family)
    assert family.name == name
    assert name in registry.names("agents")


def test_a_misspelt_name_is_answered_with_the_near_one():
    with pytest.raises(ConfigError, match=r"no 'playbak' among the agents; did you mean 'playback'\?"):
        registry.load("agents", "playbak")


def test_a_group_without_parts_has_no_names():
    assert registry.names("weather") == []
    with pytest.raises(ConfigError, match="no 'sun'"):
        registry.load("weather", "sun")


def plug_in(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    point = EntryPoint(name, value, "dyad.agents")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "dyad.agents" else [])


def test_plug_ins_are_found_and_cannot_replace_a_built_in(monkeypatch):
    plug_in(monkeypatch, "parrot", "dyad.agents.echo:FAMILY")
    assert registry.load("agents", "parrot").name == "echo"
    assert "parrot" in registry.names("agents")
    plug_in(monkeypatch, "silence", "dyad.agents.echo:FAMILY")
    assert registry.load("agents", "silence").name == "silence"


def test_a_broken_plug_in_is_one_line(monkeypatch):
    plug_in(monkeypatch, "parrot", "no_such_package:FAMILY")
    with pytest.raises(ConfigError, match="plug-in 'parrot'"):
        registry.load("agents", "parrot")
