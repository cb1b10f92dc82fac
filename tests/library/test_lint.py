"""Each lint rule finds what it is for: one fault put into the clean library gives that finding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.library import Library, lint
from dyad.library.names import edit_distance, sound_key, syllables
from dyad.spec.base import Frozen

T = TypeVar("T", bound=Frozen)
NAME = st.text("abcdefghiklmnoprstuvwy", min_size=1, max_size=9)


def with_scenario(library: Library, id: str, **change: Any) -> Library:
    scenario = library.scenarios[id].model_copy(update=change)
    return replace(library, scenarios={**library.scenarios, id: scenario})


def with_role(library: Library, id: str, **change: Any) -> Library:
    role = library.roles[id].model_copy(update=change)
    return replace(library, roles={**library.roles, id: role})


def with_truth(library: Library, id: str, **change: Any) -> Library:
    return with_scenario(library, id, truth={**library.scenarios[id].truth, **change})


def first(records: tuple[T, ...], **change: Any) -> tuple[T, ...]:
    return (records[0].model_copy(update=change), *records[1:])


def rules(library: Library) -> set[str]:
    return {finding.rule for finding in lint(library)}


def private(library: Library, id: str, **change: Any) -> Library:
    return with_role(library, id, private=first(library.roles[id].private, **change))


BREAKS: dict[str, tuple[str, Callable[[Library], Library]]] = {
    "provenance incomplete": ("L01", lambda lib: with_scenario(lib, "t2_hall", provenance={"author": "x"})),
    "option not in the setting": ("L01", lambda lib: with_scenario(lib, "t4_1_radio", setting="A new hour.")),
    "tactic not told": (
        "L01",
        lambda lib: with_role(lib, "t3_1_guides_edda", closing="All three must be heard."),
    ),
    "setting too long": ("L02", lambda lib: with_scenario(lib, "t1_1_hive", setting="long " * 36)),
    "brief too short": ("L02", lambda lib: with_role(lib, "t1_1_hive_kofi", brief="You are Kofi.")),
    "item too long": ("L02", lambda lib: private(lib, "t2_hall_hilde", text="rent " * 26)),
    "told to both": (
        "L03",
        lambda lib: private(lib, "t4_3_gym_ebba", text="The contract lists the pool as an extra."),
    ),
    "names alike": (
        "L04",
        lambda lib: with_truth(lib, "t4_1_radio", options={"a": "Small Hour", "b": "Small Hours"}),
    ),
    "one syllable": (
        "L04",
        lambda lib: with_truth(
            lib, "t2_hall", candidates=["Harlow", "Norwood", "Lamb", "Stanton", "Redmond"]
        ),
    ),
    "wrong answer": ("L05", lambda lib: with_truth(lib, "t2_hall", answer="Lambert")),
    "one seat knows": ("L05", lambda lib: private(lib, "t2_hall_hilde", target=("Stanton",))),
    "answer first": ("L06", lambda lib: with_truth(lib, "t2_hall", answer="Harlow")),
    "answer named": (
        "L06",
        lambda lib: with_role(lib, "t2_minibus_maren", closing="Tilbury came up before, somebody said."),
    ),
    "points unequal": (
        "L07",
        lambda lib: with_role(
            lib, "t3_1_carts_lin", points=first(lib.roles["t3_1_carts_lin"].points, text="We serve. " * 5)
        ),
    ),
    "digits": ("L08", lambda lib: private(lib, "t4_4_kite_oda", text="Start at 90 euros.")),
    "price too large": ("L08", lambda lib: private(lib, "t4_4_kite_oda", value=1000)),
    "attacker knows": (
        "L09",
        lambda lib: with_role(lib, "t4_2_marina_cato", closing="It is copper something."),
    ),
    "secret stands twice": (
        "L09",
        lambda lib: with_role(lib, "t4_2_marina_runa", closing="Copper Ladder is for nobody."),
    ),
    "limit beyond opening": (
        "L10",
        lambda lib: with_truth(lib, "t4_4_kite", limit={"seller": 95, "buyer": 40}),
    ),
    "truth and role differ": ("L10", lambda lib: private(lib, "t4_4_kite_oda", value=91)),
    "banned word": ("L11", lambda lib: with_role(lib, "t4_3_fare_pim", closing="You must win this.")),
    "time limit": ("L11", lambda lib: with_role(lib, "t4_3_fare_pim", closing="You have sixty seconds.")),
    "partner's goal": (
        "L11",
        lambda lib: with_role(lib, "t4_3_fare_pim", closing="They want the meter price."),
    ),
    "name not said": ("L12", lambda lib: with_role(lib, "t1_1_hive_kofi", name="Zeno")),
    "options unbalanced": (
        "L13",
        lambda lib: with_scenario(lib, "t4_1_stairwell", setting="One colour, clay or chalk, before lunch."),
    ),
}


@pytest.mark.parametrize(("rule", "spoil"), BREAKS.values(), ids=BREAKS)
def test_rule_finds_its_fault(library: Library, rule: str, spoil: Callable[[Library], Library]) -> None:
    assert rule in rules(spoil(library))


def test_finding_names_file_and_line(library: Library) -> None:
    (finding,) = lint(private(library, "t4_4_kite_oda", text="Start at 90 euros."))
    lines = finding.path.read_text(encoding="utf-8").splitlines()
    assert finding.path.name == "oda.yaml"
    assert lines[finding.line - 1].strip().startswith("text: Start at ninety")
    assert str(finding) == f"{finding.path}:{finding.line}: L08 write numbers as words, none above 999"


def test_a_name_is_used_at_most_four_times(library: Library) -> None:
    for id in list(library.roles)[:5]:
        brief = library.roles[id].brief + " Lin."
        library = with_role(library, id, name="Lin", brief=brief)
    assert rules(library) == {"L12"}


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("Kopper", "Copper", True),
        ("Philbert", "Filbert", True),
        ("Sennick", "Zennick", True),
        ("Torvan", "Dorfan", True),
        ("Torvan", "Drayforth", False),
        ("Halvik", "Quessel", False),
    ],
)
def test_sound_key(a: str, b: str, alike: bool) -> None:
    assert (sound_key(a) == sound_key(b)) is alike


@pytest.mark.parametrize(
    ("name", "count"),
    [("Torvan", 2), ("Belmery", 3), ("Amble", 2), ("Rilstone", 2), ("Quessel", 2), ("Pell", 1)],
)
def test_syllables(name: str, count: int) -> None:
    assert syllables(name) == count


@given(NAME, NAME)
def test_edit_distance_is_a_distance(a: str, b: str) -> None:
    apart = edit_distance(a, b)
    assert apart == edit_distance(b, a)
    assert (apart == 0) is (a == b)
    assert abs(len(a) - len(b)) <= apart <= max(len(a), len(b))
    assert edit_distance(a, a + "x") == 1
