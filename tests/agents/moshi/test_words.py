"""Text tokens: a trained SentencePiece model, and the made-up words of random weights."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sentencepiece")

from hypothesis import given
from hypothesis import strategies as st

from dyad.agents.moshi.checkpoints import TOKENIZER
from dyad.agents.moshi.engine.words import PAD, RandomWords, SentenceWords, load_words

TEXT = "the lamp in the map room"


def test_sentence_pieces_spell_the_text(published: Path) -> None:
    words = SentenceWords(published / TOKENIZER, 48)
    assert "".join(words.piece(token) for token in words.encode(TEXT)) == " " + TEXT


def test_japanese_models_show_no_space(published: Path) -> None:
    words = SentenceWords(published / TOKENIZER, 48, spaced=False)
    assert "".join(words.piece(token) for token in words.encode(TEXT)) == TEXT.replace(" ", "")


def test_controls_and_tokens_beyond_are_no_text(published: Path) -> None:
    words = SentenceWords(published / TOKENIZER, 48)
    assert [words.piece(token) for token in (-2, 0, 1, 2, PAD, 48, 32_000)] == [""] * 7
    assert words.encode("") == []


def test_a_character_that_is_unknown_is_token_0(published: Path) -> None:
    assert 0 in SentenceWords(published / TOKENIZER, 48).encode("間")


def test_a_tokenizer_of_another_model_is_refused(published: Path, tmp_path: Path, refused) -> None:
    line = refused(SentenceWords, published / TOKENIZER, 20)
    assert "pieces, the model 20" in line
    broken = tmp_path / TOKENIZER
    broken.write_bytes(b"not a tokenizer")
    assert "is no SentencePiece model" in refused(SentenceWords, broken, 48)


@pytest.mark.parametrize("card", [48, 32_000])
@given(text=st.text())
def test_random_words_are_tokens_of_text(card: int, text: str) -> None:
    words = load_words(None, card, spaced=True)
    tokens = words.encode(text)
    assert len(tokens) == len(text.split())
    assert all(words.piece(token).strip().isalpha() for token in tokens)
    assert tokens == RandomWords(card).encode(text)


def test_random_words_have_gaps() -> None:
    words = RandomWords(48)
    pieces = [words.piece(token) for token in range(-2, 50)]
    assert [p for p in pieces if not p] == [""] * 8  # -2, -1, four controls, 48 and 49
    assert sum(p.startswith(" ") for p in pieces) == 22
    assert len(set(pieces)) == 45
