import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from dyad.stats import benjamini_hochberg, holm

GOLDEN = Path(__file__).parents[1] / "golden" / "statistics.json"
HOLM = json.loads(GOLDEN.read_text(encoding="utf-8"))["vectors"]["holm"]
PS = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def test_holm():
    assert holm(HOLM["p"]) == pytest.approx(HOLM["adjusted"])


def test_benjamini_hochberg():
    """n p / rank, and never more than the next larger p has: here .04, .04, .04, .5."""
    assert benjamini_hochberg([0.01, 0.02, 0.03, 0.5]) == pytest.approx([0.04, 0.04, 0.04, 0.5])


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_what_was_not_tested_does_not_count(adjust):
    found = adjust([None, 0.01, float("nan"), 0.04])
    assert [found[1], found[3]] == adjust([0.01, 0.04])
    assert found[0] is found[2] is None
    assert adjust([None]) == [None]
    assert adjust([]) == []


@given(PS)
def test_adjusting_keeps_the_order_and_never_lowers_p(values):
    for adjusted in (holm(values), benjamini_hochberg(values)):
        pairs = sorted(zip(values, adjusted, strict=True))
        assert all(p <= q <= 1 for p, q in pairs)
        assert [q for _, q in pairs] == sorted(q for _, q in pairs)
    assert all(b <= h + 1e-12 for b, h in zip(benjamini_hochberg(values), holm(values), strict=True))


@given(PS)
def test_holm_is_at_most_bonferroni(values):
    assert all(q <= min(1, len(values) * p) + 1e-12 for p, q in zip(values, holm(values), strict=True))


@pytest.mark.parametrize(("adjust", "method"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_they_are_those_of_statsmodels(adjust, method):
    values = np.random.default_rng(0).random(50).round(2) ** 3  # with ties
    assert adjust(values) == pytest.approx(multipletests(values, method=method)[1])
