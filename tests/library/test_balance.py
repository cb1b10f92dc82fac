"""The balance report counts what stands in the files, and says NO where a limit is passed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from dyad.errors import ConfigError
from dyad.library import Library, PriceTruth, balance_report
from dyad.library.balance import (
    Line,
    answer_positions,
    eliminations,
    evenness,
    first_options,
    independence,
    tells_deal,
)
from dyad.spec import ARCHETYPES, Scenario


def line(lines: list[Line], archetype: str, what: str) -> Line:
    (found,) = [x for x in lines if x.archetype == archetype and x.what == what]
    return found


def written(library: Library, archetype: str) -> list[Scenario]:
    return [
        s for s in library.scenarios.values() if s.archetype == archetype and s.lang == "en" and not s.twin
    ]


def test_the_shipped_library_is_balanced(library: Library) -> None:
    uneven = [f"{x.archetype} {x.what}: {x.found}" for x in balance_report(library) if x.ok is False]
    assert not uneven


def test_each_archetype_has_its_lines(library: Library) -> None:
    found = {(x.archetype, x.what) for x in balance_report(library)}
    for archetype in ARCHETYPES:
        whats = ("scenarios", "twins", "domains", "channel", "register", "stakes", "words told to a and b")
        assert {(archetype, what) for what in whats} <= found
    assert {
        *[("t2", "forms"), ("t2", "answer at place 2-5"), ("t2", "a and b exclude place 1-5")],
        *[("t3_1", "tactics"), ("t4_1", "option named first, a and b"), ("t4_4", "files without a deal")],
        ("all", "names"),
    } <= found


def test_twins_and_other_languages_are_counted_apart(library: Library) -> None:
    for lang in ("fr", "ja", "zh"):
        lines = balance_report(library, lang)
        assert line(lines, "t4_2", "scenarios").found == "dev 1, test 1"
        assert line(lines, "t4_2", "twins").found == "authorised 2"
    with pytest.raises(ConfigError, match="lang: no scenario in 'nl'"):
        balance_report(library, "nl")


def test_a_sealed_set_is_counted_apart(library: Library) -> None:
    sealed = {
        id: s.model_copy(update={"split": "sealed"}) if s.archetype == "t2" and s.split == "dev" else s
        for id, s in library.scenarios.items()
    }
    lines = balance_report(replace(library, scenarios=sealed))
    assert line(lines, "t2", "scenarios").found == "held_out 2, test 12"
    assert line(lines, "t2 sealed", "scenarios").found == "sealed 6"
    assert line(lines, "t2 sealed", "forms")


def test_long_briefs_on_one_side_are_told(library: Library) -> None:
    roles = {
        id: role.model_copy(update={"brief": role.brief * 2}) if role.kind == "seller" else role
        for id, role in library.roles.items()
    }
    lines = balance_report(replace(library, roles=roles))
    assert [x.archetype for x in lines if x.what == "words told to a and b" and not x.ok] == ["t4_4"]


def test_a_name_for_five_people_is_told(library: Library) -> None:
    people = [id for id in library.roles if id.startswith("t1_1_h") and "." not in id][:5]
    roles = {
        id: role.model_copy(update={"name": "Zed"}) for id, role in library.roles.items() if id in people
    }
    names = line(balance_report(replace(library, roles={**library.roles, **roles})), "all", "names")
    assert (names.ok, names.found.rpartition(", ")[2]) == (False, "each at most 5 times")


def test_it_counts_twenty_of_each(library: Library) -> None:
    lines = balance_report(library)
    for archetype in ("t1_1", "t1_2", "t2", "t3_1", "t3_2", "t4_1", "t4_2", "t4_3", "t4_4"):
        assert line(lines, archetype, "scenarios").found == "dev 6, held_out 2, test 12"
    assert line(lines, "t1_2", "twins").found == "engaged 20, silent 20"
    assert line(lines, "t3_1", "tactics").found.startswith("[4, 4, 4, 4, 4]")


def test_evenness_is_the_tail_of_chi_square() -> None:
    # (0, 5, 5, 5, 5): Σ (o − 4)² / 4 = (16 + 4) / 4 = 5 with four degrees of freedom
    assert evenness([0, 5, 5, 5, 5]) == pytest.approx(chi2.sf(5, 4)) == pytest.approx(0.2873, abs=1e-4)
    assert evenness([4, 4, 4, 4, 4]) == 1.0
    assert evenness([0, 0]) == 1.0


def test_independence_leaves_empty_places_out() -> None:
    assert independence([[0, 5, 5], [0, 5, 5]]) == 1.0
    assert independence([[0, 9, 1], [0, 1, 9]]) < 0.01
    assert independence([[3, 0], [4, 0]]) == 1.0


@given(st.lists(st.integers(0, 30), min_size=2, max_size=8))
def test_even_counts_are_the_most_even(counts: list[int]) -> None:
    assert 0 <= evenness(counts) <= evenness([sum(counts)] * len(counts)) == 1.0


def test_places_are_counted_from_the_files(library: Library) -> None:
    files = written(library, "t2")
    assert sum(answer_positions(files)) == len(files)
    assert answer_positions(files)[0] == 0
    by_exclusion = sum(s.form != "X" for s in files)
    assert [sum(seat) for seat in eliminations(library, files)] == [2 * by_exclusion] * 2


def test_an_unbalanced_set_is_told(library: Library) -> None:
    spoiled = dict(library.scenarios)
    for scenario in written(library, "t2"):
        first, *others = (name for name in scenario.truth["candidates"] if name != scenario.truth["answer"])
        truth = {**scenario.truth, "candidates": [first, scenario.truth["answer"], *others]}
        spoiled[scenario.id] = scenario.model_copy(update={"truth": truth, "tags": {"channel": "phone"}})
    lines = balance_report(replace(library, scenarios=spoiled))
    wrong = {x.what for x in lines if x.archetype == "t2" and x.ok is False}
    assert wrong >= {"answer at place 2-5", "domains", "channel"}


def test_first_options_look_at_the_setting(library: Library) -> None:
    files = written(library, "t4_1")
    assert first_options(files) == 10
    swapped = [
        s.model_copy(update={"truth": {"options": {"a": o["b"], "b": o["a"]}}})
        for s in files
        for o in [s.truth["options"]]
    ]
    assert first_options(swapped) == len(files) - 10


def test_own_numbers_must_not_tell_whether_there_is_a_deal() -> None:
    def truth(seller: tuple[int, int], buyer: tuple[int, int]) -> PriceTruth:
        sides = {
            "open": {"seller": seller[0], "buyer": buyer[0]},
            "limit": {"seller": seller[1], "buyer": buyer[1]},
        }
        return PriceTruth(**sides, unit="euros", zopa=seller[1] <= buyer[1])

    deals = [truth((160, 100), (50, 110)), truth((180, 100), (60, 120))]  # ratios 1.6 and 1.8 of the seller
    none = [truth((170, 100), (40, 80)), truth((140, 100), (40, 80))]  # 1.7 and 1.4
    assert tells_deal([*deals, *none], "seller") == 0.75  # 1.6 > 1.4, 1.8 > 1.7, 1.8 > 1.4; not 1.6 > 1.7
    assert tells_deal([*deals, *none], "buyer") == 0.25  # .45 and .5 against .5 twice: two ties of four
    assert tells_deal(deals, "seller") == 0.5
