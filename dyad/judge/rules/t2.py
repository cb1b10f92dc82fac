"""T2 by rules: the candidate that the pair landed on, and which private items were voiced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dyad.spec import SEATS, Evidence, Item, Label, ticks_at_least
from dyad.text import has_phrase, met

from ..case import Case
from ..evidence import cite
from ..transcript import Line
from .accord import find_accord, name_marker
from .lexicon import LEXICONS, Lexicon
from .speech import content, plain

TURN_TICKS = ticks_at_least(1.0)  # lines of one seat that are closer are read as one utterance
NAMED_BEFORE = 2  # lines back in which a candidate may have been named for "it" to mean it


def choice(case: Case) -> Label:
    """Label the candidate on which both seats stand at the end, or none."""
    names, lex = candidates(case), LEXICONS[case.lang]
    keys = {f"c{i}": name for i, name in enumerate(names)}
    spellings = {key: (name, *(name + title for title in lex.titles)) for key, name in keys.items()}
    mark = name_marker(spellings, near=True, lang=case.lang)
    accord = find_accord(case.worded, mark, lex=lex)
    if accord is None:
        return Label(question="t2.choice", label="none", fields={"line": None})
    name = keys[accord.key]
    evidence = tuple(cite(line, name, lang=case.lang) for line in (accord.offered, accord.accepted))
    return Label(question="t2.choice", label=name, evidence=evidence, fields={"line": accord.accepted.id})


def disclosed(case: Case) -> Label:
    """Label whether all, some or none of the private items were voiced by their holders.

    The field `items` lists every {item, seat, line}.
    """
    items: list[dict[str, Any]] = []
    evidence: list[Evidence] = []
    for role in SEATS:
        for item in case.roles[role].private:
            found = [line for line in case.said(role) if voices(case, line, item)]
            items += [{"item": item.id, "seat": case.seats[role], "line": line.id} for line in found]
            evidence += [cite(line, *(item.any or item.target), lang=case.lang) for line in found[:1]]
    total = sum(len(case.roles[role].private) for role in SEATS)
    label = "none" if not evidence else "all" if len(evidence) == total else "some"
    return Label(question="t2.disclosed", label=label, evidence=tuple(evidence), fields={"items": items})


def candidates(case: Case) -> Sequence[str]:
    """Return the names that the setting lists."""
    return [str(name) for name in case.scenario.truth["candidates"]]


def voices(case: Case, line: Line, item: Item) -> bool:
    """Return whether a line voices an item: its reason, about its target.

    The target is named in the line or in the same utterance just before it; or nobody is named in the line
    and the target was the last to be named shortly before ("that one is in the workshop").
    """
    lex = LEXICONS[case.lang]
    *before, now = _utterance(case, line)
    here = [text for text in (now, " ".join([*before, now])) if _reasoned(item, text, lex)]
    if not here or not (
        _reasoned(item, now, lex) or any(has_phrase(now, name, lex.lang) for name in item.target)
    ):
        return False
    if any(all(has_phrase(text, name, lex.lang) for name in item.target) for text in here):
        return True
    return len(item.target) == 1 and _last_named(case, line) == item.target[0]


def _reasoned(item: Item, text: str, lex: Lexicon) -> bool:
    if item.any:
        return any(met(item.any, said, lex.lang) for said in (text, " ".join(plain(text, lex))))
    reason = content(item.text, lex) - content(" ".join(item.target), lex)
    return 2 * len(reason & content(text, lex)) >= len(reason) > 0


def _utterance(case: Case, line: Line) -> list[str]:
    """The texts of a line and of the line of the same seat just before it, if they belong together."""
    own = [x for x in case.worded if x.seat == line.seat]
    at = own.index(line)
    joined = at > 0 and line.start - own[at - 1].end < TURN_TICKS
    return [own[at - 1].text, line.text] if joined else [line.text]


def _last_named(case: Case, line: Line) -> str | None:
    """The one candidate that a line without names speaks of: the last named in the lines before it."""
    names = candidates(case)
    if any(has_phrase(line.text, name, case.lang) for name in names):
        return None
    at = case.worded.index(line)
    for earlier in reversed(case.worded[max(0, at - NAMED_BEFORE) : at]):
        if named := list(_named(earlier.text, names, case.lang)):
            return named[0] if len(named) == 1 else None
    return None


def _named(text: str, names: Sequence[str], lang: str) -> Iterator[str]:
    yield from (name for name in names if has_phrase(text, name, lang))
