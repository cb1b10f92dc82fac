"""Turns messages into tokens, and tokens into text: a few words of their own, and bytes."""

from __future__ import annotations

import re
from os import PathLike
from typing import Any

import torch

from .special_tokens import ALL_SPECIAL_TOKENS, IM_END, IM_START

FIRST_WORD = 300
WORDS = (" oh", " yes", " I", " do", " no", " so", " ok", " and")


class Tokenizer:
    """Has a token for every word of its own, and one for every byte."""

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """Return the tokens of a text."""
        parts = re.split("(" + "|".join(f"{word}(?![a-z])" for word in WORDS) + ")", text)
        return [
            token
            for part in parts
            for token in ([FIRST_WORD + WORDS.index(part)] if part in WORDS else part.encode())
        ]

    def decode(self, token_ids: list[int], skip_special_tokens: bool = False) -> str:
        """Return the text of tokens; bytes that are no character yet become U+FFFD."""
        special = {token.id: token.text for token in ALL_SPECIAL_TOKENS}
        raw = b""
        for token in token_ids:
            if token in special:
                raw += b"" if skip_special_tokens else special[token].encode()
            else:
                raw += bytes([token]) if token < 256 else WORDS[token - FIRST_WORD].encode()
        return raw.decode(errors="replace")


class RaonProcessor:
    """The tokenizer, and upstream's form of a conversation."""

    sampling_rate, frame_rate = 24_000, 12.5

    def __init__(self) -> None:
        self.tokenizer = Tokenizer()

    @classmethod
    def from_pretrained(cls, model_name_or_path: str | PathLike[str], **kwargs: Any) -> RaonProcessor:
        """Return one; there is nothing to read."""
        return cls()

    def __call__(
        self,
        messages: list[dict[str, str]],
        add_generation_prompt: bool = False,
        device: str | None = None,
        dtype: torch.dtype | None = None,
    ) -> dict[str, Any]:
        """Return the tokens of a conversation as `input_ids`, int64 [1, n]."""
        ids = []
        for message in messages:
            text = f"{message['role']}\n{message['content']}"
            ids += [IM_START.id, *self.tokenizer.encode(text), IM_END.id, *self.tokenizer.encode("\n")]
        tokens = torch.tensor([ids], device=device)
        return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
