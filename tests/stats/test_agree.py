"""Agreement against the worked example of DyaFDB's adherence labels, and scipy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import exact_match, spearman

A, B = (2, 2, 1, 0, 2, 1, 0, 2), (2, 1, 1, 0, 2, 2, 0, 1)  # no = 0, partly = 1, yes = 2
LABELS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=30)


def test_the_worked_example() -> None:
    assert exact_match(A, B) == 0.625
    assert exact_match([x >= 1 for x in A], [x >= 1 for x in B]) == 1.0
    assert spearman(A, B) == pytest.approx(0.653197, abs=5e-7)


@given(LABELS)
def test_spearman_is_scipys_and_symmetric(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import spearmanr

    first, second = zip(*pairs, strict=True)
    found = spearman(first, second)
    if found is not None:
        assert found == pytest.approx(spearman(second, first))
        assert found == pytest.approx(spearmanr(first, second).statistic)


def test_nothing_to_compare() -> None:
    assert exact_match([], []) is None
    assert spearman([1, 1], [0, 2]) is None
    for measure in (exact_match, spearman):
        with pytest.raises(ValueError, match=r"."):
            measure([1], [1, 2])
