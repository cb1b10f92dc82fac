"""The health gate: recordings that no judge should see are kept, reported and not judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dyad.audio import rms_per_tick
from dyad.spec import SEATS, Health, Piece

CLIPPED_SHARE = 0.001  # of samples at full scale
DC_LEVEL = 0.01
SPEECH_RMS = 0.010  # a tick above this has energy (the onset threshold of DyaFDB's VAD)
WORDS_FOR_AUDIO = 5  # so many own words without any sound is a divergence
SECONDS_FOR_TEXT = 3.0  # so much sound of a text-emitting agent without any text is a divergence


def check(pcm: NDArray[np.int16], pieces: Sequence[Piece]) -> Health:
    """Inspect int16 [2, N] for clipping, silence, DC, identical channels and text/audio divergence."""
    signal = pcm.astype(np.float32) / 32768.0
    peak = np.abs(signal).max(axis=1, initial=0.0)
    rms = np.sqrt(np.mean(signal**2, axis=1)) if signal.size else np.zeros(2)
    loud = (rms_per_tick(signal) > SPEECH_RMS).mean(axis=1) if signal.size else np.zeros(2)
    problems = [*_signal_problems(pcm, signal, loud), *_text_problems(loud, pcm.shape[1], pieces)]
    return Health(
        problems=tuple(problems),
        peak=(round(float(peak[0]), 4), round(float(peak[1]), 4)),
        rms=(round(float(rms[0]), 5), round(float(rms[1]), 5)),
        speech=(round(float(loud[0]), 4), round(float(loud[1]), 4)),
    )


def _signal_problems(
    pcm: NDArray[np.int16], signal: NDArray[np.float32], loud: NDArray[np.floating]
) -> list[str]:
    problems = []
    if not loud.any():
        problems.append("silence: neither seat ever spoke")
    if pcm.any() and np.array_equal(pcm[0], pcm[1]):
        problems.append("identical channels")
    for row, seat in enumerate(SEATS):
        if (np.abs(pcm[row].astype(np.int32)) >= 32767).mean() > CLIPPED_SHARE:
            problems.append(f"clipping on seat {seat}")
        if abs(float(signal[row].mean())) > DC_LEVEL:
            problems.append(f"DC on seat {seat}")
    return problems


def _text_problems(loud: NDArray[np.floating], samples: int, pieces: Sequence[Piece]) -> list[str]:
    """An agent with a text stream must not talk without sound, nor sound long without text."""
    problems = []
    seconds = samples / 24_000
    own = {seat: [p for p in pieces if p.seat == seat and p.kind == "own"] for seat in SEATS}
    for row, seat in enumerate(SEATS):
        heard_text = [p for p in own[seat] if not p.suppressed]
        if len(heard_text) >= WORDS_FOR_AUDIO and loud[row] == 0.0:
            problems.append(f"text without sound on seat {seat}")
    has_text = {seat: bool(own[seat]) for seat in SEATS}
    if any(has_text.values()):
        for row, seat in enumerate(SEATS):
            if not has_text[seat] and loud[row] * seconds > SECONDS_FOR_TEXT and _speaks(pieces, seat):
                problems.append(f"sound without text on seat {seat}")
    return problems


def _speaks(pieces: Sequence[Piece], seat: str) -> bool:
    """A seat whose agent logs text of other kinds is one that should also log its own words."""
    return any(p.seat == seat for p in pieces)
