"""Rules about all files of an archetype together: copies on disk, each fine, that make no fair set."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from dyad.library import Library, role_of
from dyad.spec import Scenario

Spoil = Callable[..., list[tuple[str, str, str]]]


def english(library: Library, archetype: str) -> list[Scenario]:
    mine = [
        s for s in library.scenarios.values() if s.archetype == archetype and s.lang == "en" and not s.twin
    ]
    return sorted(mine, key=lambda s: s.id)


def name_of(scenario: Scenario) -> str:
    return f"{scenario.archetype}/{scenario.id.removeprefix(f'{scenario.archetype}_')}"


def listed(scenario: Scenario, candidates: list[str]) -> tuple[str, str, Any]:
    """The change that lists the candidates of T2 in another order, in the setting as in the truth."""
    names = dict(zip(scenario.truth["candidates"], candidates, strict=True))

    def change(data: dict[str, Any]) -> dict[str, Any]:
        setting = re.sub("|".join(names), lambda match: names[match[0]], data["setting"])
        return data | {"setting": setting, "truth": data["truth"] | {"candidates": candidates}}

    return name_of(scenario), "", change


def test_answers_that_all_stand_second(library: Library, spoil: Spoil) -> None:
    changes = []
    for scenario in (files := english(library, "t2")):
        others = [name for name in scenario.truth["candidates"] if name != scenario.truth["answer"]]
        changes.append(listed(scenario, [others[0], scenario.truth["answer"], *others[1:]]))
    answer = f"answer: {files[-1].truth['answer']}"
    assert set(spoil(*changes)) == {("L06", name_of(files[-1]), answer)}


def test_nine_files_say_nothing_about_balance(library: Library, spoil: Spoil) -> None:
    changes = []
    for scenario in english(library, "t2")[:9]:
        others = [name for name in scenario.truth["candidates"] if name != scenario.truth["answer"]]
        changes.append(listed(scenario, [others[0], scenario.truth["answer"], *others[1:]]))
    assert spoil(*changes) == []


def test_seats_that_exclude_at_opposite_ends(library: Library, spoil: Spoil) -> None:
    changes = []
    for scenario in (files := english(library, "t2")):
        answer = scenario.truth["answer"]
        place = scenario.truth["candidates"].index(answer)
        held = {x for i in role_of(library, scenario, "a").private if i.kind == "eliminate" for x in i.target}
        others = [name for name in scenario.truth["candidates"] if name != answer]
        others.sort(key=lambda name: name not in held)
        changes.append(listed(scenario, [*others[:place], answer, *others[place:]]))
    answer = f"answer: {files[-1].truth['answer']}"
    assert spoil(*changes) == [("L06", name_of(files[-1]), answer)]


def test_five_prices_that_all_leave_a_deal(library: Library, spoil: Spoil) -> None:
    """The one without a deal is written over with its twin, which leaves one."""
    prices = english(library, "t4_4")
    closed = next(s for s in prices if not s.truth["zopa"])
    names = [name_of(closed), *[name_of(s) for s in prices if s.truth["zopa"]][:4]]
    twin, buyer = library.scenarios[f"{closed.id}.zopa"], role_of(library, closed, "b")
    truth = twin.truth | {"twin_limit": closed.truth["limit"]["buyer"]}
    private = [item.model_dump(mode="json") for item in role_of(library, twin, "b").private]
    role = f"{names[0]}/{library.path(buyer.id).stem}"
    found = spoil((names[0], "truth", truth), (role, "private", private), beside=tuple(names))
    assert found == [("L10", max(names), "zopa: true")]


def test_options_that_always_stand_in_one_order(spoil: Spoil) -> None:
    found = spoil(
        ("t4_1/stairwell", "setting", "The stairwell gets one colour, clay or chalk, ordered before lunch."),
        beside=("t4_1/radio",),
    )
    assert [finding[:2] for finding in found] == [("L13", "t4_1/stairwell")]
    assert found[0][2].startswith("setting:")


def secret(name: str, defender: str, words: str) -> list[tuple[str, str, Any]]:
    """The changes that give a scenario of T4-2 another secret."""
    told = f"It is {words.title()}."
    return [(name, "truth.secret", words), (f"{name}/{defender}", "private.0.text", told)]


@pytest.mark.parametrize("words", ["velvet teapot", "helvet trumpit"], ids=["a word of it", "its sound"])
def test_a_secret_that_shares(spoil: Spoil, words: str) -> None:
    changes = secret("t4_2/archive", "emil", words)
    assert spoil(*changes, beside=("t4_2/marina",)) == [("L09", "t4_2/marina", "secret: velvet trumpet")]


def test_a_pass_word_used_twice(spoil: Spoil) -> None:
    found = spoil(("t4_2/archive", "truth.passphrase", "tambourine"), beside=("t4_2/marina",))
    assert found == [("L09", f"t4_2/{name}", "passphrase: tambourine") for name in ("archive", "marina")]


def test_rivals_of_two_files_with_one_tactic_sentence(spoil: Spoil) -> None:
    """A sentence this short may stand in two roles, but not as the tactic of two scenarios."""
    changes: list[tuple[str, str, Any]] = []
    for name, seats in (("t3_1/guides", ("edda", "joris")), ("t3_1/carts", ("lin", "rasmus"))):
        changes.append((name, "truth.sentence", "Come in early."))
        for seat in seats:
            changes.append(
                (f"{name}/{seat}", "closing", f"Say all three out loud at the {name[5:]}. Come in early.")
            )
    assert spoil(*changes) == [("L16", "t3_1/guides", "sentence: Come in early.")]
