"""The sections of the page, from rows alone: everything is there, nothing has a hole, nothing is markup."""

from __future__ import annotations

import html.parser
import re

import pytest

from dyad.report.sections import sections
from dyad.tables.claims import claims
from dyad.tables.rows import Row, row
from tests.tables.said import NUMBERS, study_rows

ROWS = study_rows()
TABLES = sorted({one["table"] for one in ROWS})
UNSAID = {"profile", "mde"}  # their figures and tables say it all


class Elements(html.parser.HTMLParser):
    """Names of elements, each closed where it was opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not any(name == "style" or name.startswith("on") for name, _ in attrs)
        self.open.append(tag)
        self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page(rows: list[Row]) -> str:
    return "".join(sections(rows, "paper").values())


def visible(text: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def test_elements_are_closed_and_carry_no_style_of_their_own() -> None:
    assert len(Elements(page(ROWS)).names) > 500


def test_every_section_says_what_may_be_concluded() -> None:
    text = visible(page(ROWS))
    for claim in claims(ROWS):
        if claim.table not in UNSAID:
            assert " ".join(claim.text.split()) in text, claim


@pytest.mark.parametrize("name", list(sections([], "paper")))
def test_a_section_without_rows_says_so(name: str) -> None:
    made = sections([], "paper")[name]
    assert name == "conditions" or re.fullmatch(r'<p class="empty">[^<]+\.</p>', made)


@pytest.mark.parametrize("table", TABLES)
def test_numbers_that_are_not_there_leave_no_hole(table: str) -> None:
    for column in NUMBERS:
        rows = [one | {column: None} if one["table"] == table else one for one in ROWS]
        assert not re.search(r"\b(nan|None|inf)\b", visible(page(rows)))


def test_a_name_is_text_wherever_it_stands() -> None:
    attack = "<img src=x onerror=alert(1)>"
    names = tuple(f"{attack}{k}" for k in range(3))
    attacked = Elements(page(study_rows(names, condition=attack))).names
    assert attacked == Elements(page(study_rows(("a", "b", "c"), condition="x"))).names
    assert "img" not in attacked


def test_each_condition_has_figures_of_its_own_and_is_compared() -> None:
    both = [*study_rows(condition="30 s"), *study_rows(condition="60 s")]
    made = sections(both, "paper")
    assert made["scores"].count("<table") == 6
    titles = re.findall(
        r'<table class="known"><caption><b>(.*?)</b>.*?</thead>', made["conditions"], re.DOTALL
    )
    assert titles == [
        "t1_1 engaging partner: adherence",
        "t2 information pooling: solved",
        "t4_2 attack: leak",
    ]
    assert '<th scope="col">30 s</th><th scope="col">60 s</th>' in made["conditions"]
    assert sections(ROWS, "paper")["conditions"] == ""


def test_a_score_given_the_act_never_stands_without_the_act() -> None:
    rows = [one for one in ROWS if one["table"] == "hurdle" and one["term"] != "act"]
    assert "given the act" not in sections(rows, "paper")["outcomes"].partition("<details")[0]


def test_raw_and_corrected_shares_stand_together_with_noise_and_p() -> None:
    text = visible(sections(ROWS, "paper")["variance"])
    assert "cells; without sampling noise, dashed: raw; noise 14 %" in text
    assert "0.73 [0.63, 0.83] raw 0.78 · p 0.003" in text


def test_no_raw_share_stands_beside_an_interval_that_does_not_hold_it() -> None:
    about = {"archetype": "archetype", "measure": "barge_in", "n": 9.0}
    raw = [row("eta", **about, term=t, value=0.8, low=0.65, high=0.79) for t in ("model", "partner")]
    rows = [*raw, *(one | {"table": "eta_corrected", "value": 0.7} for one in raw)]
    text = visible(sections(rows, "paper")["variance"])
    assert "0.70 [0.65, 0.79] raw 0.80" in text
    assert "80 % [65, 79]" not in text.replace("\N{NO-BREAK SPACE}", " ")
    assert "0.80 [0.65, 0.79]" not in text
    alone = visible(sections(raw, "paper")["variance"])
    assert "raw: noise is in it" in alone
    assert "0.80 [0.65, 0.79]" not in alone


def test_curves_of_long_studies_stay_small() -> None:
    about = {"archetype": "t1_1", "measure": "entry"}
    rows = []
    for agent in ("a", "b", "c", "d"):
        rows.append(row("km", **about, agent=agent, term="median", value=20.0, hits=750.0, n=2160))
        steps = ({"at": 0.08 * k, "value": 1 - k / 800, "n": 2160 - k} for k in range(1, 751))
        rows += [
            row("km", **about, agent=agent, term="survival", low=0.1, high=0.9, **step) for step in steps
        ]
    assert len(sections(rows, "paper")["times"]) < 50_000


def test_numbers_at_risk_are_those_of_the_next_event_and_what_the_last_one_leaves() -> None:
    about = {"archetype": "t1_1", "measure": "entry", "agent": "a"}
    rows = [
        row("rmst", **about, at=60.0, value=30.0),
        row("km", **about, term="median", value=20.0, hits=3.0, n=6),
        *(row("km", **about, term="survival", at=at, value=s, n=n)
          for at, s, n in ((10.0, 5 / 6, 6), (20.0, 0.5, 4), (40.0, 0.25, 2))),
    ]  # fmt: skip
    figure = sections(rows, "paper")["times"]
    found = re.findall(r'<text x="[\d.]+" y="244.0" text-anchor="middle">(\d+)</text>', figure)
    assert found == ["6", "4", "2", "1", "1"]  # at 0, 15, 30, 45 and 60 s
