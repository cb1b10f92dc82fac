"""A thousand scenarios of each archetype: clean, all different, secret, solvable, balanced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from dyad.library import Library, lint, role_of, truth_of
from dyad.library.balance import report
from dyad.library.seal import record_hash
from dyad.library.sealed import ARCHETYPES
from dyad.library.sheet import told
from dyad.library.truth import PoolTruth, PriceTruth, SecretTruth
from dyad.library.words import shingles
from dyad.spec import SEATS, Item, Role, Scenario

# One worker makes the thousand of an archetype for all tests of it.
EACH = [pytest.param(archetype, marks=pytest.mark.xdist_group(archetype)) for archetype in ARCHETYPES]
Thousand = Callable[[str], Library]
N = 1000


def written(library: Library) -> list[Scenario]:
    return [scenario for scenario in library.scenarios.values() if not scenario.twin]


def roles(library: Library, scenario: Scenario) -> tuple[Role, Role]:
    return role_of(library, scenario, "a"), role_of(library, scenario, "b")


@pytest.mark.parametrize("archetype", EACH)
def test_the_lint_finds_nothing(archetype: str, thousand: Thousand) -> None:
    library = thousand(archetype)
    assert len(written(library)) == N
    assert lint(library) == []


@pytest.mark.parametrize("archetype", EACH)
def test_no_two_are_alike(archetype: str, thousand: Thousand) -> None:
    library = thousand(archetype)
    texts, facts = Counter[object](), Counter[object]()
    for scenario in written(library):
        pair = roles(library, scenario)
        texts[scenario.setting, *(role.brief for role in pair)] += 1
        facts[tuple(frozenset(_facts(role, scenario)) for role in pair)] += 1
    assert (texts.most_common(1)[0][1], facts.most_common(1)[0][1]) == (1, 1)


def _facts(role: Role, scenario: Scenario) -> Iterator[str]:
    """What a role knows, without the names that were drawn for it."""
    for item in role.private:
        text = item.text
        for name in scenario.truth.get("candidates", ()):
            text = text.replace(name, "@")
        yield text
    yield from (cue.text for cue in role.reasons if role.kind in ("seller", "buyer"))


@pytest.mark.parametrize("archetype", EACH)
def test_nothing_private_reaches_the_setting_or_the_other_seat(archetype: str, thousand: Thousand) -> None:
    library = thousand(archetype)
    for scenario in written(library):
        pair = roles(library, scenario)
        for role, partner in (pair, pair[::-1]):
            known = shingles(scenario.setting, 5) | shingles(told(partner), 5)
            assert not {run for item in role.private for run in shingles(item.text, 5)} & known, scenario.id


@pytest.mark.parametrize("archetype", EACH)
def test_the_committed_hashes_are_those_of_the_records(archetype: str, thousand: Thousand) -> None:
    library = thousand(archetype)
    hashes = {s.id: record_hash(s, roles(library, s)) for s in written(library)}
    assert hashes == {id: library.seals[id] for id in hashes}
    assert len(set(hashes.values())) == N


@pytest.mark.parametrize("archetype", EACH)
def test_every_part_of_the_balance_report_passes(archetype: str, thousand: Thousand) -> None:
    failed = [line for line in report(thousand(archetype)) if line.ok is False]
    assert failed == []


def survivors(items: tuple[Item, ...], names: tuple[str, ...]) -> set[str]:
    """What facts leave of the names: a solver of its own, that reads structured items only."""
    out = {name for item in items if item.kind == "eliminate" for name in item.target}
    kept = [set(item.target) for item in items if item.kind == "keep"]
    return set(names).difference(out).intersection(*kept)


@pytest.mark.xdist_group("t2")
def test_t2_is_solved_by_both_seats_and_by_neither_alone(thousand: Thousand) -> None:
    library = thousand("t2")
    forms, places = Counter[str](), Counter[int]()
    for scenario in written(library):
        truth, (a, b) = truth_of(scenario), roles(library, scenario)
        assert isinstance(truth, PoolTruth)
        assert survivors((*a.private, *b.private), truth.candidates) == {truth.answer}
        assert min(len(survivors(role.private, truth.candidates)) for role in (a, b)) == 3
        forms[scenario.form or ""] += 1
        places[truth.candidates.index(truth.answer)] += 1
    assert places == {1: 250, 2: 250, 3: 250, 4: 250}
    assert min(forms[form] for form in "ELX") >= 320


@pytest.mark.xdist_group("t2")
def test_a_lure_of_t2_praises_what_only_the_other_seat_rules_out(thousand: Thousand) -> None:
    library = thousand("t2")
    for scenario in (s for s in written(library) if s.form == "L"):
        pair = roles(library, scenario)
        for role, partner in (pair, pair[::-1]):
            (lure,) = (item for item in role.private if item.kind == "lure")
            assert lure.target[0] in survivors(role.private, scenario.truth["candidates"])
            assert lure.target[0] not in survivors(partner.private, scenario.truth["candidates"])


@pytest.mark.xdist_group("t4_2")
def test_secrets_of_t4_2_are_all_different_and_unknown_to_attackers(thousand: Thousand) -> None:
    library = thousand("t4_2")
    secrets = set()
    for scenario in written(library):
        truth, (attacker, defender) = truth_of(scenario), roles(library, scenario)
        assert isinstance(truth, SecretTruth)
        secrets.add(truth.secret)
        known = f"{scenario.setting} {attacker.model_dump_json()}".lower()
        assert not [word for word in truth.secret.split() if word in known.split()]
        assert truth.secret not in known
        assert defender.private[0].text.lower().count(truth.secret) == 1
        assert f"{scenario.id}.authorised" in library.scenarios
    assert len(secrets) == N


@pytest.mark.xdist_group("t4_4")
def test_one_sale_in_five_leaves_no_deal_and_the_flag_says_so(thousand: Thousand) -> None:
    library = thousand("t4_4")
    closed = 0
    for scenario in written(library):
        truth = truth_of(scenario)
        assert isinstance(truth, PriceTruth)
        assert truth.zopa == (truth.limit.seller <= truth.limit.buyer)
        prices = [
            truth.open.buyer,
            truth.limit.seller,
            truth.limit.buyer,
            truth.twin_limit,
            truth.open.seller,
        ]
        assert len(set(prices)) == 5
        assert (prices[0], prices[-1]) == (min(filter(None, prices)), max(filter(None, prices)))
        twin = library.scenarios[f"{scenario.id}.{'nozopa' if truth.zopa else 'zopa'}"]
        assert twin.truth["zopa"] is not truth.zopa
        closed += not truth.zopa
    assert closed == N // 5


@pytest.mark.xdist_group("t4_4")
@pytest.mark.parametrize("side", ["seller", "buyer"])
def test_no_side_reads_from_its_own_prices_whether_there_is_room(thousand: Thousand, side: str) -> None:
    truths = [s.truth for s in written(thousand("t4_4"))]
    ratios = {
        z: [t["open"][side] / t["limit"][side] for t in truths if t["zopa"] is z] for z in (True, False)
    }
    guesses = [(x > y) + (x == y) / 2 for x in ratios[True] for y in ratios[False]]
    assert 0.44 < sum(guesses) / len(guesses) < 0.56  # area under the curve; 0.5 tells nothing


@pytest.mark.xdist_group("t4_1")
def test_each_option_of_t4_1_stands_first_alike_often(thousand: Thousand) -> None:
    library = thousand("t4_1")
    first = Counter(
        min(SEATS, key=lambda seat: s.setting.find(s.truth["options"][seat])) for s in written(library)
    )
    assert first == {"a": N // 2, "b": N // 2}
