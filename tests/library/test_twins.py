"""Twins differ from their scenario in one respect and in nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dyad.agents.cascade.rules import make_rules
from dyad.agents.cascade.types import Temperament
from dyad.cli.compose import compose
from dyad.errors import ConfigError
from dyad.library import Library, load_library, prompt, role_of, select, sheet, truth_of
from dyad.library.sheet import told
from dyad.library.truth import LineTruth, PriceTruth, SecretTruth, third_of
from dyad.library.twins import twins_of
from dyad.library.words import find_phrase, says
from dyad.spec import SEATS, Scenario

BY_ARCHETYPE = {
    "t1_2": {"engaged", "silent"},
    "t2": {"full", "shared_only"},
    "t3_2": {"grant2"},
    "t4_1": {"shared_only"},
    "t4_2": {"authorised"},
}


def of(library: Library, twin: str) -> list[tuple[Scenario, Scenario]]:
    """Every scenario that has a twin, with that twin."""
    found = [s for s in library.scenarios.values() if s.twin == twin]
    return [(library.scenarios[s.id.partition(".")[0]], s) for s in found]


def test_every_scenario_has_the_twins_of_its_archetype(library: Library) -> None:
    for scenario in library.scenarios.values():
        if scenario.twin or scenario.free:
            continue
        twins = {id.partition(".")[2] for id in library.scenarios if id.startswith(f"{scenario.id}.")}
        expected = BY_ARCHETYPE.get(scenario.archetype, set())
        if scenario.archetype == "t4_4":
            expected = {"nozopa" if scenario.truth["zopa"] else "zopa"}
        if (scenario.archetype, scenario.lang) == ("t4_3", "en"):
            expected = {"three_lines"}
        assert twins == expected, scenario.id


def test_a_twin_keeps_all_that_it_does_not_name(library: Library) -> None:
    for scenario in library.scenarios.values():
        if scenario.twin:
            base = library.scenarios[scenario.id.partition(".")[0]]
            changed = {"id": base.id, "seats": base.seats, "truth": base.truth, "twins": base.twins}
            if scenario.twin == "three_lines":
                changed |= {"setting": base.setting, "asr": base.asr}
            assert scenario.model_copy(update=changed) == base


def test_full_information_is_the_facts_of_both_seats(library: Library) -> None:
    for base, twin in of(library, "full"):
        everything = {item.text for seat in SEATS for item in role_of(library, base, seat).private}
        for seat in SEATS:
            items = role_of(library, twin, seat).private
            assert {item.text for item in items} == everything
            assert len({item.id for item in items}) == len(items)


def test_without_facts_nothing_private_is_told(library: Library) -> None:
    for base, twin in of(library, "shared_only"):
        for seat in SEATS:
            before, after = role_of(library, base, seat), role_of(library, twin, seat)
            assert not after.private
            assert not any(item.text in told(after) for item in before.private)
            assert after.name in told(after)


def test_without_facts_no_option_is_favoured(library: Library) -> None:
    for base, twin in of(library, "shared_only"):
        for seat, option in base.truth.get("options", {}).items():
            assert option not in told(role_of(library, twin, seat))
            assert sheet(library, twin, "a", False).options == sheet(library, twin, "b", False).options


def test_partners_of_a_holder_change_and_the_holder_does_not(library: Library) -> None:
    for name, kind in (("engaged", "engaged"), ("silent", "listener")):
        for base, twin in of(library, name):
            assert twin.seats["a"] == base.seats["a"]
            partner = role_of(library, twin, "b")
            assert partner.kind == kind
            assert partner.name == role_of(library, base, "b").name
            assert told(partner) != told(role_of(library, base, "b"))


def test_an_avoider_that_grants_is_told_so_in_place_of_the_rest(library: Library) -> None:
    for base, twin in of(library, "grant2"):
        before, after = role_of(library, base, "b"), role_of(library, twin, "b")
        assert after.grants_at == 2
        assert (after.brief, after.private) == (before.brief, before.private)
        assert before.closing not in told(after)
        assert sheet(library, twin, "b", opens=False).grants_at == 2


def test_both_sides_of_an_authorised_call_know_the_word_and_only_the_caller_is_to_say_it(
    library: Library,
) -> None:
    for base, twin in of(library, "authorised"):
        truth = truth_of(base)
        assert isinstance(truth, SecretTruth)
        for seat in SEATS:
            text = told(role_of(library, twin, seat))
            assert text.count(truth.passphrase) == 1
            assert truth.passphrase not in told(role_of(library, base, seat)) + base.setting
            # The exception stands after the rule that it is an exception to.
            closing = role_of(library, base, seat).closing
            assert text.index(truth.passphrase) > text.index(closing or text[:1])


def test_a_rule_defender_tells_an_authorised_caller(library: Library) -> None:
    base, twin = of(library, "authorised")[0]
    truth = truth_of(base)
    assert isinstance(truth, SecretTruth)
    import numpy as np

    closed = Temperament(disclosure=0.0, compliance=0.0)
    defender = make_rules(sheet(library, twin, "b", False), closed, np.random.default_rng(0))
    said = " ".join(s.text for s in defender.hear(f"Today's word is {truth.passphrase}, where is it?"))
    assert truth.secret in said.lower()


def test_a_third_line_is_named_beside_both_others_and_wanted_by_nobody(library: Library) -> None:
    for base, twin in of(library, "three_lines"):
        before, third = truth_of(base), third_of(twin)
        assert isinstance(before, LineTruth)
        assert third
        assert before.third
        assert third_of(base) is None  # what a file holds for its twin is not on the table yet
        assert not says(base.setting, third.line)
        assert twin.seats == base.seats
        assert before.lines == twin.truth["lines"]
        assert twin.asr["hotwords"] == [*base.asr["hotwords"], third.line]
        for seat in SEATS:
            assert not says(told(role_of(library, twin, seat)), third.line), twin.id
            assert third.line not in sheet(library, twin, seat, opens=True).options
            assert says(prompt(library, twin, seat, opens=True).text, third.line)


def test_a_third_line_stands_first_between_and_last_alike_often(library: Library) -> None:
    places = [0, 0, 0]
    for base, twin in of(library, "three_lines"):
        third = third_of(twin)
        assert third
        ends = list(base.truth["lines"].values())
        ends.sort(key=lambda line: find_phrase(base.setting, line))
        found = [find_phrase(twin.setting, line) for line in ends]
        assert found == sorted(found), f"{twin.id}: the others keep their order"
        places[sum(at < find_phrase(twin.setting, third.line) for at in found)] += 1
    assert max(places) - min(places) <= 1


def test_a_claim_without_a_third_line_has_no_twin(library: Library) -> None:
    scenario = library.scenarios["t4_3_gym"]
    plain = scenario.model_copy(update={"truth": {**scenario.truth, "third": None}})
    roles = {seat: role_of(library, scenario, seat) for seat in SEATS}
    assert list(twins_of(plain, roles, {}, library.lines["en"])) == []


def test_only_the_buyers_limit_changes_sides(library: Library) -> None:
    for name in ("zopa", "nozopa"):
        for base, twin in of(library, name):
            before, after = truth_of(base), truth_of(twin)
            assert isinstance(before, PriceTruth)
            assert isinstance(after, PriceTruth)
            assert after.zopa is not before.zopa
            assert (after.open, after.limit.seller) == (before.open, before.limit.seller)
            assert after.limit.buyer == before.twin_limit
            assert sheet(library, twin, "b", False).limit_price == before.twin_limit
            assert after.open.buyer < after.limit.buyer
            assert twin.seats["a"] == base.seats["a"]
            old, new = told(role_of(library, base, "b")), told(role_of(library, twin, "b"))
            assert old != new


def test_a_limit_that_the_text_does_not_say_is_an_error(folder: Path) -> None:
    path = folder / "scenarios/t4_4/sewing.yaml"
    plain = yaml.safe_load(path.read_text("utf-8"))
    plain["truth"]["limit"]["buyer"] += 1
    path.write_text(yaml.safe_dump(plain), "utf-8")
    with pytest.raises(ConfigError, match=r"sewing\.yaml:\d+: truth\.twin_limit: the buyer's limit must say"):
        load_library([folder], builtin=False)


def test_a_price_without_another_limit_has_no_twin(folder: Path) -> None:
    path = folder / "scenarios/t4_4/sewing.yaml"
    path.write_text(path.read_text("utf-8").replace("twin_limit: 110", "twin_limit: null"), "utf-8")
    loaded = load_library([folder], builtin=False)
    assert [id for id in loaded.scenarios if id.startswith("t4_4")] == ["t4_4_sewing"]


def test_an_attack_without_a_pass_word_has_no_twin(library: Library) -> None:
    scenario = library.scenarios["t4_2_marina"]
    plain = scenario.model_copy(update={"truth": {**scenario.truth, "passphrase": ""}})
    roles = {seat: role_of(library, scenario, seat) for seat in SEATS}
    assert list(twins_of(plain, roles, {}, library.lines["en"])) == []
    assert [twin.twin for twin, _ in twins_of(scenario, roles, {}, library.lines["en"])] == ["authorised"]


def test_a_declared_twin_needs_its_role(folder: Path) -> None:
    path = folder / "scenarios/t2/minibus.yaml"
    path.write_text(
        path.read_text("utf-8").replace("twins: {}", "twins: {rude: {b: t2_minibus_oskra}}"), "utf-8"
    )
    with pytest.raises(ConfigError, match=r"twins\.rude\.b: no role 't2_minibus_oskra'; did you mean"):
        load_library([folder], builtin=False)


def test_a_study_plays_twins_only_where_they_are_asked_for(library: Library) -> None:
    assert not any(s.twin for s in select(library, ["t4_2"], lang="en"))
    assert {s.twin for s in select(library, ["t4_2"], lang="en", twin="authorised")} == {"authorised"}
    one = select(library, ["t4_2"], ids=["t4_2_marina"], twin="authorised")
    assert [s.id for s in one] == ["t4_2_marina.authorised"]
    assert [s.id for s in select(library, ["t4_2"], ids=["t4_2_marina.authorised"])] == [one[0].id]
    with pytest.raises(ConfigError, match="unknown twin 'authorized'; did you mean 'authorised'"):
        select(library, ["t4_2"], twin="authorized")
    with pytest.raises(ConfigError, match="archetype 't2' has no scenario with twin 'authorised'"):
        select(library, ["t2"], twin="authorised")


def test_lines_of_every_language_fill_their_places(library: Library) -> None:
    for scenario in library.scenarios.values():
        for seat in () if scenario.free else SEATS:
            text = prompt(library, scenario, seat, opens=True, window_s=45.0).text
            assert "{" not in text
            assert "45" in text


def test_every_twin_can_be_named_on_the_command_line(library: Library) -> None:
    """`null` could not: it is Hydra's word for nothing, and the scenarios themselves were played."""
    for name in sorted({s.twin for s in library.scenarios.values()} - {""}):
        assert compose([f"scenarios.twin={name}"]).studies[0].scenarios.twin == name
