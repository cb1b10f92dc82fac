"""Conversations changed in one respect, with which a judge is tested: letters, order of texts, partner."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import numpy as np

from dyad.library import INFO
from dyad.spec import SEATS, Seat, other

from .case import Case
from .transcript import Letter, Line, lines

_EXCHANGED: dict[str, Letter] = {"A": "B", "B": "A"}
_ID = re.compile(r"\b([AB])(\d+)\b")


def exchanged(case: Case) -> Case:
    """Return a conversation with the letters A and B exchanged, in ids and marks too, and nothing else."""
    found = tuple(
        replace(
            line,
            id=exchanged_id(line.id),
            letter=_EXCHANGED[line.letter],
            marks=tuple(map(exchanged_id, line.marks)),
        )
        for line in case.lines
    )
    return replace(case, lines=found, opener=other(case.opener))


def exchanged_id(text: str) -> str:
    """Return a line id, or a mark with line ids, with the letters A and B exchanged."""
    return _ID.sub(lambda found: _EXCHANGED[found[1]] + found[2], text)


def shuffled(case: Case, seed: int = 0) -> Case:
    """Return a conversation with its texts permuted over its lines, so that none stays where it was.

    Times, ids and marks stay. A recording with fewer than two lines of words cannot be changed.
    """
    texts = [(line.text, line.heard) for line in case.worded]
    random = Random(seed)
    for last in range(len(texts) - 1, 0, -1):  # Sattolo: one cycle through all places
        place = random.randrange(last)
        texts[last], texts[place] = texts[place], texts[last]
    moved = iter(texts)
    found = tuple(_with(line, next(moved)) if line.text else line for line in case.lines)
    return replace(case, lines=found)


def _with(line: Line, words: tuple[str, str | None]) -> Line:
    return replace(line, text=words[0], heard=words[1])


def sham_role(case: Case) -> Seat:
    """Return the letter of the role whose lines a sham replaces: the partner of the one that is scored."""
    return other(INFO[case.scenario.archetype].anchor or "a")


def sham(case: Case, donor: Case) -> Case:
    """Return a conversation in which one seat says, at its times, what the same role says in another.

    Times and texts are the donor's as far as the recording goes; the other seat's lines stay.
    """
    role = sham_role(case)
    kept = [line for line in case.lines if line.seat != case.seats[role]]
    put = [line for line in donor.lines if line.seat == donor.seats[role] and line.end <= case.ticks]
    rows: dict[Seat, list[Line]] = {case.seats[role]: put, other(case.seats[role]): kept}
    segments = {
        seat: np.array([(x.start, x.end) for x in rows[seat]], dtype=np.int64).reshape(-1, 2)
        for seat in SEATS
    }
    texts = {seat: [x.text for x in rows[seat]] for seat in SEATS}
    heard = {seat: [x.heard for x in rows[seat] if x.heard is not None] for seat in SEATS}
    whole = all(len(heard[seat]) == len(rows[seat]) for seat in SEATS)
    found = lines(case.opener, segments, texts, case.ticks, heard if whole else None)
    return replace(case, lines=tuple(found))
