"""The garble watch: the worked example and its three verdicts."""

import pytest

from dyad.hear.garble import found_share, garble
from dyad.spec import RATE, Piece, Word

TEXT = "Swallowing is like glass and my head has a pulse"


def test_worked_example():
    assert found_share(TEXT, "swallow is like glass in my hat") == pytest.approx(0.40)


def test_case_and_punctuation_do_not_count_and_short_words_prove_nothing():
    assert found_share("Don’t WORRY, it is fine!", "don't worry") == pytest.approx(2 / 3)
    assert found_share("it is so", "it is so") is None


def run(early_heard, late_heard):
    own = ["apple", "river", "stone", "cloud", "green"]
    text = [Piece(seat="a", at=0, s=f" {w}") for w in own]
    text += [Piece(seat="a", at=40 * RATE, s=f" {w}") for w in ("house", "train", "sugar", "money", "bread")]
    words = [Word(seat="a", start=0, end=9, s=w) for w in early_heard]
    words += [Word(seat="a", start=40 * RATE, end=40 * RATE + 9, s=w) for w in late_heard]
    return garble("a", text, words)


def test_verdicts():
    assert run(["apple"], ["house"]).verdict == "suspect"  # 0.20 early is not below 0.20; 0.20 of all is low
    assert run([], ["house"]).verdict == "garbled"
    assert run([], ["house", "train", "sugar"]).verdict == "suspect"
    good = run(["apple", "river"], ["house"])
    assert (good.early, good.full, good.verdict) == (pytest.approx(0.4), pytest.approx(0.3), "ok")


def test_without_text_there_is_no_share():
    nothing = garble("b", [], [])
    assert (nothing.early, nothing.full, nothing.verdict) == (None, None, "ok")
