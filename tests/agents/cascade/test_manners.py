import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.agents.cascade.manners import is_backchannel, is_hum, manners
from dyad.agents.cascade.types import CascadeParams, Temperament


def test_a_neutral_temperament_leaves_the_configured_times():
    m = manners(CascadeParams())
    assert (m.endpoint, m.latency, m.barge_in, m.yields) == (6, 3, 8, 8)


@pytest.mark.parametrize("latency", ["measured", "none"])
def test_only_a_fixed_latency_is_added(latency):
    assert manners(CascadeParams(latency=latency)).latency == 0


@pytest.mark.parametrize(("yielding", "ticks"), [(0.0, None), (0.25, 16), (0.5, 8), (1.0, 4)])
def test_yielding_scales_the_overlap_that_it_bears(yielding, ticks):
    assert manners(CascadeParams(temperament=Temperament(yielding=yielding))).yields == ticks


@given(st.floats(0.01, 1), st.floats(0.01, 1))
def test_the_more_yielding_never_bears_more(one, two):
    low, high = sorted((one, two))
    bears = [manners(CascadeParams(temperament=Temperament(yielding=y))).yields or 0 for y in (low, high)]
    assert bears[0] >= bears[1] > 0


@pytest.mark.parametrize(
    ("text", "backchannel", "hum"),
    [
        ("Mm-hmm.", True, True),
        ("Okay, right.", True, False),
        ("", True, True),
        ("No.", False, False),
        ("mm and", True, True),
    ],
)
def test_backchannels_and_hums(text, backchannel, hum):
    assert (is_backchannel(text), is_hum(text)) == (backchannel, hum)
