"""What must hold between records before any of them can be played; the lint goes further."""

from __future__ import annotations

import json
from collections.abc import Mapping

from dyad.errors import near
from dyad.spec.base import SEATS, Seat
from dyad.spec.scenario import Role, Scenario

from .archetypes import INFO, NEEDS
from .lines import Lines
from .seal import COMMITMENT, record_hash
from .source import Source, validate
from .truth import TRUTHS, Asr


def check_scenario(
    scenario: Scenario, roles: Mapping[str, Role], lines: Mapping[str, Lines], source: Source
) -> None:
    """Raise ConfigError unless seats, fixed fields, truth and language fit the archetype."""
    info = INFO[scenario.archetype]
    if scenario.twin:  # it would count as one, and take over the seal of what it names
        raise source.error(("id",), f"'{scenario.id}': what follows '.' names a twin; write it without '.'")
    if info.free:
        _check_untold(scenario, source)
    else:
        for seat in SEATS:
            _check_seat(scenario, seat, roles, source)
        if scenario.lang not in lines:
            missing = f"no fixed lines in '{scenario.lang}'; add them to roles/_lines.yaml in your folder"
            raise source.error(("lang",), missing)
    for field in ("symmetric", "anchor", "judge"):
        if getattr(scenario, field) != getattr(info, field):
            raise source.error((field,), f"must be {_yaml(getattr(info, field))} for {info.id}")
    validate(source, TRUTHS[scenario.archetype], ("truth",))
    validate(source, Asr, ("asr",))


def check_role(role: Role, source: Source) -> None:
    """Raise ConfigError unless a role holds all that its kind needs."""
    for field in NEEDS[role.kind]:
        if not getattr(role, field):
            raise source.error((field,), f"a role of kind '{role.kind}' needs this field; add it")


def checked_seal(
    scenario: Scenario, roles: Mapping[str, Role], committed: Mapping[str, str], source: Source
) -> str:
    """Return the hash of a sealed scenario; raise ConfigError unless it is the committed one (L14)."""
    found = record_hash(scenario, [roles[ref.role] for ref in scenario.seats.values()])
    if scenario.id not in committed:
        raise source.error(("split",), f"L14 sealed, but no commitment holds its hash; add {COMMITMENT}")
    if scenario.twins:  # their roles are in no hash
        raise source.error(("twins",), "L14 a sealed scenario has no roles but its own; leave this out")
    if found != committed[scenario.id]:
        raise source.error((), "L14 scenario or roles are not what was committed; restore the files")
    return found


def declared_twins(
    scenario: Scenario, roles: Mapping[str, Role], source: Source
) -> dict[str, dict[Seat, Role]]:
    """Return the roles of the twins that a scenario names; raise ConfigError for one that is not there."""
    found: dict[str, dict[Seat, Role]] = {}
    for name, refs in scenario.twins.items():
        if not refs:
            raise source.error(("twins", name), "replaces no role; name one: {b: ROLE}")
        for seat, role in refs.items():
            if role not in roles:
                raise source.error(("twins", name, seat), f"no role '{role}'{_hint(role, roles)}")
        found[name] = {seat: roles[role] for seat, role in refs.items()}
    return found


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


def _hint(name: str, known: Mapping[str, Role]) -> str:
    # A list of every role would not be one line, so only a near name is offered.
    hint = near(name, known)
    return hint if hint.startswith("; did") else "; add its file under roles/"


def _yaml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return json.dumps(value)
