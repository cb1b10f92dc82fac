"""Which text belongs to which segment (dyad's spec of DyaFDB, arXiv 2610.08125, App. C).

Pieces are stored as they are to be concatenated: a word carries its leading space, a sub-word token and a
character of a script without spaces carry none. What an ASR heard becomes pieces by `pieces_of_words`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from dyad.spec import SEATS, TICK, Piece, Seat, Segment, Word, ticks_at_most
from dyad.speech.places import piece_of

LEAD_TICKS = ticks_at_most(0.6)  # text may run this far ahead of its sound
TRAIL_TICKS = ticks_at_most(0.3)


@dataclass(frozen=True)
class Attached:
    """Text of each segment, in the order given; how many of each seat's pieces belong to no segment."""

    texts: tuple[str, ...]
    orphans: dict[Seat, int]
    pieces: dict[Seat, int]


def attach(pieces: Sequence[Piece], segments: Sequence[Segment]) -> Attached:
    """Give each of the seats' own, unsuppressed pieces to a segment of the same seat.

    A piece belongs to the segment that contains its tick; else to the next one if that starts at most
    0.6 s later (text leads sound); else to the previous one if that ended at most 0.3 s before; else to none.
    """
    texts = [""] * len(segments)
    orphans: dict[Seat, int] = dict.fromkeys(SEATS, 0)
    spoken = [piece for piece in pieces if piece.kind == "own" and not piece.suppressed]
    own = {seat: _of_seat(segments, seat) for seat in SEATS}
    for piece in spoken:
        found = _home(piece.at // TICK, own[piece.seat])
        if found is None:
            orphans[piece.seat] += 1
        else:
            texts[found] += piece.s
    number = {seat: sum(piece.seat == seat for piece in spoken) for seat in SEATS}
    return Attached(tuple(" ".join(text.split()) for text in texts), orphans, number)


def pieces_of_words(words: Sequence[Word]) -> list[Piece]:
    """Return what an ASR heard as text pieces, ordered by time."""
    ordered = sorted(words, key=lambda word: (word.start, word.seat))
    return [Piece(seat=word.seat, at=word.start, s=piece_of(word.s)) for word in ordered]


Place = tuple[int, int, int]  # start, end, index in the caller's list


def _of_seat(segments: Sequence[Segment], seat: Seat) -> list[Place]:
    return sorted((s.start, s.end, k) for k, s in enumerate(segments) if s.seat == seat)


def _home(tick: int, places: Sequence[Place]) -> int | None:
    after = bisect_right(places, tick, key=lambda place: place[0])
    if after and tick < places[after - 1][1]:
        return places[after - 1][2]
    if after < len(places) and places[after][0] - tick <= LEAD_TICKS:
        return places[after][2]
    if after and tick - places[after - 1][1] <= TRAIL_TICKS:
        return places[after - 1][2]
    return None
