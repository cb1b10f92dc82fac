"""Temperament and parameters turned into the whole ticks that the turn-taking machine counts."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from dyad.agents.cascade.tongues import TONGUES, Tongue
from dyad.agents.cascade.types import CascadeParams

TICK_MS = 80
SHORT_TICKS = 7  # nothing shorter takes the floor: it is a backchannel, a cough or a knock
LONG_TICKS = 12  # nothing longer is a backchannel, whatever the light ears make of it


@dataclass(frozen=True)
class Manners:
    """How one row behaves, in ticks unless the name says otherwise.

    endpoint: silence that ends the other's turn
    latency: from the end point to the first sample of the answer
    barge_in: overlap that counts as a barge-in, whoever keeps the floor
    yields: overlap after which it stops, None = it talks on
    interrupt: speech of the other before it may cut in
    wait, wait_spread: silence before it speaks again, and the width of its random part
    """

    endpoint: int
    latency: int
    barge_in: int
    yields: int | None
    interrupt: int
    wait: int
    wait_spread: int
    pause_ms: int  # between two sentences of a turn
    backchannel: float  # eagerness, a factor on the chance at each opportunity


def ticks(ms: float) -> int:
    """Return the smallest number of ticks that lasts at least `ms` milliseconds."""
    return math.ceil(ms / TICK_MS - 1e-9)


def manners(params: CascadeParams) -> Manners:
    """Derive a row's manners; every trait at 0.5 leaves the configured times as they are."""
    nature = params.temperament
    return Manners(
        endpoint=ticks(params.endpoint_ms),
        latency=ticks(params.latency_ms) if params.latency == "fixed" else 0,
        barge_in=ticks(params.barge_in_ms),
        yields=_yields(params.barge_in_ms, nature.yielding),
        interrupt=ticks(400 + 1600 * nature.patience),
        wait=ticks(1400 + 2400 * nature.patience - 600 * nature.talkativeness),
        wait_spread=ticks(1600),
        pause_ms=round((120 + 240 * nature.patience) / params.pace),
        backchannel=nature.talkativeness if params.backchannels else 0.0,
    )


def _yields(barge_in_ms: int, yielding: float) -> int | None:
    """Double the overlap it bears for every quarter below 0.5, halve it towards 1; never stop at 0."""
    if yielding == 0:
        return None
    octaves = 4 * (0.5 - yielding) if yielding < 0.5 else 2 * (0.5 - yielding)
    return max(1, ticks(barge_in_ms * 2**octaves))


def is_hum(text: str, tongue: Tongue = TONGUES["en"]) -> bool:
    """Whether a text has no word at all or only sounds such as "mm-hmm"."""
    return tongue.hums.issuperset(_content(text, tongue))


def is_backchannel(text: str, tongue: Tongue = TONGUES["en"]) -> bool:
    """Whether a text says no more than "I am listening"."""
    return tongue.backchannels.issuperset(_content(text, tongue))


def _content(text: str, tongue: Tongue) -> set[str]:
    # Letters of other scripts in English are what Whisper makes of a noise.
    word = r"[a-z0-9'-]+" if tongue is TONGUES["en"] else r"[\w'-]+"
    return set(re.findall(word, text.lower().replace("’", "'"))) - tongue.fillers
