"""Time of `import dyad` in a fresh interpreter: `python bench/bench_import.py [--repeats 11]`.

The target is 0.3 s. The ratio is against `import numpy`, the machine's own speed. An interpreter that imports
nothing is taken off both.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

TARGET_S = 0.3
ROOT = Path(__file__).resolve().parents[1]
CASES = {
    "nothing": "pass",
    "numpy": "import numpy",
    "dyad": "import dyad",
    "command line": "import dyad.cli.main",
}


def run_s(code: str) -> float:
    """Return the seconds that a fresh interpreter takes for a line of code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    return time.perf_counter() - start


def medians_s(repeats: int) -> dict[str, float]:
    """Return the median of each case; the cases take turns, so that a slow moment hits all of them."""
    for code in CASES.values():
        run_s(code)  # compiles what was never imported before
    rounds = [[run_s(code) for code in CASES.values()] for _ in range(repeats)]
    return {
        name: statistics.median(times) for name, times in zip(CASES, zip(*rounds, strict=True), strict=True)
    }


def main() -> int:
    """Print one line per import; exit 1 when `import dyad` misses the target."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=11)
    took_s = medians_s(parser.parse_args().repeats)
    empty_s = took_s.pop("nothing")
    numpy_s = took_s["numpy"] - empty_s
    print(f"an empty interpreter takes {empty_s:.3f} s; on top of it:")
    for name, total_s in took_s.items():
        import_s = total_s - empty_s
        print(f"  import {name:13} {import_s:6.3f} s  = {import_s / numpy_s:5.2f} × numpy")
    return int(took_s["dyad"] - empty_s > TARGET_S)


if __name__ == "__main__":
    sys.exit(main())
