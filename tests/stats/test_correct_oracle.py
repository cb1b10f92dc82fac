"""PPI++ against the library of its authors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dyad.stats import ppi
from tests.stats.test_correct import published

ppi_py = pytest.importorskip("ppi_py")

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))["vectors"]
V = GOLDEN["judge_correction"]


def binary(seed: int) -> tuple[list[float], list[float], list[float]]:
    """What people say of 150 items, and what a judge with some errors says of them and of 1,200 others."""
    rng = np.random.default_rng(seed)
    truth = rng.random(1350) < rng.uniform(0.2, 0.8)
    judged = np.where(rng.random(1350) < 0.15, ~truth, truth).astype(float)
    return truth[:150].astype(float).tolist(), judged[:150].tolist(), judged[150:].tolist()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("lam", [0.0, 0.4, 1.0])
def test_with_a_given_trust_it_is_the_library_s(seed: int, lam: float) -> None:
    human, judged, rest = binary(seed)
    found, arrays = ppi(human, judged, rest, lam=lam), [np.array(x) for x in (human, judged, rest)]
    assert found is not None
    assert found.value == pytest.approx(float(ppi_py.ppi_mean_pointestimate(*arrays, lam=lam)[0]))
    low, high = ppi_py.ppi_mean_ci(*arrays, alpha=0.05, lam=lam)
    assert published(found) == pytest.approx((float(low[0]), float(high[0])))


@pytest.mark.parametrize("seed", range(5))
def test_tuned_it_differs_by_how_variances_are_estimated_only(seed: int) -> None:
    human, judged, rest = binary(seed)
    found, arrays = ppi(human, judged, rest), [np.array(x) for x in (human, judged, rest)]
    assert found is not None
    assert found.value == pytest.approx(float(ppi_py.ppi_mean_pointestimate(*arrays)[0]), abs=1e-3)


def test_the_printed_numbers_of_the_library() -> None:
    human = [1.0] * V["TP"] + [0.0] * V["FP"] + [1.0] * V["FN"] + [0.0] * V["TN"]
    judged = [1.0] * (V["TP"] + V["FP"]) + [0.0] * (V["FN"] + V["TN"])
    rest = [1.0] * V["judge_positive"] + [0.0] * (V["N"] - V["judge_positive"])
    printed, arrays = V["library"], [np.array(x) for x in (human, judged, rest)]
    assert float(ppi_py.ppi_mean_pointestimate(*arrays)[0]) == pytest.approx(printed["theta"], abs=5.1e-6)
    found = ppi(human, judged, rest)
    assert found is not None
    assert found.value == pytest.approx(printed["theta"], abs=printed["tolerance"])
    low, high = ppi_py.ppi_mean_ci(*arrays, alpha=0.05)
    assert published(found) == pytest.approx((float(low[0]), float(high[0])), abs=printed["tolerance"])
