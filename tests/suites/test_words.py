"""Words of suites: one form, the speech gate, inter-pausal units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.suites.protocol import Chunk, Sound
from dyad.suites.words import Ipu, Timed, gated, ipus, is_backchannel, is_unheard, normalise, speech_of

NAN, INF = float("nan"), float("inf")
times = st.none() | st.floats(-3, 13, allow_nan=False)
chunks = st.lists(st.builds(Chunk, st.sampled_from(["a", "", " "]), times, times), max_size=8)


def timed(*spans: tuple[float, float]) -> tuple[Timed, ...]:
    return tuple(Timed("w", start, end) for start, end in spans)


@pytest.mark.parametrize(
    ("chunk", "kept"),
    [
        (Chunk(" a", 1.0, 2.0), (1.0, 2.0)),
        (Chunk("", 1.0, 2.0), None),
        (Chunk(" \n", 1.0, 2.0), None),
        (Chunk("a", None, 2.0), None),
        (Chunk("a", NAN, 2.0), None),
        (Chunk("a", 1.0, None), (1.0, 1.0)),
        (Chunk("a", 1.0, NAN), (1.0, 1.0)),
        (Chunk("a", -0.5, 0.5), (0.0, 0.5)),
        (Chunk("a", 9.0, 62.0), (9.0, 10.0)),
        (Chunk("a", 9.0, INF), (9.0, 10.0)),
        (Chunk("a", 10.5, 11.0), None),
        (Chunk("a", 10.0, 11.0), None),
        (Chunk("a", 10.0, 10.0), (10.0, 10.0)),
        (Chunk("a", -2.0, -1.0), None),
        (Chunk("a", -2.0, 0.0), None),
        (Chunk("a", 0.0, 0.0), (0.0, 0.0)),
        (Chunk("a", 12.0, None), None),
        (Chunk("a", -2.0, None), None),
    ],
)
def test_one_word(chunk: Chunk, kept: tuple[float, float] | None) -> None:
    found = normalise([chunk], 10.0)
    assert [(w.start, w.end) for w in found.words] == ([kept] if kept else [])
    assert (found.dropped, found.swapped) == (int(kept is None), 0)


def test_times_are_clipped_before_they_are_swapped() -> None:
    found = normalise([Chunk("b", 12.0, 4.0), Chunk("a", 3.0, 2.0)], 10.0)
    assert found.words == (Timed("a", 2.0, 3.0), Timed("b", 4.0, 10.0))
    assert (found.dropped, found.swapped) == (0, 2)


def test_words_are_sorted_by_start_then_end_and_their_text_is_trimmed() -> None:
    found = normalise([Chunk(" c", 2.0, 3.0), Chunk("b ", 1.0, 2.0), Chunk("a", 1.0, 1.5)], 10.0)
    assert [w.text for w in found.words] == ["a", "b", "c"]


@settings(max_examples=60, deadline=None)
@given(chunks)
def test_every_word_ends_inside_the_recording_or_is_counted_as_dropped(given: list[Chunk]) -> None:
    found = normalise(given, 10.0)
    assert all(0 <= w.start <= w.end <= 10 and w.text for w in found.words)
    assert len(found.words) + found.dropped == len(given)
    assert list(found.words) == sorted(found.words, key=lambda w: (w.start, w.end))
    again = normalise([Chunk(*word) for word in found.words], 10.0)
    assert (again.words, again.dropped, again.swapped) == (found.words, 0, 0)


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ((1.0, 2.0), True),
        ((0.8, 1.0), True),  # in the padding
        ((0.4, 0.8), False),
        ((0.6, 1.0), True),  # just half of it
        ((0.59, 1.0), False),
        ((2.2, 2.2), False),  # without length: 20 ms from 2.2 on
        ((2.19, 2.19), True),
        ((2.1895, 2.2005), True),
        ((0.0, 10.0), False),
        ((0.5, 2.7), True),  # the speech inside is 1.4 of 2.2 s
    ],
)
def test_a_word_counts_if_half_of_it_is_speech(word: tuple[float, float], kept: bool) -> None:
    assert bool(gated(timed(word), np.array([[1.0, 2.0]]))) is kept


def test_padding_of_neighbours_counts_once() -> None:
    speech = np.array([[1.3, 1.4], [1.0, 1.2]])  # 0.8–1.6 in all, in any order
    assert gated(timed((0.0, 1.5)), speech) == ()  # 0.7 of 1.5 s; 1.0 if what both pads cover counted twice
    assert len(gated(timed((0.2, 1.4)), speech)) == 1


def test_nothing_is_speech_in_a_silent_recording() -> None:
    assert gated(timed((1.0, 1.2), (3.0, 3.0)), np.zeros((0, 2))) == ()


GAPS = timed((0.2, 0.5), (0.9, 1.2), (1.7, 2.0), (2.1, 2.4))  # worked in suites.md §6


def test_a_silence_of_half_a_second_splits_in_compat_only() -> None:
    assert [(i.start, i.end, len(i.words)) for i in ipus(GAPS)] == [(0.2, 2.4, 4)]
    assert [(i.start, i.end, len(i.words)) for i in ipus(GAPS, closed=True)] == [(0.2, 1.2, 2), (1.7, 2.4, 2)]


@pytest.mark.parametrize(
    ("start", "strict", "closed"),
    [(0.49, 1, 1), (0.5, 1, 2), (0.5 + 1e-7, 1, 2), (0.5 - 1e-7, 1, 1), (0.501, 2, 2)],
)
def test_units_at_the_limit(start: float, strict: int, closed: int) -> None:
    words = timed((0.0, 0.0), (start, 2.0))
    assert (len(ipus(words)), len(ipus(words, closed=True))) == (strict, closed)


def test_doubles_are_equal_within_a_microsecond() -> None:
    assert 2.2 - 1.7 > 0.5 > 2.3 - 1.8
    for end, start, closed in ((1.7, 2.2, 2), (1.8, 2.3, 1)):
        words = timed((1.0, end), (start, 4.0))
        assert (len(ipus(words)), len(ipus(words, closed=True))) == (1, closed)


def test_a_word_inside_a_longer_one_does_not_end_the_unit() -> None:
    assert ipus(()) == ()
    assert [(i.start, i.end) for i in ipus(timed((0.0, 3.0), (0.5, 1.0)))] == [(0.0, 3.0)]
    assert [(i.start, i.end) for i in ipus(timed((0.0, 3.0), (0.5, 1.0), (3.4, 4.0)))] == [(0.0, 4.0)]


@pytest.mark.parametrize(
    ("start", "end", "words", "short"),
    [
        (1.0, 1.9, 3, True),
        (1.0, 1.9, 4, False),
        (1.0, 2.0, 1, False),
        (3.1, 4.1, 1, False),  # 0.9999999999999996
        (1.0, 1.999, 1, True),
    ],
)
def test_backchannel_like(start: float, end: float, words: int, short: bool) -> None:
    assert is_backchannel(Ipu(start, end, timed(*[(start, end)] * words))) is short


def test_speech_of_a_sound_that_was_cut_ends_with_it() -> None:
    probs = np.zeros(312, np.float32)  # 10 s
    probs[31:62] = probs[125:188] = probs[250:280] = 1
    sound = Sound(np.zeros(24_000 * 5, np.int16), 24_000, (), probs, probs)
    speech = speech_of(sound)
    np.testing.assert_allclose(speech, [[0.962, 2.014], [3.97, 5.0]], atol=1e-9)


@pytest.mark.parametrize(
    ("windows", "since", "words", "unheard"),
    [
        (10, 0.0, (), True),  # 0.32 s
        (9, 0.0, (), False),  # 0.288 s, which padding would make 0.348 s
        (10, 0.1, (), False),  # the speech begins at 0.032 s
        (10, 0.0, (Chunk("so", 0.1, 0.2),), False),
        (10, 0.0, (Chunk("so", None, 0.2),), True),  # a word without a start is none
    ],
)
def test_speech_without_a_word_has_not_been_heard(
    windows: int, since: float, words: tuple[Chunk, ...], unheard: bool
) -> None:
    probs = np.zeros(63, np.float32)
    probs[1 : 1 + windows] = 1
    assert is_unheard(Sound(np.zeros(32_000, np.int16), 16_000, words, probs, probs), since) is unheard
