from hypothesis import given
from hypothesis import strategies as st

from dyad.report.markup import Html, breakable, join, tag


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
