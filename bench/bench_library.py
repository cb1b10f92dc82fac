"""Loading and checking the shipped library, and a thousand sealed scenarios: `python bench/bench_library.py`.

CPU time on one core. The ratio is against parsing the same YAML text with libyaml alone (the C twin of
the safe loader), the machine's own speed.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import yaml

from dyad.library import builtin_root, lint, load_library
from dyad.library.seal import write_sealed
from dyad.library.sealed import GENERATOR, canary, generate

N = 1000
ARCHETYPE = "t2"
T = TypeVar("T")


def timed(what: str, work: Callable[[], T], base_s: float = 0.0) -> tuple[T, float]:
    """Do the work, print how long it took, and return both."""
    start = time.process_time()
    done = work()
    spent = time.process_time() - start
    print(f"{what:44} {spent:6.2f} s" + (f"  {spent / base_s:5.1f} ×" if base_s else ""))
    return done, spent


def parse(root: Path) -> int:
    """Parse every YAML file of a library with libyaml and count them."""
    files = [path for folder in ("scenarios", "roles") for path in (root / folder).rglob("*.yaml")]
    for path in files:
        yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
    return len(files)


def main() -> None:
    """Print one line per step."""
    _, base_s = timed("parse the shipped files", lambda: parse(builtin_root()))
    library, _ = timed("load the shipped library, first time", load_library, base_s)
    timed("load it again in the same process", load_library, base_s)
    timed("lint it", lambda: lint(library), base_s)
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "sealed"
        made, _ = timed(f"generate {N:,} of {ARCHETYPE}", lambda: generate(ARCHETYPE, N, "bench"))
        timed("write them", lambda: write_sealed(folder, GENERATOR, canary("bench"), made))
        _, sealed_s = timed("parse them", lambda: parse(folder))
        sealed, _ = timed(
            "load and check their hashes", lambda: load_library([folder], builtin=False), sealed_s
        )
        timed("lint them", lambda: lint(sealed), sealed_s)


if __name__ == "__main__":
    main()
