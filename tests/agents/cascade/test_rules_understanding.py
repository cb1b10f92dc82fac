"""Understanding: names as misheard, dialogue acts, prices, and who "you" is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.agents.cascade.rules import understand
from dyad.agents.cascade.rules.lang import LANGUAGES
from dyad.agents.cascade.rules.names import likeness, mark_names, sound
from dyad.agents.cascade.rules.words import first_person, listed, sentences, with_article
from dyad.text import number_words

FIRMS = ("Torvan", "Belmery", "Quillon", "Drayforth", "Sennick")


def found(text: str, kind: str, names: tuple[str, ...] = FIRMS) -> list[str]:
    return understand(text, names).names(kind)


@pytest.mark.parametrize(
    ("heard", "name"),
    [
        ("quillen", "Quillon"), ("kwillon", "Quillon"), ("quill on", "Quillon"), ("torven", "Torvan"),
        ("tor van", "Torvan"), ("dray forth", "Drayforth"), ("bellmery", "Belmery"), ("senick", "Sennick"),
    ],
)  # fmt: skip
def test_a_mangled_name_is_found(heard: str, name: str) -> None:
    assert found(f"so {heard} is out", "out") == [name]


@pytest.mark.parametrize(
    ("word", "name"),
    [("car", "Oscar"), ("oscar", "car"), ("very", "ferry"), ("room", "roof"), ("play", "clay"),
     ("sending", "Sennick")],
)  # fmt: skip
def test_another_word_is_not_a_name(word: str, name: str) -> None:
    assert likeness(word, name.lower()) == 0
    assert mark_names(["the", word, "is"], [name]) == ["the", word, "is"]


def test_equal_sounds_have_equal_keys() -> None:
    assert sound("quillon") == sound("kwillen") != sound("belmery")


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("So Torvan is out.", "out", ["Torvan"]),
        ("That rules out Torvan and Sennick.", "out", ["Torvan", "Sennick"]),
        ("okay not quillon", "out", ["Quillon"]),
        ("Only Torvan, Belmery and Sennick have room.", "keep", ["Torvan", "Belmery", "Sennick"]),
        ("Then it is Belmery, do you agree?", "propose", ["Belmery"]),
        ("then it is belmery do you agree", "propose", ["Belmery"]),
        ("Shall we say Belmery then?", "propose", ["Belmery"]),
        ("Is Torvan out then?", "check", ["Torvan"]),
        ("Her sister swears by Quillon.", "praise", ["Quillon"]),
        ("Torvan's bus is in the workshop.", "about", ["Torvan"]),
        ("We need one of Torvan, Belmery, Quillon, Drayforth or Sennick.", "propose", []),
        ("Is Torvan out then?", "out", []),
        ("Torvan is not out.", "out", []),
    ],
)
def test_what_is_said_of_a_name(text: str, kind: str, names: list[str]) -> None:
    assert found(text, kind) == names


@pytest.mark.parametrize(
    ("text", "kind"),
    [  # as Whisper wrote what a French voice said
        ("Donc pas Chevalier, qu'est-ce que tu as appris ?", "out"),
        ("Donc Chevalier c'est impossible, et toi lesquelles sont exclu ?", "out"),
        ("Donc c'est Chevalier, dis-moi ce que tu sais.", "propose"),
        ("Est-ce que ça élimine Chevalier, qu'est-ce que tu sais ?", "check"),
    ],
)
def test_a_question_after_a_comma_leaves_french_statements_alone(text: str, kind: str) -> None:
    heard = understand(text, ("Laurent", "Chevalier"), language=LANGUAGES["fr"])
    assert [(a.kind, a.name) for a in heard.acts if a.name] == [(kind, "Chevalier")]
    assert heard.has("ask")


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("Yes, I agree.", "agree", True),
        ("Then Torvan, do you agree?", "agree", False),
        ("I do not agree, that is wrong.", "disagree", True),
        ("Sorry, can you say that again?", "repeat", True),
        ("I say it again and again.", "repeat", False),
        ("Thank you, goodbye.", "bye", True),
        ("All right, yes, you have it.", "grant", True),
        ("I am sorry, I cannot tell you that.", "refuse", True),
        ("Can you lend me the ladder?", "request", True),
        ("What do you know?", "ask", True),
        ("and you which ones are out", "ask", True),
        ("All right, let us take the clay.", "concede", True),
        ("One hundred and thirty-five, agreed.", "accept", True),
    ],
)
def test_acts_without_a_name(text: str, kind: str, expected: bool) -> None:
    assert understand(text).has(kind) is expected


@given(st.integers(10, 999))
def test_a_price_is_understood_in_words_and_digits(price: int) -> None:
    assert understand(f"I can offer {number_words(price)}.").prices == [price]
    assert understand(f"What about {price} euros?", unit="euros").prices == [price]


@pytest.mark.parametrize(
    "text", ["It took eleven evenings.", "No, not for ninety.", "Ninety is too much for me."]
)
def test_a_count_or_a_refused_number_is_no_offer(text: str) -> None:
    assert understand(text).prices == []


@given(st.text(max_size=80))
def test_any_text_is_understood_somehow(text: str) -> None:
    assert understand(text, FIRMS, "euros") == understand(text, FIRMS, "euros")


def test_a_role_line_becomes_first_person() -> None:
    told = "Your sister left it to you. You are late, and yours is the last one."
    assert first_person(told) == "my sister left it to me. I am late, and mine is the last one."


def test_long_sentences_are_cut_at_commas_only() -> None:
    text = "The lamp in the map room flickered today, and there was a draught in the mirror room."
    parts = sentences(text)
    assert len(parts) == 2
    assert " ".join(parts).lower().replace(".", "").replace(",", "") == text.lower().replace(".", "").replace(
        ",", ""
    )


def test_names_are_spoken_as_a_list_and_with_their_article() -> None:
    assert listed(["A", "B", "C"], "or") == "A, B or C"
    assert with_article("ferry", "The money goes to the lake ferry.") == "the ferry"
    assert with_article("clay", "One colour, chalk or clay.") == "clay"
