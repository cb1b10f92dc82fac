"""Lint rules about facts: names, candidates, secrets, prices and the balance between the seats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from dyad.library.load import Library
from dyad.library.names import edit_distance, sound_key, syllables
from dyad.library.sheet import role_of, told
from dyad.library.truth import (
    LineTruth,
    OptionTruth,
    PoolTruth,
    PriceTruth,
    SecretTruth,
    TacticTruth,
    options_of,
    third_of,
    truth_of,
)
from dyad.library.twins import BOUNDS
from dyad.library.words import UNSPACED, says, words
from dyad.spec.base import SEATS
from dyad.spec.scenario import Cue, Role, Scenario
from dyad.text import find_numbers

from .faults import Fault, setting_at, sides, with_truth

PARITY = 0.15  # largest difference in words between the two seats' arguments
_TAGS: Mapping[str, tuple[str, ...]] = {  # an empty tuple: any word
    "domain": (),
    "channel": ("face", "phone"),
    "register": ("familiar", "formal", "plain"),
    "stakes": ("high", "low", "medium"),
}
_PROVENANCE = ("author", "date", "licence")


def frame(library: Library) -> Iterator[Fault]:
    """L01: ids follow from file names, tags and provenance are complete, and tags have known values."""
    for scenario in library.scenarios.values():
        path = library.path(scenario.id)
        if scenario.id != f"{path.parent.name}_{path.stem}" or path.parent.name != scenario.archetype:
            yield scenario.id, ("id",), "id, archetype and <archetype>/<slug>.yaml must agree; rename one"
        tags = () if scenario.free else tuple(_TAGS)  # what has no content is about nothing
        for field, names in (("tags", tags), ("provenance", _PROVENANCE)):
            for name in names:
                if not getattr(scenario, field).get(name):
                    yield scenario.id, (field,), f"{field}.{name} is missing; add it"
        for name, value in scenario.tags.items():
            known = _TAGS.get(name)
            if known is None:
                yield scenario.id, ("tags", name), f"unknown tag; tags are {', '.join(_TAGS)}"
            elif known and value and value not in known:
                yield scenario.id, ("tags", name), f"'{value}' must be {', '.join(known[:-1])} or {known[-1]}"


def role_files(library: Library) -> Iterator[Fault]:
    """L01: the id of a role follows from its file name."""
    for role in library.roles.values():
        path = library.path(role.id)
        expected = f"{path.parent.parent.name}_{path.parent.name}_{path.stem}"
        if role.id != expected:
            yield role.id, ("id",), f"id and <archetype>/<slug>/<name>.yaml must agree; expected '{expected}'"


def named_options(library: Library) -> Iterator[Fault]:
    """L01: the setting names both options (T4-1) or all lines (T4-3), since both seats know them."""
    for scenario in library.scenarios.values():
        named = {option: f"what seat {seat} wants" for seat, option in options_of(scenario).items()}
        if third := third_of(scenario):
            named[third.line] = "what neither seat wants"
        for option, what in named.items():
            if not says(scenario.setting, option):
                yield scenario.id, setting_at(scenario), f"does not name '{option}', {what}"


def sounds(library: Library) -> Iterator[Fault]:
    """L04: names within a scenario sound different, and T2 candidates have two or three syllables."""
    for scenario in library.scenarios.values():
        for a, b in combinations(_names(scenario), 2):
            if alike(read_as(scenario, a), read_as(scenario, b)):
                yield scenario.id, ("truth",), f"'{a}' and '{b}' sound alike; rename one"
        truth = truth_of(scenario)
        counted = isinstance(truth, PoolTruth) and scenario.lang == "en"  # `syllables` reads English
        for name in truth.candidates if isinstance(truth, PoolTruth) and counted else ():
            if not 2 <= syllables(name) <= 3:
                yield scenario.id, ("truth", "candidates"), f"'{name}' needs 2 or 3 syllables"


def pooling(library: Library) -> Iterator[Fault]:
    """L05: the facts of both seats leave exactly the answer, and those of one seat do not."""
    for scenario, truth in with_truth(library, PoolTruth):
        listed = sorted(truth.candidates, key=scenario.setting.find)
        if listed != list(truth.candidates) or any(name not in scenario.setting for name in listed):
            yield scenario.id, ("setting",), "must name the candidates in the order of truth.candidates"
        left = [remaining(role_of(library, scenario, seat), truth.candidates) for seat in SEATS]
        if left[0] & left[1] != {truth.answer}:
            names = ", ".join(sorted(left[0] & left[1])) or "nobody"
            yield scenario.id, ("truth", "answer"), f"all facts together leave {names}, not {truth.answer}"
        for seat, alone in zip(SEATS, left, strict=True):
            if len(alone) < 2:
                yield scenario.id, ("seats", seat), "this seat knows the answer alone; move one fact"
        yield from _one_target_each(library, scenario, truth)


def _one_target_each(library: Library, scenario: Scenario, truth: PoolTruth) -> Iterator[Fault]:
    ruled_out: list[str] = []
    for seat in SEATS:
        role = role_of(library, scenario, seat)
        for i, item in enumerate(role.private):
            named = [name for name in truth.candidates if name in item.text]
            if sorted(named) != sorted(item.target):
                yield role.id, ("private", i, "target"), "target and the names in the text differ"
            if item.kind in ("eliminate", "lure", "keep") and not item.any:
                yield role.id, ("private", i), "item needs 'any': the phrases that count as voicing it"
            if item.kind == "eliminate":
                ruled_out += item.target
    if scenario.form in ("E", "L") and len(ruled_out) != len(set(ruled_out)):
        yield scenario.id, ("form",), "a candidate is ruled out twice; one fact each"
    if scenario.form is None:
        yield scenario.id, ("form",), "T2 needs form: E, L or X"


def answers(library: Library) -> Iterator[Fault]:
    """L06: the answer does not stand first, and in forms E and L it stands in the list only."""
    for scenario, truth in with_truth(library, PoolTruth):
        if truth.answer == truth.candidates[0]:
            yield scenario.id, ("truth", "answer"), "answer stands first in the list; reorder the candidates"
        for seat in SEATS if scenario.form in ("E", "L") else ():
            role = role_of(library, scenario, seat)
            if truth.answer in told(role):
                yield role.id, ("private",), f"names the answer '{truth.answer}'; keep it to the list"


def parity(library: Library) -> Iterator[Fault]:
    """L07: the two seats' points (T3-1) and reasons (T4-1) are alike in length."""
    for scenario in library.scenarios.values():
        field = {"t3_1": "points", "t4_1": "reasons"}.get(scenario.archetype)
        if field:
            sizes = [_cue_words(getattr(role_of(library, scenario, seat), field)) for seat in SEATS]
            if max(sizes) - min(sizes) > PARITY * max(sizes):
                yield scenario.id, ("seats",), f"{field} have {sizes[0]} and {sizes[1]} words; within 15 %"


def tactic(library: Library) -> Iterator[Fault]:
    """L01: both rivals of T3-1 are told the tactic in the same sentence."""
    for scenario, role, _ in sides(library):
        truth = truth_of(scenario)
        if isinstance(truth, TacticTruth) and truth.sentence not in role.closing:
            yield role.id, ("closing",), f"must hold the tactic sentence '{truth.sentence}'"


def withholding(library: Library) -> Iterator[Fault]:
    """L01: what an avoider or a defender is told to withhold stands in the closing, which twins replace."""
    for role in library.roles.values():
        if role.kind in ("avoider", "defender") and not role.closing:
            yield role.id, ("brief",), "the sentence that tells what to withhold must stand in 'closing'"


def secrets(library: Library) -> Iterator[Fault]:
    """L09: a secret is two words that only one private statement of the defender holds."""
    for scenario, truth in with_truth(library, SecretTruth):
        if len(parts := truth.secret.lower().split()) != 2 or any(c.isdigit() for c in truth.secret):
            yield scenario.id, ("truth", "secret"), "a secret is two unrelated words without digits"
        attacker, defender = (role_of(library, scenario, seat) for seat in SEATS)
        everything = " ".join([scenario.setting, attacker.model_dump_json()])
        for part in parts:
            if says(everything, part):
                yield attacker.id, (), f"'{part}' of the secret is known to the attacker; remove it"
        spellings = (truth.secret, truth.secret.replace(" ", ""))[: 1 + (scenario.lang in UNSPACED)]
        holders = [i for i, item in enumerate(defender.private) if _holds(item.text, spellings)]
        aside = " ".join([defender.brief, defender.closing, *(cue.text for cue in defender.reasons)])
        if len(holders) != 1 or _holds(aside, spellings):
            yield defender.id, ("private",), "the secret must stand in exactly one private item"


def counted(library: Library) -> Iterator[Fault]:
    """L17: what counts as naming an option, a line or a secret is not what the scene itself says anyway."""
    for scenario in library.scenarios.values():
        if scenario.free or scenario.twin in BOUNDS:
            continue
        talk = _talk(library, scenario)
        for name, phrases in _spellings(scenario):
            for phrase in phrases:
                if not says(phrase, name) and says(talk, phrase):
                    problem = (
                        f"'{phrase}' counts as '{name}', but it is said in this scene anyway; take it out"
                    )
                    yield scenario.id, ("truth",), problem


def _talk(library: Library, scenario: Scenario) -> str:
    """The setting, and all that both seats are told, but for what a defender keeps."""
    said = [scenario.setting]
    for seat in SEATS:
        role = role_of(library, scenario, seat)
        said += [role.brief, role.closing, role.pretext, *role.escalation, *role.topic.split()]
        said += [cue.text for cue in (*role.reasons, *role.duties, *role.points)]
        said += [item.text for item in role.private if item.kind != "secret"]
    return " . ".join(said)


def _spellings(scenario: Scenario) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each name that is scored, with what counts as it."""
    match truth_of(scenario):
        case OptionTruth(options=options, aliases=aliases):
            yield from ((name, aliases.get(seat, ())) for seat, name in options.items())
        case LineTruth(lines=lines, aliases=spelt):
            yield from ((line, spelt.get(side, ())) for side, line in lines.items())
        case SecretTruth(secret=secret, aliases=heard, partials=parts, forbidden_hint=hints):
            yield secret, [one for one in (*heard, *parts, *hints) if not says(secret, one)]  # else L09
    if third := third_of(scenario):
        yield third.line, third.aliases


def prices(library: Library) -> Iterator[Fault]:
    """L10: openings leave room before the own limit, and roles and truth agree."""
    for scenario, role, _ in sides(library):
        truth = truth_of(scenario)
        if not isinstance(truth, PriceTruth):
            continue
        side = "seller" if role.kind == "seller" else "buyer"
        opening, limit = getattr(truth.open, side), getattr(truth.limit, side)
        if (opening <= limit) if side == "seller" else (opening >= limit):
            yield scenario.id, ("truth", "limit", side), f"the {side} opens at or beyond its own limit"
        held = {item.kind: item.value for item in role.private}
        if (held.get("open"), held.get("limit")) != (opening, limit):
            yield role.id, ("private",), f"open and limit must be {opening} and {limit}, as in the truth"
        for i, item in enumerate(role.private):
            if item.value is not None and item.value not in find_numbers(item.text, scenario.lang):
                yield role.id, ("private", i, "text"), f"must say the number {item.value}"


def remaining(role: Role, candidates: Sequence[str]) -> set[str]:
    """Return the T2 candidates that the facts of one role leave."""
    left = set(candidates)
    for item in role.private:
        if item.kind == "eliminate":
            left -= set(item.target)
        if item.kind == "keep":
            left &= set(item.target)
    return left


def _names(scenario: Scenario) -> Sequence[str]:
    match truth_of(scenario):
        case PoolTruth(candidates=candidates):
            return candidates
        case SecretTruth(secret=secret):
            return secret.split()
        case LineTruth(lines=lines, third=third):
            return [*lines.values(), *([third.line] if third else ())]
    return list(options_of(scenario).values())


def _cue_words(cues: Sequence[Cue]) -> int:
    return sum(len(words(cue.text)) for cue in cues)


def _holds(text: str, spellings: Sequence[str]) -> bool:
    return any(says(text, spelling) for spelling in spellings)


def read_as(scenario: Scenario, name: str) -> str:
    """Return how a name is read: by `asr.readings` where its writing does not say it, else as written."""
    readings: Mapping[str, str] = scenario.asr.get("readings", {})
    return readings.get(name, name)


def read_all(scenario: Scenario, names: str) -> str:
    """Return how several words are read, one after the other."""
    return " ".join(read_as(scenario, name) for name in names.split())


def alike(a: str, b: str) -> bool:
    """Return whether a recogniser may confuse two names."""
    return sound_key(a) == sound_key(b) or edit_distance(a, b) < 3
