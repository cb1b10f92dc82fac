"""Choosing scenarios, and showing them to people."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dyad.errors import ConfigError
from dyad.library import COLUMNS, Library, role_of, rows, select, show


def ids(library: Library, *archetypes: str, **options: object) -> list[str]:
    return [scenario.id for scenario in select(library, archetypes, **options)]  # type: ignore[arg-type]


def test_select_by_archetype_in_order(library: Library) -> None:
    assert ids(library, "t2", "t1_1") == [
        *("t2_allotment", "t2_hall", "t2_minibus"),
        *("t1_1_handover", "t1_1_hive", "t1_1_lost_bag"),
    ]


def test_limit_counts_within_an_archetype(library: Library) -> None:
    assert ids(library, "t2", "t3_1", limit=1) == ["t2_allotment", "t3_1_carts"]


def test_split_and_ids(library: Library) -> None:
    assert ids(library, "t2", split="dev") == ["t2_minibus"]
    assert ids(library, "t2", "t4_1", ids=["t4_1_radio"]) == ["t4_1_radio"]


def test_default_is_everything_with_roles(library: Library) -> None:
    assert {s.id for s in select(library)} == {s.id for s in library.scenarios.values() if not s.free}


def test_free_conversation_is_chosen_by_name_and_language(library: Library) -> None:
    assert [ids(library, "t0", lang=lang) for lang in ("en", "ja")] == [["t0_en"], ["t0_ja"]]


@pytest.mark.parametrize(
    ("archetypes", "options", "says"),
    [
        (("t5",), {}, "unknown archetype 't5'"),
        (("t2",), {"ids": ["t2_minibuss"]}, "did you mean 't2_minibus'?"),
        (("t2",), {"split": "tests"}, "unknown split 'tests'; did you mean 'test'?"),
        (("t2",), {"lang": "nl"}, "archetype 't2' has no scenario with lang 'nl'"),
        (("t2",), {"ids": ["t4_1_radio"]}, "no scenario of t2 is among scenarios.ids"),
    ],
)
def test_nothing_to_select(
    library: Library, archetypes: tuple[str, ...], options: dict[str, object], says: str
) -> None:
    with pytest.raises(ConfigError) as fault:
        ids(library, *archetypes, **options)
    assert says in str(fault.value)


def test_archetype_without_scenario(library: Library) -> None:
    left = {id: scenario for id, scenario in library.scenarios.items() if scenario.archetype != "t3_1"}
    with pytest.raises(ConfigError, match="archetype 't3_1' has no scenario; add a file"):
        select(replace(library, scenarios=left))


def test_rows(library: Library) -> None:
    table = rows(library)
    assert [row["id"] for row in table] == sorted(library.scenarios)
    assert all(tuple(row) == COLUMNS for row in table)
    assert all(all(row.values()) for row in table if row["archetype"] != "t0")


def test_show_tells_what_each_seat_is_told_and_what_is_judged(library: Library) -> None:
    for id, scenario in library.scenarios.items():
        text = show(library, id)
        assert scenario.setting in text
        assert all(question in text for question in scenario.judge)
        for seat in scenario.seats:
            assert role_of(library, scenario, seat).brief in text


def test_show_says_that_a_free_conversation_tells_nothing(library: Library) -> None:
    assert "nobody is told anything, nothing is judged" in show(library, "t0_en")


def test_show_unknown(library: Library) -> None:
    with pytest.raises(ConfigError, match="did you mean 't2_minibus'"):
        show(library, "t2_minibas")
