"""Mechanical rules for scenarios and roles: what makes them unfair, guessable or unscorable.

L04 uses a coarse sound key of our own. L14, the hash of a sealed file, is checked on loading. Not checked by
machine: that no answer depends on gender, nationality or religion (L12), real persons and firms (L09).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dyad.library.load import Library
from dyad.library.twins import BOUNDS

from . import facts, sets, wording
from .faults import Fault

__all__ = ["RULES", "Finding", "lint"]

Rule = tuple[str, Callable[[Library], Iterator[Fault]]]
TWIN_RULES: tuple[Rule, ...] = (  # what a changed text could break
    ("L01", facts.named_options),
    ("L02", wording.lengths),
    ("L03", wording.leaks),
    ("L08", wording.numbers),
    ("L09", facts.secrets),
    ("L10", facts.prices),
    ("L11", wording.wording),
)
RULES: tuple[Rule, ...] = (
    *TWIN_RULES,
    ("L01", facts.frame),
    ("L01", facts.role_files),
    ("L01", facts.tactic),
    ("L01", facts.withholding),
    ("L04", facts.sounds),
    ("L05", facts.pooling),
    ("L06", facts.answers),
    ("L06", sets.pool_balance),
    ("L07", facts.parity),
    ("L09", sets.secrets_apart),
    ("L10", sets.no_deals),
    ("L12", wording.name_uses),
    ("L13", sets.option_order),
    ("L15", wording.published),
    ("L16", wording.repeats),
    ("L16", sets.tactics_apart),
    ("L17", facts.counted),
)


@dataclass(frozen=True)
class Finding:
    """One broken rule: where it is broken, and what to do."""

    path: Path
    line: int
    rule: str
    problem: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule} {self.problem}"


def lint(library: Library) -> list[Finding]:
    """Return every broken rule, by file and line; an empty list means that the library is clean."""
    found: dict[Finding, None] = {}  # a role that a twin shares is looked at twice
    for part, rules in ((_written(library), RULES), (_made(library), TWIN_RULES)):
        for name, rule in rules:
            for id, loc, problem in rule(part):
                source = library.sources[id]
                found[Finding(source.path, source.line(loc), name, problem)] = None
    return sorted(found, key=lambda finding: (str(finding.path), finding.line, finding.rule))


def _written(library: Library) -> Library:
    """The part that stands in files of its own."""
    own = {id for id, source in library.sources.items() if source.data["id"] == id}
    return replace(
        library,
        scenarios={id: s for id, s in library.scenarios.items() if id in own},
        roles={id: r for id, r in library.roles.items() if id in own},
    )


def _made(library: Library) -> Library:
    """The twins that are made from other files, but for the bounds, which break secrecy on purpose."""
    twins = {
        id: s
        for id, s in library.scenarios.items()
        if library.sources[id].data["id"] != id and s.twin not in BOUNDS
    }
    roles = {ref.role for s in twins.values() for ref in s.seats.values()}
    return replace(library, scenarios=twins, roles={id: library.roles[id] for id in roles})
