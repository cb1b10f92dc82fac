import math

from hypothesis import given
from hypothesis import strategies as st

from dyad.report.markup import Html, breakable, count, interval, join, number, tag


def test_text_is_escaped_and_markup_is_not():
    assert tag("p", "<b>&", tag("i", '"')) == "<p>&lt;b&gt;&amp;<i>&quot;</i></p>"
    assert tag("a", class_="x", aria_label='"><img', hidden=True, title=None) == (
        '<a class="x" aria-label="&quot;&gt;&lt;img" hidden></a>'
    )
    assert isinstance(join("<", tag("b")), Html)
    assert breakable("a_<b>") == "a_<wbr>&lt;b&gt;"


@given(st.text())
def test_no_text_opens_an_element(text: str):
    assert tag("p", text, title=text).count("<") == 2


def test_numbers():
    assert [number(v) for v in (0.5, 1.0, 12.34, 123.4, 1, 12_345, -0.25)] == [
        "0.50",
        "1.00",
        "12.3",
        "123",
        "1",
        "12,345",
        "−0.25",
    ]
    assert {number(None), number(math.nan), number(-math.inf), count(None), count(math.nan)} == {"–"}
    assert count(14.0) == "14"
    assert interval(0.1, 0.25) == "[0.10, 0.25]"
    assert interval(None, 1) == ""
