"""Words brought inside their recording: public reports A5, A6, A8, A9, and the rules of suites.md §4."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.hear.clip import SHORTEST, words_within
from dyad.spec import RATE
from dyad.speech.words import Chunk
from dyad.suites.words import normalise

T = 2.0
LEAST = SHORTEST / RATE


@pytest.mark.parametrize(
    ("start", "end", "kept"),
    [
        (0.5, 0.9, (0.5, 0.9)),
        (1.8, 62.0, (1.8, T)),  # A8: a last end beyond the file must not lengthen anything
        (2.0, 2.4, None),  # A5: wholly outside
        (61.0, 62.0, None),
        (-0.5, -0.1, None),
        (-0.5, 0.0, None),
        (-0.04, 0.3, (0.0, 0.3)),  # A9: negative on short audio
        (0.7, 0.7, (0.7, 0.7 + LEAST)),  # A6: zero length stays, with 20 ms
        (0.0, 0.0, (0.0, LEAST)),
        (1.999, 1.999, (T - LEAST, T)),
        (0.9, 0.5, (0.5, 0.9)),  # swapped
        (0.7, None, (0.7, 0.7 + LEAST)),
        (None, 0.7, None),
        (math.nan, 0.7, None),
        (0.7, math.nan, (0.7, 0.7 + LEAST)),
        (0.7, math.inf, (0.7, T)),  # beyond the end, like 62 s
        (-math.inf, 0.7, (0.0, 0.7)),
        (2.0, 2.0, (T - LEAST, T)),  # without length, on the last edge: inside, as on the first
    ],
)
def test_a_word_is_cut_to_its_recording_or_dropped(start, end, kept):
    words, dropped = words_within([Chunk("so", start, end, 0.5)], "b", round(T * RATE))
    assert [(word.start, word.end) for word in words] == (
        [] if kept is None else [(round(kept[0] * RATE), round(kept[1] * RATE))]
    )
    assert dropped == (kept is None)
    assert all((word.seat, word.s, word.conf) == ("b", "so", 0.5) for word in words)


def test_a_word_without_text_is_dropped_and_counted():
    words, dropped = words_within([Chunk(" ", 0.1, 0.2), Chunk(" yes ", 0.1, 0.2)], "a", RATE)
    assert ([word.s for word in words], dropped) == (["yes"], 1)


times = st.none() | st.floats(-3, 5) | st.sampled_from([math.nan, math.inf, -math.inf, T])


@given(times, times)
def test_suites_keep_the_same_word_with_the_same_times(start, end):
    told = [Chunk("so", start, end)]
    words, scored = words_within(told, "a", round(T * RATE))[0], normalise(told, T).words
    assert len(words) == len(scored)
    for word, one in zip(words, scored, strict=True):
        assert abs(word.start - min(one.start, T - LEAST) * RATE) <= 1
        assert abs(word.end - max(one.end, word.start / RATE + LEAST) * RATE) <= 1


@given(st.lists(st.tuples(times, times), max_size=6), st.integers(0, 3 * RATE))
def test_whatever_an_engine_tells_words_lie_in_the_recording(told, samples):
    found = [Chunk("so", start, end) for start, end in told]
    words, dropped = words_within(found, "a", samples)
    assert len(words) + dropped == len(found)
    assert all(0 <= word.start <= word.end <= samples for word in words)
    assert all(word.end - word.start >= min(SHORTEST, samples) for word in words)


@given(st.integers(0, 10**8))
def test_samples_at_16_khz_come_through_seconds_unharmed(at):
    (word,), _ = words_within([Chunk("so", at / 16_000, at / 16_000 + 1)], "a", 10**9)
    assert word.start == at * 3 // 2
