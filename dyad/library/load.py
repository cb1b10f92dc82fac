"""The library: the shipped scenarios and roles, those of a user's own folders, and the twins made of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from dyad.spec.scenario import Role, Scenario

from .check import check_role, check_scenario, checked_seal, declared_twins
from .files import builtin_root, claim, collect, fixed_lines, published_runs, user_root
from .lines import Lines
from .seal import read_commitments
from .source import Source
from .twins import twins_of


@dataclass(frozen=True)
class Library:
    """Every scenario and role by id, twins included; fixed lines by language; the file behind each id.

    `published` holds hashes of word runs of published briefs, where they are at hand (L15), `seals` the
    committed hash of every sealed scenario and of its twins.
    """

    scenarios: Mapping[str, Scenario]
    roles: Mapping[str, Role]
    lines: Mapping[str, Lines]
    sources: Mapping[str, Source]
    published: frozenset[str] = frozenset()
    seals: Mapping[str, str] = field(default_factory=dict)

    def path(self, id: str) -> Path:
        """Return the file that a scenario or role was read from, or made from."""
        return self.sources[id].path


def load_library(dirs: Sequence[str | Path] = (), builtin: bool = True) -> Library:
    """Load the shipped library and the user folders, each of which holds `scenarios/` and `roles/`.

    Raises ConfigError that names file, line and field for the first thing at fault.
    """
    shipped = builtin_root()
    roots = ([shipped] if builtin else []) + [user_root(Path(folder)) for folder in dirs]
    sources: dict[str, Source] = {}
    roles = collect(roots, "roles", Role, sources)
    scenarios = collect(roots, "scenarios", Scenario, sources)
    lines = fixed_lines([shipped, *roots])
    for role in roles.values():
        check_role(role, sources[role.id])
    for scenario in scenarios.values():
        check_scenario(scenario, roles, lines, sources[scenario.id])
    seals = _seals([shipped, *roots], scenarios, roles, sources)
    for scenario in [s for s in scenarios.values() if not s.free]:
        _add_twins(scenario, lines[scenario.lang], scenarios, roles, sources)
    return Library(
        MappingProxyType(scenarios),
        MappingProxyType(roles),
        MappingProxyType(lines),
        MappingProxyType(sources),
        published_runs([shipped, *roots]),
        {id: seals[base] for id in scenarios if (base := id.partition(".")[0]) in seals},
    )


def _seals(
    roots: Sequence[Path],
    scenarios: Mapping[str, Scenario],
    roles: Mapping[str, Role],
    sources: Mapping[str, Source],
) -> dict[str, str]:
    committed = read_commitments(roots)
    # A committed scenario stays sealed, whatever split its file now names.
    sealed = [s for s in scenarios.values() if s.split == "sealed" or s.id in committed]
    return {s.id: checked_seal(s, roles, committed, sources[s.id]) for s in sealed}


def _add_twins(
    scenario: Scenario,
    lines: Lines,
    scenarios: dict[str, Scenario],
    roles: dict[str, Role],
    sources: dict[str, Source],
) -> None:
    """Add what is made from a scenario's own files, and count it as from the file that it is made from."""
    source = sources[scenario.id]
    own = {seat: roles[ref.role] for seat, ref in scenario.seats.items()}
    try:
        made = list(twins_of(scenario, own, declared_twins(scenario, roles, source), lines))
    except ValueError as error:
        raise source.error(("truth", "twin_limit"), str(error)) from None
    for twin, changed in made:
        claim(twin.id, source, sources)
        scenarios[twin.id] = twin
        for role in changed:
            if role.id not in roles:
                roles[role.id] = role
                sources[role.id] = sources[role.id.rpartition(".")[0]]
