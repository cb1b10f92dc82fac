"""The health gate: recordings that no judge should see are kept, reported and not judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dyad.audio import rms_per_tick
from dyad.spec import RATE, SEATS, Health, Piece
from dyad.text import word_count

CLIPPED_SHARE = 0.001  # of samples at full scale
DC_LEVEL = 0.01
SPEECH_RMS = 0.010  # a tick above this has energy (the onset threshold of DyaFDB's VAD)
WORDS_FOR_AUDIO = 5  # so many own words without any sound is a divergence
SECONDS_FOR_TEXT = 3.0  # so much sound of a text-emitting agent without any text is a divergence
DC, IDENTICAL, SILENCE = "DC", "identical channels", "silence"


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


def sound_is_valid(health: Health) -> bool:
    """Return whether segments of a recording can be trusted.

    They come from its energy. An offset is energy without speech, and a doubled channel gives one seat the
    speech of the other. Clipping changes no segment, silence has none, and text plays no part.
    """
    return not any(problem.startswith((DC, IDENTICAL)) for problem in health.problems)


def _signal_problems(
    pcm: NDArray[np.int16], signal: NDArray[np.float32], loud: NDArray[np.floating]
) -> list[str]:
    problems = []
    if not loud.any():
        problems.append(f"{SILENCE}: neither seat ever spoke")
    if pcm.any() and np.array_equal(pcm[0], pcm[1]):
        problems.append(IDENTICAL)
    for row, seat in enumerate(SEATS):
        if (np.abs(pcm[row].astype(np.int32)) >= 32767).mean() > CLIPPED_SHARE:
            problems.append(f"clipping on seat {seat}")
        if abs(float(signal[row].mean())) > DC_LEVEL:
            problems.append(f"{DC} on seat {seat}")
    return problems


def _text_problems(loud: NDArray[np.floating], samples: int, pieces: Sequence[Piece]) -> list[str]:
    """An agent with a text stream must neither talk without sound nor sound for long without text."""
    problems = []
    for row, seat in enumerate(SEATS):
        stream = [p for p in pieces if p.seat == seat]
        own = [p for p in stream if p.kind == "own" and not p.suppressed]
        if word_count("".join(p.s for p in own)) >= WORDS_FOR_AUDIO and loud[row] == 0.0:
            problems.append(f"text without sound on seat {seat}")
        # a seat that logs nothing at all belongs to an agent without a text stream
        if stream and not own and loud[row] * samples / RATE > SECONDS_FOR_TEXT:
            problems.append(f"sound without text on seat {seat}")
    return problems
