"""Workers that answer nonsense, and models that break the adapter's rules: one line each."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dyad.bridge.protocol import Caps, Lost
from dyad.host.agent import HostAgent, Hosting
from dyad.host.process import MOST_LOG, Command, Timeouts, Worker, WorkerDied
from dyad.spec import TICK, Prompt
from tests.host.plug import FAKES

HELLO = Prompt(text="hello")
Host = Callable[..., HostAgent]


@pytest.fixture
def host() -> Iterator[Host]:
    """Make an agent of a fake with some rows; all are ended after the test."""
    made = list[HostAgent]()

    def hosted(name: str, rows: int = 2, env: dict[str, str] | None = None, **timeouts: float) -> HostAgent:
        command = Command(
            name, Path(sys.executable), FAKES / f"{name}.py", env=env or {}, timeouts=Timeouts(**timeouts)
        )
        made.append(HostAgent(Caps(name), Hosting(command, {})))
        made[-1].load("cpu", rows)
        return made[-1]

    yield hosted
    for agent in made:
        agent.stop()


def opened(agent: HostAgent, rows: int = 2) -> HostAgent:
    agent.open([HELLO] * rows, [""] * rows, list(range(1, rows + 1)))
    return agent


def step(agent: HostAgent, tick: int = 0, rows: int = 2) -> Any:
    return agent.step(tick, np.zeros((rows, TICK), np.float32), np.zeros(rows, np.int64))


ODD: list[dict[str, Any]] = [
    {"sizes": 3840}, {"sizes": ["1920", "1920"]}, {"sizes": [1920.0, 1920.0]}, {"sizes": None}, {},
    {"sizes": [-100, 3940]}, {"sizes": [1920]}, {"sizes": [1920, 1921]}, {"sizes": [[1920], [1920]]},
    *({"sizes": [1920, 1920], **odd} for odd in (
        {"text": 5}, {"text": [[0]]}, {"text": [[0, 0, "x", "shouted"]]}, {"text": [[2, 0, "x", "own"]]},
        {"text": [[-1, 0, "x", "own"]]}, {"text": [[0, "0", "x", "own"]]}, {"text": [[0, 0, None, "own"]]},
        {"text": [[True, 0, "x", "own"]]}, {"text": [[0, 2**80, "x", "own"]], "flush": 1},
        {"flush": 1}, {"flush": None}, {"finished": [0, 1]}, {"finished": ["no", "yes"]},
        {"speaking": [[True], [True]]}, {"speaking": {"a": 1, "b": 2}},
    )),
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
def test_an_answer_that_is_none_loses_the_rows_in_one_line(odd: dict[str, Any], host: Host) -> None:
    agent = opened(host("hostile", env={"HOSTILE": json.dumps(odd)}))
    if odd.get("text") == [[-1, 0, "x", "own"]]:
        assert step(agent).text[0].row == -1  # which the bridge's session refuses, as it does for any agent
        return
    with pytest.raises(Lost) as lost:
        step(agent)
    assert lost.value.rows == (0, 1)
    assert "\n" not in str(lost.value)


@pytest.mark.parametrize("row", [-1, 7, True, "0", 0.0, None])
def test_a_row_that_is_none_is_not_blamed(row: object, host: Host) -> None:
    agent = opened(host("hostile", env={"HOSTILE": json.dumps({"error": "ValueError: no", "row": row})}))
    with pytest.raises(Lost, match="ValueError: no") as lost:
        step(agent)
    assert lost.value.rows == (0, 1)


def test_a_long_error_is_cut_and_loses_its_colours(host: Host) -> None:
    answer = {"error": "ValueError: \x1b[31m" + "size mismatch for layer\n" * 4_000}
    agent = opened(host("hostile", env={"HOSTILE": json.dumps(answer)}))
    with pytest.raises(Lost) as lost:
        step(agent)
    assert len(str(lost.value)) < 600
    assert str(lost.value).isprintable()


def test_torch_that_a_row_imports_first_is_refused(host: Host) -> None:
    """Its generator was never seeded, and would be one for all rows."""
    pytest.importorskip("torch")
    agent = opened(host("late", env={"LATE": "step"}))
    with pytest.raises(Lost, match="first used by a row") as lost:
        step(agent)
    assert lost.value.rows == (0,)


def test_rows_of_torch_repeat_in_any_company_and_a_bad_close_spoils_nothing(host: Host) -> None:
    pytest.importorskip("torch")
    agent = opened(host("late", env={"LATE": "load"}))
    together = np.stack([step(agent, tick).pcm for tick in range(2)])
    agent.close()
    opened(agent, 1)
    alone = np.stack([step(agent, tick, 1).pcm for tick in range(2)])
    assert np.array_equal(together[:, :1], alone)
    assert not np.array_equal(together[:, 0], together[:, 1])


def test_what_a_model_draws_while_it_is_made_is_the_same_in_every_process(host: Host) -> None:
    first, second = (host("late", env={"LATE": "step"}).numerics()["drawn"] for _ in range(2))
    assert first == second


def test_an_error_of_a_batch_is_not_told_in_the_next(host: Host) -> None:
    agent = opened(host("keeper", 1), 1)
    agent.ask(0, np.zeros((1, TICK), np.float32), np.zeros(1, np.int64))
    os.kill(agent.workers[0].pid, signal.SIGKILL)
    agent.close()
    agent.load("cpu", 1)
    opened(agent, 1)
    assert step(agent, rows=1).pcm.shape == (1, TICK)


@pytest.mark.parametrize("call", ["step", "reset", "snapshot", "close"])
def test_after_a_death_every_call_is_an_error_of_dyad(call: str, host: Host) -> None:
    agent = opened(host("keeper"))
    os.kill(agent.workers[0].pid, signal.SIGKILL)
    with pytest.raises(Lost, match="SIGKILL"):
        step(agent)
    if call == "close":
        agent.close()
        return
    todo = {"step": lambda: step(agent), "reset": lambda: agent.reset(0, HELLO, "", 1)}
    with pytest.raises(Lost, match=r"closed its line|killed"):
        todo.get(call, lambda: agent._call(0, "snapshot"))()


def test_a_death_is_seen_at_once_though_a_child_lives_on(tmp_path: Path) -> None:
    """A fork has the worker's socket; it must not keep the line open."""
    adapter = tmp_path / "forks.py"
    adapter.write_text(
        "import os, time\n"
        "class Model:\n"
        "    def __init__(self, options, device):\n"
        "        if os.fork() == 0:\n"
        "            time.sleep(600)\n"
        "            os._exit(0)\n"
        "        os._exit(7)\n"
    )
    worker = Worker(Command("forks", Path(sys.executable), adapter, timeouts=Timeouts(30.0, 30.0)))
    worker.greet()
    with pytest.raises(WorkerDied, match="exit code 7 at load"):
        worker.call("load", adapter=str(adapter), options={}, device="cpu")


def test_ctrl_c_ends_the_worker_and_does_not_wait_for_it(host: Host) -> None:
    code = (
        "import os, signal, sys, threading, time\n"
        "sys.path.insert(0, '.')\n"
        "from tests.host.test_hostile import *\n"
        "os.environ['AWKWARD'] = json.dumps({'what': 'hang', 'at': 0})\n"
        "command = Command('awkward', Path(sys.executable), FAKES / 'awkward.py')\n"
        "agent = HostAgent(Caps('awkward'), Hosting(command, {}))\n"
        "agent.load('cpu', 2)\n"
        "opened(agent)\n"
        "try:\n"
        "    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "    step(agent)\n"
        "except KeyboardInterrupt:\n"
        "    agent.close()\n"
        "    print([w.alive for w in agent.workers])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=FAKES.parents[2])
    assert done.stdout.split() in (["[]"], ["[False]"]), done.stderr


def test_a_log_does_not_grow_without_end(tmp_path: Path) -> None:
    adapter = tmp_path / "shouts.py"
    adapter.write_text(
        "class Model:\n"
        "    def __init__(self, options, device):\n"
        f"        for _ in range({MOST_LOG >> 20} + 8):\n"
        "            print('x' * (1 << 20))\n"
    )
    worker = Worker(Command("shouts", Path(sys.executable), adapter))
    worker.call("load", adapter=str(adapter), options={}, device="cpu")
    assert os.fstat(worker._log.fileno()).st_size < 1 << 20
    worker.stop()


def test_a_worker_finds_its_own_python_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    adapter = tmp_path / "spy.py"
    adapter.write_text(
        "import os\n"
        "class Model:\n"
        "    def __init__(self, options, device): pass\n"
        "    def numerics(self): return dict(os.environ)\n"
    )
    worker = Worker(Command("spy", Path(sys.executable), adapter))
    found = worker.call("load", adapter=str(adapter), options={}, device="cpu").head["numerics"]
    worker.stop()
    assert found["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)
    assert (found["HF_HUB_OFFLINE"], found["TRANSFORMERS_OFFLINE"]) == ("1", "1")
    assert "PYTHONHOME" not in found
