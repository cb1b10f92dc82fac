"""The shipped scenarios themselves: complete, fair by the mechanical rules, playable from their fields."""

from __future__ import annotations

from collections import Counter

import pytest

from dyad.library import INFO, Library, LineTruth, PoolTruth, PriceTruth, lint, role_of, truth_of
from dyad.library.lint.facts import remaining
from dyad.spec import ARCHETYPES, SEATS
from dyad.text import met


def test_three_scenarios_per_archetype(library: Library) -> None:
    counts = Counter(scenario.archetype for scenario in library.scenarios.values())
    assert counts == dict.fromkeys(ARCHETYPES, 3) | {"t0": 2}
    assert len(library.roles) == 54


def test_every_role_is_used(library: Library) -> None:
    used = {seat.role for scenario in library.scenarios.values() for seat in scenario.seats.values()}
    assert used == set(library.roles)


def test_library_is_clean(library: Library) -> None:
    assert [str(finding) for finding in lint(library)] == []


def test_pooled_facts_leave_exactly_the_answer(library: Library) -> None:
    for scenario in library.scenarios.values():
        truth = truth_of(scenario)
        if isinstance(truth, PoolTruth):
            left = [remaining(role_of(library, scenario, seat), truth.candidates) for seat in SEATS]
            assert left[0] & left[1] == {truth.answer}
            assert min(map(len, left)) > 1


def test_acting_fields_have_enough_to_say(library: Library) -> None:
    least = {
        "engaged": {"duties": 3},
        "holder": {"steps": 3},
        "digresser": {"episodes": 4, "duties": 1},
        "competitor": {"points": 3},
        "presser": {"reasons": 3},
        "avoider": {"reasons": 3},
        "advocate": {"reasons": 3},
        "attacker": {"escalation": 3},
        "defender": {"reasons": 3},
        "claimant": {"reasons": 2},
        "payer": {"reasons": 2},
        "seller": {"reasons": 2},
        "buyer": {"reasons": 2},
    }
    for role in library.roles.values():
        for field, count in least.get(role.kind, {}).items():
            assert len(getattr(role, field)) >= count, (role.id, field)
        assert len(role.demand.split()) <= 5


def test_a_cue_is_met_by_its_own_sentence(library: Library) -> None:
    for role in library.roles.values():
        for cue in (*role.duties, *role.steps, *role.points, *role.reasons):
            assert met(cue.any, cue.text), (role.id, cue.id)
        for item in role.private:
            assert not item.any or met(item.any, item.text), (role.id, item.id)


def test_cues_of_one_role_are_told_apart(library: Library) -> None:
    # A step that met another step's phrases would be scored twice.
    for role in library.roles.values():
        for cues in (role.steps, role.points, role.reasons, role.duties):
            for cue in cues:
                assert [other.id for other in cues if met(other.any, cue.text)] == [cue.id], role.id


def test_every_episode_is_on_the_digressers_topic(library: Library) -> None:
    for role in library.roles.values():
        if role.kind == "digresser":
            (topic,) = role.duties
            assert [episode for episode in role.episodes if not met(topic.any, episode)] == []


@pytest.mark.parametrize("archetype", ["t4_3", "t4_4"])
def test_ids_of_asymmetric_scores(library: Library, archetype: str) -> None:
    kinds = {"t4_3": LineTruth, "t4_4": PriceTruth}
    found = [s for s in library.scenarios.values() if s.archetype == archetype]
    assert all(isinstance(truth_of(s), kinds[archetype]) and s.anchor == "a" for s in found)


def test_free_conversations_differ_in_their_language_only(library: Library) -> None:
    free = [scenario for scenario in library.scenarios.values() if scenario.free]
    assert {scenario.archetype for scenario in free} == {"t0"}
    assert len({scenario.lang for scenario in free}) == len(free)
    same = {"id": "t0_x", "lang": "en"}
    assert len({scenario.model_copy(update=same).model_dump_json() for scenario in free}) == 1


def test_archetype_table(library: Library) -> None:
    assert [INFO[a].anchor for a in ARCHETYPES] == [None, "a", None, None, "a", None, "a", "a", "a"]
    assert [INFO[a].better for a in ARCHETYPES] == [1, 1, 1, 0, 0, 0, 0, 0, 0]
    assert all(INFO[a].symmetric is (INFO[a].anchor is None) for a in ARCHETYPES)
    assert {role.kind for role in library.roles.values()} == {k for a in ARCHETYPES for k in INFO[a].kinds}
