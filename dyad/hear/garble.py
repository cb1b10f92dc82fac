"""Whether a model's audio says what its text says (dyad's spec of DyaFDB, arXiv 2610.08125)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dyad.spec import RATE, Piece, Seat, Word

EARLY_S = 30
EARLY_SHARE, FULL_SHARE = 0.20, 0.25
_SHORT = 3  # words of at most three letters prove nothing


@dataclass(frozen=True)
class Garble:
    """Shares of a seat's long words that an ASR heard, over 30 s and the whole run; None without such words.

    `garbled`: both shares are too low; `suspect`: only one is.
    """

    early: float | None
    full: float | None
    verdict: Literal["ok", "suspect", "garbled"]


def garble(seat: Seat, pieces: Sequence[Piece], words: Sequence[Word]) -> Garble:
    """Compare a seat's own text with what an ASR heard on its channel."""
    own = [p for p in pieces if p.seat == seat and p.kind == "own" and not p.suppressed]
    heard = [w for w in words if w.seat == seat]
    limit = EARLY_S * RATE
    early = found_share(
        "".join(p.s for p in own if p.at < limit), " ".join(w.s for w in heard if w.start < limit)
    )
    full = found_share("".join(p.s for p in own), " ".join(w.s for w in heard))
    return Garble(early, full, _verdict(early, full))


def found_share(text: str, heard: str) -> float | None:
    """Return the share of a text's words of more than three letters that occur in a transcript, or None."""
    known = set(_words(heard))
    long = [word for word in _words(text) if len(word) > _SHORT]
    return sum(word in known for word in long) / len(long) if long else None


def _verdict(early: float | None, full: float | None) -> Literal["ok", "suspect", "garbled"]:
    low = [early is not None and early < EARLY_SHARE, full is not None and full < FULL_SHARE]
    return "garbled" if all(low) else "suspect" if any(low) else "ok"


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.casefold().replace("’", "'"))
