"""Fixtures that several folders share: small real studies, without weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from dyad.cli.compose import compose
from dyad.plan import Plan, make_plan

# The machine may be busy, and one tree must always pass or always fail: no time limits, fixed examples.
settings.register_profile("dyad", deadline=None, derandomize=True)
settings.load_profile("dyad")

Planned = Callable[..., Plan]


@pytest.fixture
def planned(tmp_path: Path) -> Planned:
    """Plan a study of two instruments (echo and tone) with a store in tmp_path; more overrides may follow."""

    def make(*overrides: str) -> Plan:
        base = [
            "pairing=echo_tone", "task=t2", "window_s=2", "design.repetitions=1", "scenarios.limit=1",
            "launcher=serial", f"store={tmp_path / 'store'}",
        ]  # fmt: skip
        return make_plan(compose([*base, *overrides]).studies)

    return make
