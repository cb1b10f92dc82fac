import html.parser
import json
import math
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dyad.report.html import clean, json_block, render

ATTACK = "</script><img src=x onerror=alert(1)><!-- \u2028\u2029 & ${x} $title"


class Page(html.parser.HTMLParser):
    """Elements with their attributes, and the content of each script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] == "script" and data.strip():
            self.scripts.append(data)

    def block(self, name: str) -> Any:
        scripts = [attrs for tag, attrs in self.elements if tag == "script"]
        return json.loads(self.scripts[[attrs.get("id") for attrs in scripts].index(name)])


def poison(value: Any) -> Any:
    """The same data with the attack before every text that is free."""
    if isinstance(value, dict):
        return {key: item if key in FIXED else poison(item) for key, item in value.items()}
    if isinstance(value, list):
        return [poison(item) for item in value]
    return ATTACK + value if isinstance(value, str) and value else value


FIXED = {"id", "seat", "opener", "peaks", "audio", "line", "table", "archetype", "measure", "term", "unit"}


def test_whatever_a_text_holds_the_page_has_the_same_elements(data: dict[str, Any]):
    plain, attacked = Page(render(data)), Page(render(poison(data)))
    names = [tag for tag, _ in plain.elements if tag != "wbr"]
    assert [tag for tag, _ in attacked.elements if tag != "wbr"] == names
    assert "img" not in names
    assert not any(name.startswith("on") for _, attrs in attacked.elements for name in attrs)
    assert attacked.block("data-0")["lines"][0]["text"] == ATTACK + "Where is it?"


@given(st.text(), st.floats())
def test_a_json_block_gives_back_what_went_in_and_cannot_end(text: str, value: float):
    block = json_block("x", clean({"t": text, "v": value}))
    inner = block.removeprefix('<script type="application/json" id="x">').removesuffix("</script>")
    assert not set(inner) & set("<>&\u2028\u2029")
    assert json.loads(inner) == {"t": text, "v": value if math.isfinite(value) else None}


def test_the_page_asks_for_nothing_outside_itself(data: dict[str, Any]):
    page = Page(render(data))
    assert not [attrs for _, attrs in page.elements if "src" in attrs]
    assert all(str(attrs["href"]).startswith("#") for _, attrs in page.elements if "href" in attrs)
    text = render(data)
    assert not re.search(r"https?://|@import|url\(|XMLHttpRequest|innerHTML|insertAdjacentHTML", text)
    assert text.count("fetch(") == 1  # of the sound beside the page, where its server knows no ranges
    assert "default-src &#x27;none&#x27;" in text or "default-src 'none'" in text
    assert "unsafe-" not in text


def test_numbers_that_are_not_finite_are_never_printed(data: dict[str, Any]):
    for row in data["rows"]:
        row |= {"low": math.inf, "sd": math.nan} | ({"value": math.nan} if row["table"] == "turns" else {})
    data["runs"][0]["measures"][0]["value"] = -math.inf
    page = render(data)
    values = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    assert not re.search(r"\b(nan|inf|infinity|none|null)\b(?!\&#x27;)", visible(values), re.IGNORECASE)
    assert Page(page).block("data-0")["measures"][0]["value"] is None


def visible(page: str) -> str:
    return re.sub(r"<script.*?</script>|<head>.*?</head>|<[^>]*>", " ", page, flags=re.DOTALL)


def test_a_study_without_anything_still_makes_a_page(data: dict[str, Any]):
    empty = data | {"rows": [], "runs": []}
    empty["judges"] = None
    empty["study"] |= {"agents": [], "notes": [], "mdd": None, "judge": None}
    text = visible(render(empty))
    for sentence in (
        "No scores",
        "No turn-taking",
        "No time to an event",
        "Too few agents and tasks",
        "Too few agents, or too few scenarios, to compare any",
        "No outcome was judged",
        "Nothing was judged",
    ):
        assert sentence in text
    assert "Smallest difference" not in text
    assert "hidden>" not in re.sub(r"<button.*?</button>", "", render(data))


def test_turn_taking_of_two_conditions_is_never_mixed(data: dict[str, Any]):
    cut = [row | {"condition": "cut", "value": 0.75} for row in data["rows"] if row["table"] == "turns"]
    page = render(data | {"rows": [*data["rows"], *cut]})
    tables = re.findall(r"<table class=\"turns sortable\">.*?</table>", page, re.DOTALL)
    assert ["Definitions: strict · cut" in table for table in tables] == [False, True]
    assert ["<b>0.75</b>" in table for table in tables] == [False, True]


def test_a_turn_taking_cell_shows_counts_and_sorts_by_value(data: dict[str, Any]):
    page = render(data)
    assert '<td data-value="0.5"><b>0.50</b><small>4 / 8</small><small>[0.30, 0.70]</small></td>' in page
    assert '<td class="missing"><b>–</b></td>' in page


def test_the_list_finds_words_without_a_runs_own_block(data: dict[str, Any]):
    (entry,) = Page(render(data)).block("index")
    assert "it lies at copper ladder, sorry." in entry["words"]
    assert entry["labels"] == [{"question": "t3.leak", "seat": "b", "label": "full", "judge": "mechanical"}]
    assert "prompts" not in entry


def test_text_with_half_a_character_can_be_written(data: dict[str, Any]):
    data["runs"][0]["lines"][0]["text"] = data["verdict"] = data["rows"][0]["agent"] = "\ud83d"
    assert render(data).encode("utf-8")
