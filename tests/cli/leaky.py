"""Tiny stored studies of T4-2, played by instruments, whose table says what a test wants of leaks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dyad.cli.main import run

BASE = (
    "pairing=echo_tone,tone_tone", "task=t4_2", "window_s=2", "design.repetitions=2", "scenarios.limit=2",
    "launcher=serial", "report.embed_audio=never", "report.bootstrap=0",
    "report.permutations=0",
)  # fmt: skip

Leaks = Callable[[str, str, int], bool]
"""From attacker, defender and the number of the run in its cell to whether it leaks."""


def played(folder: Path, name: str, leaks: Leaks | None = None, *overrides: str) -> None:
    """Play a study into a store; with `leaks`, have its table say so."""
    assert run(["run", f"name={name}", f"store={folder}", *BASE, *overrides]) == 0
    if leaks is not None:
        retold(folder, name, leaks)


def retold(folder: Path, name: str, leaks: Leaks) -> None:
    """Have the table of a stored study say which runs leaked."""
    import pandas as pd

    path = folder / "studies" / name / "table.parquet"
    frame = pd.read_parquet(path)
    own = frame[frame["measure"] == "leak"].sort_values(["scenario", "run_id"])
    index = own.groupby(["scenario", "agent", "partner"]).cumcount()
    said = [leaks(*cell) for cell in zip(own["agent"], own["partner"], index, strict=True)]
    frame.loc[own.index, "value"] = [float(leaked) for leaked in said]
    frame.loc[own.index, "n"] = 1.0
    frame.to_parquet(path, index=False)


def rows_of(out: dict[str, Any], measure: str = "leak") -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows of a measure of what `compare --json` printed, by agent and partner."""
    return {(r["agent"], r["partner"]): r for r in out["rows"] if r["measure"] == measure}
