"""Conversations of the Moshi family per GPU: `python bench/moshi_gpu.py [--device cuda --weights random:7b]`.

Nothing is downloaded: the weights are random, of the real architecture. Plays self-play of 1, 16 and 64
conversations and cross-play of 16 (two models) through the bridge, 60 s each or as far as the time allows, in
less than 10 minutes. Prints conversation-seconds per second of the device, where a tick goes, its share of
the bandwidth floor (weights and filled ring read once, at the speed of a large copy), and the peak memory.
Ticks in which a CUDA graph is recorded, a few per shape, are counted apart. Parts of a tick are timed after
the play as graphs of their own; the rest of a tick is what they leave. Exits 2 without a CUDA device; to try
the script itself: `--device cpu --weights random:tiny --window-s 5 --lanes 1 2 --cross 2`.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import patch

if (here := str(Path(__file__).resolve().parent)) in sys.path:
    sys.path.remove(here)  # else `import moshi` would find the script beside this one and not the package

import torch
from torch import Tensor

from dyad.agents.moshi.engine.deck import Deck
from dyad.agents.moshi.engine.graphs import Graphed
from dyad.agents.moshi.engine.prefix import FREE
from dyad.agents.moshi.engine.process import device_name
from dyad.agents.moshi.engine.rows import REACH
from dyad.bridge import play
from dyad.bridge.protocol import Agent, Demand, family_of
from dyad.bridge.wiring import rows_per_lane
from dyad.spec import TICK, TICK_S, AgentSpec, RunSpec, ticks_at_least
from dyad.testing import lane

LIMIT_S = 540.0  # of the whole script
COPY_BYTES = {"cuda": 4 * 2**30, "cpu": 2**26}
REPEATS = {"cuda": 30, "cpu": 3}  # of a part that is timed
GB = 1e9


@dataclass(frozen=True)
class Case:
    """Conversations side by side, of one model with itself or of two models."""

    mode: str
    lanes: int

    @property
    def name(self) -> str:
        """How it is called on the screen."""
        return f"{self.mode} {self.lanes}"

    def runs(self, weights: str, ticks: int) -> list[RunSpec]:
        """Return the conversations."""
        a, b = _spec(weights, 0), _spec(weights, 0 if self.mode == "self-play" else 1)
        return [lane(a, b, ticks=ticks, seed=seed) for seed in range(self.lanes)]


def _spec(weights: str, seed: int) -> AgentSpec:
    return AgentSpec(name=f"moshi_{seed}", adapter="moshi", params={"weights": weights, "random_seed": seed})


@dataclass(frozen=True)
class Played:
    """The seconds of every tick, by its number, and of those in which a graph was recorded."""

    steady: dict[int, float]
    recording: dict[int, float]

    @property
    def tick_s(self) -> float:
        """The mean of a tick without a recording."""
        return sum(self.steady.values()) / len(self.steady)


@dataclass(frozen=True)
class Place:
    """A device, how many bytes a second it copies, and the models on it, which stay from case to case."""

    device: torch.device
    bandwidth: float
    agents: dict[str, Any] = field(default_factory=dict)


class Enough(Exception):
    """The time for a case is over."""


def sync(device: torch.device) -> None:
    """Wait until a device has done all it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def seconds(call: Callable[[], object], device: torch.device) -> float:
    """Return the mean seconds of a call, made often after one warm-up."""
    call()
    sync(device)
    start = time.perf_counter()
    for _ in range(REPEATS[device.type]):
        call()
    sync(device)
    return (time.perf_counter() - start) / REPEATS[device.type]


def copy_bandwidth(device: torch.device) -> float:
    """Return the bytes per second that a large copy on the device reads and writes."""
    source = torch.ones(COPY_BYTES[device.type], dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    return 2 * source.numel() / seconds(partial(target.copy_, source), device)


@contextmanager
def recordings() -> Iterator[list[None]]:
    """Give a list that grows with every graph that is recorded."""
    seen: list[None] = []
    record = Graphed._record

    def noted(self: Graphed, *args: Any) -> Any:
        seen.append(None)
        return record(self, *args)

    with patch.object(Graphed, "_record", noted):
        yield seen


def played(runs: Sequence[RunSpec], agents: Mapping[str, Agent], limit_s: float) -> Played:
    """Play until the window or the time is over; each tick ends with its sound on the host."""
    took: dict[int, float] = {}
    recording: set[int] = set()
    start = last = time.perf_counter()

    def note(done: int) -> None:
        nonlocal last
        now = time.perf_counter()
        took[done - 1], last = now - last, now
        if seen or done == 1:
            recording.add(done - 1)
        seen.clear()
        if now - start > limit_s and len(took) > len(recording):
            raise Enough

    with recordings() as seen, suppress(Enough):
        play(runs, agents, note)
    split = [{tick: s for tick, s in took.items() if (tick in recording) is flag} for flag in (False, True)]
    return Played(*split)


@torch.inference_mode()
def parts_s(deck: Deck, ticks: Sequence[int]) -> dict[str, float]:
    """Return the mean seconds per tick of each part of a model, over the ticks that were played."""
    rows, codec, device = deck._rows, deck._codec, deck._device
    reaches = Counter(reach(filled(deck, tick), deck) for tick in ticks)
    tokens = torch.zeros(deck.size, rows.lm.num_codebooks, dtype=torch.long, device=device)
    own = torch.full((deck.size, rows.own), FREE, device=device)
    noise, sound = rows._noise()[1], torch.zeros(deck.size, TICK, device=device)
    h = rows.temporal(tokens, min(reaches)).clone()

    def depth(variant: int, text: Tensor, h: Tensor, own: Tensor) -> Tensor:
        return rows._depth(text, h, own, rows._temp[1], noise)

    temporal = Graphed(lambda slots, tokens: rows.temporal(tokens, slots), device, rows._still)
    depformer = Graphed(depth, device, rows._still)
    each = {slots: seconds(partial(temporal, slots, tokens), device) for slots in reaches}
    return {
        "temporal": sum(each[slots] * count for slots, count in reaches.items()) / len(ticks),
        "depformer": seconds(partial(depformer, 0, tokens[:, 0], h, own), device),
        "Mimi encode": seconds(partial(codec.encode, sound), device),
        "Mimi decode": seconds(partial(codec.decode, tokens[:, 1 : 1 + rows.own]), device),
    }


def filled(deck: Deck, tick: int) -> int:
    """Return the positions that a tick looks at: those before it, the hand-over's and its own."""
    return min(deck.ring, tick + 2)


def reach(slots: int, deck: Deck) -> int:
    """Return how many slots of the ring the engine reads when so many are filled."""
    step = REACH[deck._device.type]
    return min(deck.ring, -(-slots // step) * step)


def floor_bytes(deck: Deck, ticks: Sequence[int]) -> float:
    """Return the bytes that a tick has to read: weights without tables, and what is filled of the ring."""
    lm, past = deck._rows.lm, deck._rows._ring
    weights: list[Tensor] = [p for name, p in lm.named_parameters() if "emb" not in name.split(".")[0]]
    weights += list(deck._codec._mimi.parameters())
    mean_filled = sum(filled(deck, tick) for tick in ticks) / len(ticks)
    return sum(p.nbytes for p in weights) + mean_filled / deck.ring * sum(cache.nbytes for cache in past)


def planned_bytes(runs: Sequence[RunSpec], device: str) -> int:
    """Return the memory that dyad plans for these conversations' agents."""
    rows = sum((rows_per_lane(run) for run in runs), Counter[str]())
    specs = {spec.key: spec for run in runs for spec in (run.a.agent, run.b.agent)}
    total = 0
    for key, spec in specs.items():
        demand = Demand(rows[key], runs[0].ticks, (), device)
        if (room := family_of(spec.adapter).room(spec, demand)) is not None:
            total += room.weights_bytes + rows[key] * room.row_bytes + room.extra_bytes
    return total


def load(runs: Sequence[RunSpec], device: torch.device, known: dict[str, Any]) -> dict[str, Any]:
    """Return the agents of some conversations with as many rows as they take; weights stay in `known`."""
    specs = {spec.key: spec for spec in (runs[0].a.agent, runs[0].b.agent)}
    for key, spec in specs.items():
        rows = sum(rows_per_lane(run)[key] for run in runs)
        if key not in known:
            known[key] = family_of(spec.adapter).make(spec.params)
        known[key].load(str(device), rows, runs[0].ticks)
    return {key: known[key] for key in specs}


def free(device: torch.device) -> None:
    """Give back the memory that nothing holds, and count its peak anew."""
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)


def peak_bytes(device: torch.device) -> float:
    """Return the most memory that was taken since `free`; NaN where nobody counts."""
    return float(torch.cuda.max_memory_reserved(device)) if device.type == "cuda" else math.nan


def total_bytes(device: torch.device) -> float:
    """Return the memory of a device; infinite where it is not a limit here."""
    return float(torch.cuda.mem_get_info(device)[1]) if device.type == "cuda" else math.inf


def measure(case: Case, runs: Sequence[RunSpec], place: Place, limit_s: float) -> None:
    """Play a case and print what it took, or that it does not fit."""
    device, planned = place.device, planned_bytes(runs, str(place.device))
    if planned > (total := total_bytes(device)):
        print(f"{case.name}: not played, it needs {planned / GB:.1f} GB of {total / GB:.1f} GB")
        return
    start = time.perf_counter()
    agents = load(runs, device, place.agents)
    free(device)
    load_s = time.perf_counter() - start
    done = played(runs, agents, limit_s - load_s)
    peak = peak_bytes(device)  # before the parts take theirs
    print(f"{case.name}: {case.lanes * TICK_S / done.tick_s:.1f} conversation-seconds per second")
    count, apart = len(done.steady) + len(done.recording), sum(done.recording.values())
    print(f"  {count} of {runs[0].ticks} ticks played after {load_s:.1f} s of loading; apart from the rest,")
    print(f"  {len(done.recording)} with the opening or a recording took {apart:.1f} s")
    print_parts(done, [agent._deck for agent in agents.values()], place.bandwidth)
    print(f"  peak memory {peak / GB:.2f} GB, planned {planned / GB:.2f} GB", flush=True)


def print_parts(done: Played, decks: Sequence[Deck], bandwidth: float) -> None:
    """Print where a tick goes, and its share of the bandwidth floor."""
    ticks = list(done.steady)
    models = [parts_s(deck, ticks) for deck in decks]
    parts = {name: sum(model[name] for model in models) for name in models[0]}
    parts["rest"] = done.tick_s - sum(parts.values())
    said = ", ".join(f"{name} {1000 * s:.2f}" for name, s in parts.items())
    print(f"  {1000 * done.tick_s:.2f} ms per tick: {said}")
    floor_s = sum(floor_bytes(deck, ticks) for deck in decks) / bandwidth
    print(f"  bandwidth floor {1000 * floor_s:.2f} ms, {floor_s / done.tick_s:.0%} of a tick")


def main() -> int:
    """Play all cases; exit 2 where there is no such device."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--weights", default="random:7b")
    parser.add_argument("--window-s", type=float, default=60.0)
    parser.add_argument("--lanes", type=int, nargs="*", default=[1, 16, 64], help="of self-play")
    parser.add_argument("--cross", type=int, nargs="*", default=[16], help="lanes of cross-play")
    args = parser.parse_args()
    end = time.perf_counter() + LIMIT_S
    device = torch.device(args.device)
    if device.type == "cuda" and not torch.cuda.is_available():
        print("no CUDA device here, so nothing is measured; this script needs one")
        return 2
    place = Place(device, copy_bandwidth(device))
    software = f"torch {torch.__version__}, CUDA {torch.version.cuda}, moshi {version('moshi')}"
    print(f"{time.strftime('%Y-%m-%d')}, {device_name(str(device))}, {software}, {args.weights}")
    print(f"  a large copy moves {place.bandwidth / GB:.0f} GB/s", flush=True)
    cases = [Case("self-play", n) for n in args.lanes] + [Case("cross-play", n) for n in args.cross]
    for i, case in enumerate(cases):
        left_s = (end - time.perf_counter()) / (len(cases) - i)
        runs = case.runs(args.weights, ticks_at_least(args.window_s))
        try:
            measure(case, runs, place, 0.8 * left_s)  # the parts take time as well
        except torch.OutOfMemoryError as error:
            print(f"{case.name}: not played to the end, {str(error).splitlines()[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
