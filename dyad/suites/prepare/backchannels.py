"""Which words of a listener are backchannels: a list per language, which a user may exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from dyad.errors import ConfigError, near
from dyad.library.source import read_yaml
from dyad.suites.words import EPSILON
from dyad.text import tokens, word_count

from .turns import Turn

LONGEST_S, MOST_WORDS = 1.0, 2
Phrase = tuple[str, ...]


@dataclass(frozen=True)
class Backchannels:
    """The phrases of a language, in the form that words are compared by."""

    phrases: frozenset[Phrase]
    lang: str

    def has(self, unit: Turn) -> bool:
        """Whether a unit is at most 1.0 s and two words long, all of them listed."""
        short = unit.duration_s <= LONGEST_S + EPSILON and word_count(unit.text) <= MOST_WORDS
        return short and self._covers(tuple(t for word in unit.words for t in tokens(word.text, self.lang)))

    def _covers(self, said: Sequence[str]) -> bool:
        """Whether a text is nothing but listed phrases, at least one."""
        heads = (n for n in range(1, len(said) + 1) if tuple(said[:n]) in self.phrases)
        return any(n == len(said) or self._covers(said[n:]) for n in heads)


def backchannels(lang: str, path: Path | None = None) -> Backchannels:
    """Read the list of a language from a YAML file `lang: [phrase, …]`, by default the one that comes along.

    Raises ConfigError where the file is malformed or has no list for the language.
    """
    source = read_yaml(path or Path(str(files("dyad") / "suites/prepare/backchannels.yaml")))
    if lang not in source.data:
        advice = near(lang, map(str, source.data))
        raise ConfigError(f"{source.path}: no list for '{lang}'{advice}; give your own with words=FILE")
    listed = source.data[lang]
    if not isinstance(listed, list) or not listed or not all(isinstance(s, str) for s in listed):
        raise source.error((lang,), "must be a list of words in quotes")
    phrases = frozenset(tuple(tokens(phrase, lang)) for phrase in listed) - {()}
    return Backchannels(phrases, lang)
