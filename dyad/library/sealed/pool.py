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
    musts: tuple[str, ...]
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
    frames, answers = _wordings().frames, rounds(range(1, PLACES), seed, "t2", "answer")
    forms = {frame: rounds("ELX", seed, "t2", "form", frame) for frame in frames}
    ruled_out, kept = [0] * PLACES, [0] * PLACES  # by place, how often a ruled it out more than b did
    for frame, answer in zip(rounds(tuple(frames), seed, "t2", "frame"), answers, strict=False):
        form = next(forms[frame])
        yield Plan(frames[frame], form, answer, _even_split(answer, kept if form == "X" else ruled_out))


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
    known = _kept(plan, names, draw) if plan.form == "X" else _ruled_out(plan, names, draw)
    who, goals = draw.some(plan.frame.who, 2), draw.some(_wordings().goals, 2)
    scenario = {
        "form": plan.form,
        "setting": fill(draw.one(plan.frame.settings), ALL=listed(names), ANY=listed(names, "or")),
        "truth": {"candidates": names, "answer": names[plan.answer]},
        "asr": {"hotwords": names},
        "tags": plan.frame.tagged,
    }
    roles = {
        seat: _role(speakers[i], (who[i], known[seat].must, goals[i]), known[seat].items, draw)
        for i, seat in enumerate(SEATS)
    }
    return Made(scenario, roles, facts_of({seat: known[seat].facts for seat in SEATS}))


def _role(name: str, told: tuple[str, str, str], items: list[Item], draw: Draw) -> dict[str, Any]:
    """Return a role; `told` is who it is, what is needed, and its aim, which may stand after the facts."""
    intro, must, goal = told
    before = [fill(intro, PERSON=name), must]
    brief, closing = (before, goal) if draw.below(2) else ([*before, goal], "")
    return {"name": name, "brief": " ".join(filter(None, brief)), "private": items, "closing": closing}


@dataclass(frozen=True)
class Known:
    """What one seat knows: its statements, their wordings without names, what its brief says is needed."""

    items: list[Item]
    facts: list[str]
    must: str = ""


def _ruled_out(plan: Plan, names: tuple[str, ...], draw: Draw) -> dict[Seat, Known]:
    """Return, by seat, what rules names out, and in form L praise of a name that the other seat rules out."""
    facts, lures = iter(draw.some(plan.frame.out, 4)), iter(draw.some(plan.frame.lures, 2))
    found: dict[Seat, Known] = {}
    for seat in SEATS:
        told = [(names[place], next(facts), "eliminate") for place in draw.shuffled(plan.out[seat])]
        if plan.form == "L":
            told.insert(draw.below(3), (names[draw.one(plan.out[other(seat)])], next(lures), "lure"))
        found[seat] = Known([_item(*statement) for statement in told], [fact for _, fact, _ in told])
    return found


def _kept(plan: Plan, names: tuple[str, ...], draw: Draw) -> dict[Seat, Known]:
    """Return, by seat, the three names that have what its brief says is needed."""
    words, needs = _wordings(), draw.some(plan.frame.needs, 2)
    musts, patterns = draw.some(words.musts, 2), draw.some(words.needs, 2)
    found: dict[Seat, Known] = {}
    for i, seat in enumerate(SEATS):
        kept = [name for place, name in enumerate(names) if place not in plan.out[seat]]
        text = fill(patterns[i], NEED=fill(needs[i]), NAMES=listed(kept))
        item = {"id": "need", "text": text, "kind": "keep", "target": kept, "any": marked(needs[i])}
        found[seat] = Known([item], [needs[i]], sentence(fill(musts[i], NEED=fill(needs[i]))))
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
