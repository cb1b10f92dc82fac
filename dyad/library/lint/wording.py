"""Lint rules about wording: lengths, leaks between the seats, numbers, forbidden words, names, repetition."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from dyad.library.balance import NAME_USES
from dyad.library.load import Library
from dyad.library.sheet import role_of, told
from dyad.library.truth import options_of
from dyad.library.words import says, shingles, size
from dyad.spec.base import SEATS
from dyad.spec.scenario import Role, Scenario

from .faults import Fault, setting_at, sides

SETTING_WORDS, ROLE_WORDS, ITEM_WORDS = 35, (25, 75), 25
SHARED_WORDS = 5  # a private statement may share fewer words in a row with what the other seat is told
REPEATED_WORDS, SENTENCE_WORDS = 8, 5  # two scenarios may share neither such a run nor such a sentence
LARGEST = 999
_BANNED = (
    (r"role[ -]?play|jeu de rôles?|ロールプレイ|角色扮演", "says that this is a role play"),
    (r"\bscenario\b|\bscénario\b|シナリオ", "says 'scenario'"),
    (r"\bwin\b", "says 'win'"),
    (r"\bas an ai\b|人工知能|人工智能", "says that the speaker is a machine"),
    (r"[\[\]()*（）［］]", "holds a stage direction"),
    (r"\byou have\b[^.;]*\b(seconds?|minutes?)\b", "names a time limit"),
)


def lengths(library: Library) -> Iterator[Fault]:
    """L02: settings, role texts and private statements keep their word limits."""
    for scenario in library.scenarios.values():
        if (count := size(scenario.setting)) > SETTING_WORDS:
            yield scenario.id, setting_at(scenario), f"setting has {count} words; at most {SETTING_WORDS}"
    least, most = ROLE_WORDS
    for role in library.roles.values():
        if not least <= (count := size(told(role))) <= most:
            yield role.id, ("brief",), f"role text has {count} words; {least} to {most}"
        for i, item in enumerate(role.private):
            if (count := size(item.text)) > ITEM_WORDS:
                yield role.id, ("private", i, "text"), f"item has {count} words; at most {ITEM_WORDS}"


def leaks(library: Library) -> Iterator[Fault]:
    """L03: no private statement shares five words in a row with what the other seat is told."""
    for scenario, role, partner in sides(library):
        public = shingles(scenario.setting, SHARED_WORDS) | shingles(told(partner), SHARED_WORDS)
        for i, item in enumerate(role.private):
            # The pass word of the authorised twin is known to both seats on purpose.
            shared = shingles(item.text, SHARED_WORDS) & public if item.kind != "passphrase" else set()
            for run in sorted(shared)[:1]:
                yield role.id, ("private", i, "text"), f"'{run}' is also told to the other seat; reword"


def numbers(library: Library) -> Iterator[Fault]:
    """L08: numbers are written as words, whole and at most 999."""
    texts: list[Fault] = [
        (scenario.id, setting_at(scenario), scenario.setting) for scenario in library.scenarios.values()
    ]
    for role in library.roles.values():
        texts += [(role.id, ("brief",), role.brief), (role.id, ("closing",), role.closing)]
        texts += [(role.id, ("private", i, "text"), item.text) for i, item in enumerate(role.private)]
        for i, item in enumerate(role.private):
            if item.value is not None and not 0 < item.value <= LARGEST:
                yield role.id, ("private", i, "value"), f"must be a whole number from 1 to {LARGEST}"
    for id, loc, text in texts:
        if re.search(r"\d|\b(thousand|million|mille)\b", text):
            yield id, loc, f"write numbers as words, none above {LARGEST}"


def wording(library: Library) -> Iterator[Fault]:
    """L11: no talk about the experiment, no time limit, no goal of the partner in a role text."""
    for role in library.roles.values():
        for pattern, problem in _BANNED:
            if re.search(pattern, told(role), re.IGNORECASE):
                yield role.id, ("brief",), f"role text {problem}; reword"
    for scenario, role, partner in sides(library):
        for goal in filter(None, [partner.demand, *_options_of(library, scenario, partner)]):
            if says(told(role), goal):
                yield role.id, ("brief",), f"names the partner's goal '{goal}'; leave it out"


def name_uses(library: Library) -> Iterator[Fault]:
    """L12: a name is used at most four times, and the brief says it. Generated sets draw their own names."""
    people = {role.id.partition(".")[0]: role.name for role in _unsealed(library)}
    uses = Counter(people.values())
    for role in library.roles.values():
        if uses[role.name] > NAME_USES:
            yield role.id, ("name",), f"'{role.name}' is used {uses[role.name]} times; at most {NAME_USES}"
        if role.name not in role.brief:
            yield role.id, ("brief",), f"brief does not say the name '{role.name}'"


def repeats(library: Library) -> Iterator[Fault]:
    """L16: no sentence and no long run of words stands in the roles of two scenarios."""
    seen: dict[str, str] = {}
    for scenario, role in _written(library):
        text = told(role)
        for run in sorted(_sentences(text) | shingles(text, REPEATED_WORDS)):
            if seen.setdefault(run, scenario) != scenario:
                where = f"also stands in {seen[run]}"
                yield role.id, ("brief",), f"'{run[:60]}' {where}; no two scenarios are worded alike"
                break


def published(library: Library) -> Iterator[Fault]:
    """L15: no eight words in a row that a published brief has, as far as its hashes are at hand."""
    for role in library.roles.values():
        for run in sorted(shingles(told(role), REPEATED_WORDS)):
            if run_hash(run) in library.published:
                yield role.id, ("brief",), f"'{run}' stands in a published brief; reword"
                break


def run_hash(run: str) -> str:
    """Return the hash by which a run of words is known: 16 hexadecimal digits of SHA-256."""
    return hashlib.sha256(run.encode()).hexdigest()[:16]


def _written(library: Library) -> Iterator[tuple[str, Role]]:
    """Yield each role with the scenario that it was written for; generated sets repeat their grammar."""
    scenarios: defaultdict[str, set[str]] = defaultdict(set)
    for scenario in library.scenarios.values():
        named = [ref.role for ref in scenario.seats.values()]
        named += [role for seats in scenario.twins.values() for role in seats.values()]
        for role in named if scenario.split != "sealed" else ():
            scenarios[role].add(scenario.id)
    for role, users in scenarios.items():
        yield min(users), library.roles[role]


def _unsealed(library: Library) -> list[Role]:
    sealed = {ref.role for s in library.scenarios.values() if s.split == "sealed" for ref in s.seats.values()}
    return [role for role in library.roles.values() if role.id not in sealed]


def _sentences(text: str) -> set[str]:
    parts = re.split(r"(?<=[.!?])\s+|(?<=[。！？])", text)
    return {part.strip() for part in parts if size(part) >= SENTENCE_WORDS}


def _options_of(library: Library, scenario: Scenario, role: Role) -> list[str]:
    options = options_of(scenario)
    return [options[seat] for seat in SEATS if seat in options and role_of(library, scenario, seat) is role]
