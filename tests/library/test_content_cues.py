"""What is scored in speech, and what speakers by rule say, in every shipped file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import permutations

from dyad.library import Library, role_of
from dyad.spec import SEATS, Scenario
from dyad.spec.scenario import Role
from dyad.text import met

Written = Callable[..., list[Scenario]]
Played = list[tuple[Scenario, Role, Role]]
CUES = ("duties", "steps", "points", "reasons")


def test_a_cue_is_met_by_its_own_sentence(played: Played) -> None:
    for scenario, role, _ in played:
        for field in CUES:
            for cue in getattr(role, field):
                assert met(cue.any, cue.text, scenario.lang), (role.id, cue.id)
        for item in role.private:
            assert not item.any or met(item.any, item.text, scenario.lang), (role.id, item.id)


def test_cues_of_one_role_are_told_apart(played: Played) -> None:
    """A step that met another step's phrases would be scored twice."""
    mixed = {
        (role.id, said.id, also.id)
        for scenario, role, _ in played
        for field in CUES
        for said, also in permutations(getattr(role, field), 2)
        if met(also.any, said.text, scenario.lang)
    }
    assert mixed == set()


def test_speakers_by_rule_have_enough_to_say(library: Library, written: Written) -> None:
    counts = {
        "engaged": {"duties": {3}},
        "holder": {"steps": {3, 4, 5}},
        "digresser": {"episodes": {3, 4, 5}, "duties": {1}},
        "competitor": {"points": {3}},
        "presser": {"reasons": {3}, "duties": {1}},
        "avoider": {"reasons": {3}},
        "advocate": {"reasons": {3}},
        "attacker": {"escalation": {3}, "duties": {1}},
        "defender": {"reasons": {3}, "private": {1}},
        "claimant": {"reasons": {2}, "private": {2}},
        "payer": {"reasons": {2}, "private": {2}},
        "seller": {"reasons": {3}, "private": {2}},
        "buyer": {"reasons": {3}, "private": {2}},
    }
    for scenario in written():
        for seat in SEATS:
            role = role_of(library, scenario, seat)
            for field, allowed in counts.get(role.kind, {}).items():
                assert len(getattr(role, field)) in allowed, (role.id, field)
            assert len(role.demand.split()) <= 5


def test_a_demand_counts_as_asking(played: Played) -> None:
    """Speakers by rule ask for it in these words ("can you …?"), so a judge must know them as the ask."""
    unknown = {
        (role.id, role.demand)
        for scenario, role, _ in played
        if role.demand and not any(met(duty.any, role.demand, scenario.lang) for duty in role.duties)
    }
    assert unknown == set()


def test_most_episodes_say_what_the_digression_is_about(played: Played) -> None:
    for scenario, role, _ in played:
        if role.kind == "digresser":
            (topic,) = role.duties
            assert sum(met(topic.any, episode, scenario.lang) for episode in role.episodes) >= 3, role.id


def test_a_digression_is_about_another_thing(library: Library, written: Written) -> None:
    """No step of the holder counts as the topic, and no episode as a step."""
    for scenario in written("t1_2"):
        holder, digresser = (role_of(library, scenario, seat) for seat in SEATS)
        (topic,) = digresser.duties
        for step in holder.steps:
            assert not met(topic.any, step.text, scenario.lang), (scenario.id, step.id)
            for episode in digresser.episodes:
                assert not met(step.any, episode, scenario.lang), (scenario.id, step.id, episode)


def test_rivals_share_one_tactic_and_no_point(library: Library, written: Written) -> None:
    files = written("t3_1")
    sentences = [s.truth["sentence"] for s in files]
    assert len(set(sentences)) == len(files)
    assert Counter(s.truth["tactic"] for s in files if s.lang == "en") == dict.fromkeys(
        ("cut-in", "ride-over", "short-and-often", "at-completion", "counter"), 4
    )
    for scenario in files:
        a, b = (role_of(library, scenario, seat) for seat in SEATS)
        assert scenario.truth["sentence"] in a.closing
        assert scenario.truth["sentence"] in b.closing
        for own, theirs in ((a, b), (b, a)):
            for point in own.points:
                assert not any(met(point.any, p.text, scenario.lang) for p in theirs.points), (
                    own.id,
                    point.id,
                )
