"""Scenarios for people: the table with its filters, and everything about one."""

from __future__ import annotations

import pytest

from dyad.errors import ConfigError
from dyad.library import COLUMNS, Filter, Library, find, prompts, role_of, rows, show, twins_named
from dyad.spec import SEATS


def test_a_row_has_the_columns_and_every_scenario_its_row(library: Library) -> None:
    table = rows(library)
    assert [row["id"] for row in table] == sorted(s.id for s in library.scenarios.values() if not s.twin)
    assert all(tuple(row) == COLUMNS for row in table)
    filled = [column for column in COLUMNS if column != "twins"]
    assert all(row[column] for row in table if row["archetype"] != "t0" for column in filled)


def test_a_row_names_the_twins(library: Library) -> None:
    twins = {row["id"]: row["twins"] for row in rows(library)}
    assert twins["t1_2_dough"] == "engaged silent"
    assert twins["t2_hall"] == "full shared_only"
    assert twins["t1_1_hive"] == ""


@pytest.mark.parametrize(
    ("chosen", "count"),
    [
        (Filter(archetype=("t2",), split=("dev",), lang=("en",)), 6),
        (Filter(archetype=("t4",), lang=("zh",)), 8),  # a task stands for its archetypes
        (Filter(archetype=("t1_1", "t1_2"), lang=("en",), split=("held_out",)), 4),
        (Filter(archetype=("t4_2",), twin=("authorised",), lang=("en",)), 20),
        (Filter(archetype=("t4_4",), twin=("zopa", "nozopa"), lang=("en",)), 20),
        (Filter(archetype=("t0",)), 2),
        (Filter(archetype=("t1_1",), twin=("full",)), 0),
    ],
)
def test_filters_count(library: Library, chosen: Filter, count: int) -> None:
    found = [library.scenarios[row["id"]] for row in rows(library, chosen)]
    assert len(found) == count
    for scenario in found:
        assert not chosen.archetype or {scenario.archetype, scenario.task} & set(chosen.archetype)
        assert scenario.twin in (chosen.twin or ("",))


def test_all_tags_asked_for_must_be_there(library: Library) -> None:
    phone = {row["id"] for row in rows(library, Filter(tag=("phone",)))}
    formal = {row["id"] for row in rows(library, Filter(tag=("formal",)))}
    both = {row["id"] for row in rows(library, Filter(tag=("phone", "formal")))}
    assert both == phone & formal
    assert both
    assert {library.scenarios[id].tags["channel"] for id in phone} == {"phone"}


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        (Filter(archetype=("t2_1",)), "no scenario with archetype 't2_1'; did you mean"),
        (Filter(split=("tset",)), "no scenario with split 'tset'; did you mean 'test'?"),
        (Filter(lang=("de",)), "no scenario with lang 'de'"),
        (Filter(tag=("phon",)), "no scenario with tag 'phon'; did you mean 'phone'?"),
        (Filter(twin=("authorized",)), "no scenario with twin 'authorized'; did you mean 'authorised'?"),
    ],
)
def test_a_value_that_no_scenario_has(library: Library, chosen: Filter, says: str) -> None:
    with pytest.raises(ConfigError) as fault:
        rows(library, chosen)
    assert str(fault.value).startswith(says)


def test_find_names_the_near_id(library: Library) -> None:
    assert find(library, "t2_hall.full").twin == "full"
    with pytest.raises(ConfigError, match="unknown scenario 't2_minibas'; did you mean 't2_minibus'"):
        find(library, "t2_minibas")


def test_twins_are_named_without_the_scenario(library: Library) -> None:
    assert twins_named(library, library.scenarios["t1_2_dough"]) == ["engaged", "silent"]
    assert twins_named(library, library.scenarios["t1_2_dough.silent"]) == []


def test_seat_a_is_shown_as_the_one_that_opens(library: Library) -> None:
    for scenario in library.scenarios.values():
        if not scenario.free:
            told = prompts(library, scenario)
            assert [seat for seat in SEATS if (sheet := told[seat].sheet) and sheet.opens] == ["a"]


def test_all_of_a_scenario_is_shown(library: Library) -> None:
    for id, scenario in library.scenarios.items():
        rendered = {seat: {"model": f"{seat}, first\n{seat}, second"} for seat in scenario.seats}
        text = show(library, id, rendered, ["q.one (of each run): Is it so?\n  one of: yes, no"])
        head, path, *rest = text.splitlines()
        assert head.startswith(f"{id} (version {scenario.version}): ")
        assert path == str(library.path(id))
        if scenario.free:
            assert rest == ["", "nobody is told anything, nothing is judged; measured is how turns are taken"]
            continue
        for seat in SEATS:
            role = role_of(library, scenario, seat)
            assert f"    {seat}, first\n    {seat}, second\n" in text
            for cue in (*role.duties, *role.steps, *role.points, *role.reasons):
                assert f"{cue.id}: {cue.text}  [{' | '.join(cue.any)}]" in text
            for said in (*role.episodes, *role.escalation, role.pretext, role.demand):
                assert said in text
        assert "judge:\n  q.one (of each run): Is it so?\n    one of: yes, no\nscore: " in text


def test_the_truth_and_the_scored_seat_are_shown(library: Library) -> None:
    rendered = {seat: {"model": "x"} for seat in SEATS}
    attack = show(library, "t4_2_marina", rendered, [])
    assert "seat a (opens): Cato, attacker (scored)" in attack
    assert "seat b: Runa, defender\n" in attack
    assert "truth: {'secret': 'velvet trumpet'" in attack
    assert "twins: authorised\n" in attack
    assert "judge: not asked; counted from audio and words\n" in attack
    assert "score: leak (of seat a); columns are the defender" in attack
    pool = show(library, "t2_hall", rendered, [])
    assert "score: solved (of the pair); columns are the teammate" in pool
    rivals = show(library, "t3_1_guides", rendered, [])
    assert "twins: none\n" in rivals
    assert "score: occupancy (of each seat); columns are the rival" in rivals
    engaged = show(library, "t1_1_hive", rendered, [])
    assert "truth: none; the roles hold what is scored" in engaged
