import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from dyad.stats import t_p, t_reach


@given(st.floats(0.5, 1e4), st.floats(0.5, 0.999))
def test_an_interval_holds_its_level(df, level):
    assert t_reach(df, level) == pytest.approx(t.ppf((1 + level) / 2, df), rel=1e-9)
    assert t_p(t_reach(df, level), df) == pytest.approx(1 - level)


@given(st.floats(-50, 50), st.floats(0.5, 1e4))
def test_p_is_of_both_sides(ratio, df):
    assert t_p(ratio, df) == t_p(-ratio, df) == pytest.approx(2 * t.sf(abs(ratio), df), rel=1e-9)
