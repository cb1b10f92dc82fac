"""T4-3: a form takes one of two lines; each side has two facts, and an empty form hurts both."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from dyad.spec.base import SEATS, Frozen, Seat

from .choice import aliases
from .draw import Draw, Sided, sided
from .names import people
from .record import Made, facts_of
from .wording import Frame, cue, fill, grammar, marked, sentence, slug

FACTS = 2


class ClaimFrame(Frame):
    """The sides, the pairs of lines that they may want, their facts, and what an empty form costs them."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]
    a_facts: tuple[str, ...]
    b_facts: tuple[str, ...]
    a_costs: tuple[str, ...]
    b_costs: tuple[str, ...]


class ClaimGrammar(Frozen):
    """The wordings of T4-3: what is wanted, what nothing costs (as told and as said), the reading back."""

    wants: tuple[str, ...]
    costs: tuple[str, ...]
    backs: tuple[str, ...]
    said: tuple[str, ...]
    frames: dict[str, ClaimFrame]


def plans(seed: str) -> Iterator[Sided[ClaimFrame]]:
    """Yield the plans of a set: `first` is the seat whose line the setting names first."""
    return sided(tuple(_wordings().frames.values()), seed, "t4_3")


def make(plan: Sided[ClaimFrame], draw: Draw) -> Made:
    """Return a scenario to a plan."""
    frame, words, names = plan.frame, _wordings(), people(draw)
    claim, pay = draw.one(frame.lines)
    one, two = (claim, pay) if plan.first == "a" else (pay, claim)
    facts: dict[Seat, tuple[str, ...]] = {
        "a": draw.some(frame.a_facts, FACTS),
        "b": draw.some(frame.b_facts, FACTS),
    }
    scenario = {
        "setting": fill(draw.one(frame.settings), ONE=one, OTHER=two),
        "truth": {
            "lines": {"claimant": claim, "payer": pay},
            "aliases": {"claimant": aliases(claim), "payer": aliases(pay)},
        },
        "asr": {"hotwords": [one, two]},
        "tags": frame.tagged,
    }
    wants, backs, costs = (draw.some(pool, 2) for pool in (words.wants, words.backs, words.costs))
    sides = zip(SEATS, names, (frame.a, frame.b), (frame.a_costs, frame.b_costs), (claim, pay), strict=True)
    roles: dict[Seat, dict[str, Any]] = {}
    for i, (seat, name, who, losses, own) in enumerate(sides):
        slots = {"PERSON": name, "OWN": own, "COST": draw.one(losses)}
        closing = draw.shuffled((fill(costs[i], slots), backs[i]))
        roles[seat] = {
            "name": name,
            "brief": f"{fill(draw.one(who), slots)} {sentence(fill(wants[i], slots))}",
            "private": [_fact(fact) for fact in facts[seat]],
            "closing": " ".join(closing),
            "reasons": [cue(fact) for fact in facts[seat]],
            "cost": fill(draw.one(words.said), slots),
        }
    return Made(scenario, roles, facts_of(facts))


def _fact(fact: str) -> dict[str, Any]:
    return {"id": slug(fact), "text": sentence(fill(fact)), "kind": "fact", "any": marked(fact)}


@cache
def _wordings() -> ClaimGrammar:
    return grammar("claim", ClaimGrammar)
