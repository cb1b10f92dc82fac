"""The fixed lines of a language: what a prompt may end with, and what twins say instead of a role's own."""

from __future__ import annotations

from dyad.spec.base import Frozen


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
