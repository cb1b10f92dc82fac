"""Words of both channels of a dialogue by dyad's own ASR, for a corpus that comes without."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dyad.audio import read_file, resampled, to_int16
from dyad.hear.asr import check_asr, transcribe
from dyad.spec import RATE
from dyad.suites.words import Timed

from .corpus import Hear, Said


def hearing(asr: str, lang: str) -> Hear:
    """Return what recognises a file with an ASR of dyad; raises ConfigError where that is not here."""
    check_asr(asr, lang=lang)
    return lambda path: _heard(path, asr, lang)


def _heard(path: Path, asr: str, lang: str) -> tuple[Said, Said]:
    pcm, held = read_file(path)
    channels = map(np.ascontiguousarray, pcm.T)
    sound = to_int16(np.stack([resampled(channel, held.rate, RATE) for channel in channels]))
    words = transcribe(sound, asr, lang=lang)
    one, two = (
        tuple(Timed(w.s, w.start / RATE, w.end / RATE) for w in words if w.seat == seat) for seat in "ab"
    )
    return one, two
