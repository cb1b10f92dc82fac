"""The help of each verb, and the comments of the configuration that it prints."""

from __future__ import annotations

import re

import pytest
import yaml

from dyad.cli.args import VERBS
from dyad.cli.help import configured
from dyad.cli.main import run
from dyad.library import builtin_root


def helped(verb: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert run([verb, "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_lists_its_own_settings_with_their_meaning(
    verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = helped(verb, capsys)
    assert text.startswith(f"usage: python -m dyad {verb} ")
    settings = re.findall(r"^  ((?:\w+ )?[\w.]+)=(?:\S|\[.*?\])*(?:  *|\n *)(\S+ \S+)", text, re.M)
    assert settings
    own = {name for name, _ in settings}
    wanted = {
        "annotate": {"by", "port", "study"},
        "table": {"format", "out", "mode"},
        "export": {"to", "rep"},
        "compare": {"store_b", "rename"},
        "run": {"seed", "window_s", "task"},
        "plan": {"power", "power pilot", "seed"},
        "suite": {"data", "suite.lead_s"},
        "scenarios": {"list split", "seal n", "scenarios.dirs"},
        "agents": {"install python"},
        "judge": {"check share", "panel"},
    }
    assert own >= wanted.get(verb, set())
    assert not own & {"run": {"by", "format"}, "suite": {"task", "mode"}, "measure": {"seed"}}.get(
        verb, set()
    )
    assert max(map(len, text.splitlines())) <= 100


def test_every_setting_of_the_configuration_has_a_meaning() -> None:
    raw = yaml.safe_load((builtin_root() / "conf/config.yaml").read_text("utf-8"))
    groups = [next(iter(one)) for one in raw.pop("defaults") if isinstance(one, dict)]

    def leaves(node: dict[str, object], prefix: str = "") -> list[str]:
        return [
            key
            for name, value in node.items()
            for key in (
                leaves(value, f"{prefix}{name}.") if isinstance(value, dict) and value else [prefix + name]
            )
        ]

    assert [setting.key for setting in configured()] == groups + leaves(raw)
    assert [setting.key for setting in configured() if not setting.about] == []


def test_a_printed_configuration_has_the_comments(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "--cfg", "job", "pairing=echo_tone", "budget.usd=2"]) == 0
    out = capsys.readouterr().out
    assert "\n  usd: 2 # stop asking judges before so many US dollars are spent\n" in out
    assert "\nmode: paper # which definitions" in out
    assert "\n  name: echo\n" in out.replace("    name", "  name")  # an agent's name is not the study's
    assert yaml.safe_load(out)["budget"] == {"wall_min": None, "usd": 2}
