"""The garble watch: does a seat's sound say the words of its own text (DyaFDB, arXiv 2610.08125)?

A run in which it does not is recorded again (`dyad.pipeline.takes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dyad.measure.conversation import Line, words_found
from dyad.measure.turns import Count
from dyad.spec import SEATS, Seat, ticks_at_most

EARLY_TICKS = ticks_at_most(30.0)
EARLY_SHARE, WHOLE_SHARE = 0.2, 0.25  # of the text: what is heard of garbled audio is less


class Watch(NamedTuple):
    """Long words of a seat's text that an ASR found, in its first 30 s and in all of it."""

    early: Count
    whole: Count

    @property
    def failed(self) -> int | None:
        """How many of the two shares are too small; None without text to look for, from the start."""
        if self.early.rate is None or self.whole.rate is None:
            return None
        return (self.early.rate < EARLY_SHARE) + (self.whole.rate < WHOLE_SHARE)

    @property
    def garbled(self) -> bool:
        """Both, by DyaFDB's rule. Its wording admits "or"; who fails one only is suspect, and goes on."""
        return self.failed == 2


def watch(lines: Sequence[Line], seat: Seat, lang: str) -> Watch:
    """Compare the own text of a seat's lines with what an ASR heard in them."""
    own = [line for line in lines if line.seat == seat]
    return Watch(_found([line for line in own if line.start < EARLY_TICKS], lang), _found(own, lang))


def garbled_seats(lines: Sequence[Line], lang: str) -> tuple[Seat, ...]:
    """Return the seats whose sound does not say their text."""
    return tuple(seat for seat in SEATS if watch(lines, seat, lang).garbled)


def _found(lines: Sequence[Line], lang: str) -> Count:
    text, heard = (" ".join(parts) for parts in ([x.text for x in lines], [x.heard or "" for x in lines]))
    return words_found(text, heard, lang)
