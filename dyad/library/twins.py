"""Twins: a scenario with one thing changed, made from its own files so that nothing else can drift apart.

| twin | of | what differs |
|---|---|---|
| `full` | T2 | both roles hold all facts: the upper bound of pooling |
| `shared_only` | T2, T4-1 | no private facts: how well the pair guesses, and which option it likes |
| `engaged` | T1-2 | the same holder with a partner who takes part |
| `silent` | T1-2 | the same holder with a partner who only listens |
| `grant2` | T3-2 | the avoider says yes at the second ask |
| `authorised` | T4-2 | the caller has a word that entitles to the secret, so telling is right |
| `three_lines` | T4-3 | the setting names a third line, a compromise that neither role wants |
| `nozopa`, `zopa` | T4-4 | the buyer's limit lies on the other side of the seller's |

A scenario file may name further twins, each with the roles that it replaces (`twins: {NAME: {b: ROLE}}`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dyad.spec.base import SEATS, Seat, other
from dyad.spec.scenario import Archetype, Item, Role, Scenario, SeatRef
from dyad.text import number_words

from .lines import Lines
from .truth import LineTruth, PriceTruth, SecretTruth, truth_of

Roles = Mapping[Seat, Role]
# What the seats of these know is changed on purpose: lengths and leaks follow.
BOUNDS = frozenset({"full", "shared_only"})


@dataclass(frozen=True)
class Change:
    """What a twin changes: roles by seat, fields of the truth, and what is shared (setting, hotwords)."""

    roles: dict[Seat, Role]
    truth: dict[str, Any] = field(default_factory=dict)
    shared: dict[str, Any] = field(default_factory=dict)


Maker = Callable[[Scenario, Roles, Lines], Change | None]


def twins_of(
    scenario: Scenario, roles: Roles, declared: Mapping[str, Roles], lines: Lines
) -> Iterator[tuple[Scenario, tuple[Role, ...]]]:
    """Yield the twins of a scenario, each with the roles that are its own.

    `declared` holds the roles that the scenario file names for its further twins.
    """
    for name, maker in MAKERS.get(scenario.archetype, ()):
        if change := maker(scenario, roles, lines):
            named = _zopa_name(scenario) if name == "zopa" else name
            yield _twin(scenario, named, _renamed(change, named))
    for name, replaced in declared.items():
        yield _twin(scenario, name, Change(dict(replaced)))


def _renamed(change: Change, name: str) -> Change:
    roles = {seat: r.model_copy(update={"id": f"{r.id}.{name}"}) for seat, r in change.roles.items()}
    return replace(change, roles=roles)


def _twin(scenario: Scenario, name: str, change: Change) -> tuple[Scenario, tuple[Role, ...]]:
    seats = scenario.seats | {seat: SeatRef(role=role.id) for seat, role in change.roles.items()}
    update = {
        "id": f"{scenario.id}.{name}",
        "seats": seats,
        "truth": scenario.truth | change.truth,
        "twins": {},
        **change.shared,
    }
    return scenario.model_copy(update=update), tuple(change.roles.values())


def _full(scenario: Scenario, roles: Roles, lines: Lines) -> Change:
    def both(seat: Seat) -> Role:
        theirs = (i.model_copy(update={"id": f"{i.id}_too"}) for i in roles[other(seat)].private)
        return roles[seat].model_copy(update={"private": (*roles[seat].private, *theirs)})

    return Change({seat: both(seat) for seat in SEATS})


def _shared_pool(scenario: Scenario, roles: Roles, lines: Lines) -> Change:
    return Change({seat: role.model_copy(update={"private": ()}) for seat, role in roles.items()})


def _shared_choice(scenario: Scenario, roles: Roles, lines: Lines) -> Change:
    return Change({seat: _bare(role, role.kind, lines.neutral) for seat, role in roles.items()})


def _silent(scenario: Scenario, roles: Roles, lines: Lines) -> Change:
    return Change({"b": _bare(roles["b"], "listener", lines.silent)})


def _bare(role: Role, kind: str, brief: str) -> Role:
    """A role of the same name with another brief and no facts of its own."""
    told = brief.format(name=role.name)
    return Role.model_validate({"id": role.id, "name": role.name, "kind": kind, "brief": told})


def _grant2(scenario: Scenario, roles: Roles, lines: Lines) -> Change:
    return Change({"b": roles["b"].model_copy(update={"closing": lines.grant2, "grants_at": 2})})


def _authorised(scenario: Scenario, roles: Roles, lines: Lines) -> Change | None:
    truth = truth_of(scenario)
    if not isinstance(truth, SecretTruth) or not truth.passphrase:
        return None
    said = {"a": lines.word_said, "b": lines.word_known}

    def told(seat: Seat) -> Role:
        text = said[seat].format(word=truth.passphrase)
        word = Item(id="word", text=text, kind="passphrase", target=(truth.passphrase,))
        return roles[seat].model_copy(update={"private": (*roles[seat].private, word)})

    return Change({seat: told(seat) for seat in SEATS})


def _three_lines(scenario: Scenario, roles: Roles, lines: Lines) -> Change | None:
    truth = truth_of(scenario)
    if not isinstance(truth, LineTruth) or truth.third is None or not truth.third.setting:
        return None
    third = truth.third
    hotwords = [*scenario.asr.get("hotwords", ()), third.line]
    named = third.model_dump(mode="json") | {"setting": ""}  # the twin's own setting names it
    shared = {"setting": third.setting, "asr": scenario.asr | {"hotwords": hotwords}}
    return Change({}, {"third": named}, shared)


def _zopa(scenario: Scenario, roles: Roles, lines: Lines) -> Change | None:
    truth = truth_of(scenario)
    if not isinstance(truth, PriceTruth) or truth.twin_limit is None:
        return None
    old, new = truth.limit.buyer, truth.twin_limit
    private = tuple(
        _priced(item, old, new, scenario.lang) if item.kind == "limit" else item
        for item in roles["b"].private
    )
    changed = {"limit": truth.limit.model_dump() | {"buyer": new}, "zopa": not truth.zopa, "twin_limit": None}
    return Change({"b": roles["b"].model_copy(update={"private": private})}, changed)


def _priced(item: Item, old: int, new: int, lang: str) -> Item:
    """The same statement about another price. Raises ValueError where it does not say the old one once."""
    was, now = number_words(old, lang), number_words(new, lang)
    spelled = "[ -]".join(map(re.escape, re.split("[ -]", was)))  # "fifty five" as well as "fifty-five"
    pattern = re.compile(rf"(?<!\w){spelled}(?!\w)" if lang in ("en", "fr") else spelled)
    if len(pattern.findall(item.text)) != 1:
        raise ValueError(f"the buyer's limit must say '{was}' once, so that the twin can say '{now}'")
    text = pattern.sub(now, item.text)
    return item.model_copy(update={"text": text, "value": new, "any": (now, str(new))})


def _zopa_name(scenario: Scenario) -> str:
    return "nozopa" if scenario.truth["zopa"] else "zopa"


MAKERS: Mapping[Archetype, tuple[tuple[str, Maker], ...]] = {
    "t1_2": (("silent", _silent),),
    "t2": (("full", _full), ("shared_only", _shared_pool)),
    "t3_2": (("grant2", _grant2),),
    "t4_1": (("shared_only", _shared_choice),),
    "t4_2": (("authorised", _authorised),),
    "t4_3": (("three_lines", _three_lines),),
    "t4_4": (("zopa", _zopa),),
}
