"""Where a listener would nod: the references of the backchannel set, by a rule instead of by people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dyad.spec import RATE

BIN = RATE // 5  # 0.2 s
FLOOR = 2e-13  # of the official references
AFTER_S = 0.3  # from the end of a clause to the likeliest moment
WIDTH_S = 0.4  # from there to where nobody nods
WEIGHTS = {",": 1.0, ".": 2.0, "?": 2.0, "!": 2.0}


def reference(words: Sequence[tuple[str, float, float]], samples: int) -> list[float]:
    """Return the probability of a nod in each bin of 0.2 s of a clip; the list sums to 1.

    Every word (text, start, end in seconds) that ends a clause puts a triangle of mass around 0.3 s after its
    end, zero 0.4 s before and after that. A full stop, question mark or exclamation mark weighs twice as much
    as a comma. Bins are read at their centres, and none is below the official floor of 2e-13.
    """
    bins = samples // BIN + 1
    centres = (np.arange(bins) + 0.5) * (BIN / RATE)
    mass = np.zeros(bins)
    for text, _, end in words:
        away = np.abs(centres - (end + AFTER_S))
        mass += WEIGHTS.get(text[-1], 0.0) * np.maximum(0.0, 1 - away / WIDTH_S)
    raised = mass / mass.sum() + FLOOR
    return [float(p) for p in raised / raised.sum()]
