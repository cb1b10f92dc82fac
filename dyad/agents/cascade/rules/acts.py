"""Understanding: which dialogue acts a heard text holds. Pure functions, whole words only.

Names are found first and replaced by marks, then fixed patterns run over the folded words, so that the same
code reads punctuated text and the bare word strings of a small recogniser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dyad.text import tokens

from .names import mark_names
from .patterns import AFTER_PRICE, NAMED, OPEN_QUESTION, PLAIN, REJECTING, SUGGESTION, YES_OR_NO


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


def understand(text: str, names: Sequence[str] = (), unit: str = "") -> Heard:
    """Return the acts of a heard text; `names` are the candidates or options, `unit` the coin of prices."""
    acts: list[Act] = []
    for part in re.split(r"(?<=[.!?;])\s+", text.strip()):
        acts += _acts(part, names, unit)
    return Heard(text, tuple(dict.fromkeys(acts)))


def _acts(part: str, names: Sequence[str], unit: str) -> Iterator[Act]:
    """Yield the acts of one sentence (or of a whole turn, where the ears give no punctuation)."""
    words = mark_names(tokens(part), names)
    line = re.sub(r"\bthe (?=@)", "", "".join(f"{w} " for w in words))
    marked = part.rstrip().endswith("?")
    question = (marked and "agree?" not in part) or re.match(YES_OR_NO, line)
    yield from (_questioned(line, names) if question else _named(line, names))
    bare = re.sub(r"\b(?:do|would|can) (?:you|we) agree\b", "", line)
    yield from (Act(kind) for kind, pattern in PLAIN.items() if re.search(pattern, bare))
    price = "rejected" if re.search(REJECTING, line) else "price"
    yield from (Act(price, value=v) for v in _prices(words, unit))
    if marked or re.search(OPEN_QUESTION, line):
        yield Act("ask")


def _named(line: str, names: Sequence[str]) -> Iterator[Act]:
    """Yield what a statement says about names; a name without any pattern is only talked about."""
    found: set[str] = set()
    for kind, patterns in NAMED.items():
        for match in (m for pattern in patterns for m in re.finditer(pattern, line)):
            group = re.findall(r"@(\d+)", match[1])
            yield from (Act(kind, names[int(i)]) for i in group)
            found.update(group)
    yield from (Act("about", names[int(i)]) for i in re.findall(r"@(\d+)", line) if i not in found)


def _questioned(line: str, names: Sequence[str]) -> Iterator[Act]:
    """A name in a question is a suggestion ("shall we say Amble?") or a check ("is Amble out?")."""
    found = list(dict.fromkeys(re.findall(r"@(\d+)", line)))
    kind = "propose" if len(found) == 1 and re.search(SUGGESTION, line) else "check"
    yield from (Act(kind, names[int(i)]) for i in found)


def _prices(words: Sequence[str], unit: str) -> Iterator[int]:
    for word, after in pairwise([*words, ""]):
        if word.isdigit() and int(word) > 1 and (not after or after in AFTER_PRICE or after in tokens(unit)):
            yield int(word)
