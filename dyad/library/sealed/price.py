"""T4-4: one thing for sale; an opening and a limit per side, and in one scenario of five no room for a deal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from dyad.spec.base import SEATS, Frozen, Seat
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


def plans(seed: str) -> Iterator[Plan]:
    """Yield the plans of a set: of any first n, one fifth or just over it leaves no room."""
    frames = rounds(tuple(_wordings().frames.values()), seed, "t4_4", "frame")
    return map(Plan, frames, cycle((False, True, True, True, True)))


def make(plan: Plan, draw: Draw) -> Made:
    """Return a scenario to a plan."""
    frame, words, names, prices = plan.frame, _wordings(), people(draw), _prices(plan, draw)
    reasons = {"a": draw.some(frame.sells, REASONS), "b": draw.some(frame.buys, REASONS)}
    scenario = {
        "setting": draw.one(frame.settings),
        "truth": {"unit": UNIT, "zopa": plan.zopa, **prices},
        "tags": frame.tagged,
    }
    wordings = {
        "a": (frame.a, words.sell, words.sell_open, words.sell_limit),
        "b": (frame.b, words.buy, words.buy_open, words.buy_limit),
    }
    roles: dict[Seat, dict[str, Any]] = {}
    for seat, side, name in zip(SEATS, ("seller", "buyer"), names, strict=True):
        who, speak, *stops = map(draw.one, wordings[seat])
        told = fill(speak, HINTS=listed([halves(reason)[0] for reason in reasons[seat]]))
        intro = fill(who, PERSON=name)
        brief, closing = (intro, told) if draw.below(2) else (f"{intro} {told}", "")
        slots = {"KEEP": draw.one(frame.keep), "LEAVE": draw.one(frame.leave)}
        roles[seat] = {
            "name": name,
            "brief": brief,
            "private": [
                _price(kind, text, prices[kind][side], slots)
                for kind, text in zip(("open", "limit"), stops, strict=True)
            ],
            "closing": closing,
            "reasons": [cue(halves(reason)[1]) for reason in reasons[seat]],
        }
    limits = {"a": (str(prices["limit"]["seller"]),), "b": (str(prices["limit"]["buyer"]),)}
    return Made(scenario, roles, facts_of(**{seat: (*reasons[seat], *limits[seat]) for seat in SEATS}))


def _prices(plan: Plan, draw: Draw) -> dict[str, Any]:
    """Return openings and limits, and the buyer's limit of the twin on the other side of the seller's."""
    low, high = plan.frame.limit
    step = 5 if high < 150 else 10
    floor = step * (low // step + draw.below((high - low) // step + 1))
    room, gap = (step * max(2, round(floor * share / step)) for share in draw.some((0.15, 0.2, 0.25, 0.3), 2))
    with_deal, without = floor + room, floor - gap
    top = step * round(with_deal * draw.one((1.15, 1.25, 1.35)) / step) + step
    bottom = max(step, step * round(without * draw.one((0.5, 0.6, 0.7)) / step) - step)
    limit, twin = (with_deal, without) if plan.zopa else (without, with_deal)
    return {
        "open": {"seller": top, "buyer": bottom},
        "limit": {"seller": floor, "buyer": limit},
        "twin_limit": twin,
    }


def _price(kind: str, pattern: str, price: int, slots: dict[str, str]) -> dict[str, Any]:
    spoken = number_words(price)
    text = sentence(fill(pattern, slots, PRICE=spoken))
    return {"id": kind, "text": text, "kind": kind, "value": price, "any": [spoken, str(price)]}


def _wordings() -> PriceGrammar:
    return grammar("price", PriceGrammar)
