"""The table of docs/agents.md says what the agents' capabilities say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dyad import registry
from dyad.bridge.protocol import INSTRUMENT, Caps, default_params, family_of

PAGE = (Path(__file__).parents[1] / "docs/agents.md").read_text("utf-8")


def rows() -> dict[str, list[str]]:
    """The cells of each family's line after its name; a line may speak of several families."""
    found = {}
    for line in PAGE.split("| verified |")[1].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 10 and cells[0].startswith("`"):
            found |= dict.fromkeys(re.findall(r"`(\w+)`", cells[0].partition(" (")[0]), cells[1:])
    return found


def caps(name: str) -> Caps:
    family = family_of(name)
    return family.caps(default_params(family.params))


def shipped() -> list[str]:
    return [name for name in registry.BUILT_IN["agents"] if not caps(name).flags & INSTRUMENT]


def test_every_model_has_a_line() -> None:
    assert set(rows()) == set(shipped())


@pytest.mark.parametrize("name", shipped())
def test_a_line_says_what_the_agent_can_do(name: str) -> None:
    _, licence, chunk, lag, prompt, voice, force, states, _ = rows()[name]
    can = caps(name)
    told = (int(chunk), int(lag), prompt, voice, force, states)
    assert told == (
        can.chunk_ms,
        can.lag_ms,
        can.prompt,
        can.voice,
        ", ".join(sorted(can.force)) or "none",
        can.snapshot,
    )
    assert can.licence in licence or name == "cascade"


@pytest.mark.parametrize("name", [n for n in shipped() if hasattr(family_of(n), "home")])
def test_a_line_says_how_much_memory_one_process_takes(name: str) -> None:
    home = family_of(name).home  # type: ignore[attr-defined]
    assert not home.gpu_gb or f"{home.gpu_gb:g} GB" in rows()[name][0]
