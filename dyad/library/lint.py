"""Mechanical rules for scenarios and roles: what makes them unfair, guessable or unscorable.

L04 uses a coarse sound key of our own. Not checked by machine: that no answer depends on gender, nationality
or religion (L12), real persons and firms (L09), sealed hashes (L14) and overlap with published briefs (L15).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from . import rules_text, rules_truth
from .faults import Fault
from .load import Library


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
    found = []
    for name, rule in RULES:
        for id, loc, problem in rule(library):
            source = library.sources[id]
            found.append(Finding(source.path, source.line(loc), name, problem))
    return sorted(found, key=lambda finding: (str(finding.path), finding.line, finding.rule))


Rule = tuple[str, Callable[[Library], Iterator[Fault]]]
RULES: tuple[Rule, ...] = (
    ("L01", rules_truth.frame),
    ("L01", rules_truth.role_files),
    ("L01", rules_truth.named_options),
    ("L01", rules_truth.tactic),
    ("L02", rules_text.lengths),
    ("L03", rules_text.leaks),
    ("L04", rules_truth.sounds),
    ("L05", rules_truth.pooling),
    ("L06", rules_truth.answers),
    ("L07", rules_truth.parity),
    ("L08", rules_text.numbers),
    ("L09", rules_truth.secrets),
    ("L10", rules_truth.prices),
    ("L10", rules_truth.no_deals),
    ("L11", rules_text.wording),
    ("L12", rules_text.name_uses),
    ("L13", rules_truth.option_order),
)
