"""What docs/judge.md says in figures and code."""

from __future__ import annotations

import re
from pathlib import Path

from dyad.judge.case import Case
from dyad.judge.check import shipped_check
from dyad.judge.known import known_answers
from dyad.library import load_library

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/judge.md").read_text("utf-8")
OUTCOMES = ("t2.choice", "t3.granted", "t4.landed", "t4.price")


def test_the_rules_are_as_good_as_the_page_says() -> None:
    found = shipped_check()
    assert found is not None
    said = re.findall(r"\| `((?:fdb|t\d)\.\w+)` \| (\d+) of (\d+) \| [^|]+ \| (\d+) of (\d+) \|", PAGE)
    known = [(x.question, x.right.hits, x.right.n, x.hard.hits, x.hard.n) for x in found.questions]
    assert [(name, *map(int, numbers)) for name, *numbers in said] == known
    assert f"{found.right.hits} of {found.right.n} answers right" in PAGE


def test_the_page_says_how_far_off_ratings_are() -> None:
    found = shipped_check()
    assert found is not None
    (rated,) = (x.confusion for x in found.questions if x.question == "fdb.rating")
    near = sum(
        n for right, row in rated.items() for given, n in row.items() if abs(int(right) - int(given)) < 2
    )
    assert (
        f"{near} of {sum(n for row in rated.values() for n in row.values())} are at most one step off" in PAGE
    )
    assert rated["0"] == {"0": sum(rated["0"].values())}


def test_the_page_counts_what_the_rules_hear() -> None:
    found = shipped_check()
    assert found is not None
    matrices = {x.question: x.confusion for x in found.questions if x.question in OUTCOMES}
    agreed = heard = named = 0
    for name, matrix in matrices.items():
        yes, right = ("granted", "granted") if name == "t3.granted" else ("named", "named right")
        agreed += sum(matrix[yes].values())
        heard += matrix[yes].get(right, 0)
        named += sum(
            n for row in matrix.values() for given, n in row.items() if given in (right, "named wrong")
        )
    page = " ".join(PAGE.split())
    assert f"of {agreed} choices, grants, options and prices that were agreed it hears {heard}" in page
    assert f"of the {named} that it names {named - heard} are wrong" in page


def test_the_known_answers_are_counted() -> None:
    items = known_answers(load_library())
    talks = sum(isinstance(item.subject, Case) for item in items)
    hard = sum(item.kind == "hard" for item in items)
    page = " ".join(PAGE.split())
    assert f"{len(items)} subjects" in page
    assert f"{talks} conversations and {len(items) - talks} texts of suites" in page
    assert f"{hard} of them hard" in page


def test_the_plug_in_on_the_page_is_the_one_that_is_tested() -> None:
    code = (ROOT / "docs/examples/judge_plugin.py").read_text("utf-8")
    assert f"```python\n{code.rstrip()}\n```" in PAGE
    assert len(code.splitlines()) <= 30
