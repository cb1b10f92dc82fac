"""Text tokens and the words that they stand for."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Protocol

from sentencepiece import SentencePieceProcessor

from dyad.errors import ConfigError

PAD = 3  # nothing is said in this frame
CONTROLS = 4  # tokens 0 … 3 never stand for text; 0 says that a word begins in the next frame
WORD_START = "▁"
ONSETS = ("b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z")
VOWELS = ("a", "e", "i", "o", "u")


class Words(Protocol):
    """A text tokenizer, one token at a time."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text."""

    def piece(self, token: int) -> str:
        """Return the text of one token; empty for padding, controls and whatever is no text."""


class SentenceWords:
    """A SentencePiece model. `spaced` shows the mark of a word's start as a space, else as nothing."""

    def __init__(self, path: Path, card: int, spaced: bool = True) -> None:
        """Raise ConfigError when the file is no such model, or has more pieces than the `card` tokens."""
        try:
            self._model = SentencePieceProcessor(model_proto=path.read_bytes() or b"empty")
        except (OSError, RuntimeError) as error:
            raise ConfigError(
                f"{path} is no SentencePiece model ({type(error).__name__}); fetch it again"
            ) from None
        self._space = " " if spaced else ""
        if (size := self._model.vocab_size()) > card:
            raise ConfigError(f"{path} has {size} pieces, the model {card}; use the model's own tokenizer")

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text; a character that the model doesn't know is token 0."""
        return [int(token) for token in self._model.encode(text)] if text else []

    def piece(self, token: int) -> str:
        """Return the text of one token."""
        if not CONTROLS <= token < self._model.vocab_size() or not self._is_text(token):
            return ""
        return str(self._model.id_to_piece(token)).replace(WORD_START, self._space)

    def _is_text(self, token: int) -> bool:
        model = self._model
        # a byte piece is a part of a character; alone it is no text
        return not (
            model.is_control(token)
            or model.is_unknown(token)
            or model.is_unused(token)
            or model.is_byte(token)
        )


class RandomWords:
    """Made-up words for random weights: one token per word when written, one syllable per token when said."""

    def __init__(self, card: int) -> None:
        self._card = card

    def encode(self, text: str) -> list[int]:
        """Return one token per word of a text, always the same one for a word."""
        return [CONTROLS + _hash(word) % (self._card - CONTROLS) for word in text.split()]

    def piece(self, token: int) -> str:
        """Return a syllable; every other one begins a word."""
        if not CONTROLS <= token < self._card:
            return ""
        vowel, onset = divmod(token // 2, len(ONSETS))
        return " " * (token % 2) + ONSETS[onset] + VOWELS[vowel % len(VOWELS)]


def _hash(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")


def load_words(path: Path | None, card: int, spaced: bool) -> Words:
    """Return the words of a tokenizer file; without one, those of random weights. Raises ConfigError."""
    return RandomWords(card) if path is None else SentenceWords(path, card, spaced)
