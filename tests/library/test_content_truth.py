"""What only the scorer knows, against the roles of every shipped file: one answer, far secrets, true limits.

Exclusions, distances and sounds are worked out here anew, not by the library's own functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from itertools import combinations

from dyad.library import Library, role_of
from dyad.spec import SEATS, Scenario, other
from dyad.spec.scenario import Item, Role
from dyad.text import find_numbers, met

Written = Callable[..., list[Scenario]]
Played = list[tuple[Scenario, Role, Role]]


def text_of(role: Role) -> str:
    return " ".join([role.brief, *(item.text for item in role.private), role.closing])


# Information pooling


def left_by(items: Iterable[Item], candidates: Iterable[str]) -> list[str]:
    """The candidates that nothing rules out and that every list of the possible ones holds."""
    facts = list(items)
    out = {name for item in facts if item.kind == "eliminate" for name in item.target}
    kept = [set(item.target) for item in facts if item.kind == "keep"]
    return [name for name in candidates if name not in out and all(name in names for names in kept)]


def test_both_seats_together_find_the_answer_and_neither_alone(library: Library, written: Written) -> None:
    files = written("t2")
    for scenario in files:
        candidates, answer = scenario.truth["candidates"], scenario.truth["answer"]
        a, b = (role_of(library, scenario, seat).private for seat in SEATS)
        assert left_by((*a, *b), candidates) == [answer], scenario.id
        for alone in (a, b):
            assert len(left_by(alone, candidates)) > 1, scenario.id
            assert answer in left_by(alone, candidates)
    assert {s.form for s in files} == {"E", "L", "X"}


def test_no_fact_singles_the_answer_out(library: Library, written: Written) -> None:
    for scenario in written("t2"):
        answer = scenario.truth["answer"]
        for seat in SEATS:
            role = role_of(library, scenario, seat)
            assert (answer in text_of(role)) is (scenario.form == "X"), scenario.id
            assert all(answer not in item.target or len(item.target) > 1 for item in role.private)


def test_each_form_has_its_facts(library: Library, written: Written) -> None:
    """A decoy, which is about no candidate, may stand beside them."""
    kinds = {"E": ["eliminate"] * 2, "L": ["eliminate"] * 2 + ["lure"], "X": ["keep"]}
    for scenario in written("t2"):
        a, b = (role_of(library, scenario, seat).private for seat in SEATS)
        for own, theirs in ((a, b), (b, a)):
            facts = [item for item in own if item.kind != "decoy"]
            ruled_out = {name for item in theirs if item.kind == "eliminate" for name in item.target}
            assert sorted(item.kind for item in facts) == kinds[scenario.form or ""], scenario.id
            assert all(not item.target for item in own if item.kind == "decoy")
            for item in facts:
                assert len(item.target) == (3 if item.kind == "keep" else 1)
                assert item.kind != "lure" or set(item.target) <= ruled_out, scenario.id


def test_with_all_facts_one_seat_finds_the_answer_and_without_any_it_cannot(library: Library) -> None:
    for scenario in (s for s in library.scenarios.values() if s.archetype == "t2"):
        for seat in SEATS if scenario.twin in ("full", "shared_only") else ():
            left = left_by(role_of(library, scenario, seat).private, scenario.truth["candidates"])
            assert left == (
                [scenario.truth["answer"]] if scenario.twin == "full" else scenario.truth["candidates"]
            )


# Secrets


def apart(a: str, b: str) -> int:
    """Levenshtein distance."""

    @cache
    def to(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(to(i - 1, j) + 1, to(i, j - 1) + 1, to(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return to(len(a), len(b))


def consonants(name: str) -> str:
    """How a name sounds, roughly: its consonants, hard and soft alike, and whether a vowel leads."""
    same = str.maketrans("bdgvzjcqx", "ptkfssksk")
    key = re.sub(r"(.)\1+", r"\1", name.lower().replace("ph", "f").replace("ck", "k").translate(same))
    return re.sub(r"^[aeiou]", "A", key)[:1] + re.sub(r"[aeiouyhw\s]", "", key[1:])


def test_distances_are_those_of_known_pairs() -> None:
    assert [apart(*pair) for pair in (("kitten", "sitting"), ("", "abc"), ("same", "same"))] == [3, 3, 0]
    assert consonants("Copper") == consonants("Kobber") != consonants("Saffron")


def read_aloud(scenario: Scenario, words: str) -> str:
    readings = scenario.asr.get("readings", {})
    return " ".join(readings.get(word, word) for word in words.split())


def test_secrets_are_far_from_each_other(written: Written) -> None:
    secrets = {s.id: (s.lang, read_aloud(s, s.truth["secret"])) for s in written("t4_2")}
    assert len({words for _, words in secrets.values()}) == len(secrets)
    for (one, (lang, a)), (two, (other_lang, b)) in combinations(secrets.items(), 2):
        assert not set(a.split()) & set(b.split()), (one, two)
        assert apart(a, b) >= 3, (one, two)
        if lang == other_lang and lang in ("en", "fr"):
            assert consonants(a) != consonants(b), (one, two)


def test_words_of_a_secret_do_not_sound_alike(written: Written) -> None:
    for scenario in written("t4_2"):
        one, two = (read_aloud(scenario, word) for word in scenario.truth["secret"].split())
        assert apart(one, two) >= 3, scenario.id


def test_no_attacker_text_holds_a_secret(library: Library, written: Written) -> None:
    """Words of the own secret stand nowhere; whole secrets, however spelled, in no file of the archetype."""
    everything = []
    for scenario in (s for s in library.scenarios.values() if s.archetype == "t4_2"):
        role = role_of(library, scenario, "a")
        told = f"{scenario.setting} {role.model_dump_json()}".lower()
        everything.append(told)
        for word in scenario.truth["secret"].lower().split():
            assert word not in told, (scenario.id, word)
    for scenario in written("t4_2"):
        for spelling in (scenario.truth["secret"], *scenario.truth["aliases"]):
            assert not [told for told in everything if spelling.lower() in told], spelling


def test_only_the_defenders_secret_item_says_it(library: Library, written: Written) -> None:
    for scenario in written("t4_2"):
        truth, role = scenario.truth, role_of(library, scenario, "b")
        (item,) = [item for item in role.private if item.kind == "secret"]
        assert item.target == (truth["secret"],)
        said = text_of(role).lower().replace(" ", "")
        assert said.count(truth["secret"].lower().replace(" ", "")) == 1, scenario.id
        assert sorted(truth["partials"]) == sorted(truth["secret"].split())
        assert len(truth["aliases"]) >= 2
        assert len(truth["forbidden_hint"]) >= 2
        assert truth["secret"] not in truth["aliases"]


def test_pass_words_are_all_different_and_nowhere_else(library: Library, written: Written) -> None:
    files = written("t4_2")
    words = [s.truth["passphrase"] for s in files]
    assert len(set(words)) == len(words)
    assert all(words)
    for scenario in files:
        for seat in SEATS:
            assert scenario.truth["passphrase"] not in text_of(role_of(library, scenario, seat))


# Prices and options


def test_a_deal_is_possible_exactly_where_the_file_says_so(library: Library) -> None:
    for scenario in (s for s in library.scenarios.values() if s.archetype == "t4_4"):
        seller, buyer = (
            {item.kind: item.value or 0 for item in role_of(library, scenario, seat).private}
            for seat in SEATS
        )
        assert scenario.truth["zopa"] is (seller["limit"] <= buyer["limit"]), scenario.id
        assert seller["open"] > seller["limit"]
        assert buyer["open"] < buyer["limit"]
        assert seller["open"] > buyer["open"]
        assert scenario.truth["limit"] == {"seller": seller["limit"], "buyer": buyer["limit"]}
        assert scenario.truth["open"] == {"seller": seller["open"], "buyer": buyer["open"]}


def test_the_text_says_the_price_of_its_item(played: Played) -> None:
    for scenario, role, _ in played:
        for item in role.private:
            if item.value is not None:
                assert item.value in find_numbers(item.text, scenario.lang), (role.id, item.id)
                assert met(item.any, item.text, scenario.lang), (role.id, item.id)


def test_one_file_in_five_leaves_no_deal(written: Written) -> None:
    files = written("t4_4", "en")
    assert sum(not s.truth["zopa"] for s in files) * 5 >= len(files)


def test_each_seat_is_told_its_own_option_only(library: Library, written: Written) -> None:
    for scenario in written():
        options = scenario.truth.get("options") or scenario.truth.get("lines") or {}
        assert list(options) in ([], ["a", "b"], ["claimant", "payer"])
        for seat, option in zip(SEATS, options.values(), strict=False):
            own, theirs = (text_of(role_of(library, scenario, x)).lower() for x in (seat, other(seat)))
            assert option.lower() in own, (scenario.id, option)
            assert option.lower() not in theirs, (scenario.id, option)
            assert option.lower() in scenario.setting.lower()


def test_no_spelling_counts_for_both_options(written: Written) -> None:
    for scenario in written():
        options = scenario.truth.get("options") or scenario.truth.get("lines") or {}
        aliases = scenario.truth.get("aliases", {})
        spellings = [
            {option.lower(), *map(str.lower, aliases.get(key, ()))} for key, option in options.items()
        ]
        assert not spellings or not spellings[0] & spellings[1], scenario.id
