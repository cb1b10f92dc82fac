"""kill −9 at any moment, then the same command again: complete, nothing twice, nothing left over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dyad.cli.main import run
from dyad.spec import Segment
from dyad.store import TMP, Store, read_jsonl

ROOT = Path(__file__).parents[1]
COMMAND = [
    "run",
    "name=crash",
    "pairing=echo_tone",
    "task=t2",
    "window_s=4",
    "design.repetitions=1",
    "scenarios.limit=1",
    "report.bootstrap=20",
    "report.permutations=20",
]

# Runs the command line for each point and kills it there: no handlers, no flushing, at the nth write of a
# matching file. Each run is a process of its own, forked from one that has imported what it needs.
DRIVER = """
import json, os, signal, sys
from pathlib import Path
import pandas, pyarrow.parquet, rich.table, scipy.signal, soundfile
import dyad.report, dyad.store as store
from dyad.cli.compose import compose
from dyad.cli.main import run
def kill_at(match, nth, when):
    seen = 0
    def hit(name):
        nonlocal seen
        seen += match in str(name)
        return match in str(name) and seen == nth
    def wrap(function, name_of):
        def inner(*args):
            kill = hit(name_of(*args))
            if kill and when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = function(*args)
            if kill and when == "after":
                os.kill(os.getpid(), signal.SIGKILL)
            return result
        return inner
    store._write_synced = wrap(store._write_synced, lambda path, content: path)
    Path.rename = wrap(Path.rename, lambda path, target: f"rename {target}")
    Path.replace = wrap(Path.replace, lambda path, target: f"replace {target}")
compose([])
for root, point in json.loads(sys.argv[1]).items():
    child = os.fork()
    if not child:
        kill_at(*point)
        os._exit(run([*sys.argv[2:], f"store={root}"]))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""

POINTS = [
    ("plan.json", 1, "before"),
    ("audio.flac", 1, "before"),  # simulate is done, publishing begins
    ("audio.flac", 3, "after"),  # in the middle of publishing
    ("rename ", 2, "before"),
    ("rename ", 2, "after"),
    ("segments", 2, "before"),  # hear
    ("replace ", 5, "before"),
    ("judgments", 3, "after"),  # judge: written, not yet in place
    ("table.parquet", 1, "after"),
    ("report.html", 1, "after"),
]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, int]]:
    """A store for each point, in which a run was killed there, and how that process ended."""
    roots = [tmp_path_factory.mktemp("killed") for _ in POINTS]
    points = json.dumps({str(root): point for root, point in zip(roots, POINTS, strict=True)})
    command = [sys.executable, "-c", DRIVER, points, *COMMAND, "launcher.workers=1"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return list(zip(roots, map(int, done.stdout.split()), strict=True))


def assert_complete(root: Path) -> None:
    store = Store(root)
    planned = json.loads((root / "studies/crash/plan.json").read_text())["runs"]
    assert len(planned) == 4
    assert store.ids() == sorted(planned)
    for run_id in planned:
        store.manifest(run_id)
        assert store.pcm(run_id).shape == (2, 50 * 1920)
        (segments,) = (store.run_dir(run_id) / "segments").iterdir()
        assert read_jsonl(segments, Segment)
        assert len(list((store.run_dir(run_id) / "judgments").iterdir())) == 1
    assert not [p for p in root.rglob("*") if p.name.startswith(TMP)]
    assert not list(root.glob("failed/*"))
    assert (root / "studies/crash/table.parquet").is_file()
    assert (root / "studies/crash/report.html").is_file()


@pytest.mark.parametrize("point", range(len(POINTS)), ids=["-".join(map(str, point)) for point in POINTS])
def test_killed_at_a_write(killed: list[tuple[Path, int]], point: int) -> None:
    root, code = killed[point]
    assert code == -signal.SIGKILL
    before = {p: p.read_bytes() for p in (root / "runs").glob("[!.]*/*") if p.is_file()}
    assert run([*COMMAND, f"store={root}", "launcher.workers=1"]) == 0
    assert_complete(root)
    assert all(
        path.read_bytes() == content for path, content in before.items()
    )  # what was there is untouched


def test_killed_driver_takes_its_workers_along(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "dyad",
        *COMMAND,
        "window_s=600",
        f"store={tmp_path}",
        "launcher.workers=2",
    ]
    driver = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 200
    while len(group(driver.pid)) < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(group(driver.pid)) >= 3
    driver.kill()
    driver.wait()
    while group(driver.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not group(driver.pid)
    assert run([*COMMAND, f"store={tmp_path}", "launcher.workers=2"]) == 0
    assert_complete(tmp_path)


def group(leader: int) -> list[int]:
    """Living processes of a process group."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, group_id = entry.joinpath("stat").read_text().rpartition(")")[2].split()[0:3:2]
        except OSError:
            continue
        if int(group_id) == leader and state != "Z" and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc"),
    pytest.mark.xdist_group("crash"),  # what is set up once is set up by one worker
]
