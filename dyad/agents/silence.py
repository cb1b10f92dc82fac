"""`silence`: hears everything and says nothing. The floor of every measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dyad.bridge.protocol import INSTRUMENT, Caps, Family, Floats, Ints, Out, Plain
from dyad.spec import Frozen, Prompt


class SilenceParams(Frozen):
    """`silence` has no parameters."""


class Silence(Plain):
    """Says nothing."""

    caps = Caps("silence", flags=INSTRUMENT)

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start silent rows."""
        self._nothing = np.zeros((len(prompts), 0), np.float32)

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Return no audio; the play-out queue makes it silence."""
        return Out(self._nothing)

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Do nothing: a silent row has no state."""


def _caps(params: Mapping[str, Any]) -> Caps:
    SilenceParams(**params)
    return Silence.caps


FAMILY = Family(
    name="silence",
    params=SilenceParams,
    caps=_caps,
    make=lambda params: Silence(),
    render=lambda prompt: "",
    about="hears everything and says nothing",
)
