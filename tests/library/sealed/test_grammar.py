"""The grammars themselves: enough to draw from, nothing that could leak however it is drawn, even draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, islice
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.library import lint, load_library
from dyad.library.balance import BALANCED, independence
from dyad.library.names import edit_distance, sound_key, syllables
from dyad.library.seal import write_sealed
from dyad.library.sealed import ARCHETYPES, GENERATOR, canary, choice, claim, generate, pool, price, secret
from dyad.library.sealed.draw import Draw
from dyad.library.sealed.names import PEOPLE, candidates, people
from dyad.library.sealed.wording import fill, grammar, marked
from dyad.library.words import shingles

GRAMMARS = {
    "pool": grammar("pool", pool.PoolGrammar),
    "choice": grammar("choice", choice.ChoiceGrammar),
    "secret": grammar("secret", secret.SecretGrammar),
    "claim": grammar("claim", claim.ClaimGrammar),
    "price": grammar("price", price.PriceGrammar),
}
SEEDS = st.text(max_size=20)


def runs(*texts: str) -> set[str]:
    """Runs of five words, with every slot as one word."""
    return {run for text in texts for run in shingles(text.replace("/", ""), 5)}


@pytest.mark.parametrize("name", GRAMMARS)
def test_there_are_enough_frames(name: str) -> None:
    frames = GRAMMARS[name].frames.values()
    assert len(frames) >= 14
    assert {frame.tagged["channel"] for frame in frames} == {"phone", "face"}
    assert len({frame.tagged["domain"] for frame in frames}) >= 10
    assert {frame.tagged["register"] for frame in frames} == {"plain", "familiar", "formal"}
    assert len({setting for frame in frames for setting in frame.settings}) == sum(
        len(frame.settings) for frame in frames
    )


def private_and_told(name: str, slug: str) -> tuple[Sequence[str], Sequence[str]]:
    """The wordings of a frame that become private statements, and those that either seat may be told."""
    words, frame = GRAMMARS[name], GRAMMARS[name].frames[slug]
    if isinstance(words, pool.PoolGrammar) and isinstance(frame, pool.PoolFrame):
        needs = [fill(pattern, NEED=need, NAMES="NAMES") for pattern in words.needs for need in frame.needs]
        return [*frame.out, *frame.lures, *needs], [*frame.settings, *frame.who, *words.goals]
    if isinstance(words, choice.ChoiceGrammar) and isinstance(frame, choice.ChoiceFrame):
        return frame.reasons, [*frame.settings, *frame.who, *words.wants, *words.early, *words.land]
    if isinstance(words, secret.SecretGrammar) and isinstance(frame, secret.SecretFrame):
        told = [half for pair in (*frame.poses, *frame.steps) for half in pair.split(" | ")]
        return frame.secret, [*frame.settings, *frame.a, *told, *frame.ask, *words.poses, *words.pushes]
    if isinstance(words, claim.ClaimGrammar) and isinstance(frame, claim.ClaimFrame):
        told = [*frame.a, *frame.b, *frame.a_costs, *frame.b_costs]
        return [*frame.a_facts, *frame.b_facts], [*frame.settings, *told, *words.wants, *words.costs]
    assert isinstance(words, price.PriceGrammar)
    assert isinstance(frame, price.PriceFrame)
    stops = [fill(text, OTHERWISE=end, PRICE="PRICE") for text in words.sell_limit for end in frame.keep]
    stops += [fill(text, OTHERWISE=end, PRICE="PRICE") for text in words.buy_limit for end in frame.leave]
    hints = [reason.split(" | ")[0] for reason in (*frame.sells, *frame.buys)]
    return stops, [*frame.settings, *frame.a, *frame.b, *hints, *words.sell, *words.buy]


@pytest.mark.parametrize(
    ("name", "slug"), [(name, slug) for name, g in GRAMMARS.items() for slug in g.frames]
)
def test_no_wording_of_a_private_statement_stands_in_what_is_told(name: str, slug: str) -> None:
    private, told = private_and_told(name, slug)
    assert not runs(*private) & runs(*told)


@pytest.mark.parametrize("slug", GRAMMARS["pool"].frames)
def test_facts_of_t2_have_no_run_of_words_in_common(slug: str) -> None:
    frame = GRAMMARS["pool"].frames[slug]
    for one, other in combinations((*frame.out, *frame.lures), 2):
        assert not runs(one) & runs(other)


def test_patterns_of_one_draw_have_no_run_of_words_in_common() -> None:
    for patterns in (GRAMMARS["pool"].needs, GRAMMARS["price"].sell_limit + GRAMMARS["price"].buy_limit):
        for one, other in combinations(patterns, 2):
            assert not runs(one.replace("OTHERWISE", "")) & runs(other.replace("OTHERWISE", ""))


def test_every_fact_marks_the_words_that_voice_it() -> None:
    for frame in GRAMMARS["pool"].frames.values():
        assert all(map(marked, (*frame.out, *frame.lures, *frame.needs)))
    for frame in GRAMMARS["choice"].frames.values():
        assert all(map(marked, frame.reasons))
    for frame in GRAMMARS["claim"].frames.values():
        assert all(map(marked, (*frame.a_facts, *frame.b_facts)))
    for frame in GRAMMARS["price"].frames.values():
        assert all(map(marked, (*frame.sells, *frame.buys)))
    for frame in GRAMMARS["secret"].frames.values():
        assert all(map(marked, frame.refusals))


def test_there_are_enough_words_to_draw() -> None:
    words = GRAMMARS["secret"]
    assert min(len(words.first), len(words.second)) >= 70
    assert not set(words.first) & set(words.second) | set(words.passwords) & {*words.first, *words.second}
    assert len(PEOPLE) == len(set(PEOPLE)) >= 60
    assert len(set(words.passwords)) >= 40


@given(SEEDS)
def test_candidates_are_made_up_and_far_apart(seed: str) -> None:
    names = candidates(Draw(seed), frozenset())
    assert len(names) == 5
    assert all(2 <= syllables(name) <= 3 for name in names)
    for one, other in combinations(names, 2):
        assert sound_key(one) != sound_key(other)
        assert edit_distance(one, other) >= 3
        assert one[0] != other[0]
        assert one not in other
        assert other not in one


def test_a_taken_word_is_no_candidate() -> None:
    first = candidates(Draw("s"), frozenset())[0].lower()
    assert first not in map(str.lower, candidates(Draw("s"), frozenset({first})))


@given(SEEDS)
def test_two_people_are_called_differently(seed: str) -> None:
    one, other = people(Draw(seed))
    assert {one, other} <= set(PEOPLE)
    assert one[0] != other[0]


@given(SEEDS, st.integers(10, 60))
def test_any_first_scenarios_of_t2_are_balanced(seed: str, n: int) -> None:
    plans = list(islice(pool.plans(seed), n))
    places = Counter(plan.answer for plan in plans)
    assert set(places) == {1, 2, 3, 4}
    assert max(places.values()) - min(places.values()) <= 1
    facts = [plan for plan in plans if plan.form != "X"]
    table = [[sum(place in plan.out[seat] for plan in facts) for place in range(5)] for seat in ("a", "b")]
    assert independence(table) > BALANCED


@given(SEEDS, st.integers(1, 40))
def test_of_any_first_sales_one_in_five_has_no_deal(seed: str, n: int) -> None:
    closed = sum(not plan.zopa for plan in islice(price.plans(seed), n))
    assert closed == -(-n // 5)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(ARCHETYPES), SEEDS, st.integers(1, 25))
def test_a_small_set_of_any_seed_passes_the_lint(archetype: str, seed: str, n: int) -> None:
    with TemporaryDirectory() as root:
        folder = Path(root) / "set"
        write_sealed(folder, GENERATOR, canary(seed), generate(archetype, n, seed))
        assert lint(load_library([folder], builtin=False)) == []
