"""Judging through a service: `python bench/judge.py [--at-once 64 --number 7560]`.

The services are the tests' stand-ins, in a process of their own; conversations are those with known answers,
each made different. Prints judgments per second of both wire formats, the peak memory of this process as more
is judged, how long judgments take that were answered before, against parsing their records, how long `plan`
takes to say what judging thousands of runs would cost, and how long their labels take into the table.
Targets: 200 judgments per second through Anthropic's client on two cores, a peak that does not grow with
them, a plan within 10 s and the labels within 5 s.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy starts its threads

import argparse
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from memory import peak_mb

from dyad import pipeline
from dyad.cli.compose import compose
from dyad.cli.main import run
from dyad.judge.case import Case
from dyad.judge.known import known_answers
from dyad.judge.models import anthropic, openai
from dyad.judge.models.prompt import Style, calls
from dyad.judge.models.types import Backend, ModelSettings, Request
from dyad.judge.protocol import Desk, JudgeFamily, Task
from dyad.library import load_library
from dyad.pipeline.measuring import labels_frame
from dyad.store import Store

ROOT = Path(__file__).parents[1]
WIRE = ROOT / "tests" / "judge" / "wire"
KEY = "sk-ant-bench"
ROUNDS = (1000, 2000, 4000)  # judged, after which the peak is read
STYLE = Style("marked", "merged")
TARGET_PER_S, GROWTH = 200, 0.1  # of the peak after a thousand; two thousand tasks are held at a time
PLANNED, REPETITIONS, PLAN_S = 7000, 6, 10  # at least so many runs, by so many each, in so many seconds
LOAD_S = 5
STUDY = ("task=all", "pairing=bold_bold,bold_shy,shy_shy", "judge=claude_opus", "judge.batch=true")


@contextmanager
def serving(script: str) -> Iterator[int]:
    """Yield the port of a stand-in that runs."""
    command = [sys.executable, str(WIRE / script), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


@cache
def talks() -> list[Case]:
    """Return the conversations with known answers that one call is enough for."""
    cases = [one.subject for one in known_answers(load_library()) if isinstance(one.subject, Case)]
    return [case for case in cases if case.lines and len(calls(case, STYLE)) == 1]


def tasks(start: int, stop: int) -> Iterator[Task]:
    """Yield conversations that no other is like, by a number in their first line."""
    for number in range(start, stop):
        case = talks()[number % len(talks())]
        first, *rest = case.lines
        told = replace(first, text=f"{first.text} ({number})")
        yield Task(str(number), replace(case, lines=(told, *rest)))


def judged_per_s(family: JudgeFamily, settings: ModelSettings, desk: Desk, asked: Iterable[Task]) -> float:
    """Judge through records and checks; every task must get its labels."""
    done, start = 0, time.perf_counter()
    for one in family.open(settings, desk)(asked):
        if one.labels is None:
            raise RuntimeError(f"task {one.key} was not judged: {one.error}")
        done += 1
    return done / (time.perf_counter() - start)


def asked_per_s(backend: Backend, asked: Iterable[Task]) -> float:
    """Ask alone, without records and checks."""
    sheets = [calls(task.subject, STYLE)[0] for task in asked]
    requests = [Request(f"{n:064x}", s.system, s.user, s.answer, 4096) for n, s in enumerate(sheets)]
    start = time.perf_counter()
    failed = [reply for reply in backend.answer(requests) if reply.stop != "end_turn"]
    took_s = time.perf_counter() - start
    backend.close()
    if failed:
        raise RuntimeError(f"{len(failed)} replies of {len(requests)} failed: {failed[0]}")
    return len(requests) / took_s


def through_chat(at_once: int, folder: Path) -> None:
    """Measure chat completions."""
    with serving("openai_server.py") as port:
        url = f"http://127.0.0.1:{port}/v1"
        settings = openai.OpenAISettings(model="m-bench", base_url=url, concurrency=at_once)
        alone = asked_per_s(openai.OpenAI(settings), tasks(0, 1000))
        rate = judged_per_s(openai.FAMILY, settings, Desk("chat", folder), tasks(0, 1000))
    print(f"chat completions: {rate:.0f} judgments/s, asking alone {alone:.0f}/s")


def through_messages(at_once: int, folder: Path, number: int) -> tuple[float, float]:
    """Measure Anthropic's Messages; return the slowest rate, and how much the peak grew."""
    rates, peaks = [], []
    desk = Desk("messages", folder)
    with serving("anthropic_server.py") as port:
        url = f"http://127.0.0.1:{port}"
        settings = anthropic.AnthropicSettings(model="claude-opus-5", base_url=url, concurrency=at_once)
        print(f"messages: asking alone {asked_per_s(anthropic.Messages(settings), tasks(0, 1000)):.0f}/s")
        for start, stop in pairwise((0, *(stop for stop in ROUNDS if stop < number), number)):
            rates.append(judged_per_s(anthropic.FAMILY, settings, desk, tasks(start, stop)))
            peaks.append(peak_mb())
            print(f"  {stop:5} judged: {rates[-1]:.0f} judgments/s, peak {peaks[-1]:.0f} MB", flush=True)
    again(settings, desk, number)
    return min(rates), peaks[-1] / peaks[0] - 1


def again(settings: ModelSettings, desk: Desk, number: int) -> None:
    """Judge what was answered before, with no server there to ask."""
    took_s = number / judged_per_s(anthropic.FAMILY, settings, desk, tasks(0, number))
    path, start = desk.folder / f"{desk.name}.jsonl", time.perf_counter()
    with path.open("rb") as file:
        lines = sum(bool(json.loads(line)) for line in file)
    parse_s = time.perf_counter() - start
    ratio = took_s / parse_s
    print(f"  {number:5} from records: {took_s:.1f} s, {ratio:.0f} times the parsing of their {lines} lines")


def planned_s(folder: Path) -> float:
    """Plan a study with a model as its judge, as the command line does, none of it played yet."""
    told = io.StringIO()
    start = time.perf_counter()
    with redirect_stdout(told):
        run(["plan", *STUDY, f"design.repetitions={REPETITIONS}", f"store={folder}", "--json"])
    took_s = time.perf_counter() - start
    plan = json.loads(told.getvalue())
    runs, calls = plan["runs"], plan["judges"]["claude_opus"]["calls"]
    if runs < PLANNED:
        raise RuntimeError(f"only {runs} runs were planned; raise REPETITIONS")
    print(f"plan: {runs} runs, {calls} calls of a judge, in {took_s:.1f} s (target {PLAN_S})")
    return took_s


def loaded_s(folder: Path, number: int) -> float:
    """Load the labels of so many judged runs into their table: a small study, its runs copied by links."""
    sys.path.insert(0, str(ROOT))
    from tests.judge.studies import judge, made, some

    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        ids = made(folder, some())
        judge(folder, "judge=mechanical")
    copies = [_copied(folder / "runs" / ids[n % len(ids)], n) for n in range(number)]
    config = compose(["task=all", f"store={folder}"]).studies[0]
    start = time.perf_counter()
    study = pipeline.of_ids("made", "", config, Store(folder), copies, load_library())
    frame = labels_frame({run_id: pipeline.judgments(study, run_id) for run_id in study.ids})
    took_s = time.perf_counter() - start
    if frame["run_id"].nunique() != number:
        raise RuntimeError(f"labels of {frame['run_id'].nunique()} runs were loaded, not of {number}")
    print(f"labels of {number} judged runs into their table: {took_s:.1f} s (target {LOAD_S})")
    return took_s


def _copied(run: Path, number: int) -> str:
    """Link what is read of a run into another one."""
    copy = run.with_name(f"{run.name}x{number}")
    (copy / "judgments").mkdir(parents=True)
    for file in (run / "spec.json", run / "manifest.json", *(run / "judgments").iterdir()):
        os.link(file, copy / file.relative_to(run))
    return copy.name


def main() -> int:
    """Print what was measured; exit 1 when a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--number", type=int, default=7560)
    options = parser.parse_args()
    os.environ["ANTHROPIC_API_KEY"] = KEY
    with tempfile.TemporaryDirectory() as folder:
        rate, growth = through_messages(options.at_once, Path(folder), options.number)
        through_chat(options.at_once, Path(folder))
        plan_s = planned_s(Path(folder) / "none")
        load_s = loaded_s(Path(folder) / "labels", options.number)
    print(f"slowest {rate:.0f} judgments/s (target {TARGET_PER_S}), peak {100 * growth:+.1f} %")
    return int(rate < TARGET_PER_S or growth > GROWTH or plan_s > PLAN_S or load_s > LOAD_S)


if __name__ == "__main__":
    sys.exit(main())
