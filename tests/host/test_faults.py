"""Whatever becomes of a worker: one line of error, no process left, no half-written run, other runs go on."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dyad.simulate
from dyad.errors import DyadError
from dyad.host import process
from dyad.host.process import Command, Timeouts, Worker, WorkerDied
from dyad.simulate import Played, simulate
from dyad.spec import AgentSpec, RunSpec
from dyad.spec.study import LauncherSettings
from dyad.store import Store
from dyad.testing.fakes import lane
from tests.host.plug import FAKES, SELF, install

ROOT = Path(__file__).parents[2]
Ask = Callable[..., None]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Make the fakes known, and say what the awkward one is to do."""
    install(tmp_path, monkeypatch)

    def asked(**what: Any) -> None:
        monkeypatch.setenv("AWKWARD", json.dumps(what))

    return asked


def runs(count: int = 3, **params: Any) -> list[RunSpec]:
    """Runs of the awkward agent against a tone, of different seeds."""
    given = {**SELF, "step_timeout_s": 1.0, "load_timeout_s": 5.0, **params}
    awkward = AgentSpec(name="awkward", adapter="awkward", params=given)
    return [lane(awkward, "tone", ticks=12, seed=seed) for seed in range(count)]


def voice_seed(run: RunSpec) -> int:
    return run.stream_seed("voice", "a")


def outcomes(store: Store, specs: list[RunSpec], workers: int = 1) -> dict[str, str | None]:
    """Play as a command of its own would, with agents of its own."""
    launcher = LauncherSettings(name="local", workers=workers, lanes=4)
    try:
        played: list[Played] = list(simulate(store, specs, launcher))
    finally:
        for agent in dyad.simulate._agents.values():
            getattr(agent, "stop", lambda: None)()
        dyad.simulate._agents.clear()
    errors = {one.run_id: one.error for one in played}
    assert all("\n" not in error for error in errors.values() if error)
    return errors


def whole(store: Store, specs: list[RunSpec]) -> None:
    """Every published run is complete, and nothing else lies about."""
    there = (
        {path.name for path in (store.root / "runs").glob("*")} if (store.root / "runs").is_dir() else set()
    )
    assert there <= {spec.id for spec in specs}
    for run_id in there:
        assert store.manifest(run_id).ticks == 12


def gone(pid: int, patience_s: float = 60.0) -> bool:
    """Whether a process has ended; one that nobody waits for is a zombie then."""
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


FAULTS = [
    ({"what": "die", "at": "load"}, r"was killed \(SIGKILL\) at load"),
    ({"what": "die", "at": "open"}, r"was killed \(SIGKILL\) at open"),
    ({"what": "die", "at": 3}, r"was killed \(SIGKILL\) at step .*tick 3"),
    ({"what": "exit", "at": 3}, "exit code 7 at step; it last printed: out of memory, says the model"),
    ({"what": "hang", "at": 3}, "hung: nothing came back from step in 1 s"),
    ({"what": "garbage", "at": 3}, "sent garbage at step: no frame begins with"),
    ({"what": "garbage", "at": "load"}, "sent garbage at load"),
    ({"what": "raise", "at": "load"}, "ValueError: the model could not go on"),
    ({"what": "raise", "at": "open"}, "ValueError: the model could not go on"),
    ({"what": "raise", "at": 3}, r"ValueError: the model could not go on .*tick 3"),
    ({"what": "nan", "at": 3}, "NaN or infinite audio .*tick 3"),
    ({"what": "ragged", "at": 3}, r"audio of a row must be float32 \[n\]"),
]


@pytest.mark.parametrize(
    ("fault", "says"), FAULTS, ids=lambda v: f"{v['what']}-{v['at']}" if "what" in v else ""
)
def test_a_fault_is_one_line_and_a_second_command_finishes(
    fault: dict[str, Any], says: str, ask: Ask, tmp_path: Path
) -> None:
    store, specs = Store(tmp_path / "store"), runs(2)
    child = tmp_path / "child.pid"
    ask(**fault, child=str(child))
    errors = outcomes(store, specs)
    assert len(errors) == 2
    assert all(error and re.search(says, error) for error in errors.values()), errors
    assert not list((store.root / "runs").glob("*")) if (store.root / "runs").exists() else True
    kept = list((store.root / "failed").rglob("*.json"))
    assert {path.parent.name for path in kept} == {spec.id for spec in specs}
    ask()
    assert set(outcomes(store, specs).values()) == {None}
    whole(store, specs)
    assert gone(int(child.read_text()))


@pytest.mark.parametrize("what", ["die", "garbage", "raise", "nan"])
def test_a_row_that_breaks_its_worker_costs_its_own_run_only(what: str, ask: Ask, tmp_path: Path) -> None:
    store, specs = Store(tmp_path / "store"), runs(3)
    ask(what=what, at=5, seed=voice_seed(specs[1]))
    errors = outcomes(store, specs)
    assert [bool(errors[spec.id]) for spec in specs] == [False, True, False]
    whole(store, specs)


@pytest.mark.parametrize("at", ["open", 4])
def test_a_fault_that_passes_costs_nothing(at: str | int, ask: Ask, tmp_path: Path) -> None:
    """The same batch, played again by a new worker, sounds as it would have without the fault."""
    ask()
    calm = Store(tmp_path / "calm")
    specs = runs(2)
    outcomes(calm, specs)
    ask(what="die", at=at, once=str(tmp_path / "once"))
    store = Store(tmp_path / "store")
    assert set(outcomes(store, specs).values()) == {None}
    for spec in specs:
        assert store.manifest(spec.id).files["audio.flac"] == calm.manifest(spec.id).files["audio.flac"]


def test_other_runs_of_a_study_go_on_beside_a_worker_that_hangs(ask: Ask, tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    keeper = AgentSpec(name="keeper", adapter="keeper", params=dict(SELF))
    bad = runs(2, load_timeout_s=1.0)
    good = [lane(keeper, "tone", ticks=12, seed=seed) for seed in range(2)]
    ask(what="hang", at="load")
    errors = outcomes(store, [*bad, *good], workers=2)
    assert {bool(errors[spec.id]) for spec in bad} == {True}
    assert {errors[spec.id] for spec in good} == {None}
    whole(store, [*bad, *good])


@pytest.mark.parametrize("what", ["chatter", "flood", "slow"])
def test_what_is_no_fault_is_played(what: str, ask: Ask, tmp_path: Path) -> None:
    """Standard output is no part of the protocol, and the engine cuts what is too much."""
    store, specs = Store(tmp_path / "store"), runs(1, step_timeout_s=20.0)
    ask(what=what, at="load" if what == "slow" else 3)
    assert set(outcomes(store, specs).values()) == {None}
    assert (store.manifest(specs[0].id).seats["a"].dropped_ms > 1_000) is (what == "flood")


def command(**changes: Any) -> Command:
    plain = {"name": "awkward", "python": Path(sys.executable), "adapter": FAKES / "awkward.py"}
    return Command(**{**plain, "timeouts": Timeouts(10.0, 10.0), **changes})


def test_a_worker_of_another_protocol_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "worker.py"
    other.write_text(process.WORKER.read_text().replace("PROTOCOL = 1\n", "PROTOCOL = 2\n"))
    worker = Worker(command(worker=other))
    with pytest.raises(WorkerDied, match="speaks protocol 2, not 1"):
        worker.greet()
    assert gone(worker.pid)


def test_an_interpreter_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(WorkerDied, match=r"did not start: .*/nowhere/python: No such file"):
        Worker(command(python=tmp_path / "nowhere/python"))


def test_an_interpreter_without_numpy_says_so(tmp_path: Path) -> None:
    worker = Worker(command(python=Path(sys.executable), env={"PYTHONPATH": str(blocked(tmp_path))}))
    with pytest.raises(WorkerDied, match="exit code 1 at hello; it last printed: ImportError: no numpy"):
        worker.greet()


def blocked(folder: Path) -> Path:
    (folder / "numpy.py").write_text("raise ImportError('no numpy here')\n")
    return folder


def test_a_worker_finds_no_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ANTHROPIC_API_KEY", "HF_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS"):
        monkeypatch.setenv(name, "hush")
    adapter = tmp_path / "spy.py"
    adapter.write_text(
        "import os\n"
        "class Model:\n"
        "    def __init__(self, options, device): pass\n"
        "    def numerics(self):\n"
        "        return {k: v for k, v in os.environ.items() if 'hush' in v} or {'none': ''}\n"
    )
    worker = Worker(command(adapter=adapter))
    worker.greet()
    head = worker.call("load", adapter=str(adapter), options={}, device="cpu").head
    worker.stop()
    assert head["numerics"] == {"none": ""}


def test_an_unknown_operation_is_an_error_and_no_end() -> None:
    worker = Worker(command())
    with pytest.raises(DyadError, match="no operation 'dance'"):
        worker.call("dance")
    assert worker.greet()["numpy"]
    worker.stop()
    assert gone(worker.pid)


PARENT = """
import sys, time
from pathlib import Path
import numpy as np
from dyad.host.agent import HostAgent
from dyad.spec import Prompt
from tests.host.plug import AWKWARD, SELF

agent = AWKWARD.make({**SELF, "rows_per_worker": 1})
agent.load("cpu", 2)
agent.open([Prompt(text="x")] * 2, ["", ""], [1, 2])
print(*(worker.pid for worker in agent.workers), flush=True)
agent.step(0, np.zeros((2, 1920), np.float32), np.zeros(2, np.int64))
time.sleep(600)
"""


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
def test_when_the_engine_is_killed_nothing_is_left(busy: bool, tmp_path: Path) -> None:
    """Not even the processes that a model started beside itself, nor a worker that is deep in a step."""
    child = tmp_path / "child.pid"
    fault = {"what": "hang", "at": 0} if busy else {}
    env = {**os.environ, "AWKWARD": json.dumps({**fault, "child": str(child)})}
    engine = subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
    )
    assert engine.stdout is not None
    workers = [int(pid) for pid in engine.stdout.readline().split()]
    assert len(workers) == 2
    time.sleep(0.2)
    engine.send_signal(signal.SIGKILL)
    engine.wait()
    engine.stdout.close()
    assert all(gone(pid) for pid in [*workers, int(child.read_text())])
