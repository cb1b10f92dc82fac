"""Scoring a system's recorded answers: `python bench/bench_suites.py [--share 1.0] [--heard 10]`.

Makes a folder in the form of Full-Duplex-Bench v1.0, of its five sets with their numbers of clips (727, 3.2
hours), spoken by an embedded voice, with the words of every answer beside it. Times the command that scores
it, as a process of its own and by stage, from nothing and again on the finished store; then how long the
embedded Whisper takes to hear answers that have no words beside them, on one core. Target: 30 s on two cores.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy starts its threads

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soundfile

from dyad.audio import Pcm, read_mono, resampled, to_int16
from dyad.hear.asr import transcribe
from dyad.spec import RATE
from dyad.speech.types import Speech, Spoken
from dyad.suites.mini.sound import spoken

TARGET_S = 30.0
ANSWER_RATE = 16_000
GAP_S = 0.8
ASKED = (
    "I wanted to ask you about the trip to the mountains that we talked about last week.",
    "Could you tell me how long it takes to get there by train?",
    "My sister went there in spring, and she said that it was quite crowded.",
    "What would you pack for three days if the weather is not so good?",
)
ANSWERS = (
    "Sure. It takes about three hours by train, and the view on the way is lovely.",
    "I would take a warm jacket, good shoes, and something to read in the evening.",
    "That is a good question, let me think about it.",
)
NODS = ("Yeah.", "Right.", "I see.")
LINE = re.compile(r"^(simulate|hear|judge|report)\b.*?(to do|done|nothing to do|$)")


class Clips(NamedTuple):
    """A set: how many clips of how many seconds it has, at what rate, and what is known of them."""

    name: str
    number: int
    seconds: float
    rate: int
    note: str


SETS = (
    Clips("candor_pause_handling", 216, 12, 48_000, "pause.json"),
    Clips("candor_turn_taking", 119, 12, 48_000, "turn_taking.json"),
    Clips("icc_backchannel", 55, 45, 48_000, ""),
    Clips("synthetic_pause_handling", 137, 8, 16_000, "pause.json"),
    Clips("synthetic_user_interruption", 200, 20, 16_000, "interrupt.json"),
)


class Took(NamedTuple):
    """What a command took: its wall time, that of all cores, and the wall time of each stage."""

    wall_s: float
    cpu_s: float
    stages: dict[str, float]


def make(data: Path, share: float) -> float:
    """Write `share` of all clips; return the seconds of the answers."""
    length = 0.0
    for clips in SETS:
        for k in range(max(1, round(clips.number * share))):
            _write_clip(data / clips.name / str(k), clips, np.random.default_rng([k, clips.number]))
            length += clips.seconds
        if clips.name.endswith("backchannel"):
            _write_references(data / clips.name, clips)
    return length


def _write_clip(folder: Path, clips: Clips, rng: np.random.Generator) -> None:
    folder.mkdir(parents=True)
    nods = clips.name.endswith("backchannel")
    user = _placed(ASKED, "warm", 0.2, clips.seconds * (0.95 if nods else 0.6), rng)
    end = (user[-1][0] + len(user[-1][1].pcm)) / RATE
    first = rng.uniform(1, 5) if nods else end + rng.uniform(-0.3, 1.0)
    model = _placed(NODS if nods else ANSWERS, "deep", first, clips.seconds, rng, 6.0 if nods else GAP_S)
    for name, turns, rate in (("input", user, clips.rate), ("output", model, ANSWER_RATE)):
        soundfile.write(folder / f"{name}.wav", _rendered(turns, clips.seconds, rate), rate)
        (folder / f"{name}.json").write_text(json.dumps(_transcript(turns)))
    if clips.note:
        (folder / clips.note).write_text(json.dumps(_note(clips.note, user, end)))


def _write_references(folder: Path, clips: Clips) -> None:
    bins = round(clips.seconds / 0.2)
    shares = {clip.name: [1 / bins] * bins for clip in folder.iterdir()}
    (folder / "icc_gt_distribution.json").write_text(json.dumps(shares))


Turns = list[tuple[int, Speech]]


def _placed(
    texts: tuple[str, ...],
    voice: str,
    first: float,
    last: float,
    rng: np.random.Generator,
    gap: float = GAP_S,
) -> Turns:
    """Speech from `first` seconds on, in any order, until `last`; at least one piece."""
    turns: Turns = []
    at = round(first * RATE)
    while True:
        said = _said(voice, texts[rng.integers(len(texts))])
        if turns and at + len(said.pcm) > last * RATE:
            return turns
        turns.append((at, said))
        at += len(said.pcm) + round(gap * RATE)


@cache
def _said(voice: str, text: str) -> Speech:
    return spoken(voice, text, seed=0)


def _rendered(turns: Turns, seconds: float, rate: int) -> Pcm:
    """Turns on digital silence, int16 [N]."""
    pcm = np.zeros(round(seconds * rate), np.int16)
    for at, said in turns:
        start, sound = at * rate // RATE, _at(rate, said.words, said.pcm.tobytes())
        room = pcm[start : start + len(sound)]
        room[:] = sound[: len(room)]
    return pcm


@cache
def _at(rate: int, words: tuple[Spoken, ...], pcm: bytes) -> Pcm:
    return to_int16(resampled(np.frombuffer(pcm, np.float32), RATE, rate))


def _transcript(turns: Turns) -> dict[str, Any]:
    words = [(w.s, (at + w.start) / RATE, (at + w.end) / RATE) for at, said in turns for w in said.words]
    return {
        "text": " ".join(text for text, _, _ in words),
        "chunks": [{"text": text, "timestamp": [round(a, 2), round(b, 2)]} for text, a, b in words],
    }


def _note(name: str, user: Turns, end: float) -> list[dict[str, Any]]:
    """What is known of a clip: its first pause, the end of the user's turn, or the user's last turn."""
    if name == "pause.json":
        pause = (user[0][0] + len(user[0][1].pcm)) / RATE
        return [{"text": "[PAUSE]", "timestamp": [pause, pause + GAP_S]}]
    if name == "turn_taking.json":
        return [{"timestamp": [end, end]}]
    return [{"context": ASKED[0], "interrupt": ASKED[1], "timestamp": [user[-1][0] / RATE, end]}]


def timed(command: list[str], study: Path) -> Took:
    """Run a command and time it. Where a stage ends is told by its lines and by its last file."""
    start, marks = time.time(), dict[str, float]()
    before = os.times()
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        assert process.stderr is not None
        told = []
        for line in process.stderr:
            told.append(line)
            if (found := LINE.match(line)) is not None:
                marks.setdefault("plan", time.time())
                marks[found[1]] = time.time()
    after = os.times()
    if process.returncode:
        raise SystemExit("".join(told))
    ended, wall_s = [start], time.time() - start
    table = next(study.glob("*/table.parquet"))
    marks |= {"measure": table.stat().st_mtime, "tables, page": marks.pop("report"), "exit": time.time()}
    stages = {}
    for name, at in marks.items():
        stages[name] = at - ended[-1]
        ended.append(at)
    cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    return Took(wall_s, cpu_s, stages)


def suite(data: Path, store: Path, *options: str) -> Took:
    """Score a folder with the command that a user types."""
    words = [f"data={data}", f"store={store}", "judge=mechanical", "report.embed_audio=never"]
    command = [sys.executable, "-m", "dyad", "suite", "suite=fdb_v1", "agent=recorded", *words, *options]
    return timed(command, store / "studies")


def hearing(data: Path, count: int) -> tuple[float, float]:
    """Return how long Whisper takes for answers of all sets, and how long these are, in seconds."""
    each = -(-count // len(SETS))
    answers = [data / clips.name / str(k) / "output.wav" for k in range(each) for clips in SETS]
    spent = length = 0.0
    for number, answer in enumerate([answers[0], *answers[:count]]):
        sound = to_int16(read_mono(answer))
        start = time.process_time()
        transcribe(np.stack([sound, np.zeros_like(sound)]), "whisper")
        if number:  # the first time loads the model
            spent, length = spent + time.process_time() - start, length + len(sound) / RATE
    return spent, length


def _told(name: str, took: Took) -> str:
    stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in took.stages.items())
    return f"{name}: {took.wall_s:.1f} s ({took.cpu_s:.1f} s of all cores): {stages}"


def main() -> int:
    """Print one line per case; exit 1 when the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=1.0, help="of the clips")
    parser.add_argument("--heard", type=int, default=10, help="answers for Whisper; 0: none")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        data, store = Path(place, "data"), Path(place, "store")
        length = make(data, args.share)
        first = suite(data, store, "asr=none")
        print(_told(f"{length / 3600:.1f} h from nothing", first), flush=True)
        print(_told("again", suite(data, store, "asr=none")), flush=True)
        if args.heard:
            spent, heard = hearing(data, args.heard)
            told = f"{spent / heard:.3f} s per second of an answer, one core"
            print(f"Whisper: {told} ({args.heard} answers, {heard:.0f} s)")
    return int(first.wall_s > TARGET_S)


if __name__ == "__main__":
    sys.exit(main())
