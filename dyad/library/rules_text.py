"""Lint rules about wording: lengths, shared phrases, numbers, banned words and names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from .faults import Fault, sides, words
from .load import Library
from .names import plain
from .sheet import role_of, told
from .truth import options_of

SETTING_WORDS, ROLE_WORDS, ITEM_WORDS = 35, (25, 75), 25
SHARED_WORDS = 5  # a private statement may share fewer words in a row with what the other seat is told
NAME_USES = 4
LARGEST = 999
_BANNED = (
    (r"role[ -]?play", "says that this is a role play"),
    (r"\bscenario\b", "says 'scenario'"),
    (r"\bwin\b", "says 'win'"),
    (r"\bas an ai\b", "says 'as an AI'"),
    (r"[\[\]()*]", "holds a stage direction"),
    (r"\byou have\b[^.;]*\b(seconds?|minutes?)\b", "names a time limit"),
)


def lengths(library: Library) -> Iterator[Fault]:
    """L02: settings, role texts and private statements keep their word limits."""
    for scenario in library.scenarios.values():
        if (count := len(words(scenario.setting))) > SETTING_WORDS:
            yield scenario.id, ("setting",), f"setting has {count} words; at most {SETTING_WORDS}"
    least, most = ROLE_WORDS
    for role in library.roles.values():
        if not least <= (count := len(words(told(role)))) <= most:
            yield role.id, ("brief",), f"role text has {count} words; {least} to {most}"
        for i, item in enumerate(role.private):
            if (count := len(words(item.text))) > ITEM_WORDS:
                yield role.id, ("private", i, "text"), f"item has {count} words; at most {ITEM_WORDS}"


def leaks(library: Library) -> Iterator[Fault]:
    """L03: no private statement shares five words in a row with what the other seat is told."""
    for scenario, role, partner in sides(library):
        public = _runs_of_words(scenario.setting) | _runs_of_words(told(partner))
        for i, item in enumerate(role.private):
            # The passphrase of the authorised twin is known to both seats on purpose.
            shared = _runs_of_words(item.text) & public if item.kind != "passphrase" else set()
            for run in sorted(shared)[:1]:
                yield role.id, ("private", i, "text"), f"'{run}' is also told to the other seat; reword"


def numbers(library: Library) -> Iterator[Fault]:
    """L08: numbers are written as words, whole and at most 999."""
    texts: list[Fault] = [
        (scenario.id, ("setting",), scenario.setting) for scenario in library.scenarios.values()
    ]
    for role in library.roles.values():
        texts += [(role.id, ("brief",), role.brief), (role.id, ("closing",), role.closing)]
        texts += [(role.id, ("private", i, "text"), item.text) for i, item in enumerate(role.private)]
        for i, item in enumerate(role.private):
            if item.value is not None and not 0 < item.value <= LARGEST:
                yield role.id, ("private", i, "value"), f"must be a whole number from 1 to {LARGEST}"
    for id, loc, text in texts:
        if re.search(r"\d|\b(thousand|million)\b", text):
            yield id, loc, f"write numbers as words, none above {LARGEST}"


def wording(library: Library) -> Iterator[Fault]:
    """L11: no talk about the experiment, no time limit, no goal of the partner in a role text."""
    for role in library.roles.values():
        for pattern, problem in _BANNED:
            if re.search(pattern, told(role), re.IGNORECASE):
                yield role.id, ("brief",), f"role text {problem}; reword"
    for scenario, role, partner in sides(library):
        options = options_of(scenario)
        goals = [partner.demand] if partner.demand else []
        goals += [option for seat, option in options.items() if role_of(library, scenario, seat) is partner]
        for goal in goals:
            if plain(goal) in plain(told(role)):
                yield role.id, ("brief",), f"names the partner's goal '{goal}'; leave it out"


def name_uses(library: Library) -> Iterator[Fault]:
    """L12: a name is used at most four times, and the brief says it."""
    uses = Counter(role.name for role in library.roles.values())
    for role in library.roles.values():
        if uses[role.name] > NAME_USES:
            yield role.id, ("name",), f"'{role.name}' is used {uses[role.name]} times; at most {NAME_USES}"
        if role.name not in role.brief:
            yield role.id, ("brief",), f"brief does not say the name '{role.name}'"


def _runs_of_words(text: str) -> set[str]:
    said = words(text)
    return {" ".join(said[i : i + SHARED_WORDS]) for i in range(len(said) - SHARED_WORDS + 1)}
