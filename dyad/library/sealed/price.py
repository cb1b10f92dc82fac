"""T4-4: one thing for sale, with an opening and a limit per side, and in one scenario of five no deal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from typing import Any

from dyad.spec.base import Frozen, Seat
from dyad.text import number_words

from .draw import Draw, rounds
from .names import people
from .record import Made, facts_of
from .wording import Frame, cue, fill, grammar, halves, listed, sentence

REASONS = 3
UNIT = "euros"


class PriceFrame(Frame):
    """The sides, what each can say about the thing, what each does without a deal, the seller's limits."""

    limit: tuple[int, int]
    a: tuple[str, ...]
    b: tuple[str, ...]
    sells: tuple[str, ...]
    buys: tuple[str, ...]
    keep: tuple[str, ...]
    leave: tuple[str, ...]


class PriceGrammar(Frozen):
    """The wordings of T4-4: what to speak of, how to open, where to stop."""

    sell: tuple[str, ...]
    buy: tuple[str, ...]
    sell_open: tuple[str, ...]
    sell_limit: tuple[str, ...]
    buy_open: tuple[str, ...]
    buy_limit: tuple[str, ...]
    frames: dict[str, PriceFrame]


@dataclass(frozen=True)
class Plan:
    """What is balanced over a set: frame, and whether the limits leave room for a deal."""

    frame: PriceFrame
    zopa: bool


@dataclass(frozen=True)
class Side:
    """One side of a sale: who it may be, what it can say, what it does without a deal."""

    side: str
    who: tuple[str, ...]
    reasons: tuple[str, ...]
    otherwise: str


def plans(seed: str) -> Iterator[Plan]:
    """Yield the plans of a set: of any first n, one fifth or just over it leaves no room."""
    frames = rounds(tuple(_wordings().frames.values()), seed, "t4_4", "frame")
    return map(Plan, frames, cycle((False, True, True, True, True)))


def make(plan: Plan, draw: Draw) -> Made:
    """Return a scenario to a plan."""
    frame, words, names, prices = plan.frame, _wordings(), people(draw), _prices(plan, draw)
    limits = prices["limit"]
    seller = Side("seller", frame.a, draw.some(frame.sells, REASONS), draw.one(frame.keep))
    buyer = Side("buyer", frame.b, draw.some(frame.buys, REASONS), draw.one(frame.leave))
    scenario = {
        "setting": draw.one(frame.settings),
        "truth": {"unit": UNIT, "zopa": plan.zopa, **prices},
        "tags": frame.tagged,
    }
    roles: dict[Seat, dict[str, Any]] = {
        "a": _role(seller, names[0], prices, (words.sell, words.sell_open, words.sell_limit), draw),
        "b": _role(buyer, names[1], prices, (words.buy, words.buy_open, words.buy_limit), draw),
    }
    facts: dict[Seat, tuple[str, ...]] = {
        "a": (*seller.reasons, str(limits["seller"])),
        "b": (*buyer.reasons, str(limits["buyer"])),
    }
    return Made(scenario, roles, facts_of(facts))


def _role(
    side: Side, name: str, prices: dict[str, Any], words: tuple[tuple[str, ...], ...], draw: Draw
) -> dict[str, Any]:
    """Return a role; `words` are what to speak of, how to open and where to stop."""
    speak, opening, limit = map(draw.one, words)
    intro = fill(draw.one(side.who), PERSON=name)
    told = fill(speak, HINTS=listed([halves(reason)[0] for reason in side.reasons]))
    brief, closing = (intro, told) if draw.below(2) else (f"{intro} {told}", "")
    return {
        "name": name,
        "brief": brief,
        "private": [
            _price("open", opening, prices["open"][side.side]),
            _price("limit", limit.replace("OTHERWISE", side.otherwise), prices["limit"][side.side]),
        ],
        "closing": closing,
        "reasons": [cue(halves(reason)[1]) for reason in side.reasons],
    }


def _prices(plan: Plan, draw: Draw) -> dict[str, Any]:
    """Return openings and limits, and the buyer's limit of the twin on the other side of the seller's."""
    low, high = plan.frame.limit
    step = 5 if high < 150 else 10
    floor = step * (low // step + draw.below((high - low) // step + 1))
    room, gap = (step * max(2, round(floor * share / step)) for share in draw.some((0.15, 0.2, 0.25, 0.3), 2))
    with_deal, without = floor + room, floor - gap
    top = step * round(with_deal * draw.one((1.15, 1.25, 1.35)) / step) + step
    limit, twin = (with_deal, without) if plan.zopa else (without, with_deal)
    # A share of the own limit: otherwise opening and limit together would tell whether there is room.
    bottom = max(step, min(without - step, step * round(limit * draw.one((0.3, 0.4, 0.5)) / step)))
    return {
        "open": {"seller": top, "buyer": bottom},
        "limit": {"seller": floor, "buyer": limit},
        "twin_limit": twin,
    }


def _price(kind: str, pattern: str, price: int) -> dict[str, Any]:
    spoken = number_words(price)
    text = sentence(fill(pattern, PRICE=spoken))
    return {"id": kind, "text": text, "kind": kind, "value": price, "any": [spoken, str(price)]}


@cache
def _wordings() -> PriceGrammar:
    return grammar("price", PriceGrammar)
