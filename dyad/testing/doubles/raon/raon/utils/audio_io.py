"""Reads sound files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import soundfile
import torch


def load_audio(
    path: str | Path,
    target_sr: int,
    *,
    mono: bool = True,
    channel: int | None = None,
    device: str | None = None,
    dtype: torch.dtype | None = None,
) -> tuple[Any, int]:
    """Return a file as [channels, samples] at `target_sr`, and that rate."""
    data, rate = soundfile.read(str(path), dtype="float32", always_2d=True)
    audio = torch.from_numpy(data.T.copy())
    audio = audio.mean(dim=0, keepdim=True) if mono else audio[channel : channel + 1 if channel else None]
    if rate != target_sr:
        size = audio.shape[1] * target_sr // rate
        audio = torch.nn.functional.interpolate(audio[None], size=size, mode="linear")[0]
    return audio.to(device=device, dtype=dtype), target_sr
