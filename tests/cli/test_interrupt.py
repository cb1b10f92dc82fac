"""Ctrl-C and SIGTERM in a command of its own process: one line at once, true counts, exit code 130."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from dyad.store import TMP, Store

RUNS = 120  # far more than are played until the first is stored
STUDY = (
    "run", "name=long", "pairing=echo_tone", "task=t2", "window_s=20", "scenarios.limit=10", "asr=none",
    "report.bootstrap=20", "report.permutations=20", "report.embed_audio=never",
)  # fmt: skip


@contextmanager
def command(store: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-u", "-m", "dyad", *STUDY, *more, f"store={store}"]
    # a group of its own, to which signals are sent as by a terminal; it is gone at the end
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def until_played(process: subprocess.Popen[str], store: Path) -> None:
    """Wait for the first recording, however long it takes."""
    while process.poll() is None and not Store(store).ids():
        time.sleep(0.01)
    assert process.poll() is None


def lines(said: IO[str] | None) -> list[str]:
    assert said is not None
    return said.read().splitlines()


def check(process: subprocess.Popen[str], store: Path, said: list[str]) -> int:
    """The counts are those of the store, and nothing else is left; returns what is stored."""
    assert process.wait() == 130
    stored = len(Store(store).ids())
    assert said[-1] == (
        f"dyad: interrupted: {RUNS} runs planned: {stored} stored, 0 failed, {RUNS - stored} missing; "
        "run the same command again to go on"
    )
    assert f"{stored}/{RUNS} done, 0 failed" in said[-2]
    assert not list(store.rglob(f"*{TMP}*"))
    assert not (store / "failed").exists()
    assert 0 < stored < RUNS
    return stored


@pytest.mark.parametrize(("workers", "number"), [(1, signal.SIGINT), (2, signal.SIGINT), (2, signal.SIGTERM)])
def test_what_is_under_way_is_finished(tmp_path: Path, workers: int, number: signal.Signals) -> None:
    with command(tmp_path, f"launcher.workers={workers}") as process:
        until_played(process, tmp_path)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # a terminal tells the workers, too
        else:
            process.send_signal(number)
        said = lines(process.stderr)
        assert check(process, tmp_path, said) % 4 == 0  # whole batches
    told = [line for line in said if "interrupted: finishing the conversations that are being played" in line]
    assert len(told) == 1
    assert told[0].endswith("Ctrl-C again stops now")


def test_the_second_time_it_stops_at_once(tmp_path: Path) -> None:
    slow = ("window_s=60", "launcher.workers=2")  # a batch takes far longer than the two signals
    with command(tmp_path, *slow) as process:
        assert process.stderr is not None
        assert "to do" in process.stderr.readline()
        until_played(process, tmp_path)
        os.killpg(process.pid, signal.SIGINT)
        assert "finishing" in process.stderr.readline()
        os.killpg(process.pid, signal.SIGINT)
        said = lines(process.stderr)
        assert process.wait() == 130
    stored = len(Store(tmp_path).ids())
    assert (
        f"interrupted: {RUNS} runs planned: {stored} stored, 0 failed, {RUNS - stored} missing; " in said[-1]
    )
    assert f"{stored}/{RUNS} done, 0 failed" in said[-2]
    assert not list(tmp_path.rglob(f"*{TMP}*"))
