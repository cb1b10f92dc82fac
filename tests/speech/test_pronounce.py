"""Spoken forms and pronunciations."""

import pytest

pytest.importorskip("hibari")
pytest.importorskip("pocketsphinx")

from dyad.speech.pronounce import pronunciations, spoken

PHONES = """
    AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Torvan's out — isn’t he?", "torvan's out isn't he"),
        ("$1,420!", "one thousand four hundred twenty dollars"),
        ("a green-room café at 7:30", "a green room cafe at seven thirty"),
        ("15% & more…", "fifteen percent and more"),
        ("— 😀 ...", ""),
    ],
)
def test_spoken(text, words):
    assert spoken(text) == words.split()


def test_known_words_keep_all_their_pronunciations():
    assert pronunciations("because") == ("B IH K AO Z", "B IH K AH Z", "B IH K AA Z")


@pytest.mark.parametrize("name", ["torvan", "belmery", "quillon", "wrzsk", "o'darrow"])
def test_unknown_words_are_guessed_in_the_recognisers_phones(name):
    for guess in pronunciations(name):
        assert guess
        assert set(guess.split()) <= set(PHONES.split())
