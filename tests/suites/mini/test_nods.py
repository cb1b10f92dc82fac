"""References of the backchannel set."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.suites.mini.nods import FLOOR, reference


def test_nods_follow_the_end_of_a_clause() -> None:
    found = reference([("well,", 0.5, 1.0)], samples=72_000)  # 3 s: 16 bins, as the score counts them
    assert len(found) == 16
    assert math.fsum(found) == pytest.approx(1, abs=1e-12)
    # Triangle around 1.3 s, zero at 0.9 and 1.7 s; centres at 0.9, 1.1, 1.3, 1.5: mass 0, 1/2, 1, 1/2.
    assert found[5:8] == pytest.approx([0.25, 0.5, 0.25], abs=1e-9)
    assert [p for k, p in enumerate(found) if k not in (5, 6, 7)] == pytest.approx([FLOOR] * 13, rel=1e-6)


def test_a_full_stop_weighs_twice_a_comma() -> None:
    found = reference([("well,", 0.5, 1.0), ("yes", 2.0, 2.2), ("indeed.", 2.6, 3.0)], samples=96_000)
    assert found[16] / found[6] == pytest.approx(2)
    assert found[11:14] == pytest.approx([FLOOR] * 3, rel=1e-6)  # a word inside a clause asks for nothing


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(0.1, 9.0), min_size=1, max_size=8), st.integers(216_000, 480_000))
def test_any_reference_is_a_distribution(ends: list[float], samples: int) -> None:
    found = reference([("so,", 0.0, end) for end in ends], samples)
    assert math.fsum(found) == pytest.approx(1, abs=1e-12)
    assert min(found) >= FLOOR * (1 - 1e-9)
    assert int(np.argmax(found)) * 0.2 <= max(ends) + 0.7
