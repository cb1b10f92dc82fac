"""CTC alignment: the best path is the best of all paths, and a known one is found."""

from itertools import groupby, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.hear.align.ctc import _frames, spelled, viterbi, word_frames

BLANK = 0


def emissions(path, sure=0.9, symbols=5):
    """Log probabilities [T, symbols] of a path of symbols that is heard clearly."""
    probs = np.full((len(path), symbols), (1 - sure) / (symbols - 1))
    probs[np.arange(len(path)), path] = sure
    return np.log(probs)


@pytest.mark.parametrize(
    ("path", "labels", "owner"),
    [
        ([0, 1, 1, 0, 2, 2, 0, 3], [1, 2, 3], [-1, 0, 0, -1, 1, 1, -1, 2]),
        ([1, 2, 3], [1, 2, 3], [0, 1, 2]),
        ([1, 0, 1, 1], [1, 1], [0, -1, 1, 1]),  # equal neighbours have a blank between them
        ([0, 0, 4, 0, 0], [4], [-1, -1, 0, -1, -1]),
        ([0, 0, 0], [], [-1, -1, -1]),
    ],
)
def test_a_known_path_is_found(path, labels, owner):
    assert viterbi(emissions(path), labels, BLANK).tolist() == owner


@pytest.mark.parametrize(
    ("frames", "labels"), [(2, [1, 2, 3]), (2, [1, 1]), (3, [2, 2, 3]), (0, [1]), (0, [])]
)
def test_too_few_frames_have_no_path(frames, labels):
    assert viterbi(emissions([0] * frames), labels, BLANK) is None


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 6), st.lists(st.integers(1, 2), min_size=1, max_size=3))
def test_the_path_is_the_most_probable_of_all(seed, frames, labels):
    logprobs = np.log(np.random.default_rng(seed).dirichlet(np.ones(3), frames))

    def score(path):
        return sum(logprobs[t, s] for t, s in enumerate(path))

    every = product(range(3), repeat=frames)
    fit = [p for p in every if [s for s, _ in groupby(p) if s != BLANK] == labels]
    found = viterbi(logprobs, labels, BLANK)
    if not fit:
        assert found is None
        return
    symbols = [BLANK if k < 0 else labels[k] for k in found]
    assert score(symbols) == pytest.approx(max(map(score, fit)))


def test_words_have_the_frames_of_their_letters():
    path = viterbi(emissions([0, 1, 0, 2, 0, 0, 3, 3]), [1, 2, 3], BLANK)
    assert word_frames(path, [2, 1]) == [(1, 4), (6, 8)]


def test_a_symbol_between_words_belongs_to_none():
    heard = emissions([0, 1, 1, 4, 0, 2, 3])
    assert _frames(heard, [[1], [2, 3]], 4, BLANK) == [(1, 3), (5, 7)]
    assert _frames(emissions([0, 1, 1, 0, 2, 3]), [[1], [2, 3]], None, BLANK) == [(1, 3), (4, 6)]
    assert _frames(heard[:2], [[1], [2, 3]], 4, BLANK) is None


def test_words_are_spelled_with_what_the_model_knows():
    letters = {"a": 1, "b": 2, "'": 3}
    assert spelled(["Ab!", "b'a"], letters, upper=False) == [[1, 2], [2, 3, 1]]
    assert spelled(["ab", "42"], letters, upper=False) is None
    assert spelled(["ab"], {"A": 1, "B": 2}, upper=True) == [[1, 2]]
