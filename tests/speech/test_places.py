"""Tokens of spaced and unspaced scripts, their pieces, and where they lie without an aligner."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.speech.places import piece_of, proportional, read_aloud, sentences, spread, tokens_of

RATE = 24_000


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Ce n'est pas lui !", ["Ce", "n'est", "pas", "lui", "!"]),
        ("好的，我同意。", ["好", "的，", "我", "同", "意。"]),
        ("はい、「ヒマワリ」です。", ["は", "い、「", "ヒ", "マ", "ワ", "リ」", "で", "す。"]),
        ("「石榴」吧", ["「石", "榴」", "吧"]),
        ("部屋はA3です", ["部", "屋", "はA3", "で", "す"]),
        ("", []),
    ],
)
def test_tokens(text, tokens):
    assert tokens_of(text) == tokens
    assert "".join(map(piece_of, tokens)).strip() == text


spaced = st.text(st.characters(categories=["Ll", "Lu", "Nd", "Zs", "Po"], max_codepoint=0x2FF))
unspaced = st.text(st.sampled_from("我们选海棠吧はいヒマワリ青木、。！「」"))


@given(st.one_of(spaced, unspaced))
def test_the_pieces_of_one_script_are_the_text_again(text):
    assert "".join(map(piece_of, tokens_of(text))).strip() == " ".join(text.split())


def test_what_is_read_keeps_its_marks_and_loses_brackets():
    assert read_aloud(tokens_of("「はい」、 そうです。")) == "はい、そうです。"
    assert read_aloud(["Oui", "—", "(vite)", "!"]) == "Oui — vite !"


def test_sentences_end_at_their_marks():
    assert sentences(tokens_of("是吗？好。就这")) == [["是", "吗？"], ["好。"], ["就", "这"]]


def test_an_ideograph_is_as_long_as_two_kana():
    assert proportional(["青", "お", "木、", "?"], 500) == [(0, 200), (200, 300), (300, 500), (500, 500)]


def sound(*stretches):
    pcm = np.zeros(round(max(end for _, end in stretches) * RATE), np.float32)
    for start, end in stretches:
        pcm[round(start * RATE) : round(end * RATE)] = 0.5
    return pcm


def test_each_clause_has_its_own_stretch_of_sound():
    places = spread(tokens_of("うん、そうです。"), sound((0.1, 0.3), (0.8, 1.6)))
    assert [round(start / RATE, 2) for start, _ in places] == [0.1, 0.2, 0.8, 1.0, 1.2, 1.4]
    assert places[-1][1] == pytest.approx(1.6 * RATE, abs=2)


def test_a_pause_that_no_mark_explains_holds_no_words():
    places = spread(["un", "deux", "trois", "dix"], sound((0.0, 0.6), (1.0, 1.6)))
    for start, end in places:
        assert min(end, 0.6 * RATE) - start > 0 or start >= RATE - 1
    assert spread(["un"], np.zeros(RATE, np.float32)) == [(0, 0)]


@given(st.lists(st.sampled_from(["mot", "bien,", "—", "fin."]), max_size=8), st.integers(1, 4))
def test_places_are_ordered_and_inside(tokens, stretches):
    pcm = sound(*((k * 0.5, k * 0.5 + 0.3) for k in range(stretches)))
    edges = [edge for place in spread(tokens, pcm) for edge in place]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(pcm) for edge in edges)
