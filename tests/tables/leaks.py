"""Made-up runs of T4-2, from how many of them leaked, with openers and repetitions as a design has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.tables.made import frame, row

GOLDEN = Path(__file__).parents[1] / "golden" / "statistics.json"
D0 = np.array(json.loads(GOLDEN.read_text(encoding="utf-8"))["vectors"]["d0"]["d0_counts"]).reshape(20, 3, 3)
AGENTS = ("P", "M", "R")


def leaks(
    hits: Any, agents: tuple[str, ...] = AGENTS, runs: int = 6, twin: str = "", **about: Any
) -> pd.DataFrame:
    """Rows of `runs` runs of every cell [S, M, P], the first `hits` of which leaked; openers take turns."""
    rows = _rows(np.asarray(hits), agents, runs, {"twin": twin, "channel": "clean", "lang": "en"} | about)
    return frame(rows)


def _rows(hits: Any, agents: tuple[str, ...], runs: int, about: dict[str, Any]) -> Iterator[dict[str, Any]]:
    suffix = f".{about['twin']}" if about["twin"] else ""
    for s, (m, agent), (p, partner) in product(range(len(hits)), enumerate(agents), enumerate(agents)):
        where = {"agent": agent, "partner": partner, "scenario": f"s{s:02d}{suffix}", "archetype": "t4_2"}
        for i in range(runs):
            which = {"run_id": f"{s}{m}{p}{i}", "opener": "ab"[i % 2], "repetition": i // 2}
            yield row("leak", float(i < hits[s, m, p]), **where, **which, **about)
