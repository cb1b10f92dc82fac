"""`echo`: says back what it hears. A ruler for the bridge's own delay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dyad.bridge.protocol import INSTRUMENT, Caps, Family, Floats, Ints, Out, Plain
from dyad.spec import Frozen, Prompt


class EchoParams(Frozen):
    """`echo` has no parameters."""


class Echo(Plain):
    """Says back in each tick what it hears in it."""

    caps = Caps("echo", flags=INSTRUMENT)

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start rows; an echo has no state."""

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Return what was heard."""
        return Out(heard)

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Do nothing: an echo has no state."""


def _caps(params: Mapping[str, Any]) -> Caps:
    EchoParams(**params)
    return Echo.caps


FAMILY = Family(
    name="echo",
    params=EchoParams,
    caps=_caps,
    make=lambda params: Echo(),
    render=lambda prompt: "",
    about="says back what it hears",
)
