"""Finding and loading scenarios and roles: the shipped ones and those of a user's own folders."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from dyad.errors import ConfigError, near
from dyad.spec.base import SEATS, Frozen, Seat
from dyad.spec.scenario import Role, Scenario

from .archetypes import INFO, NEEDS
from .source import Source, read_yaml, validate
from .truth import TRUTHS

R = TypeVar("R", Role, Scenario)
_ID = re.compile(r"[a-z0-9][a-z0-9_.-]*")  # ids become parts of file names


class Lines(Frozen):
    """The fixed lines that a prompt may end with; `window` holds the place `{window}`, in seconds."""

    opening: str
    window: str


@dataclass(frozen=True)
class Library:
    """Every scenario and role by id, the fixed lines, and the file that each id came from."""

    scenarios: Mapping[str, Scenario]
    roles: Mapping[str, Role]
    lines: Lines
    sources: Mapping[str, Source]

    def path(self, id: str) -> Path:
        """Return the file that a scenario or role was read from."""
        return self.sources[id].path


def builtin_root(package: Path | None = None) -> Path:
    """Return the folder that holds the shipped `scenarios/` and `roles/`.

    An installed wheel carries them inside the package, in `data/`; in a source checkout they stand beside it.
    """
    package = package or Path(str(files("dyad")))
    for root in (package / "data", package.parent):
        if (root / "scenarios").is_dir() and (root / "roles").is_dir():
            return root
    raise ConfigError(f"{package}: no scenarios/ and roles/ in data/ or beside it; reinstall dyad")


def load_library(dirs: Sequence[str | Path] = (), builtin: bool = True) -> Library:
    """Load the shipped library and the user folders, each of which holds `scenarios/` and `roles/`.

    Raises ConfigError that names file, line and field for the first thing at fault.
    """
    shipped = builtin_root()
    roots = ([shipped] if builtin else []) + [_user_root(Path(folder)) for folder in dirs]
    sources: dict[str, Source] = {}
    roles = _collect(roots, "roles", Role, sources)
    scenarios = _collect(roots, "scenarios", Scenario, sources)
    for scenario in scenarios.values():
        _check_scenario(scenario, roles, sources)
    for role in roles.values():
        _check_role(role, sources[role.id])
    lines = validate(read_yaml(shipped / "roles" / "_lines.yaml"), Lines)
    return Library(MappingProxyType(scenarios), MappingProxyType(roles), lines, MappingProxyType(sources))


def _user_root(root: Path) -> Path:
    if not (root / "scenarios").is_dir():
        raise ConfigError(f"scenario_dirs: {root} has no folder scenarios/; name a folder that holds one")
    return root


def _collect(roots: Sequence[Path], folder: str, model: type[R], sources: dict[str, Source]) -> dict[str, R]:
    found: dict[str, R] = {}
    for root in roots:
        for path in _yaml_files(root / folder):
            source = read_yaml(path)
            record = validate(source, model)
            _claim(record.id, source, sources)
            found[record.id] = record
    return found


def _yaml_files(folder: Path) -> Iterator[Path]:
    inside = folder.resolve()
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".yaml", ".yml") or path.name.startswith("_"):
            continue  # `_lines.yaml` holds fixed lines, not a record
        if not path.resolve().is_relative_to(inside):
            raise ConfigError(f"{path}: links to a file outside {folder}; put a copy there")
        yield path


def _claim(id: str, source: Source, sources: dict[str, Source]) -> None:
    if not _ID.fullmatch(id):
        raise source.error(("id",), f"'{id}' may hold only a-z, 0-9, '_', '-' and '.'")
    if id in sources:
        raise source.error(("id",), f"'{id}' is taken by {sources[id].path}; choose another id")
    sources[id] = source


def _check_scenario(scenario: Scenario, roles: Mapping[str, Role], sources: Mapping[str, Source]) -> None:
    source, info = sources[scenario.id], INFO[scenario.archetype]
    if info.free:
        _check_untold(scenario, source)
    else:
        for seat in SEATS:
            _check_seat(scenario, seat, roles, source)
    for field in ("symmetric", "anchor", "judge"):
        if getattr(scenario, field) != getattr(info, field):
            raise source.error((field,), f"must be {_yaml(getattr(info, field))} for {info.id}")
    validate(source, TRUTHS[scenario.archetype], ("truth",))


def _check_seat(scenario: Scenario, seat: Seat, roles: Mapping[str, Role], source: Source) -> None:
    if seat not in scenario.seats:
        raise source.error(("seats", seat), "field is missing; name the role of this seat")
    name, kind = scenario.seats[seat].role, INFO[scenario.archetype].kind(seat)
    if name not in roles:
        raise source.error(("seats", seat, "role"), f"no role '{name}'{_hint(name, roles)}")
    if roles[name].kind != kind:
        wrong = f"role '{name}' is of kind '{roles[name].kind}', {scenario.archetype} needs '{kind}' here"
        raise source.error(("seats", seat, "role"), wrong)


def _check_untold(scenario: Scenario, source: Source) -> None:
    for field in ("setting", "seats"):
        if getattr(scenario, field):
            raise source.error((field,), f"{scenario.archetype} tells nobody anything; leave it empty")


def _check_role(role: Role, source: Source) -> None:
    for field in NEEDS[role.kind]:
        if not getattr(role, field):
            raise source.error((field,), f"a role of kind '{role.kind}' needs this field; add it")


def _hint(name: str, known: Mapping[str, Role]) -> str:
    # A list of every role would not be one line, so only a near name is offered.
    hint = near(name, known)
    return hint if hint.startswith("; did") else "; add its file under roles/"


def _yaml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return json.dumps(value)
