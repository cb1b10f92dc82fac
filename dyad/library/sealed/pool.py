"""T2: five made-up names of which the facts of both seats leave one.

Form E: each seat rules two out. Form L: as well, each is told praise of one that only the other rules out.
Form X: each is told the three that have something needed, and the two lists meet in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

from dyad.library.words import words
from dyad.spec.base import SEATS, Frozen, Seat, other

from .draw import Draw, rounds
from .names import PLACES, candidates, people
from .record import Made, facts_of
from .wording import Frame, fill, grammar, listed, marked, sentence

Item = dict[str, Any]


class PoolFrame(Frame):
    """Who the speakers may be, what rules a name out, what praises it, and what it cannot do without."""

    who: tuple[str, ...]
    out: tuple[str, ...]
    lures: tuple[str, ...]
    needs: tuple[str, ...]


class PoolGrammar(Frozen):
    """The wordings of T2."""

    goals: tuple[str, ...]
    needs: tuple[str, ...]
    frames: dict[str, PoolFrame]


@dataclass(frozen=True)
class Plan:
    """What is balanced over a set: frame, form, place of the answer, places that each seat rules out."""

    frame: PoolFrame
    form: str
    answer: int
    out: Mapping[Seat, tuple[int, ...]]


def plans(seed: str) -> Iterator[Plan]:
    """Yield the plans of a set. The answer never stands first; each seat rules out each place alike often."""
    frames = rounds(tuple(_wordings().frames.values()), seed, "t2", "frame")
    forms, answers = rounds("ELX", seed, "t2", "form"), rounds(range(1, PLACES), seed, "t2", "answer")
    lead = {form: [0] * PLACES for form in "ELX"}  # how often a ruled a place out more than b did
    for frame, form, answer in zip(frames, forms, answers, strict=False):
        out = _even_split(answer, lead["X" if form == "X" else "E"])
        yield Plan(frame, form, answer, out)


def _even_split(answer: int, lead: list[int]) -> dict[Seat, tuple[int, ...]]:
    """Deal the four other places to the seats so that neither gets ahead; count it in `lead`."""
    others = [place for place in range(PLACES) if place != answer]

    def after(own: tuple[int, ...]) -> list[int]:
        return [
            lead[place] + (0 if place == answer else 1 if place in own else -1) for place in range(PLACES)
        ]

    own = min(combinations(others, 2), key=lambda pair: sum(n * n for n in after(pair)))
    lead[:] = after(own)
    return {"a": own, "b": tuple(place for place in others if place not in own)}


def make(plan: Plan, draw: Draw) -> Made:
    """Return a scenario to a plan."""
    names, speakers = candidates(draw, _vocabulary()), people(draw)
    items = _kept(plan, names, draw) if plan.form == "X" else _ruled_out(plan, names, draw)
    who, goals = draw.some(plan.frame.who, 2), draw.some(_wordings().goals, 2)
    roles: dict[Seat, dict[str, Any]] = {}
    for seat, name, intro, goal in zip(SEATS, speakers, who, goals, strict=True):
        told = (fill(intro, PERSON=name), goal)
        brief, closing = (told[0], goal) if draw.below(2) else (" ".join(told), "")
        private = [item for item, _ in items[seat]]
        roles[seat] = {"name": name, "brief": brief, "private": private, "closing": closing}
    scenario = {
        "form": plan.form,
        "setting": fill(draw.one(plan.frame.settings), ALL=listed(names), ANY=listed(names, "or")),
        "truth": {"candidates": names, "answer": names[plan.answer]},
        "asr": {"hotwords": names},
        "tags": plan.frame.tagged,
    }
    return Made(scenario, roles, facts_of({seat: [fact for _, fact in items[seat]] for seat in SEATS}))


def _ruled_out(plan: Plan, names: tuple[str, ...], draw: Draw) -> dict[Seat, list[tuple[Item, str]]]:
    """Return, by seat, the statements that rule names out, with their wordings; in form L also the lures."""
    facts, lures = iter(draw.some(plan.frame.out, 4)), iter(draw.some(plan.frame.lures, 2))
    found: dict[Seat, list[tuple[Item, str]]] = {}
    for seat in SEATS:
        told = [(names[place], next(facts), "eliminate") for place in draw.shuffled(plan.out[seat])]
        if plan.form == "L":
            told.insert(draw.below(3), (names[draw.one(plan.out[other(seat)])], next(lures), "lure"))
        found[seat] = [(_item(*statement), statement[1]) for statement in told]
    return found


def _kept(plan: Plan, names: tuple[str, ...], draw: Draw) -> dict[Seat, list[tuple[Item, str]]]:
    """Return, by seat, what is needed and the three names that have it, with what is needed."""
    found: dict[Seat, list[tuple[Item, str]]] = {}
    needs, patterns = draw.some(plan.frame.needs, 2), draw.some(_wordings().needs, 2)
    for seat, need, pattern in zip(SEATS, needs, patterns, strict=True):
        kept = [name for place, name in enumerate(names) if place not in plan.out[seat]]
        text = sentence(fill(pattern, NEED=fill(need), NAMES=listed(kept)))
        item = {"id": "need", "text": text, "kind": "keep", "target": kept, "any": marked(need)}
        found[seat] = [(item, need)]
    return found


def _item(name: str, fact: str, kind: str) -> Item:
    text = sentence(fill(fact, NAME=name))
    return {"id": name.lower(), "text": text, "kind": kind, "target": [name], "any": marked(fact)}


@cache
def _wordings() -> PoolGrammar:
    return grammar("pool", PoolGrammar)


@cache
def _vocabulary() -> frozenset[str]:
    """Every word of the wordings: no candidate may be one."""
    return frozenset(words(_wordings().model_dump_json()))
