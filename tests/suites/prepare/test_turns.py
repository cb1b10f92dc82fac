"""Turns, sentences, pauses, and how good an event is: the worked numbers of the preparation's rules."""

from __future__ import annotations

import pytest

from dyad.suites.prepare.quality import (
    backchannel_quality,
    interruption_quality,
    pause_quality,
    smooth_quality,
)
from dyad.suites.prepare.turns import pauses, sentences, speech_s, turns
from dyad.suites.words import Timed

SPANS = ((0, 0.3), (0.35, 0.7), (0.95, 1.2), (2.1, 2.5), (4.5, 4.9), (6.95, 7.3))
WORDS = [Timed(f"w{i}", *span) for i, span in enumerate(SPANS)]


def test_a_gap_of_two_seconds_joins_and_a_longer_one_parts_turns():
    assert [(turn.start, turn.end) for turn in turns(WORDS)] == [(0, 4.9), (6.95, 7.3)]


def test_sentences_and_pauses_of_the_first_turn():
    first = turns(WORDS)[0]
    found = [(sentence.start, sentence.end) for sentence in sentences(first.words)]
    assert found == [(0, 0.7), (0.95, 1.2), (2.1, 2.5), (4.5, 4.9)]
    assert pauses(first.words) == [(1.2, 2.1), (2.5, 4.5)]
    assert speech_s(first.words) == pytest.approx(0.3 + 0.35 + 0.25 + 0.4 + 0.4)


def test_a_gap_of_exactly_the_limit_is_not_above_it():
    """In IEEE doubles 13.2 − 13.0 is more than 0.2, and 13.7 − 13.0 more than 0.7."""
    words = [Timed("a", 12.5, 13.0), Timed("b", 13.2, 13.5)]
    assert len(sentences(words)) == 1
    assert pauses([words[0], Timed("b", 13.7, 14.0)]) == []


def test_words_inside_of_others_do_not_end_a_turn_early():
    words = [Timed("long", 0, 5), Timed("short", 1, 1.2), Timed("next", 6.9, 7)]
    assert [(turn.start, turn.end) for turn in turns(words)] == [(0, 7)]


@pytest.mark.parametrize(
    ("quality", "expected"),
    [
        (pause_quality(0.9, 1.1, 0.4), 0.3409),
        (pause_quality(0.7, 1.0, 1.0), 1),
        (pause_quality(0.7, 0.0, 1.0), 0),
        (smooth_quality(0.25), 0.75),
        (smooth_quality(0.0), 1),
        (interruption_quality(0.25, 1.0), 0.5),
        (interruption_quality(2.0, 0.5), 1),
        (interruption_quality(2.0, 5.0), 1),
        (interruption_quality(2.0, 0.49), 0),
        (interruption_quality(2.0, 5.01), 0),
        (backchannel_quality(3, 30), 1),
        (backchannel_quality(1, 15), 1 / 6),
        (backchannel_quality(9, 90), 1),
    ],
)
def test_quality(quality: float, expected: float):
    assert quality == pytest.approx(expected, abs=5e-5)
