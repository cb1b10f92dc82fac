"""A disk that is full: one line that names the path, nothing left behind, and the same command goes on later.

The commands run in a process of their own, on a small file system of their own where the machine lets a user
mount one, and under a limit of the size of files everywhere.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dyad.errors import naming
from dyad.store import TMP, Store

STUDY = [
    "run", "name=full", "pairing=echo_tone", "task=t2", "window_s=2", "scenarios.limit=1",
    "design.repetitions=1",
    "report.bootstrap=20", "report.permutations=20",
]  # fmt: skip

# argv: the store, the overrides, and of each command how many bytes of the file system are free (0: all), or
# how large a file may be.
COMMANDS = """
import contextlib, io, json, os, resource, shutil, sys
from pathlib import Path
from dyad.cli.main import run
root, study, kind, sizes = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3], json.loads(sys.argv[4])
ballast, most = root / "ballast", resource.getrlimit(resource.RLIMIT_FSIZE)[1]
for size in sizes:
    ballast.unlink(missing_ok=True)
    if kind == "free":
        ballast.write_bytes(b"x" * (shutil.disk_usage(root).free - size if size else 0))
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size or most, most))
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        code = run([*study, f"store={root / 'store'}"])
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    there = [path for path in (root / "store").rglob("*") if path.name != "runs"]
    left = [str(path) for path in there if ".tmp-" in path.name or path.is_dir() and not any(path.iterdir())]
    print(json.dumps({"code": code, "last": said.getvalue().splitlines()[-1], "left": left}))
"""


def commands(root: Path, kind: str, sizes: list[int], *around: str, workers: int = 1) -> list[dict[str, Any]]:
    study = json.dumps([*STUDY, f"launcher.workers={workers}"])
    words = [*around, sys.executable, "-c", COMMANDS, str(root), study, kind, json.dumps(sizes)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(found: list[dict[str, Any]], error: str) -> None:
    """All but the last of the commands were refused by the disk; the last one is complete."""
    *refused, last = found
    for one in refused:
        assert one["code"] in (2, 3), one
        assert error in one["last"]
        assert "store/" in one["last"].partition(error)[0 if one["code"] == 2 else 2], one
        assert TMP not in one["last"]
        assert one["left"] == []
    assert (last["code"], last["left"]) == (0, [])


def test_a_limit_on_files_leaves_nothing_behind(tmp_path: Path) -> None:
    check(commands(tmp_path, "size", [1_000, 6_000, 20_000, 0]), "File too large")
    assert len(Store(tmp_path / "store").ids()) == 4


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    own = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    mount = f"mount -t tmpfs -o size=4m none '{tmp_path}' || exit 77; exec \"$@\""
    if subprocess.run([*own, mount, "sh", "true"], capture_output=True).returncode:
        pytest.skip("no user may mount a file system here")
    found = commands(tmp_path, "free", [24_576, 0], *own, mount, "sh", workers=2)
    check(found, "No space left on device")


def test_a_failure_that_cannot_be_kept_leaves_no_folder(tmp_path: Path) -> None:
    code = (
        "import resource, sys; from pathlib import Path; from dyad.store import Store\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n"
        "Store(Path(sys.argv[1])).fail('one', {'error': 'no room'})"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert f"File too large: '{tmp_path}/failed/one/1.json'" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("named", [None, "elsewhere"])
def test_an_error_without_a_file_is_given_one(named: str | None) -> None:
    with pytest.raises(OSError, match=f"full: '{named or 'here'}'"), naming(Path("here")):
        raise OSError(28, "full", named)


def test_a_full_device_is_named() -> None:
    with pytest.raises(OSError, match="'/dev/full'"), naming("/dev/full"):
        Path("/dev/full").write_text("x")
