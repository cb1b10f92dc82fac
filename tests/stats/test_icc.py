import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import clustering

GOLDEN = Path(__file__).parents[1] / "golden" / "statistics.json"
ICC = json.loads(GOLDEN.read_text(encoding="utf-8"))["vectors"]["cells"]["icc"]
RUNS = st.lists(st.integers(0, 5), min_size=2, max_size=5)


def runs(hits, m):
    return [[1.0] * k + [0.0] * (m - k) for k in hits]


def test_successes_of_scenarios():
    found = clustering(runs(ICC["k"], ICC["m"]))
    assert found.icc == pytest.approx(ICC["icc"], abs=1e-6)
    assert found.deff == pytest.approx(ICC["deff"], abs=1e-6)
    assert found.n_effective == pytest.approx(ICC["n_eff"], abs=1e-6)
    assert (found.n, found.scenarios, found.n_missing) == (36, 6, 0)


def test_ends():
    alike = clustering([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    assert (alike.icc, alike.deff, alike.n_effective) == (1, 3, 2)  # a scenario is worth one run
    opposed = clustering([[1.0, 0.0], [0.0, 1.0]])
    assert (opposed.icc, opposed.deff, opposed.n_effective) == (-1, 0, None)


@pytest.mark.parametrize(
    "scenarios", [[], [[]], [[1.0, 0.0]], [[1.0], [0.0], [1.0]], [[0.1] * 3, [0.1] * 3], [[1.0, None], [0.0]]]
)
def test_nothing_to_tell(scenarios):
    assert clustering(scenarios) is None


def test_missing_runs_and_empty_scenarios_do_not_count():
    found = clustering([[1.0, 1.0, None, 0.0], [0.0, float("nan"), 0.0], [None], []])
    whole = clustering([[1.0, 1.0, 0.0], [0.0, 0.0]])
    assert (found.icc, found.scenarios, found.n, found.n_missing) == (whole.icc, 2, 5, 3)


def test_unequal_scenarios_recover_a_known_correlation():
    r = np.random.default_rng(3)
    sizes = r.integers(2, 9, 4000)
    data = [r.normal() * 0.5**0.5 + r.normal(size=m) for m in sizes]
    assert clustering(data).icc == pytest.approx(1 / 3, abs=0.03)


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=2, max_size=5), min_size=2, max_size=5), st.integers(1, 4)
)
def test_shift_and_scale_do_not_matter(scenarios, factor):
    found = clustering(scenarios)
    moved = clustering([[factor * x + 2 for x in own] for own in scenarios])
    assert (found is None) == (moved is None)
    if found is not None:
        assert moved.icc == pytest.approx(found.icc, abs=1e-9)
        assert found.icc <= 1
        assert found.deff >= -1e-12
