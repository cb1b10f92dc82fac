"""The deck: tokens and sound of one batch of rows, between two ticks."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from moshi.models.lm import LMModel
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from dyad.audio import Floats
from dyad.errors import ConfigError
from dyad.spec import TICK

from .codec import Codec
from .prefix import FREE, Prefix, no_prefix
from .rows import Rows
from .sampling import Sampling
from .weights import Loaded
from .words import PAD

_BESIDE = {"queue", "ring", "weights"}  # what a snapshot holds beside rows and codecs


@dataclass(frozen=True)
class _Forced:
    pcm: Floats | None
    tokens: list[int] | None


class Deck:
    """`size` rows with `ring` positions of past each on a loaded model; all draw as `sampling` says."""

    def __init__(self, loaded: Loaded, size: int, ring: int, sampling: Sampling) -> None:
        self.size, self.ring, self._loaded, self._sampling = size, ring, loaded, sampling
        self._rows, self._codec = Rows(loaded.lm, size, ring, sampling), Codec(loaded.new_mimi(), size)
        self._own: Codec | None = None  # hears the own channel, once a row is forced to say something
        self._forced: dict[int, _Forced] = {}
        self._queue: list[deque[int]] = [deque() for _ in range(size)]
        self._device, self._stamp = loaded.lm.device, _stamp(loaded.lm)

    @property
    def initial(self) -> Tensor:
        """The start tokens of the model, int64 [17]."""
        initial: Tensor = self._rows.initial
        return initial

    def nothing(self) -> Prefix:
        """Return the prefix of a row that has lived through nothing."""
        return no_prefix(self.initial, self._rows.own)

    def begin(self, starts: Mapping[int, tuple[Prefix, int]]) -> None:
        """Let rows begin anew, each after its prefix and with its seed, while the others pause.

        Rows that share a prefix, the same object, live through it once.
        """
        user = torch.zeros(self.size, self._rows.own, dtype=torch.long)
        own = torch.full((self.size, self._rows.own), FREE)
        lived: dict[int, int] = {}
        for row, (prefix, seed) in starts.items():
            if (twin := lived.setdefault(id(prefix), row)) != row:
                self._rows.restore(row, self._rows.snapshot(twin))
                self._rows.reseed(row, seed)
            else:
                self._rows.start(row, prefix, seed, self._sampling)
            user[row], own[row] = prefix.user, prefix.own
            self._queue[row].clear()
            self._forced.pop(row, None)
        for codec in (self._codec, self._own):
            if codec:
                codec.reset(list(starts))
        self._rows.rest(list(starts))
        self._rows.step(user.to(self._device), own=own.to(self._device))  # the hand-over call
        self._rows.wake()

    def step(self, heard: Floats) -> tuple[Floats, list[int]]:
        """Hear one tick and say one; float32 [n, 1920] of the first n rows → the same, and n text tokens."""
        count = len(heard)
        own = self._enforce() if self._forced else None
        tokens = self._rows.step(self._codec.encode(self._padded(heard)), own=own)
        said = self._codec.decode(tokens[:, 1:])[:count]
        return said.float().cpu().numpy(), tokens[:count, 0].tolist()

    def _padded(self, pcm: Floats) -> Tensor:
        padded = np.zeros((self.size, pcm.shape[1]), np.float32)
        padded[: len(pcm)] = pcm
        return torch.from_numpy(padded).to(self._device)

    def force(self, row: int, pcm: Floats | None, text: str | None) -> None:
        """Prescribe what a row says in the coming step; None leaves sound, or text, to the model.

        pcm: float32 [1920]. Text is said from this frame on, one token per forced frame; a frame beyond its
        end has no word. Raises ConfigError for a sound of another length.
        """
        if not 0 <= row < self.size:
            raise ConfigError(f"no row {row} among {self.size}; force a row of the batch")
        if pcm is not None and pcm.shape != (TICK,):
            raise ConfigError(f"a forced tick has {TICK} samples, not {pcm.shape}; give one tick at a time")
        tokens = None if text is None else self._loaded.words.encode(text)
        self._forced[row] = _Forced(pcm, tokens)

    def _enforce(self) -> Tensor:
        """Write forced text and semantic codes over those that wait; return the acoustic codes to force."""
        codes = self._own_codes().cpu()
        for row, forced in self._forced.items():
            self._rows.amend(row, self._token(row, forced), int(codes[row, 0]))
        self._forced.clear()
        codes[:, 0] = FREE  # the semantic code that this call predicts belongs to the next frame
        return codes.to(self._device)

    def _own_codes(self) -> Tensor:
        """Return the codes of the forced sound, int64 [B, 8]; `FREE` in rows without any."""
        sounds = {row: forced.pcm for row, forced in self._forced.items() if forced.pcm is not None}
        codes = torch.full((self.size, self._rows.own), FREE, device=self._device)
        if not sounds:
            return codes
        self._own = self._own or Codec(self._loaded.new_mimi(), self.size)
        frames = np.zeros((self.size, TICK), np.float32)
        for row, pcm in sounds.items():
            frames[row] = pcm
        self._own.rest(list(sounds))
        heard = self._own.encode(torch.from_numpy(frames).to(self._device))
        for row in sounds:
            codes[row] = heard[row]
        return codes

    def _token(self, row: int, forced: _Forced) -> int:
        if forced.tokens is None:
            return FREE
        self._queue[row].extend(forced.tokens)
        return self._queue[row].popleft() if self._queue[row] else PAD

    def snapshot(self, row: int) -> bytes:
        """Return a row's whole state as safetensors."""
        state = self._heard_and_said(row)
        if self._own:
            state |= _named("own", self._own.snapshot(row))
        queue = torch.tensor(self._queue[row], dtype=torch.long)
        state |= {"queue": queue, "ring": torch.tensor(self.ring), "weights": self._stamp}
        return save({name: tensor.cpu().contiguous() for name, tensor in state.items()})

    def _heard_and_said(self, row: int) -> dict[str, Tensor]:
        return _named("rows", self._rows.snapshot(row)) | _named("codec", self._codec.snapshot(row))

    def restore(self, row: int, data: bytes) -> None:
        """Set a row to a saved state; raises ConfigError, and changes nothing, when it does not fit here."""
        try:
            state = load(data)
        except SafetensorError as error:
            raise _refusal(str(error)) from None
        if fault := self._misfit(row, state):
            raise _refusal(fault)
        self._rows.restore(row, _part(state, "rows"))
        self._codec.restore(row, _part(state, "codec"))
        self._queue[row] = deque(state["queue"].tolist())
        if own := _part(state, "own"):
            self._own = self._own or Codec(self._loaded.new_mimi(), self.size)
            self._own.restore(row, own)
        elif self._own:
            self._own.reset([row])

    def _misfit(self, row: int, state: Mapping[str, Tensor]) -> str:
        """Say what keeps a state from being one of a row here; nothing where it fits."""
        kinds = {name: _kind(name, tensor) for name, tensor in self._heard_and_said(row).items()}
        if _part(state, "own"):
            kinds |= {name.replace("codec", "own", 1): kind for name, kind in kinds.items() if name[0] == "c"}
        if odd := (kinds.keys() | _BESIDE) ^ state.keys():
            return f"'{min(odd)}' is missing or unknown"
        if odd := {name for name, kind in kinds.items() if _kind(name, state[name]) != kind}:
            return f"'{min(odd)}' is of another shape"
        if not torch.equal(state["weights"], self._stamp):
            return "it was taken with other weights"
        at, ring = int(state["rows/at"]), int(state["ring"])
        if at > min(ring, self.ring) and ring != self.ring:
            return f"{at} positions in a ring of {ring}, here it has {self.ring}"
        if (filled := state["rows/past"].shape[3]) != min(at, ring):
            return f"it holds {filled} positions of {at}"
        return ""


def _stamp(lm: LMModel) -> Tensor:
    """Return what tells weights of one architecture apart, int64 []: a hash of some of them."""
    some = lm.text_linear.weight[:4].detach().float().cpu().numpy().tobytes()
    return torch.tensor(int.from_bytes(hashlib.blake2b(some, digest_size=8).digest(), "big") >> 1)


def _refusal(why: str) -> ConfigError:
    return ConfigError(f"this is no snapshot of this model ({why}); take one of the same agent")


def _kind(name: str, tensor: Tensor) -> tuple[object, ...]:
    """Return what two states must agree in: the past may be of any length."""
    shape = tuple(tensor.shape)
    return tensor.dtype, (*shape[:3], *shape[4:]) if name == "rows/past" else shape


def _named(part: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {f"{part}/{name}": tensor for name, tensor in tensors.items()}


def _part(state: Mapping[str, Tensor], name: str) -> dict[str, Tensor]:
    return {key.removeprefix(f"{name}/"): t for key, t in state.items() if key.startswith(f"{name}/")}
