"""PocketSphinx: grammars with invented names, word places, and repeats to the bit."""

from itertools import product

import numpy as np
import pytest

pytest.importorskip("pocketsphinx")
pytest.importorskip("hibari")

from scipy.signal import resample_poly

from dyad.speech.sphinx import PartialsSphinx, _prefix_tree, align, free_recogniser
from dyad.speech.voices import load_voice

NAMES = ("Torvan", "Belmery", "Quillon", "Ashwick", "Drendal")
REASONS = ("has no licence", "never learned french", "costs $420")
PHRASES = [f"{name} is out because it {reason}" for name, reason in product(NAMES, REASONS)]
PHRASES += ["i think we should choose", "do you agree", "okay", *NAMES]
BLOCK = 1_280
NOISE = np.random.default_rng(0).normal(0, 0.05, 40_000).astype(np.float32)


def say(text, preset="low"):
    return resample_poly(load_voice("hibari", preset)(text).pcm, 2, 3).astype(np.float32)


def stream(ear, text):
    pcm = np.pad(say(text), (BLOCK * 4, BLOCK * 6))
    partials = [ear.feed(pcm[k : k + BLOCK]) for k in range(0, len(pcm) - BLOCK + 1, BLOCK)]
    return [*partials, ear.end()]


def scores(ear, text):
    """The decoder's own score as well, which shows a difference long before the text does."""
    return [*stream(ear, text), ear._decoder.hyp().score]


@pytest.fixture(scope="module")
def ear():
    return PartialsSphinx(PHRASES)


@pytest.mark.parametrize("name", NAMES)
def test_invented_names_are_recognised(ear, name):
    ear.reset()
    heard = stream(ear, f"I think we should choose {name}. Do you agree?")
    assert heard[-1] == f"i think we should choose {name.lower()} do you agree"


def test_partials_grow_before_the_end(ear):
    ear.reset()
    heard = stream(ear, "Quillon is out because it costs $420.")
    assert heard[-1] == "quillon is out because it costs four hundred twenty dollars"
    half = heard[len(heard) // 2]
    assert half.startswith("quillon is out")
    assert len(half) < len(heard[-1])


def test_a_reset_row_repeats_to_the_bit_and_like_a_fresh_one(ear):
    texts = ("Torvan is out because it has no licence.", "Okay. Do you agree?")
    ear.reset()
    first = [scores(ear, text) for text in texts]
    stream(ear, "Ashwick.")
    ear.feed(NOISE)  # left open on purpose
    ear.reset()
    fresh = PartialsSphinx(PHRASES)
    assert [scores(ear, text) for text in texts] == first
    assert [scores(fresh, text) for text in texts] == first


def test_without_a_grammar_plain_english_is_recognised():
    ear = PartialsSphinx()
    assert stream(ear, "The meeting starts at nine in the green room.")[-1].endswith("in the green room")
    assert ear.end() == ""


def test_an_empty_grammar_still_works():
    assert PartialsSphinx([]).feed(np.zeros(BLOCK, np.float32)) == ""


def test_sentences_are_equally_likely_and_share_their_beginnings():
    sentences = [("a", "b"), ("a", "c"), ("a",), ("d",)]
    arcs = _prefix_tree(sentences)
    assert len(arcs) == 5  # a… once for two sentences, `a` alone, d, b, c
    chance = {(start, word, end): p for start, end, p, word in arcs}
    (inner,) = {end for _, end, _, _ in arcs} - {0}
    assert chance[0, "a", inner] * chance[inner, "b", 0] == pytest.approx(1 / 4)
    assert chance[0, "a", 0] == chance[0, "d", 0] == pytest.approx(1 / 4)


@pytest.mark.parametrize("preset", ["heart", "low"])
def test_words_are_placed(preset):
    text = "Torvan — is out, because $420 is more than he has."
    said = load_voice("hibari", preset)(text)
    pcm = say(text, preset)
    places = align(pcm, text.split())
    align(say("Do you agree?") + NOISE[: len(say("Do you agree?"))], ["Do", "you", "agree?"])
    assert places == align(pcm, text.split())  # whatever was heard in between
    starts = np.array([start for start, _ in places]) / 16 - np.array([w.start for w in said.words]) / 24
    spoken = [k for k, word in enumerate(text.split()) if word != "—"]
    assert np.abs(starts[spoken]).max() < 100  # ms
    assert np.median(np.abs(starts[spoken])) < 30
    assert all(0 <= start <= end <= len(pcm) for start, end in places)
    assert places[1][0] == places[1][1] == places[0][1]


def test_what_cannot_be_aligned_is_none():
    assert align(np.zeros(100, np.float32), ["okay"]) is None
    assert align(say("Okay."), ["—"]) is None
    too_much = "this is far too much text for such a little sound as that was"
    assert align(say("Okay."), too_much.split()) is None


def test_whole_utterances_are_recognised_with_places():
    pcm = say("The meeting starts at nine in the green room.")
    words = free_recogniser()(pcm)
    assert [word for word, _, _ in words][-4:] == ["in", "the", "green", "room"]
    assert all(0 <= a < b <= len(pcm) for _, a, b in words)
    assert free_recogniser()(pcm) == words
