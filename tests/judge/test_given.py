"""The judge `given`: labels that lie beside recorded answers, and nothing else."""

from __future__ import annotations

from dyad.judge.case import Excerpt
from dyad.judge.given import label

TEXTS = {"context": "How do I bake bread?", "interruption": "Without yeast?", "reply": "Take soda."}


def test_a_given_label_is_the_answer() -> None:
    (found,) = label(Excerpt("fdb", TEXTS, given={"fdb.rating": "4"}))
    assert (found.question, found.label, found.status) == ("fdb.rating", "4", "ok")


def test_what_is_asked_and_not_given_is_missing() -> None:
    (found,) = label(Excerpt("fdb", TEXTS))
    assert (found.question, found.label, found.status) == ("fdb.rating", None, "not_given")


def test_a_label_stands_without_the_texts() -> None:
    (found,) = label(Excerpt("fdb", {}, given={"fdb.behaviour": "C_RESUME"}))
    assert (found.question, found.label) == ("fdb.behaviour", "C_RESUME")
