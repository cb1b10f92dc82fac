"""The hurdle split against the published profiles (Table 10 of DyaFDB)."""

from __future__ import annotations

import pytest

from dyad.stats import hurdle


@pytest.mark.parametrize(
    ("act", "score_if_act", "score", "unprompted", "without"),
    [(0.55, 0.56, 0.46, 0.152, 0.338), (0.71, 0.39, 0.36, 0.083, 0.287), (0.56, 0.43, 0.33, 0.089, 0.203)],
)
def test_leaks_without_a_demand(
    act: float, score_if_act: float, score: float, unprompted: float, without: float
) -> None:
    found = hurdle(act, score_if_act, score)
    assert found.joint + found.unprompted == pytest.approx(score)
    assert found.unprompted == pytest.approx(unprompted, abs=5e-4)
    assert found.without == pytest.approx(without, abs=5e-4)


def test_requests_granted() -> None:
    assert hurdle(0.16, 0.54, 0.09).joint == pytest.approx(0.0864)


def test_edges() -> None:
    assert hurdle(1.0, 0.5, 0.5).without is None
    with pytest.raises(ValueError, match="more than"):
        hurdle(0.9, 0.9, 0.5)
