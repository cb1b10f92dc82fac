"""Whole runs of the family: batches are padded, so a run is the same whoever shares its batch."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

pytest.importorskip("torch")
pytest.importorskip("moshi")

from dyad.plan import Plan
from dyad.simulate import simulate
from dyad.spec import RunSpec
from dyad.spec.study import LauncherSettings
from dyad.store import Store

Planned = Callable[..., Plan]
ONE = LauncherSettings(name="test", workers=1, lanes=3)
DRAWN = ("agent.moshi.weights=random:tiny", "task=t0", "window_s=2", "design.openers=[a]")


def play(store: Store, runs: tuple[RunSpec, ...]) -> dict[str, bytes]:
    """What each run left in the store: audio and text."""
    assert [played.error for played in simulate(store, runs, ONE)] == [None] * len(runs)
    files = {run.id: store.run_dir(run.id) for run in runs}
    return {
        name: (path / "audio.flac").read_bytes() + (path / "text.jsonl").read_bytes()
        for name, path in files.items()
    }


def test_a_run_that_is_played_again_alone_is_the_same(planned: Planned, tmp_path: Path) -> None:
    runs = planned("pairing=moshi_moshi", *DRAWN, "design.repetitions=3").runs
    store = Store(tmp_path / "store")
    first = play(store, runs)
    assert len(set(first.values())) == 3
    shutil.rmtree(store.run_dir(runs[1].id))
    assert play(store, runs[1:2]) == {runs[1].id: first[runs[1].id]}
    seats = store.manifest(runs[1].id).seats
    assert {seat.numerics["rows"] for seat in seats.values()} == {"6"}


def test_seats_exchange_channels_and_nothing_else(planned: Planned, tmp_path: Path) -> None:
    """Two models, each in both seats."""
    both = (*DRAWN, "agent.personaplex.weights=random:tiny", "design.repetitions=1")
    (run,) = planned("pairing=pp_moshi", *both).runs[:1]
    roles = {"a": run.b.model_copy(update={"role": "b"}), "b": run.a.model_copy(update={"role": "a"})}
    turned = run.model_copy(update={**roles, "opener": "b", "pairing": "moshi_pp"})
    store = Store(tmp_path / "store")
    play(store, (run, turned))
    one, two = (soundfile.read(store.run_dir(each.id) / "audio.flac")[0] for each in (run, turned))
    assert np.abs(one).max() > 0.01
    assert np.array_equal(one, two[:, ::-1])
