"""A session: one agent on the line, with its rows, its sample rates and its play-out queue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

import numpy as np

from dyad.audio import Resampler, tick_size
from dyad.errors import DyadError
from dyad.spec import RATE, SEATS, RunSpec, SeatReport

from .playout import PlayOut
from .protocol import Agent, Bools, Floats, Ints, Lost, Out, Remote, Text


class AgentFault(DyadError):
    """An agent's output breaks the protocol. `lanes` are those to blame; the others may be played again."""

    def __init__(self, agent: str, tick: int, what: str, rows: Sequence[int]) -> None:
        self.agent, self.tick, self.rows = agent, tick, tuple(rows)
        self.lanes = tuple(sorted({row // 2 for row in rows}))
        where = f"row {', '.join(map(str, rows))}"
        super().__init__(f"agent '{agent}' {what} ({where}, tick {tick}); repair the agent and play again")


@dataclass(frozen=True)
class Said:
    """What was said in one tick, for all rows of the bridge."""

    pcm: Floats  # [R, 1920]
    text: list[Text]
    finished: Bools  # [R]: has ended its conversation, and its last sample was played


class Session:
    """One agent and the rows that it plays; `rows[i]` is the bridge's row for the agent's row i."""

    def __init__(self, name: str, agent: Agent, rows: Ints) -> None:
        self.name, self.agent, self.rows, self.caps = name, agent, rows, agent.caps
        self.remote = agent if isinstance(agent, Remote) else None
        self._out: Out | None = None
        caps, size = self.caps, len(rows)
        self.queue = PlayOut(size, tick_size(caps.rate_out))
        self.finished = np.zeros(size, bool)
        self.numerics: dict[str, str] = {}
        self._ears = Resampler(RATE, caps.rate_in, size) if caps.rate_in != RATE else None
        self._mouth = Resampler(caps.rate_out, RATE, size) if caps.rate_out != RATE else None

    def open(self, lanes: Sequence[RunSpec]) -> None:
        """Start the agent's rows with the prompts, voices and seeds of their seats."""
        runs = [(lanes[row // 2], SEATS[row % 2]) for row in self.rows]
        try:
            self.agent.open(
                [run.seat(seat).prompt for run, seat in runs],
                [run.seat(seat).agent.voice for run, seat in runs],
                [run.stream_seed("voice", seat) for run, seat in runs],
            )
        except Lost as lost:
            self._lost(0, lost)
        self.numerics = self.agent.numerics()

    def step(self, tick: int, heard: Floats) -> tuple[Floats, list[Text], Bools]:
        """Let the agent hear its rows of `heard` [R, 1920]; return its own rows of what `Said` holds."""
        self.ask(tick, heard)
        return self.answer(tick)

    def ask(self, tick: int, heard: Floats) -> None:
        """Let the agent hear its rows of `heard` [R, 1920]; one that computes elsewhere has only begun to."""
        own = heard[self.rows]
        given = (tick, self._ears(own) if self._ears else own, self.queue.played.copy())
        try:
            if self.remote:
                self.remote.ask(*given)
            else:
                self._out = self.agent.step(*given)
        except Lost as lost:
            self._lost(tick, lost)

    def answer(self, tick: int) -> tuple[Floats, list[Text], Bools]:
        """Return the agent's own rows of what `Said` holds."""
        if self.remote:
            try:
                self._out = self.remote.answer()
            except Lost as lost:
                self._lost(tick, lost)
        out = self._out
        assert out is not None, "asked before it answers"
        pcm = self._checked(tick, out)
        said = self.queue.turn(pcm, out.flush, out.speaking)
        if out.finished is not None:
            self.finished |= out.finished
        text = [Text(int(self.rows[piece.row]), piece.at, piece.s, piece.kind) for piece in out.text]
        return self._mouth(said) if self._mouth else said, text, self.finished & (self.queue.fill == 0)

    def report(self, index: int, text_pieces: int) -> SeatReport:
        """Return what was counted for the agent's row `index` so far."""
        queue = self.queue
        return SeatReport(
            under_runs=int(queue.under_runs[index]),
            flushes=int(queue.flushes[index]),
            dropped_ms=round(1000 * int(queue.fill[index]) / self.caps.rate_out, 3),
            lag_ms=Fraction(self.caps.lag_ms),
            chunk_ms=Fraction(self.caps.chunk_ms),
            text_pieces=text_pieces,
            finished=bool(self.finished[index]),
            numerics=self.numerics,
        )

    def _checked(self, tick: int, out: Out) -> Floats | Sequence[Floats]:
        """Return the audio of `out` as float32; raises AgentFault when anything breaks the protocol."""
        size = len(self.rows)
        for name in ("speaking", "flush", "finished"):
            flags = getattr(out, name)
            if flags is not None and np.shape(flags) != (size,):
                self._fault(tick, f"returned '{name}' of shape {np.shape(flags)}, not ({size},)")
        for piece in out.text:
            if not 0 <= piece.row < size or piece.at < 0:
                self._fault(tick, f"returned text for its row {piece.row} at {piece.at}, of {size} rows")
        pcm = out.pcm
        if isinstance(pcm, np.ndarray) and pcm.ndim == 2:
            shaped, whole = len(pcm) == size, pcm
        else:
            pcm = [np.asarray(part) for part in pcm]
            shaped = len(pcm) == size and all(part.ndim == 1 for part in pcm)
            whole = np.concatenate(pcm) if shaped else np.zeros(0, np.float32)
        if not shaped or whole.dtype.kind != "f":
            self._fault(tick, f"returned audio that is not float32 [{size}, n] or {size} arrays [n]")
        # The extremes of an array are finite exactly if all of it is, and cost no second array.
        if whole.size and not np.isfinite([whole.min(), whole.max()]).all():
            bad = [row for row, part in enumerate(pcm) if not np.isfinite(part).all()]
            self._fault(tick, "returned NaN or infinite audio", bad)
        return pcm

    def _lost(self, tick: int, lost: Lost) -> NoReturn:
        """Blame the bridge's rows for those that the agent says it has lost."""
        self._fault(tick, f"lost its state: {lost}", lost.rows)

    def _fault(self, tick: int, what: str, rows: Sequence[int] | None = None) -> NoReturn:
        blamed = self.rows if rows is None else self.rows[list(rows)]
        raise AgentFault(self.name, tick, what, [int(row) for row in blamed])


@contextmanager
def opened(sessions: Sequence[Session], lanes: Sequence[RunSpec]) -> Iterator[None]:
    """Open the agents one after the other, and close all of them whatever happens."""
    with ExitStack() as stack:
        for session in sessions:
            stack.callback(session.agent.close)
            session.open(lanes)
        yield


@contextmanager
def stepper(sessions: Sequence[Session]) -> Iterator[Callable[[int, Floats], Said]]:
    """Yield the function that steps every session once.

    Agents that compute elsewhere are asked first and answer last. Those that wait on something else
    (`caps.concurrent`) are stepped in threads, at the same time as the others one after the other; as no
    session sees what another says at this tick, order cannot matter.
    """
    remote = [session for session in sessions if session.remote]
    waiting = [session for session in sessions if session.caps.concurrent and not session.remote]
    working = [session for session in sessions if not (session.caps.concurrent or session.remote)]
    with ThreadPoolExecutor(max(1, len(waiting))) as pool:  # starts a thread only when one is asked for

        def step_all(tick: int, heard: Floats) -> Said:
            for session in remote:
                session.ask(tick, heard)
            futures = [pool.submit(session.step, tick, heard) for session in waiting]
            done = [session.step(tick, heard) for session in working]
            done += [future.result() for future in futures]
            done += [session.answer(tick) for session in remote]
            said = Said(np.empty_like(heard), [], np.empty(len(heard), bool))
            for session, (pcm, text, finished) in zip(working + waiting + remote, done, strict=True):
                said.pcm[session.rows] = pcm
                said.finished[session.rows] = finished
                said.text.extend(text)
            return said

        yield step_all
