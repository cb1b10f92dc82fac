"""Times and channels of manual words by longest common subsequences."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.suites.prepare.corpus import Manual
from dyad.suites.prepare.lcs import common, placed, tokens_in, transfer
from dyad.suites.words import Timed

MANUAL = Manual(0, 1.6, ("euh", "ben", "je", "pense", "que", "oui"))
HEARD = [
    Timed("ben", 0.30, 0.50), Timed("je", 0.50, 0.62), Timed("pense", 0.62, 1.00), Timed("oui", 1.30, 1.55),
]  # fmt: skip
FEW = st.lists(st.sampled_from("abc"), max_size=7)


def test_the_worked_example():
    assert common(MANUAL.words, [w.text for w in HEARD]) == [(1, 0), (2, 1), (3, 2), (5, 3)]
    moved = transfer([MANUAL], [[], HEARD], "fr")
    assert moved.words[0] == ()
    assert [w.text for w in moved.words[1]] == list(MANUAL.words)
    times = [time for w in moved.words[1] for time in (w.start, w.end)]
    assert times == pytest.approx([0, 0.3, 0.3, 0.5, 0.5, 0.62, 0.62, 1.0, 1.0, 1.3, 1.3, 1.55])
    assert moved.counts == {
        "manual_words": 6, "matched": 4, "spread": 2, "recovered": 0, "recognised_words": 4,
        "turns_without_match": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "pairs"),
    [
        ("aba", "a", [(0, 0)]),
        ("a", "aba", [(0, 0)]),
        ("ab", "ba", [(0, 1)]),  # the first word that can match does, at its earliest
        ("xab", "aab", [(1, 0), (2, 2)]),
        ("", "a", []),
    ],
)
def test_ties_go_to_the_earliest_match(a: str, b: str, pairs: list[tuple[int, int]]):
    assert common(a, b) == pairs


@settings(max_examples=60)
@given(FEW, FEW)
def test_no_common_subsequence_is_longer_or_earlier(a: list[str], b: list[str]):
    """Against all subsequences: the longest, and of those the one whose pairs come first in order."""

    def earliest(chosen: tuple[int, ...]) -> list[tuple[int, int]] | None:
        pairs, j = [], 0
        for i in chosen:
            j = next((k for k in range(j, len(b)) if b[k] == a[i]), -1) + 1
            if not j:
                return None
            pairs.append((i, j - 1))
        return pairs

    ways = (earliest(c) for n in range(len(a), -1, -1) for c in combinations(range(len(a)), n))
    assert common(a, b) == next(way for way in ways if way is not None)


def test_forms_are_compared_and_words_are_kept():
    """Case, punctuation and accents do not count; an apostrophe parts forms, not words."""
    assert [t.text for t in tokens_in([Timed("D'accord,", 0, 0.7)], "fr")] == ["d", "accord"]
    heard = [
        Timed("d", 0.1, 0.2),
        Timed("accord", 0.2, 0.6),
        Timed("tres", 0.7, 0.9),
        Timed("Bien", 0.9, 1.2),
    ]
    moved = transfer([Manual(0, 1.3, ("D'accord,", "TRÈS", "bien."))], [heard, []], "fr")
    assert moved.words[0] == (Timed("D'accord,", 0.1, 0.6), Timed("TRÈS", 0.7, 0.9), Timed("bien.", 0.9, 1.2))


def test_one_recognised_word_can_time_two_manual_ones():
    moved = transfer([Manual(0, 1, ("d'", "accord"))], [[Timed("d'accord", 0.0, 0.7)], []], "fr")
    assert [(w.start, w.end) for w in moved.words[0]] == [pytest.approx((0, 0.1)), pytest.approx((0.1, 0.7))]


def test_scripts_without_spaces():
    moved = transfer([Manual(0, 1, ("は", "い"))], [[], [Timed("はい", 0.2, 0.6)]], "ja")
    assert [(w.start, w.end) for w in moved.words[1]] == [
        pytest.approx((0.2, 0.4)),
        pytest.approx((0.4, 0.6)),
    ]


def test_the_speaker_is_the_channel_with_more_matches():
    turn = Manual(0, 2, ("un", "mot", "de", "plus"))
    here = [Timed("mot", 0.5, 0.8), Timed("de", 0.8, 1.0)]
    there = [Timed("plus", 1.2, 1.5)]
    assert [len(said) for said in transfer([turn], [there, here], "fr").words] == [0, 4]


def test_equal_matches_go_to_the_channel_with_more_speech_then_to_the_first():
    turn = Manual(0, 2, ("mot",))
    short, long = [Timed("mot", 0.5, 0.6)], [Timed("mot", 0.5, 1.5)]
    assert [len(said) for said in transfer([turn], [short, long], "fr").words] == [0, 1]
    assert [len(said) for said in transfer([turn], [short, short], "fr").words] == [1, 0]
    moved = transfer([turn], [[], []], "fr")
    assert moved.words == ((Timed("mot", 0, 2),), ())
    assert moved.counts["turns_without_match"] == 1


@pytest.mark.parametrize(("start", "matched"), [(2.3, 1), (2.4, 0)])
def test_words_within_half_a_second_of_a_turn_are_compared(start: float, matched: int):
    moved = transfer([Manual(0, 2, ("mot",))], [[Timed("mot", start, start + 0.2)], []], "fr")
    assert moved.counts["matched"] == matched


def test_overlapped_words_that_nobody_wrote_down_are_recovered():
    """Not those that match the turn (an echo of the other line), nor those in a turn of their own speaker."""
    mine = [Timed("je", 0.0, 0.3), Timed("parle", 0.3, 0.8), Timed("encore", 0.8, 1.4)]
    other = [Timed("parle", 0.35, 0.8), Timed("oui", 0.9, 1.1), Timed("bon", 4.0, 4.2)]
    own = Manual(3.9, 4.5, ("non",))
    moved = transfer([Manual(0, 1.5, ("je", "parle", "encore")), own], [mine, other], "fr")
    assert moved.words[1] == (Timed("oui", 0.9, 1.1), Timed("non", 3.9, 4.5))
    assert moved.counts["recovered"] == 1


@pytest.mark.parametrize(("at", "recovered"), [(1.0, 1), (0.25, 0)])
def test_a_listener_may_say_the_same_word_at_another_time(at: float, recovered: int):
    """At the same time it is an echo of the speaker."""
    mine = [Timed("oui", 0.2, 0.4), Timed("je", 0.5, 0.6), Timed("crois", 0.6, 1.9)]
    moved = transfer([Manual(0, 2, ("oui", "je", "crois"))], [mine, [Timed("oui", at, at + 0.2)]], "fr")
    assert moved.counts["recovered"] == len(moved.words[1]) == recovered


def test_a_recognised_word_times_one_manual_word_only():
    heard = [Timed("oui", 1.9, 2.1)]
    moved = transfer([Manual(0, 1.7, ("oui",)), Manual(1.8, 3, ("oui",))], [heard, []], "fr")
    assert moved.counts["matched"] == 1


@settings(max_examples=40)
@given(FEW, FEW)
def test_every_manual_word_is_kept_in_order_and_inside_of_what_is_known(a: list[str], b: list[str]):
    heard = [Timed(text, 0.3 * i, 0.3 * i + 0.2) for i, text in enumerate(b)]
    said = transfer([Manual(0.2, 1.5, tuple(a))], [heard, []], "fr").words[0] if a else ()
    assert [w.text for w in said] == a
    assert all(0 <= w.start <= w.end <= 2.0 for w in said)
    assert all(x.end <= y.start + 1e-9 for x, y in pairwise(said))


def test_unmatched_words_share_the_time_between_their_neighbours():
    turn = Manual(0, 3, ("a", "b", "c", "d", "e"))
    spread = placed(turn, {1: (0.6, 0.8), 4: (2.0, 3.2)})
    assert spread == [
        Timed("a", 0, 0.6), Timed("b", 0.6, 0.8), Timed("c", 0.8, 1.4), Timed("d", 1.4, 2.0),
        Timed("e", 2.0, 3.2),
    ]  # fmt: skip
