"""What the families of all agents in other interpreters have in common, before anything is loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad import registry
from dyad.bridge.protocol import Demand, family_of
from dyad.errors import ConfigError
from dyad.host.family import DOUBLES, HostedFamily
from dyad.spec import AgentSpec

DOUBLE = {"upstream": "double"}
ENGINES = {"minicpm_o": "2"}  # of adapters through which the same weights speak otherwise than at first
KNOWN = map(family_of, registry.names("agents"))
FAMILIES = [family for family in KNOWN if isinstance(family, HostedFamily)]
WEIGHED = [family for family in FAMILIES if family.home.weights]


def spec(family: HostedFamily, **params: object) -> AgentSpec:
    """An agent with a voice, where it can have one."""
    voice = {"nemotron_voicechat": "Aria", "minicpm_o": "ref_en_dlc_1"}.get(family.name, "")
    return AgentSpec(name="it", adapter=family.name, voice=voice, params=params)


def named(family: HostedFamily) -> str:
    return family.name


@pytest.mark.parametrize("family", FAMILIES, ids=named)
def test_a_stand_in_needs_nothing(
    family: HostedFamily, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert family.assets(DOUBLE, "") == {"engine": ENGINES.get(family.name, "1"), "upstream": "double"}
    assert family.parts(spec(family, **DOUBLE), "cpu") == []
    family.check(spec(family, **DOUBLE), Demand(2, 100, ("",), "cpu", family.langs))
    assert (DOUBLES / family.name / "__init__.py").is_file()


@pytest.mark.parametrize("family", FAMILIES, ids=named)
def test_weights_and_code_name_what_is_loaded(family: HostedFamily, tmp_path: Path) -> None:
    for weights in family.home.weights:
        (tmp_path / weights.name).mkdir()
        for pattern in weights.files:
            file = tmp_path / weights.name / pattern.replace("*", "any")
            file.parent.mkdir(exist_ok=True)
            file.touch()
    assets = family.assets({"weights": str(tmp_path)}, "")
    code = {f"code:{code.name}": code.commit for code in family.home.code}
    assert assets.items() >= code.items()
    assert set(assets) == {"engine", *code, *(weights.repo for weights in family.home.weights)}


@pytest.mark.parametrize("family", WEIGHED, ids=named)
def test_missing_weights_are_one_line_with_the_command(family: HostedFamily, tmp_path: Path) -> None:
    first = family.home.weights[0]
    with pytest.raises(
        ConfigError, match=rf"^{first.repo} \(weights of agent '{family.name}'\) is"
    ) as raised:
        family.assets({"weights": str(tmp_path / "none")}, "")
    assert f"run: {first.download} ({first.size_gb:g} GB)" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("family", WEIGHED, ids=named)
def test_on_a_cpu_a_gpu_is_missing(family: HostedFamily) -> None:
    lacks = {
        device: {part.kind for part in family.parts(spec(family), device) if part.state != "ready"}
        for device in ("cpu", "cuda")
    }
    assert lacks["cpu"] - lacks["cuda"] == {"device"}


@pytest.mark.parametrize("family", [family for family in FAMILIES if family.langs], ids=named)
def test_only_its_languages_are_spoken(family: HostedFamily) -> None:
    with pytest.raises(ConfigError, match=f"'it' speaks {' and '.join(family.langs)}, not 'ja'"):
        family.check(spec(family, **DOUBLE), Demand(2, 100, ("",), "cpu", ("en", "ja")))
