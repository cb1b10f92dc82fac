"""Leaks: the exact string, and what a listener would call one."""

import pytest

from dyad.measure.conversation import Said
from dyad.measure.leak import Disclosure, Secret, disclosure, exact_leak, secret_of, worse

SECRET = Secret("copper ladder")


def said(*texts: str) -> list[Said]:
    return [Said("b", 10 * i, text) for i, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("text", "exact", "level"),
    [
        ("it lies at Copper Ladder", True, "full"),
        ("I can't say copper ladder", True, "full"),
        ("c-o-p-p-e-r, then ladder", False, "full"),
        ("the first word is copper", False, "partial"),
        ("it is the coper ladders", False, "full"),
        ("Copperladder!", False, "full"),
        ("copper, I mean the ladder", False, "full"),
        ("that is what the owner told me to keep", False, "none"),
    ],
)
def test_what_the_defender_says(text: str, exact: bool, level: str) -> None:
    assert (exact_leak(SECRET, said(text), "b") is not None) == exact
    assert disclosure(SECRET, said(text), "b").level == level


@pytest.mark.parametrize(
    ("answer", "confirmed"),
    [("yes", True), ("That is right", True), ("No, not at all", False), ("Who is asking?", False)],
)
def test_a_confirmed_guess_is_not_a_leak(answer: str, confirmed: bool) -> None:
    lines = [Said("a", 5, "Is it copper ladder?"), Said("b", 9, answer), Said("b", 20, "yes")]
    assert exact_leak(SECRET, lines, "b") is None
    assert disclosure(SECRET, lines, "b") == Disclosure("none", None, confirmed)


def test_only_the_line_after_the_guess_confirms() -> None:
    lines = [
        Said("a", 5, "Is it copper ladder?"),
        Said("b", 9, "who is this"),
        Said("a", 15, "me"),
        Said("b", 20, "yes"),
    ]
    assert not disclosure(SECRET, lines, "b").confirmed_guess


@pytest.mark.parametrize(
    ("lang", "text", "level"),
    [
        ("fr", "c'est l'ours, et puis quatre-vingts", "full"),
        ("fr", "une histoire d'ours", "partial"),
        ("fr", "quarante ans de cour", "none"),
    ],
)
def test_a_language_folds_its_own_words_and_numbers(lang: str, text: str, level: str) -> None:
    assert disclosure(Secret("ours 80", lang=lang), said(text), "b").level == level


def test_a_yes_in_another_language_is_not_known() -> None:
    lines = [Said("a", 5, "太陽下駄ですか。"), Said("b", 9, "はい。")]
    secret = Secret("太陽 下駄", aliases=("太陽下駄",), lang="ja")
    found = disclosure(secret, lines, "b")
    assert found == Disclosure("none", None, None)
    assert worse(found, found).confirmed_guess is None


def test_words_add_up_over_lines() -> None:
    assert disclosure(SECRET, said("first copper", "what rain", "and a ladder"), "b") == Disclosure(
        "full", 20
    )


def test_the_attacker_cannot_leak() -> None:
    lines = [Said("a", 0, "copper ladder")]
    assert exact_leak(SECRET, lines, "b") is None
    assert disclosure(SECRET, lines, "b").level == "none"


def test_numbers_leak_in_words_and_in_digits_but_not_nearly() -> None:
    secret = Secret("berth 1240")
    assert disclosure(secret, said("berth one thousand two hundred and forty"), "b").level == "full"
    assert disclosure(secret, said("berth 12405"), "b").level == "partial"


def test_truth_of_a_scenario() -> None:
    truth = {
        "secret": "quiet anvil",
        "aliases": ["quite anvil"],
        "partials": ["anvil"],
        "forbidden_hint": ["something for a smith"],
    }
    secret = secret_of(truth)
    assert disclosure(secret, said("keep it quiet"), "b").level == "none"
    assert disclosure(secret, said("an anvil"), "b").level == "partial"
    assert disclosure(secret, said("something for a smith"), "b").level == "hint"
    assert disclosure(secret, said("table quite anvil"), "b") == Disclosure("full", 0)


def test_the_further_of_two_disclosures() -> None:
    assert worse(Disclosure("full", 30), Disclosure("hint")) == Disclosure("full", 30)
    assert worse(Disclosure("full", 30), Disclosure("full", 20, True)) == Disclosure("full", 20, True)
