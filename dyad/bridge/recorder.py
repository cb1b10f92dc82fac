"""The recorder: what was said, as int16 and text, from tick 0 to the end of each lane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dyad.audio import LOUDEST, to_int16
from dyad.spec import SEATS, TICK, Piece, RunSpec, Seat, SeatReport, other

from .clock import Pace
from .session import Said, Session
from .wiring import row_of


@dataclass(frozen=True)
class Recording:
    """One recorded conversation: int16 [2, ticks·1920] (seat a, seat b), text, and what was counted."""

    pcm: NDArray[np.int16]
    pieces: list[Piece]
    seats: dict[Seat, SeatReport]
    ticks: int
    late_ticks: int = 0
    timing_valid: bool = True
    clock: str = "sim"


class Recorder:
    """Writes every tick of every live lane, and cuts a lane's recording when the lane ends."""

    def __init__(self, lanes: Sequence[RunSpec], sessions: Sequence[Session], pace: Pace) -> None:
        self.ticks = 0  # recorded so far, by the lanes that are live
        self._lanes, self._pace = lanes, pace
        self._windows = np.array([run.ticks for run in lanes], np.int64)
        self._alive = np.ones(len(lanes), bool)
        self._mute_ticks = np.zeros(2 * len(lanes), np.int64)  # the lead-in, for the row that does not open
        for lane, run in enumerate(lanes):
            self._mute_ticks[row_of(lane, other(run.opener))] = run.lead_ticks
        longest = int(self._windows.max(initial=0))
        self._tape = np.zeros((2 * len(lanes), longest * TICK), np.int16)
        self._pieces: list[list[Piece]] = [[] for _ in lanes]
        self._done: dict[int, Recording] = {}
        self._players = {int(row): (session, i) for session in sessions for i, row in enumerate(session.rows)}

    @property
    def live(self) -> bool:
        """Whether any lane goes on."""
        return bool(self._alive.any())

    @property
    def recordings(self) -> list[Recording]:
        """The recordings of all lanes, in order."""
        return [self._done[lane] for lane in range(len(self._lanes))]

    def write(self, said: Said) -> None:
        """Record one tick, and change `said.pcm` in place to what is on record, which is what is heard.

        That is clipped to full scale, silent in lanes that have ended, and silent for the opener's partner
        in the lead-in. A lane ends with its window, or with the tick that plays the last sample of a seat
        that reported `finished`.
        """
        silent = np.repeat(~self._alive, 2) | (self._mute_ticks > self.ticks)
        if silent.any():
            said.pcm[silent] = 0.0
        np.clip(said.pcm, -1.0, LOUDEST, out=said.pcm)
        start = self.ticks * TICK
        self._tape[:, start : start + TICK] = to_int16(said.pcm)
        for piece in said.text:
            self._note(piece.row, Piece(seat=SEATS[piece.row % 2], at=piece.at, s=piece.s, kind=piece.kind))
        self.ticks += 1
        ended = (self._windows == self.ticks) | said.finished.reshape(-1, 2).any(axis=1)
        for lane in np.flatnonzero(self._alive & ended):
            self._end(int(lane))

    def _note(self, row: int, piece: Piece) -> None:
        if self._alive[row // 2]:
            self._pieces[row // 2].append(piece)

    def _end(self, lane: int) -> None:
        self._alive[lane] = False
        pieces = [self._marked(lane, piece) for piece in self._pieces[lane]]
        self._done[lane] = Recording(
            pcm=self._tape[2 * lane : 2 * lane + 2, : self.ticks * TICK],
            pieces=sorted(pieces, key=lambda piece: (piece.at, piece.seat)),
            seats={seat: self._report(lane, seat, pieces) for seat in SEATS},
            ticks=self.ticks,
            late_ticks=self._pace.late,
            timing_valid=self._pace.valid(self.ticks),
            clock=self._pace.clock,
        )

    def _marked(self, lane: int, piece: Piece) -> Piece:
        """Return the piece, `suppressed` when its first sound is not on record (lead-in, or past the end)."""
        first = TICK * int(self._mute_ticks[row_of(lane, piece.seat)])
        if first <= piece.at < self.ticks * TICK:
            return piece
        return piece.model_copy(update={"suppressed": True})

    def _report(self, lane: int, seat: Seat, pieces: Sequence[Piece]) -> SeatReport:
        session, index = self._players[row_of(lane, seat)]
        return session.report(index, sum(piece.seat == seat for piece in pieces))
