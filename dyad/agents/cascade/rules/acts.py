"""Understanding: which dialogue acts a heard text holds. Pure functions, whole words only.

Names are found first and replaced by marks, then fixed patterns run over the folded words, so that the same
code reads punctuated text and the bare word strings of a small recogniser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dyad.text import joined, tokens

from .lang import LANGUAGES, Language
from .names import mark_names


@dataclass(frozen=True)
class Act:
    """One thing that a text does: `out` and `keep` a name, `propose` it, `price` a number, `agree`, …"""

    kind: str
    name: str = ""
    value: int = 0


@dataclass(frozen=True)
class Heard:
    """A turn as understood: the text and its acts, in order."""

    text: str
    acts: tuple[Act, ...] = ()

    def has(self, *kinds: str) -> bool:
        """Return whether the turn holds an act of any of the kinds."""
        return any(a.kind in kinds for a in self.acts)

    def names(self, *kinds: str) -> list[str]:
        """Return the names that acts of the kinds are about, each once, in order."""
        return list(dict.fromkeys(a.name for a in self.acts if a.kind in kinds and a.name))

    @property
    def prices(self) -> list[int]:
        """The numbers that were named as prices, in order."""
        return [a.value for a in self.acts if a.kind == "price"]


def understand(
    text: str, names: Sequence[str] = (), unit: str = "", language: Language = LANGUAGES["en"]
) -> Heard:
    """Return the acts of a heard text; `names` are the candidates or options, `unit` the coin of prices."""
    acts: list[Act] = []
    for part in re.split(rf"(?<=[.!?;])\s+|(?<=[。！？；])|{language.breaks}", text.strip()):
        acts += _acts(part, names, unit, language)
    return Heard(text, tuple(dict.fromkeys(acts)))


def _acts(part: str, names: Sequence[str], unit: str, language: Language) -> Iterator[Act]:
    """Yield the acts of one sentence (or of a whole turn, where the ears give no punctuation)."""
    words = mark_names(tokens(part, language.lang), names, language.lang)
    line = re.sub(*language.small, f"{joined(words)} " if words else "")
    marked = part.rstrip().endswith(("?", "？"))
    question = (marked and not re.search(language.consent, part)) or re.match(language.yes_or_no, line)
    yield from (_questioned if question else _named)(line, names, language)
    bare = re.sub(language.tag, "", line)
    yield from (Act(kind) for kind, pattern in language.plain.items() if re.search(pattern, bare))
    price = "rejected" if re.search(language.rejecting, line) else "price"
    yield from (Act(price, value=v) for v in _prices(words, unit, language.after_price))
    if marked or re.search(language.open_question, line):
        yield Act("ask")


def _named(line: str, names: Sequence[str], language: Language) -> Iterator[Act]:
    """Yield what a statement says about names; a name without any pattern is only talked about."""
    found: set[str] = set()
    for kind, patterns in language.named.items():
        for match in (m for pattern in patterns for m in re.finditer(pattern, line)):
            group = re.findall(r"@(\d+)", match[1])
            yield from (Act(kind, names[int(i)]) for i in group)
            found.update(group)
    yield from (Act("about", names[int(i)]) for i in re.findall(r"@(\d+)", line) if i not in found)


def _questioned(line: str, names: Sequence[str], language: Language) -> Iterator[Act]:
    """A name in a question is a suggestion ("shall we say Amble?") or a check ("is Amble out?")."""
    found = list(dict.fromkeys(re.findall(r"@(\d+)", line)))
    kind = "propose" if len(found) == 1 and re.search(language.suggestion, line) else "check"
    yield from (Act(kind, names[int(i)]) for i in found)


def _prices(words: Sequence[str], unit: str, after_price: frozenset[str]) -> Iterator[int]:
    """The numbers that count nothing but the coin; none in a language whose numbers are never prices."""
    ends = {"", *tokens(unit), *after_price} if after_price else set()
    for word, after in pairwise([*words, ""]):
        if word.isdigit() and int(word) > 1 and after in ends:
            yield int(word)
