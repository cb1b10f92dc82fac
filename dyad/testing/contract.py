"""The contract suite: the rules of the agent protocol, asserted on every tick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Rational
from typing import Any

import numpy as np

from dyad.audio import tick_size
from dyad.bridge.playout import PlayOut
from dyad.bridge.protocol import Agent, Caps, Family, Floats, Out, Text
from dyad.errors import Unsupported
from dyad.spec import RATE, TICK, Prompt

from .fakes import PROMPT

ROWS = 3
PAST_S = 10.0  # own text may come this much after its sound, and no later


@dataclass(frozen=True)
class Take:
    """What one row produced, one entry per tick: audio as float32 [n], text as (at, text, kind)."""

    pcm: list[Floats]
    text: list[list[tuple[int, str, str]]]

    def since(self, tick: int) -> Take:
        """Return the take without its first ticks, as if it had begun at tick 0."""
        text = [[(at - tick * TICK, s, kind) for at, s, kind in pieces] for pieces in self.text[tick:]]
        return Take(self.pcm[tick:], text)


def check_agent(
    agent: Family | Agent,
    params: Mapping[str, Any] | None = None,
    ticks: int = 40,
    prompt: Prompt = PROMPT,
    voice: str = "",
    device: str = "cpu",
) -> None:
    """Assert the rules of the agent protocol on every tick, with several rows; AssertionError names the rule.

    A family is made with `params`. The agent is loaded on `device` before every batch, for the same number of
    rows. Rules about repeating hold for agents whose caps say `deterministic`, to the bit.
    """
    if isinstance(agent, Family):
        agent = _check_family(agent, params or {}, prompt, voice)
    _check_caps(agent.caps)
    stage = _Stage(agent, prompt, voice, _stimulus(agent.caps, ticks), (device, ROWS, ticks))
    together = stage.play(range(ROWS))
    _check_numerics(agent)
    _check_unsupported(stage)
    if agent.caps.deterministic:
        _check_repeats(stage, together)
        _check_reset(stage, together)
        if agent.caps.force:
            _check_force(stage, together)
        if agent.caps.snapshot == "state":
            _check_snapshot(stage, together)


def _require(holds: bool, caps: Caps, rule: str) -> None:
    if not holds:
        raise AssertionError(f"agent '{caps.name}': {rule}")


def _check_family(family: Family, params: Mapping[str, Any], prompt: Prompt, voice: str) -> Agent:
    caps, agent = family.caps(params), family.make(params)
    full = family.params(**params)
    _require(full == family.params(**full.model_dump()), caps, "params must survive a round trip")
    _require(agent.caps == caps, caps, "the family's caps must be the agent's")
    _require(family.render(prompt) == family.render(prompt), caps, "render must give one text per prompt")
    assets = family.assets(params, voice)
    _require(all(isinstance(value, str) for value in assets.values()), caps, "assets must map names to text")
    return agent


def _check_caps(caps: Caps) -> None:
    whole = caps.rate_in % 25 == 0 and caps.rate_out % 25 == 0 and min(caps.rate_in, caps.rate_out) > 0
    _require(whole, caps, "rates must have a whole number of samples in 80 ms")
    exact = all(isinstance(ms, Rational) for ms in (caps.chunk_ms, caps.lag_ms))
    _require(exact, caps, "chunk_ms and lag_ms must be whole, or exact: Fraction(400, 3), not 133.3")
    _require(
        caps.chunk_ms > 0 and caps.lag_ms >= 0, caps, "chunk_ms must be positive and lag_ms not negative"
    )
    _require(caps.max_batch >= 1 and caps.max_seconds > 0, caps, "max_batch and max_seconds must be positive")


def _check_numerics(agent: Agent) -> None:
    numerics = agent.numerics()
    plain = isinstance(numerics, dict) and all(isinstance(x, str) for pair in numerics.items() for x in pair)
    _require(plain, agent.caps, "numerics must map names to text")


def _stimulus(caps: Caps, ticks: int) -> Floats:
    """Return bursts of noise with pauses at about −26 dBFS, float32 [ROWS, ticks, tick]; each row its own."""
    size = tick_size(caps.rate_in)
    random = np.random.default_rng(0)
    loud = np.repeat(random.random((ROWS, ticks // 5 + 1)) < 0.6, 5, axis=1)[:, :ticks]
    return (0.05 * random.standard_normal((ROWS, ticks, size)) * loud[:, :, None]).astype(np.float32)


@dataclass(frozen=True)
class _Stage:
    """An agent, and what every row of it hears; row r has seed r + 1 in whatever batch it is played."""

    agent: Agent
    prompt: Prompt
    voice: str
    heard: Floats
    room: tuple[str, int, int]  # device, rows and ticks of every load, however short a play is

    def open(self, rows: Sequence[int]) -> None:
        """Start a batch of some rows, in room for all of them."""
        self.agent.load(*self.room)
        self.agent.open([self.prompt] * len(rows), [self.voice] * len(rows), [row + 1 for row in rows])

    def play(self, rows: Sequence[int], before: Callable[[int, PlayOut], None] | None = None) -> list[Take]:
        """Open the rows, play all ticks, and return what each produced; `before` is called in every tick."""
        agent, caps = self.agent, self.agent.caps
        self.open(rows)
        queue = PlayOut(len(rows), tick_size(caps.rate_out))
        takes = [Take([], []) for _ in rows]
        for tick in range(self.heard.shape[1]):
            if before:
                before(tick, queue)
            out = agent.step(tick, self.heard[list(rows), tick], queue.played.copy())
            _check_out(caps, out, len(rows), tick)
            queue.turn(out.pcm, out.flush, out.speaking)
            for row, take in enumerate(takes):
                take.pcm.append(np.array(out.pcm[row]))
                take.text.append([(piece.at, piece.s, piece.kind) for piece in out.text if piece.row == row])
        agent.close()
        return takes


def _check_out(caps: Caps, out: Out, rows: int, tick: int) -> None:
    parts = [np.asarray(part) for part in out.pcm]
    shapes = len(parts) == rows and all(part.ndim == 1 for part in parts)
    _require(shapes, caps, f"pcm must be [{rows}, n] or {rows} arrays [n] (tick {tick})")
    _require(all(part.dtype == np.float32 for part in parts), caps, f"pcm must be float32 (tick {tick})")
    sizes = [part for part in parts if part.size]
    _require(all(np.isfinite(part).all() for part in sizes), caps, f"pcm must be finite (tick {tick})")
    _require(all(np.abs(part).max() <= 1.0 for part in sizes), caps, f"pcm must lie in [-1, 1] (tick {tick})")
    for name in ("speaking", "flush", "finished"):
        flags = getattr(out, name)
        fits = flags is None or (np.shape(flags) == (rows,) and np.asarray(flags).dtype == bool)
        _require(fits, caps, f"{name} must be None or bool [{rows}] (tick {tick})")
    for piece in out.text:
        _check_text(caps, piece, rows, tick)


def _check_text(caps: Caps, piece: Text, rows: int, tick: int) -> None:
    where = f"('{piece.s}', tick {tick})"
    _require(0 <= piece.row < rows, caps, f"Text.row must be a row of the batch {where}")
    _require(isinstance(piece.at, int) and piece.at >= 0, caps, f"Text.at must be a sample from 0 on {where}")
    oldest = tick * TICK - (PAST_S + caps.lag_ms / 1000 + caps.chunk_ms / 1000) * RATE
    _require(piece.at >= oldest, caps, f"Text.at must not be more than {PAST_S:g} s in the past {where}")


def _check_unsupported(stage: _Stage) -> None:
    agent, caps = stage.agent, stage.agent.caps
    stage.open([0])
    if not caps.force:
        pcm = np.zeros(tick_size(caps.rate_out), np.float32)
        _require(_refuses(lambda: agent.force(0, pcm, "yes")), caps, "force must raise Unsupported")
    if caps.snapshot != "state":
        _require(_refuses(lambda: agent.snapshot(0)), caps, "snapshot must raise Unsupported")
        _require(_refuses(lambda: agent.restore(0, b"")), caps, "restore must raise Unsupported")
    agent.close()


def _refuses(call: Callable[[], object]) -> bool:
    try:
        call()
    except Unsupported:
        return True
    return False


def _same(one: Take, two: Take) -> bool:
    return one.text == two.text and all(map(np.array_equal, one.pcm, two.pcm))


def _check_repeats(stage: _Stage, together: list[Take]) -> None:
    caps = stage.agent.caps
    again = stage.play(range(ROWS))
    for row in range(ROWS):
        _require(_same(together[row], again[row]), caps, f"the same seed must repeat after close (row {row})")
        (alone,) = stage.play([row])
        _require(_same(together[row], alone), caps, f"row {row} must not depend on the rows beside it")


def _check_reset(stage: _Stage, together: list[Take]) -> None:
    """Reset the middle row half-way: it begins anew, and the others do not notice."""
    caps, half = stage.agent.caps, stage.heard.shape[1] // 2

    def reset(tick: int, queue: PlayOut) -> None:
        if tick == half:
            stage.agent.reset(1, stage.prompt, stage.voice, 2)
            queue.clear(1)

    try:
        mixed = stage.play(range(ROWS), reset)
    except Unsupported:
        return
    for row in (0, 2):
        _require(_same(together[row], mixed[row]), caps, f"a reset of row 1 must not touch row {row}")
    (fresh,) = replace(stage, heard=stage.heard[:, half:]).play([1])
    _require(_same(mixed[1].since(half), fresh), caps, "a row must begin anew after its reset")


def _check_force(stage: _Stage, together: list[Take]) -> None:
    """Prescribe silence to row 1 for some ticks: the others do not notice."""
    caps, quarter = stage.agent.caps, stage.heard.shape[1] // 4
    pcm = np.zeros(tick_size(caps.rate_out), np.float32) if "audio" in caps.force else None
    text = "" if "text" in caps.force else None

    def hush(tick: int, queue: PlayOut) -> None:
        if quarter <= tick < 2 * quarter:
            stage.agent.force(1, pcm, text)

    forced = stage.play(range(ROWS), hush)
    for row in (0, 2):
        _require(_same(together[row], forced[row]), caps, f"force of row 1 must not touch row {row}")


def _check_snapshot(stage: _Stage, together: list[Take]) -> None:
    """Save row 0 half-way, wipe it, and restore it: nothing must change."""
    half = stage.heard.shape[1] // 2

    def swap(tick: int, queue: PlayOut) -> None:
        if tick == half:
            state = stage.agent.snapshot(0)
            stage.agent.reset(0, stage.prompt, stage.voice, 9)
            stage.agent.restore(0, state)

    taken = stage.play(range(ROWS), swap)
    for row in range(ROWS):
        _require(_same(together[row], taken[row]), stage.agent.caps, f"restore must undo a reset (row {row})")
