"""How fast a pair of cascades talks, and how often it solves what it was set.

    python bench/bench_cascade.py [--seeds 4] [--ears auto] [--archetype t2] [--cut] [--play out]

Prints, per seed, computing time over audio time for both agents together (one thread), and for T2 whether the
candidate that both name last is the right one.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from dyad import registry
from dyad.bridge import Recording, play
from dyad.bridge.protocol import make_agent
from dyad.library import Library, load_library, prompt, select
from dyad.spec import (
    AgentSpec,
    ChannelSpec,
    Direction,
    RunSpec,
    Scenario,
    Seat,
    SeatSpec,
    digest,
    ticks_at_least,
)
from dyad.text import tokens

WINDOW_S = 60.0
MOST = 3  # scenarios
VOICES: dict[Seat, str] = {"a": "bright", "b": "low"}


def main() -> None:
    options = _options()
    library = load_library()
    scenarios = select(library, [options.archetype], lang="en", limit=MOST)
    specs = {seat: _spec(options.ears, voice) for seat, voice in VOICES.items()}
    start = time.perf_counter()
    agents = {digest(spec): make_agent(registry.load("agents", "cascade"), spec) for spec in specs.values()}
    print(f"load {time.perf_counter() - start:.2f} s")
    solved, spent, audio = [], 0.0, 0.0
    for seed in range(options.seeds):
        for scenario in scenarios:
            run = _run(library, scenario, specs, seed, options.cut)
            start = time.process_time()
            (tape,) = play([run], agents)
            cpu_s = time.process_time() - start
            seconds = tape.ticks * 0.08
            solved.append(_solved(tape, scenario))
            spent, audio = spent + cpu_s, audio + seconds
            print(f"{scenario.id} seed {seed}: rtf {cpu_s / seconds:.3f} solved {solved[-1]}", flush=True)
            if options.play:
                _write(options.play / run.id, tape)
    rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"rtf {spent / audio:.3f}, solved {sum(solved)}/{len(solved)}, peak memory {rss_mb:.0f} MB")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--ears", default="auto", choices=["auto", "whisper", "sphinx"])
    parser.add_argument("--archetype", default="t2")
    parser.add_argument("--cut", action="store_true", help="cut the line: nothing can be solved")
    parser.add_argument("--play", type=Path, help="write audio and text of every conversation here")
    return parser.parse_args()


def _spec(ears: str, voice: str) -> AgentSpec:
    return AgentSpec(name=f"cascade_{voice}", adapter="cascade", params={"ears": ears}, voice=voice)


def _run(library: Library, scenario: Scenario, specs: dict[Seat, AgentSpec], seed: int, cut: bool) -> RunSpec:
    def sits(seat: Seat) -> SeatSpec:
        told = prompt(library, scenario, seat, opens=seat == "a", window_s=WINDOW_S)
        return SeatSpec(agent=specs[seat], role=seat, prompt=told, rendered=told.text)

    line = Direction(gain=0.0 if cut else 1.0)
    return RunSpec(
        pairing="bench",
        archetype=scenario.archetype,
        scenario=scenario.id,
        scenario_version=scenario.version,
        opener="a",
        repetition=0,
        seed=seed,
        ticks=ticks_at_least(WINDOW_S),
        channel=ChannelSpec(ab=line, ba=line),
        a=sits("a"),
        b=sits("b"),
    )


def _solved(tape: Recording, scenario: Scenario) -> bool:
    names = {name.lower(): name for name in scenario.truth.get("candidates", ())}
    for seat in VOICES:
        own = " ".join(piece.s for piece in tape.pieces if piece.seat == seat and piece.kind == "own")
        named = [word for word in tokens(own) if word in names]
        if not named or names[named[-1]] != scenario.truth["answer"]:
            return False
    return True


def _write(folder: Path, tape: Recording) -> None:
    import soundfile

    folder.mkdir(parents=True, exist_ok=True)
    soundfile.write(folder / "audio.flac", tape.pcm.T, 24_000)
    lines = [f"{p.at / 24_000:7.2f} {p.seat} {p.kind:5} {p.s.strip()}" for p in tape.pieces]
    (folder / "text.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
