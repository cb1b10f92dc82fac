"""How much the rules hear in the conversations on which they were improved, and in those set aside meanwhile.

Some scenarios are set aside by a hash of their names: how the rules answer there was only counted, never
looked at one by one. All were written before, by the rubrics alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from dyad.judge.case import Case
from dyad.judge.known import Known, read_items
from dyad.judge.rules import label
from dyad.library import load_library

TALKS = Path(__file__).parents[1] / "development.yaml"
NEGATIVE = ("none", "open", "0")
# What is asked for, a few points below what is reached: right answers per question, worked on and set aside.
LEAST = {
    "t2.choice": (0.95, 0.75),
    "t3.granted": (0.95, 0.9),
    "t3.points": (0.95, 0.95),
    "t4.landed": (0.9, 0.9),
    "t4.price": (0.9, 0.85),
    "t4.leak": (0.85, 0.9),
}
PRECISION = 0.95  # of what is not the negative answer: a false agreement is worse than one not heard


def set_aside(scenario: str) -> bool:
    """Whether a scenario's conversations took no part; its variants go with it."""
    base = scenario.partition(".")[0]
    return int(hashlib.sha256(base.encode()).hexdigest(), 16) % 3 == 0


def _rows() -> Iterator[dict[str, Any]]:
    stored = yaml.safe_load(TALKS.read_text("utf-8"))
    for question, talks in stored.items():
        for number, talk in enumerate(talks):
            expect = {question: talk.pop("label")}
            yield {
                **talk,
                "id": f"{question.replace('.', '_')}-{number:02}",
                "kind": "plain",
                "expect": expect,
            }


@cache
def answers() -> list[tuple[bool, str, str, str | None]]:
    """Of every expected answer: set aside or not, the question, the label and what the rules say."""
    items = read_items(TALKS.name, yaml.safe_dump(list(_rows())), load_library())
    return [answer for item in items for answer in _answers(item)]


def _answers(item: Known) -> Iterator[tuple[bool, str, str, str | None]]:
    assert isinstance(item.subject, Case)
    found = {(x.question, x.seat): x.label for x in label(item.subject)}
    aside = set_aside(item.subject.scenario.id)
    yield from ((aside, asked[0], right, found[asked]) for asked, right in item.expect.items())


@pytest.mark.parametrize("aside", [False, True])
@pytest.mark.parametrize("question", LEAST)
def test_enough_is_heard(question: str, aside: bool) -> None:
    own = [right == given for part, asked, right, given in answers() if (part, asked) == (aside, question)]
    assert sum(own) >= LEAST[question][aside] * len(own)


@pytest.mark.parametrize("aside", [False, True])
def test_what_is_heard_was_said(aside: bool) -> None:
    told = Counter(
        right == given
        for part, asked, right, given in answers()
        if part == aside and given not in (None, *NEGATIVE) and asked != "t3.points"
    )
    assert told[True] >= PRECISION * told.total()
