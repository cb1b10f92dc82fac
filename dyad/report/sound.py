"""MP3 for reports that carry their sound inside: every current browser plays it, and in step with the lanes.

Its rate is constant and it has no header of its own: all frames are alike, so that the place of a byte tells
its time, and no browser cuts off what another one plays.
"""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from dyad.audio import to_float

RATE = 24_000
DELAY = 1105  # samples by which sound comes late out of an encoder (576) and any decoder (529)
QUALITY = 0.7  # 56 kbit/s; from 64 on libsndfile writes a header


def encode(pcm: NDArray[np.int16]) -> bytes:
    """Return a stereo recording, int16 [2, N] at 24 kHz, as an MP3 file of 56 kbit/s.

    The first 46 ms are left out, which takes the delay away: what follows sounds at its own time. Raises
    ValueError for any other shape or type, and for a recording that is no longer than that.
    """
    import soundfile

    if pcm.ndim != 2 or pcm.shape[0] != 2 or pcm.dtype != np.int16 or pcm.shape[1] <= DELAY:
        raise ValueError(f"expected int16 [2, N] with N > {DELAY}, got {pcm.dtype} {list(pcm.shape)}")
    file, how = io.BytesIO(), {"bitrate_mode": "CONSTANT", "compression_level": QUALITY}
    with soundfile.SoundFile(file, "w", RATE, 2, "MPEG_LAYER_III", format="MP3", **how) as out:
        for start in range(DELAY, pcm.shape[1], RATE):
            # as floats: of int16, libsndfile 1.2 writes stereo as noise
            out.write(to_float(pcm[:, start : start + RATE]).T)
    return file.getvalue()
