"""Trial: plays one agent alone for some seconds: does it keep the rules, repeat itself, and hear?"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from dyad.bridge.clock import CLOCK, Clock, Pace
from dyad.bridge.protocol import INSTRUMENT, Agent, Caps, Demand, Family, Floats, Lost
from dyad.bridge.session import AgentFault, Session
from dyad.errors import DyadError
from dyad.host.agent import HostAgent
from dyad.host.memory import gpu_bytes, peak_bytes
from dyad.host.process import WorkerDied, WorkerError
from dyad.library import load_library, prompt, select
from dyad.missing import hinders, lacking
from dyad.room import GB, check_one
from dyad.spec import RATE, TICK, TICK_S, AgentSpec, Prompt, ticks_at_least
from dyad.testing import PROMPT

SAME_TICKS = 15  # what all rows hear alike: from this tick on, one of them hears something else
VOICE_TICKS = 15  # then it is over: some agents answer only when the other has ended
VOICE_EVERY = 38  # ticks, 3 s, after which it comes again: some agents only listen at first
REACT_S = 3.0  # on top of its lag, an agent has so long to react to that,
REACT_CHUNKS = 5  # and so many of the chunks in which it listens or speaks
WARM_TICKS = 5  # not timed: the first steps compile, capture and allocate
FAINT = 1e-5  # a peak below this is silence: a third of the smallest step of 16 bits

T = TypeVar("T")
Pieces = tuple[tuple[int, str, str], ...]  # text of one tick: (sample, text, kind)


@dataclass(frozen=True)
class Check:
    """One finding about an agent."""

    name: str
    ok: bool
    note: str
    log: tuple[str, ...] = ()  # what was printed before it failed, where an error says so


@dataclass(frozen=True)
class Take:
    """What one row said in each tick: audio float32 [T, 1920] at 24 kHz, and text."""

    pcm: Floats
    text: tuple[Pieces, ...]


@dataclass(frozen=True)
class Played:
    """Three rows of one seed and prompt: `twin` heard what `first` heard, `other` did so up to SAME_TICKS.

    step_s: wall seconds of each step of the widest batch, which had `rows` rows.
    """

    first: Take
    twin: Take
    other: Take
    rows: int
    step_s: tuple[float, ...]


def trial(family: Family, spec: AgentSpec, device: str = "cpu", clock: Clock = CLOCK) -> Iterator[Check]:
    """Load the agent that a spec describes, play it, and yield each finding as soon as it is known.

    Where something is missing on this machine, that is all it finds. Raises ConfigError, before anything is
    loaded, for what cannot be met.
    """
    lacks = lacking(family, spec, device)
    if any(map(hinders, lacks)):
        yield from (Check(part.kind, False, part.lack) for part in lacks)
        return
    caps = family.caps(spec.params)
    given, heard = prompt_for(caps), stimulus(_ticks(caps))
    rows = min(len(heard), caps.max_batch, spec.params.get("rows_per_worker") or len(heard))  # in one worker
    family.assets(spec.params, spec.voice)
    demand = Demand(rows, heard.shape[1], (family.render(given),), device)
    family.check(spec, demand)
    check_one(family, spec, demand)
    started = clock.now()
    agent, error, log = _tried(lambda: _loaded(family, spec, device, rows, heard.shape[1]))
    yield Check("loads", agent is not None, error or f"{clock.now() - started:.1f} s", log)
    if agent is None:
        return
    played, error, log = _tried(lambda: play(agent, spec, given, heard, clock))
    note = f"{heard.shape[1]} ticks: all audio finite and in shape"
    yield Check("protocol", played is not None, error or note, log)
    if played is not None:
        yield check_sound(caps, played)
        yield check_repeat(caps, played)
        yield check_input(caps, played)
        yield check_speed(caps, played)
    yield Check("memory", True, _memory(agent))
    numerics, error, _ = _tried(agent.numerics)
    listed = ", ".join(f"{key} {value}" for key, value in (numerics or {}).items())
    yield Check("numerics", numerics is not None, error or listed or "plain arithmetic")


def prompt_for(caps: Caps) -> Prompt:
    """Return what an agent is told in a trial: the opener's part, in the form that it takes."""
    if caps.prompt != "sheet":
        return PROMPT if caps.prompt == "text" else Prompt(text="")
    library = load_library(())
    return prompt(library, select(library, ["t1_1"], limit=1)[0], "a", True)


def stimulus(ticks: int) -> Floats:
    """Return what the rows hear, [3, ticks, 1920]: faint noise, the last one a voice that comes and goes."""
    noise = 0.002 * np.random.default_rng(0).standard_normal((ticks, TICK))
    voice, vowels = noise.copy(), _vowels(VOICE_TICKS)
    for start in range(SAME_TICKS, ticks, VOICE_EVERY):
        voice[start : start + VOICE_TICKS] += vowels[: ticks - start]
    return np.stack([noise, noise, voice]).astype(np.float32)


def play(agent: Agent, spec: AgentSpec, given: Prompt, heard: Floats, clock: Clock = CLOCK) -> Played:
    """Play the three rows of `heard` through the bridge's own session, together as far as the agent can."""
    rows = min(len(heard), agent.caps.max_batch, spec.params.get("rows_per_worker") or len(heard))
    takes, times = list[Take](), list[list[float]]()
    for start in range(0, len(heard), rows):
        more, step_s = _play_batch(agent, spec, given, heard[start : start + rows], clock)
        takes += more
        times.append(step_s)
    first, twin, other = takes
    return Played(first, twin, other, rows, tuple(times[0]))


def check_sound(caps: Caps, played: Played) -> Check:
    """Whether the agent says anything; an instrument may be silent."""
    pcm = np.concatenate([played.first.pcm, played.other.pcm])
    words = sum(map(len, played.first.text + played.other.text))
    if np.ptp(pcm) <= FAINT:
        what = "silence" if np.abs(pcm).max() <= FAINT else "one constant value"
        return _of_model("sound", caps, f"says {what} only, in {len(played.first.pcm) * TICK_S:.1f} s")
    level_db = 10 * math.log10(float(np.mean(np.square(pcm, dtype=np.float64))))
    peak = float(np.abs(pcm).max())
    note = f"{level_db:.0f} dBFS, peak {peak:.2f}{' (clips)' if peak > 1 else ''}, {words} pieces of text"
    return Check("sound", True, note)


def check_repeat(caps: Caps, played: Played) -> Check:
    """Whether two rows that have the same seed and hear the same say the same, where caps promise it."""
    differs = _earliest(differences(played.first, played.twin))
    if differs is None:
        return Check("repeat", True, "rows of one seed that hear the same say the same, bit for bit")
    promise = "against its caps" if caps.deterministic else "as its caps say"
    note = f"rows of one seed that hear the same differ from tick {differs} on, {promise}"
    return Check("repeat", not caps.deterministic, note)


def check_input(caps: Caps, played: Played) -> Check:
    """Whether what is heard from tick SAME_TICKS on changes what is said, and nothing before it does.

    An instrument may be deaf. Of an agent that does not repeat itself nothing can be told.
    """
    if _earliest(differences(played.first, played.twin)) is not None:
        return Check("input", not caps.deterministic, "cannot be told, as it does not repeat itself")
    text, audio = differences(played.first, played.other)
    earliest = _earliest((text, audio))
    if earliest is None:
        within_s = (len(played.first.pcm) - SAME_TICKS) * TICK_S
        return _of_model("input", caps, f"deaf: no reaction to a voice within {within_s:.1f} s")
    note = f"hears another sound at tick {SAME_TICKS}: text differs {_when(text)}, audio {_when(audio)}"
    if earliest < SAME_TICKS:
        return Check("input", False, f"sees the future: {note}")
    return Check("input", True, note)


def check_speed(caps: Caps, played: Played) -> Check:
    """Seconds of wall per second of one row's audio; who lives by the wall clock must keep up with it."""
    timed = played.step_s[WARM_TICKS:]
    factor = sum(timed) / (len(timed) * TICK_S)
    note = f"real-time factor {factor:.3g} ({played.rows} row{'s' * (played.rows > 1)} at once)"
    return Check("speed", caps.clock == "sim" or factor <= 1, note)


def differences(one: Take, two: Take) -> tuple[int | None, int | None]:
    """Return the first tick whose text differs and the first whose audio does; None where there is none."""
    text = (t for t, (own, its) in enumerate(zip(one.text, two.text, strict=True)) if own != its)
    audio = np.flatnonzero((one.pcm != two.pcm).any(axis=1))
    return next(text, None), int(audio[0]) if audio.size else None


def _of_model(name: str, caps: Caps, fault: str) -> Check:
    """Report what is wrong with a model, but may be so by nature with an instrument."""
    if caps.flags >= INSTRUMENT:
        return Check(name, True, f"{fault}; an instrument may")
    return Check(name, False, fault)


def _earliest(ticks: Sequence[int | None]) -> int | None:
    return min((tick for tick in ticks if tick is not None), default=None)


def _when(tick: int | None) -> str:
    return "never" if tick is None else f"from tick {tick} on ({tick - SAME_TICKS:+d})"


def _ticks(caps: Caps) -> int:
    """Return how long a trial lasts: an agent hears its chunks whole, and answers after its lag."""
    chunk_s = caps.chunk_ms / 1000
    react_s = max(REACT_S, REACT_CHUNKS * chunk_s)
    return SAME_TICKS + ticks_at_least(react_s + 2 * chunk_s + caps.lag_ms / 1000)


def _vowels(ticks: int) -> Floats:
    """Return a synthetic voice at about −21 dBFS, [ticks, 1920]: voice activity detectors take it for speech.

    Harmonics of a gliding pitch under three formants that swing between two vowels, four syllables a second.
    """
    at_s = np.arange(ticks * TICK) / RATE
    pitch_hz = 120 + 25 * np.sin(2 * np.pi * 0.7 * at_s)
    swing = (1 + np.sin(4 * np.pi * at_s)) / 2
    formants = ((300 + 500 * swing, 150, 1.0), (2200 - 1000 * swing, 200, 0.5), (2700, 250, 0.2))
    phase, out = 2 * np.pi * np.cumsum(pitch_hz) / RATE, np.zeros(len(at_s))
    for k in range(1, 30):
        gain = sum(level * np.exp(-(((k * pitch_hz - hz) / width) ** 2)) for hz, width, level in formants)
        out += gain * np.sin(k * phase)
    out *= (1 - np.cos(8 * np.pi * at_s)) / 2
    voice: Floats = (0.4 * out / np.abs(out).max()).astype(np.float32).reshape(ticks, TICK)
    return voice


def _loaded(family: Family, spec: AgentSpec, device: str, rows: int, ticks: int) -> Agent:
    agent = family.make(spec.params)
    agent.load(device, rows, ticks)
    return agent


def _play_batch(
    agent: Agent, spec: AgentSpec, given: Prompt, heard: Floats, clock: Clock
) -> tuple[list[Take], list[float]]:
    rows, ticks = heard.shape[:2]
    session, pace = Session(spec.name, agent, np.arange(rows)), Pace(agent.caps.clock == "wall", clock)
    pcm, step_s = np.zeros_like(heard), list[float]()
    text: list[list[Pieces]] = [[()] * ticks for _ in range(rows)]
    try:
        agent.open([given] * rows, [spec.voice] * rows, [1] * rows)
        for tick in range(ticks):
            pace.wait(tick)
            started = clock.now()
            pcm[:, tick], pieces, _ = session.step(tick, heard[:, tick])
            step_s.append(clock.now() - started)
            for piece in pieces:
                text[piece.row][tick] += ((piece.at, piece.s, piece.kind),)
    finally:
        agent.close()
    return [Take(pcm[row], tuple(text[row])) for row in range(rows)], step_s


def _tried(attempt: Callable[[], T]) -> tuple[T | None, str, tuple[str, ...]]:
    """Return what an attempt gives or None, its error in one line, the log; ConfigError and its like pass."""
    try:
        return attempt(), "", ()
    except (AgentFault, WorkerDied, WorkerError, Lost) as fault:
        return None, " ".join(str(fault).split()), _log(fault)
    except DyadError:
        raise
    except Exception as error:
        return None, " ".join(f"{type(error).__name__}: {error}".split()), ()


def _log(error: BaseException) -> tuple[str, ...]:
    """Return the lines that an error of a worker brings from there."""
    own = [line for note in getattr(error, "__notes__", ()) for line in note.splitlines()]
    origin = error.__cause__ or error.__context__
    return tuple(own) or (_log(origin) if origin else ())


def _memory(agent: Agent) -> str:
    """Return the peak of the agent's workers, or else of this process, and its memory on GPUs."""
    if isinstance(agent, HostAgent):
        if not (groups := [worker.pid for worker in agent.workers if worker.alive]):
            return "unknown: no worker is left"
        count = f"{len(groups)} worker process{'es' * (len(groups) > 1)}"
        gpu = f", GPU {held / GB:.2f} GB" if (held := gpu_bytes(groups)) else ""
        return f"{peak_bytes(groups) / GB:.2f} GB at most in {count}{gpu}"
    import resource

    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
    note = f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / GB:.2f} GB at most"
    torch: Any = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return note
    gpus = range(torch.cuda.device_count())
    return f"{note}, GPU {sum(torch.cuda.max_memory_allocated(k) for k in gpus) / GB:.2f} GB"
