"""How good an event is as a stimulus, in [0, 1]. The paper gives the ideas; the formulas are ours."""

from __future__ import annotations

import math

from dyad.suites.words import EPSILON

IDEAL_PAUSE_S, PAUSE_WIDTH_S = 0.7, 0.5
ENOUGH_SPEECH_S = 1.0  # on each side of a pause
LONGEST_GAP_S = 1.0
ENOUGH_OVERLAP_S = 0.5
CONTEXT_S = (0.5, 5.0)
ENOUGH_BACKCHANNELS, ENOUGH_TURN_S = 3, 30.0


def pause_quality(pause_s: float, before_s: float, after_s: float) -> float:
    """exp(−((d − 0.7) / 0.5)²) · min(1, before / 1.0) · min(1, after / 1.0); before and after: of speech."""
    near = math.exp(-(((pause_s - IDEAL_PAUSE_S) / PAUSE_WIDTH_S) ** 2))
    return near * _up_to(before_s, ENOUGH_SPEECH_S) * _up_to(after_s, ENOUGH_SPEECH_S)


def smooth_quality(gap_s: float) -> float:
    """1 − gap / 1.0, of gaps in [0, 1]."""
    return 1 - _up_to(gap_s, LONGEST_GAP_S)


def interruption_quality(overlap_s: float, context_s: float) -> float:
    """min(1, overlap / 0.5), and 0 without a context of 0.5 to 5.0 s."""
    low, high = CONTEXT_S
    return _up_to(overlap_s, ENOUGH_OVERLAP_S) if low - EPSILON <= context_s <= high + EPSILON else 0.0


def backchannel_quality(backchannels: int, turn_s: float) -> float:
    """min(1, n / 3) · min(1, duration / 30 s)."""
    return _up_to(backchannels, ENOUGH_BACKCHANNELS) * _up_to(turn_s, ENOUGH_TURN_S)


def _up_to(value: float, enough: float) -> float:
    return min(1.0, max(0.0, value / enough))
