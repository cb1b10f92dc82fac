"""The agent of the Moshi family: one language model and one codec for all rows of all seats."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from dyad.agents.moshi.architecture import ring_frames
from dyad.agents.moshi.params import AnyParams, device_of, dtype_of, prompt_frames
from dyad.agents.moshi.role import render_system
from dyad.audio import LOUDEST
from dyad.bridge.protocol import Caps, Floats, Ints, Out, Text
from dyad.errors import ConfigError
from dyad.spec import TICK, Prompt

if TYPE_CHECKING:
    from dyad.agents.moshi.engine.deck import Deck
    from dyad.agents.moshi.engine.prefix import Prefix
    from dyad.agents.moshi.engine.system_prompt import Voice
    from dyad.agents.moshi.engine.weights import Loaded


class MoshiAgent:
    """A model of the family. Every batch is padded to the rows of `load`; those beyond it idle."""

    def __init__(self, params: AnyParams, caps: Caps) -> None:
        self.caps, self._params = caps, params
        self._device = params.device
        self._loaded: Loaded | None = None
        self._deck: Deck | None = None
        self._voices: dict[str, Voice] = {}  # read once: many rows with different roles have the same

    def load(self, device: str, rows: int = 1, ticks: int = 750) -> None:
        """Load weights, and make room for batches of up to `rows` rows of `ticks` ticks."""
        from dyad.agents.moshi.engine.deck import Deck
        from dyad.agents.moshi.engine.process import free_memory, prepare
        from dyad.agents.moshi.engine.sampling import Sampling
        from dyad.agents.moshi.engine.weights import load_model

        params, place = self._params, device_of(self._params, device)
        if place != self._device:
            self._loaded = self._deck = None
            self._voices.clear()
        self._device = place
        prepare(self._device, params.threads)
        loaded = self._loaded = self._loaded or load_model(params, device)
        ring = ring_frames(loaded.architecture.context, ticks, prompt_frames(params))
        if self._deck is None or (self._deck.size, self._deck.ring) != (rows, ring):
            self._deck = None
            free_memory(self._device)  # before the new one takes its own
            sampling = Sampling(params.temp, params.temp_text, params.top_k, params.top_k_text)
            self._deck = Deck(loaded, rows, ring, sampling)

    def numerics(self) -> dict[str, str]:
        """Return what could change the last bits, and where the weights came from."""
        from dyad.agents.moshi.engine.process import device_name, thread_count

        deck = self._ready
        return {
            "weights": self._model.label,
            "device": device_name(self._device),
            "dtype": dtype_of(self._params, self._device),
            "rows": str(deck.size),
            "ring": str(deck.ring),
            "threads": thread_count(),
            "torch": version("torch"),
            "moshi": version("moshi"),
        }

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        """Start fresh rows; raises ConfigError for a voice or a prompt that does not fit."""
        deck = self._ready
        if len(prompts) > deck.size:
            raise ConfigError(f"agent '{self.caps.name}' has room for {deck.size} rows, not {len(prompts)}")
        told = list(zip((prompt.text for prompt in prompts), voices, strict=True))
        prefixes = {each: self._prefix(*each) for each in dict.fromkeys(told)}
        starts = {
            row: (prefixes[each], seed) for row, (each, seed) in enumerate(zip(told, seeds, strict=True))
        }
        idle = deck.nothing()
        deck.begin({row: starts.get(row, (idle, 0)) for row in range(deck.size)})

    def reset(self, row: int, prompt: Prompt, voice: str, seed: int) -> None:
        """Start one row afresh while the others go on."""
        self._ready.begin({row: (self._prefix(prompt.text, voice), seed)})

    def _prefix(self, text: str, voice: str) -> Prefix:
        """Return what a row lives through before its first tick."""
        if self.caps.prompt == "none":
            return self._ready.nothing()
        from dyad.agents.moshi.engine.system_prompt import system_prompt

        tokens = self._model.words.encode(render_system(Prompt(text=text)))
        prefix = system_prompt(self._ready.initial, self._model.lm.delays, self._voice(voice), tokens)
        needed = prefix.length + 1  # the hand-over call takes the last one
        if needed > (kept := prompt_frames(self._params)):
            raise ConfigError(
                f"agent '{self.caps.name}': a prompt takes {needed} frames, {kept} are kept; "
                f"set prompt_frames={needed} or shorten it"
            )
        return prefix

    def _voice(self, name: str) -> Voice:
        from dyad.agents.moshi.engine.voices import load_voice

        if name not in self._voices:
            self._voices[name] = load_voice(name, self._model)
        return self._voices[name]

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        """Hear one tick and say one; the text of a frame belongs to its first sample."""
        pcm, tokens = self._ready.step(heard)
        pieces = ((row, self._model.words.piece(token)) for row, token in enumerate(tokens))
        text = [Text(row, tick * TICK, piece) for row, piece in pieces if piece]
        return Out(np.clip(pcm, -1.0, LOUDEST), text)

    def force(self, row: int, pcm: Floats | None, text: str | None) -> None:
        """Prescribe what a row says in the coming step; None leaves sound, or text, to the model.

        Text is said from this frame on, one token per forced frame; "" says what is left of it, then nothing.
        """
        self._ready.force(row, pcm, text)

    def snapshot(self, row: int) -> bytes:
        """Return the state of a row (safetensors); about 0.5 MB per frame of past for the 7 B models."""
        return self._ready.snapshot(row)

    def restore(self, row: int, state: bytes) -> None:
        """Set a row to a saved state; raises ConfigError when it is of another model."""
        self._ready.restore(row, state)

    def close(self) -> None:
        """End all rows; weights and room stay."""

    @property
    def _model(self) -> Loaded:
        assert self._loaded is not None  # whoever has a deck has a model
        return self._loaded

    @property
    def _ready(self) -> Deck:
        if self._deck is None:
            raise ConfigError(f"agent '{self.caps.name}' is not loaded; call load first")
        return self._deck
