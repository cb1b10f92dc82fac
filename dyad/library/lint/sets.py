"""Lint rules about all files of an archetype together: balance, and what must differ between files."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations

from dyad.library.balance import (
    BALANCED,
    FEW,
    answer_positions,
    eliminations,
    evenness,
    first_options,
    independence,
)
from dyad.library.load import Library
from dyad.library.names import edit_distance
from dyad.library.truth import SecretTruth, TacticTruth
from dyad.spec.scenario import Scenario

from .facts import read_all
from .faults import Fault, with_truth


def pool_balance(library: Library) -> Iterator[Fault]:
    """L06: where the answer stands in the list is balanced, and so is which seat excludes which place."""
    for scenarios in _by_language(library, "t2"):
        places, table = answer_positions(scenarios), eliminations(library, scenarios)
        for what, counts, p in (
            ("answers stand at places 2 to 5", places[1:], evenness(places[1:])),  # never first
            ("seats a and b exclude places 1 to 5", table, independence(table)),
        ):
            if len(scenarios) >= FEW and p <= BALANCED:
                problem = f"{what} {counts} times; balance them (chi² p > {BALANCED})"
                yield scenarios[-1].id, ("truth", "answer"), problem


def option_order(library: Library) -> Iterator[Fault]:
    """L13: which option of T4-1 is listed first is balanced over the files."""
    for scenarios in _by_language(library, "t4_1"):
        first, n = first_options(scenarios), len(scenarios)
        # One file in five may tip the balance; with few files, one.
        if abs(2 * first - n) > max(1, n // 5):
            problem = f"seat a's option stands first in {first} of {n} files; balance them"
            yield scenarios[-1].id, ("setting",), problem


def no_deals(library: Library) -> Iterator[Fault]:
    """L10: in a set of five or more, one file in five leaves no deal."""
    for scenarios in _by_language(library, "t4_4"):
        closed = sum(not scenario.truth["zopa"] for scenario in scenarios)
        if len(scenarios) >= 5 and closed * 5 < len(scenarios):
            problem = f"{closed} of {len(scenarios)} files leave no deal; at least one in five"
            yield scenarios[-1].id, ("truth", "zopa"), problem


def secrets_apart(library: Library) -> Iterator[Fault]:
    """L09: no two secrets share a word or sound alike, and no pass word stands twice.

    Of a generated set, which has more secrets than there are such words, only that no secret stands twice.
    """
    drawn: dict[str, str] = {}
    known: list[tuple[Scenario, SecretTruth, str]] = []
    for scenario, truth in with_truth(library, SecretTruth):
        if scenario.split != "sealed":
            known.append((scenario, truth, read_all(scenario, truth.secret)))
        elif drawn.setdefault(truth.secret, scenario.id) != scenario.id:
            yield scenario.id, ("truth", "secret"), f"'{truth.secret}' is also that of {drawn[truth.secret]}"
    for (one, truth, a), (two, theirs, b) in combinations(known, 2):
        if set(a.split()) & set(b.split()) or (one.lang == two.lang and edit_distance(a, b) < 4):
            yield (
                two.id,
                ("truth", "secret"),
                f"'{theirs.secret}' is too near to '{truth.secret}' of {one.id}",
            )
    uses = Counter(truth.passphrase for _, truth, _ in known if truth.passphrase)
    for scenario, truth, _ in known:
        if uses[truth.passphrase] > 1:
            yield scenario.id, ("truth", "passphrase"), f"'{truth.passphrase}' is used twice; choose another"


def tactics_apart(library: Library) -> Iterator[Fault]:
    """L16: no tactic sentence of T3-1 stands in two files."""
    seen: dict[str, str] = {}
    for scenario, truth in with_truth(library, TacticTruth):
        if seen.setdefault(truth.sentence, scenario.id) != scenario.id:
            yield scenario.id, ("truth", "sentence"), f"the same as in {seen[truth.sentence]}; reword"


def _by_language(library: Library, archetype: str) -> list[list[Scenario]]:
    found: defaultdict[tuple[str, bool], list[Scenario]] = defaultdict(list)
    for scenario in library.scenarios.values():
        if scenario.archetype == archetype:
            found[scenario.lang, scenario.split == "sealed"].append(scenario)
    return list(found.values())
