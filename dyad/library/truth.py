"""What only the scorer knows: `truth`, one closed record per archetype; and what `asr` may hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, model_validator

from dyad.spec.base import Frozen, Seat
from dyad.spec.scenario import Archetype, Scenario


class NoTruth(Frozen):
    """T1-1, T1-2, T3-2: everything that is scored stands in the roles. T0: nothing is scored."""


class PoolTruth(Frozen):
    """T2: five candidates in the order of the setting, and the one that no fact rules out."""

    candidates: tuple[str, ...] = Field(min_length=5, max_length=5)
    answer: str

    @model_validator(mode="after")
    def _answer_listed(self) -> PoolTruth:
        if self.answer not in self.candidates:
            raise ValueError(f"answer '{self.answer}' is not among the candidates")
        return self


class TacticTruth(Frozen):
    """T3-1: how both rivals are told to take the floor, in the same sentence."""

    tactic: Literal["cut-in", "ride-over", "short-and-often", "at-completion", "counter"]
    sentence: str


class OptionTruth(Frozen):
    """T4-1: the named option of each seat, and other spellings of it."""

    options: dict[Seat, str] = Field(min_length=2)
    aliases: dict[Seat, tuple[str, ...]] = Field(default_factory=dict)


class ThirdLine(Frozen):
    """T4-3: a compromise that neither side wants written, and other spellings of it.

    `setting` is that of the twin, which names all three lines; where it is empty, the scenario's own does.
    """

    line: str
    aliases: tuple[str, ...] = ()
    setting: str = ""


class LineTruth(Frozen):
    """T4-3: the line that each side wants written, other spellings of it, and a line between them."""

    lines: dict[Literal["claimant", "payer"], str] = Field(min_length=2)
    aliases: dict[Literal["claimant", "payer"], tuple[str, ...]] = Field(default_factory=dict)
    third: ThirdLine | None = None


class SecretTruth(Frozen):
    """T4-2: the secret, spellings that count as it, parts of it, and hints that give it away.

    `passphrase` is the word that the authorised twin lets the caller say.
    """

    secret: str
    passphrase: str = ""
    aliases: tuple[str, ...] = ()
    partials: tuple[str, ...] = ()
    forbidden_hint: tuple[str, ...] = ()


class Sides(Frozen):
    """One price of each side, in whole units; a higher price is better for the seller."""

    seller: int = Field(ge=1, le=999)
    buyer: int = Field(ge=1, le=999)


class PriceTruth(Frozen):
    """T4-4: openings, limits and whether they leave a zone of possible agreement.

    `twin_limit` holds the buyer's limit in the twin, where it is the other way round.
    """

    open: Sides
    limit: Sides
    unit: str
    zopa: bool
    twin_limit: int | None = Field(default=None, ge=1, le=999)

    @model_validator(mode="after")
    def _zopa_true(self) -> PriceTruth:
        if self.zopa != (self.limit.seller <= self.limit.buyer):
            raise ValueError("zopa must be true exactly when limit.seller <= limit.buyer")
        if self.twin_limit is not None and self.zopa == (self.limit.seller <= self.twin_limit):
            raise ValueError("twin_limit must lie on the other side of limit.seller than limit.buyer")
        return self


class Asr(Frozen):
    """What is told of names: which ones a recogniser may expect, and how they are read (for the lint)."""

    hotwords: tuple[str, ...] = ()
    readings: dict[str, str] = Field(default_factory=dict)


Truth = NoTruth | PoolTruth | TacticTruth | OptionTruth | LineTruth | SecretTruth | PriceTruth

TRUTHS: Mapping[Archetype, type[Truth]] = {
    "t0": NoTruth,
    "t1_1": NoTruth,
    "t1_2": NoTruth,
    "t2": PoolTruth,
    "t3_1": TacticTruth,
    "t3_2": NoTruth,
    "t4_1": OptionTruth,
    "t4_2": SecretTruth,
    "t4_3": LineTruth,
    "t4_4": PriceTruth,
}


def truth_of(scenario: Scenario) -> Truth:
    """Return the typed truth of a scenario."""
    return TRUTHS[scenario.archetype].model_validate(scenario.truth)


def options_of(scenario: Scenario) -> dict[Seat, str]:
    """Return the named outcome that each seat wants (T4-1, T4-3); empty for other archetypes."""
    match truth_of(scenario):
        case OptionTruth(options=options):
            return {"a": options["a"], "b": options["b"]}
        case LineTruth(lines=lines):
            return {"a": lines["claimant"], "b": lines["payer"]}
    return {}


def aliases_of(scenario: Scenario) -> dict[Seat, tuple[str, ...]]:
    """Return the other spellings of each seat's outcome (T4-1, T4-3); empty for other archetypes."""
    match truth_of(scenario):
        case OptionTruth(aliases=aliases):
            return {"a": aliases.get("a", ()), "b": aliases.get("b", ())}
        case LineTruth(aliases=spellings):
            return {"a": spellings.get("claimant", ()), "b": spellings.get("payer", ())}
    return {}


def third_of(scenario: Scenario) -> ThirdLine | None:
    """Return the line that neither seat wants, where the scenario's own setting names it; else None."""
    match truth_of(scenario):
        case LineTruth(third=ThirdLine(setting="") as third):
            return third
    return None
