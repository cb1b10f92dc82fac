"""The wordings of a grammar: sentences with slots in capitals, and words that count set between slashes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TypeVar

import yaml

from dyad.library.source import LOADER
from dyad.spec.base import Frozen
from dyad.spec.scenario import Cue

_SLOT = re.compile(r"\b[A-Z]{3,}\b")
_MARK = re.compile(r"/([^/]+)/")
_TAGS = ("domain", "channel", "register", "stakes")
G = TypeVar("G", bound=Frozen)


class Frame(Frozen):
    """A frame of situation: what it is about, and the settings that both seats may be told."""

    tags: str
    settings: tuple[str, ...]

    @property
    def tagged(self) -> dict[str, str]:
        """The tags of a scenario in this frame."""
        return dict(zip(_TAGS, self.tags.split(), strict=True))


def grammar(name: str, kind: type[G]) -> G:
    """Return the wordings in `frames/<name>.yaml` as a closed record."""
    text = files(__package__).joinpath("frames", f"{name}.yaml").read_text("utf-8")
    return kind.model_validate(yaml.load(text, LOADER))


def fill(text: str, slots: Mapping[str, str] | None = None, **more: str) -> str:
    """Return a wording with its slots filled and its marks taken off. Raises KeyError for an open slot."""
    values = {**(slots or {}), **more}
    return _SLOT.sub(lambda slot: values[slot[0]], text).replace("/", "")


def sentence(text: str) -> str:
    """Return a clause as a sentence."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def marked(text: str) -> tuple[str, ...]:
    """Return the words of a wording that count as voicing it, in lower case."""
    return tuple(mark.lower() for mark in _MARK.findall(text))


def cue(text: str) -> Cue:
    """Return a marked clause as something observable in speech."""
    return Cue(id=slug(text), text=sentence(fill(text)), any=marked(text))


def slug(text: str) -> str:
    """Return an id for a marked clause: its first mark."""
    return re.sub(r"[^a-z0-9]+", "_", marked(text)[0])


def halves(pair: str) -> tuple[str, str]:
    """Part "what a brief says | what is said"."""
    told, said = pair.split(" | ")
    return told, said


def listed(items: Sequence[str], last: str = "and") -> str:
    """Return items as a list in a sentence: "a, b and c"."""
    return f"{', '.join(items[:-1])} {last} {items[-1]}"
