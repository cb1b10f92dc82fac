"""The cascade: speech to text, a dialogue policy, and text to speech, full duplex on one CPU core.

It is the cascaded STT–LLM–TTS system of the literature, stepped once per tick and listening while it speaks.
Rows share the loaded models and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dyad.agents.cascade.manners import TICK_MS, ticks
from dyad.agents.cascade.parts import organs, warm_up
from dyad.agents.cascade.turn import Note, Row
from dyad.agents.cascade.types import CascadeParams
from dyad.bridge.protocol import Caps, Floats, Ints, Out, Plain, Text
from dyad.spec import TICK, Prompt
from dyad.speech.vad import SileroVad

LICENCE = "Apache-2.0; parts: Silero VAD MIT, Whisper MIT, PocketSphinx BSD-2-Clause, hibari Apache-2.0"


def cascade_caps(params: CascadeParams) -> Caps:
    """Return what a cascade with these parameters is and can do; loads nothing."""
    latency = ticks(params.latency_ms) if params.latency == "fixed" else 0
    return Caps(
        name="cascade",
        rate_in=16_000,
        rate_out=24_000,
        lag_ms=(ticks(params.endpoint_ms) + latency) * TICK_MS,
        prompt="sheet",
        voice="name",
        deterministic=params.latency != "measured" and params.policy == "rules",
        concurrent=params.policy == "llm",
        flags=frozenset({"heard_text", "backchannel"}),
        licence=LICENCE,
    )


class Cascade(Plain):
    """The agent (`dyad.bridge.protocol.Agent`): a turn-taking machine per row, one set of models for all."""

    def __init__(self, params: CascadeParams) -> None:
        self._params, self.caps = params, cascade_caps(params)
        self._rows: list[Row] = []
        self._vad = SileroVad(0)
        self._next = 0  # tick of the coming step
        self._since: list[int] = []  # tick in which each row began

    def load(self, device: str, rows: int = 1, ticks: int = 750) -> None:
        """Load ears and voice; they run on the CPU, whatever the device."""
        warm_up(self._params)

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start B fresh rows; raises ConfigError for a voice, ears or a prompt that do not fit."""
        self._rows = [self._row(*given) for given in zip(prompts, voices, seeds, strict=True)]
        self._vad = SileroVad(len(self._rows))
        self._next, self._since = 0, [0] * len(self._rows)

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Hear one tick, float32 [B, 1280] at 16 kHz, and say exactly one, [B, 1920] at 24 kHz."""
        self._next = tick + 1
        said = [
            row.step(tick - since, pcm, float(prob))
            for row, since, pcm, prob in zip(self._rows, self._since, heard, self._vad(heard), strict=True)
        ]
        return Out(
            pcm=np.stack([pcm for pcm, _ in said]),
            text=[text for row, (_, notes) in enumerate(said) for text in self._texts(row, notes)],
            speaking=np.array([row.speaking for row in self._rows]),
            finished=np.array([self._params.hang_up and row.finished for row in self._rows]),
        )

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Start one row afresh while the others go on."""
        self._rows[row] = self._row(prompt, voice, seed)
        self._vad.reset(row)
        self._since[row] = self._next

    def close(self) -> None:
        """End all rows; the models stay."""
        self._rows = []

    def _texts(self, row: int, notes: Sequence[Note]) -> list[Text]:
        began = self._since[row] * TICK  # a row counts from its own beginning, the line from tick 0
        return [Text(row, began + at, s, kind) for at, s, kind in notes]

    def _row(self, prompt: Prompt, voice: str, seed: int) -> Row:
        thinks, speaks = np.random.default_rng(seed).spawn(2)
        opens = prompt.sheet is not None and prompt.sheet.opens
        params = self._params
        if prompt.sheet is not None and prompt.sheet.kind == "listener":  # told to make no sound
            params = params.model_copy(update={"backchannels": False})
        return Row(organs(params, prompt, voice, thinks), params, opens, speaks)
