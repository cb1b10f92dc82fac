"""Words with times as suites score them: one form, gated by speech, joined into inter-pausal units."""

from __future__ import annotations

from typing import NamedTuple


class Timed(NamedTuple):
    """A word, in seconds from the first sample of its recording."""

    text: str
    start: float
    end: float
