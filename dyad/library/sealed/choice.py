"""T4-1: two options, of which each seat wants one, for three reasons that could speak for either."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from dyad.library.names import edit_distance, sound_key
from dyad.spec.base import SEATS, Frozen, Seat

from .draw import Draw, Sided, sided
from .names import people
from .record import Made, facts_of
from .wording import Frame, cue, fill, grammar, sentence

REASONS = 3
PARITY = 0.15  # of the longer seat's words; the lint asks for no more


class ChoiceFrame(Frame):
    """Who the speakers may be, what can be chosen, and reasons that hold for any of it."""

    who: tuple[str, ...]
    options: tuple[str, ...]
    article: str = ""  # of the options, where they are common nouns
    reasons: tuple[str, ...]


class ChoiceGrammar(Frozen):
    """The wordings of T4-1."""

    wants: tuple[str, ...]
    early: tuple[str, ...]
    land: tuple[str, ...]
    frames: dict[str, ChoiceFrame]


def plans(seed: str) -> Iterator[Sided[ChoiceFrame]]:
    """Yield the plans of a set: `first` is the seat whose option the setting names first."""
    return sided(tuple(_wordings().frames.values()), seed, "t4_1")


def make(plan: Sided[ChoiceFrame], draw: Draw) -> Made | None:
    """Return a scenario to a plan; None if the options sound alike or the reasons are unequal in length."""
    one, two = draw.some(plan.frame.options, 2)
    reasons = draw.some(plan.frame.reasons, 2 * REASONS)
    told: dict[Seat, tuple[str, ...]] = {"a": reasons[:REASONS], "b": reasons[REASONS:]}
    if sound_key(one) == sound_key(two) or edit_distance(one, two) < 3 or _unequal(*told.values()):
        return None
    called = {option: f"{plan.frame.article} {option}".strip() for option in (one, two)}
    options = {seat: one if seat == plan.first else two for seat in SEATS}
    scenario = {
        "setting": fill(draw.one(plan.frame.settings), ONE=called[one], OTHER=called[two]),
        "truth": {"options": options, "aliases": {seat: aliases(options[seat]) for seat in SEATS}},
        "asr": {"hotwords": [one, two]},
        "tags": plan.frame.tagged,
    }
    words, who, wants = _wordings(), draw.some(plan.frame.who, 2), draw.some(_wordings().wants, 2)
    early, land, names = draw.some(words.early, 2), draw.some(words.land, 2), people(draw)
    roles: dict[Seat, dict[str, Any]] = {}
    for i, seat in enumerate(SEATS):
        slots = {"PERSON": names[i], "OWN": called[options[seat]]}
        closing = draw.shuffled((early[i], fill(land[i], slots)))
        roles[seat] = {
            "name": names[i],
            "brief": f"{fill(who[i], slots)} {sentence(fill(wants[i], slots))}",
            "private": [{"id": "reasons", "text": _together(told[seat]), "kind": "fact"}],
            "closing": " ".join(closing),
            "reasons": [cue(reason) for reason in told[seat]],
        }
    return Made(scenario, roles, facts_of(told))


def aliases(option: str) -> list[str]:
    """Return other spellings of an option of several words: run together."""
    return [option.replace(" ", "")] if " " in option else []


def _together(reasons: tuple[str, ...]) -> str:
    return sentence(fill(f"{', '.join(reasons[:-1])}, and {reasons[-1]}"))


def _unequal(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    sizes = [sum(len(reason.split()) for reason in seat) for seat in (one, other)]
    return max(sizes) - min(sizes) > PARITY * max(sizes)


@cache
def _wordings() -> ChoiceGrammar:
    return grammar("choice", ChoiceGrammar)
