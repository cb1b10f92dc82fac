"""The fixed lines of a language: what a prompt may end with, and what twins say instead of a role's own."""

from __future__ import annotations

from string import Formatter

from pydantic import ValidationInfo, field_validator

from dyad.spec.base import Frozen

_PLACES = {"window": "window", "silent": "name", "neutral": "name", "word_known": "word", "word_said": "word"}


class Lines(Frozen):
    """One language of `roles/_lines.yaml`.

    `window` holds the place `{window}` (whole seconds); `silent` and `neutral` hold `{name}`; `word_known`
    and `word_said` hold `{word}`.
    """

    opening: str
    window: str
    silent: str
    neutral: str
    grant2: str
    word_known: str
    word_said: str

    @field_validator("*")
    @classmethod
    def _holds_its_place(cls, text: str, info: ValidationInfo) -> str:
        place = _PLACES.get(str(info.field_name))
        if {name for _, name, _, _ in Formatter().parse(text)} - {None} != {place} - {None}:
            raise ValueError(f"must hold {{{place}}} and no other place" if place else "must hold no {place}")
        return text
