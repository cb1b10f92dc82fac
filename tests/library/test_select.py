"""Choosing the scenarios of a study: by archetype, split, language, id and twin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dyad.errors import ConfigError
from dyad.library import Library, select
from dyad.spec import ARCHETYPES


def ids(library: Library, *archetypes: str, **options: object) -> list[str]:
    return [scenario.id for scenario in select(library, archetypes, **options)]  # type: ignore[arg-type]


def test_archetypes_come_in_the_order_asked_for_and_ids_in_theirs(library: Library) -> None:
    found = select(library, ("t2", "t1_1"), lang="en")
    assert [s.archetype for s in found] == ["t2"] * 18 + ["t1_1"] * 18
    assert [s.id for s in found] == sorted(s.id for s in found[:18]) + sorted(s.id for s in found[18:])


def test_limit_counts_within_an_archetype(library: Library) -> None:
    assert ids(library, "t2", "t3_1", lang="en", limit=1) == ["t2_allotment", "t3_1_carts"]
    assert len(ids(library, "t2", limit=99)) == len(ids(library, "t2"))


@pytest.mark.parametrize(("split", "count"), [("dev", 6), ("test", 12), ("held_out", 2)])
def test_splits(library: Library, split: str, count: int) -> None:
    found = select(library, ("t3_2",), split=split, lang="en")
    assert {s.split for s in found} == {split}
    assert len(found) == count


def test_what_is_held_out_is_played_only_where_it_is_named(library: Library) -> None:
    hidden = ids(library, "t2", split="held_out")
    assert not set(hidden) & set(ids(library, "t2"))
    assert ids(library, "t2", ids=hidden) == hidden
    assert ids(library, "t2", ids=hidden[:1], twin="full") == [f"{hidden[0]}.full"]


def test_without_a_choice_everything_with_roles_is_played(library: Library) -> None:
    expected = {
        s.id for s in library.scenarios.values() if not s.free and not s.twin and s.split != "held_out"
    }
    assert {s.id for s in select(library)} == expected
    assert {s.archetype for s in select(library)} == set(ARCHETYPES)


def test_ids_are_chosen_among_the_archetypes(library: Library) -> None:
    assert ids(library, "t2", "t4_1", ids=["t4_1_radio"]) == ["t4_1_radio"]


def test_a_twin_takes_the_place_of_its_scenario(library: Library) -> None:
    plain = ids(library, "t1_2", split="dev", lang="ja")
    assert ids(library, "t1_2", split="dev", lang="ja", twin="silent") == [f"{id}.silent" for id in plain]


def test_an_id_may_name_a_twin(library: Library) -> None:
    both = ["t2_hall", "t2_hall.full"]
    assert ids(library, "t2", ids=both) == both
    assert ids(library, "t2", ids=["t2_hall.full"]) == ["t2_hall.full"]


@pytest.mark.parametrize("lang", ["fr", "ja", "zh"])
def test_languages(library: Library, lang: str) -> None:
    found = select(library, lang=lang)
    assert {s.lang for s in found} == {lang}
    assert len(found) == 2 * len(ARCHETYPES)


def test_free_conversation_is_chosen_by_name_and_language(library: Library) -> None:
    assert [ids(library, "t0", lang=lang) for lang in ("en", "ja")] == [["t0_en"], ["t0_ja"]]


@pytest.mark.parametrize(
    ("archetypes", "options", "says"),
    [
        (("t5",), {}, "unknown archetype 't5'"),
        (("t2",), {"ids": ["t2_minibuss"]}, "unknown scenario 't2_minibuss'; did you mean 't2_minibus'?"),
        (("t2",), {"split": "tests"}, "unknown split 'tests'; did you mean 'test'?"),
        (("t2",), {"twin": "fulll"}, "unknown twin 'fulll'; did you mean 'full'?"),
        (("t2",), {"lang": "nl"}, "archetype 't2' has no scenario with language 'nl'; choose another"),
        (("t2",), {"twin": "silent"}, "archetype 't2' has no scenario with twin 'silent'; choose another"),
        (
            ("t2",),
            {"lang": "fr", "split": "held_out"},
            "archetype 't2' has no scenario with split 'held_out' and language 'fr'; choose another",
        ),
        (("t2",), {"ids": ["t4_1_radio"]}, "no scenario of t2 is among scenarios.ids"),
    ],
)
def test_nothing_to_select(
    library: Library, archetypes: tuple[str, ...], options: dict[str, object], says: str
) -> None:
    with pytest.raises(ConfigError) as fault:
        ids(library, *archetypes, **options)
    assert str(fault.value).startswith(says)
    assert "\n" not in str(fault.value)


def test_archetype_without_scenario(library: Library) -> None:
    left = {id: scenario for id, scenario in library.scenarios.items() if scenario.archetype != "t3_1"}
    with pytest.raises(ConfigError, match="archetype 't3_1' has no scenario; add a file"):
        select(replace(library, scenarios=left))
