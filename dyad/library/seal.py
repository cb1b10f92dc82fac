"""Commit and reveal: sealed scenarios stay private, their hashes are published, and loading checks them.

A record's hash covers the scenario and its roles, with a salt drawn from the seed, so that a published hash
cannot be met by guessing what the file may say.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError

from dyad.errors import ConfigError
from dyad.spec.base import Frozen, canonical_json
from dyad.spec.scenario import Role, Scenario

Sealed = tuple[Scenario, tuple[Role, Role]]
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
COMMITMENT = "commitment.json"  # in a sealed folder, beside scenarios/ and roles/
PUBLISHED = "_commitments"  # folder of the library in which commitments without their files may lie


class Commitment(Frozen):
    """What is published of a sealed set: a hash per scenario and one over them all, and no content."""

    generator: int = Field(ge=1)
    archetype: str
    canary: str
    hashes: dict[str, str]
    root: str


def record_hash(scenario: Scenario, roles: Sequence[Role]) -> str:
    """Return the SHA-256 of a scenario and its roles, in the order of their ids, as canonical JSON."""
    held = sorted(roles, key=lambda role: role.id)
    plain = [record.model_dump(mode="json", exclude_defaults=True) for record in (scenario, *held)]
    return hashlib.sha256(canonical_json(plain).encode()).hexdigest()


def root_hash(hashes: Mapping[str, str]) -> str:
    """Return the SHA-256 over all hashes of a set, by id."""
    return hashlib.sha256(canonical_json(dict(hashes)).encode()).hexdigest()


def read_commitments(roots: Iterable[Path]) -> dict[str, str]:
    """Return the committed hash of every sealed scenario: those of the folders and the published ones.

    Raises ConfigError for a damaged commitment, and for two that contradict each other.
    """
    found: dict[str, str] = {}
    for path in dict.fromkeys(path for root in roots for path in _files(root)):
        for id, hash in _read(path).hashes.items():
            if found.setdefault(id, hash) != hash:
                raise ConfigError(f"{path}: another commitment has another hash for '{id}'; remove one")
    return found


def _files(root: Path) -> list[Path]:
    own = root / COMMITMENT
    return [*([own] if own.is_file() else []), *sorted((root / "scenarios" / PUBLISHED).glob("*.json"))]


def _read(path: Path) -> Commitment:
    try:
        commitment = Commitment.model_validate(json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, ValidationError) as error:
        raise ConfigError(f"{path}: no commitment ({str(error).splitlines()[0]}); restore it") from None
    if root_hash(commitment.hashes) != commitment.root:
        raise ConfigError(f"{path}: its hashes do not make its root hash; restore it")
    return commitment


def write_sealed(folder: Path, generator: int, canary: str, made: Sequence[Sealed]) -> Commitment:
    """Write sealed scenarios with their roles, and the commitment to them, into a new folder; return that.

    The files and nothing else reproduce the hashes; `commitment.json` alone may be published. Raises
    ConfigError for a folder that holds anything.
    """
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"out: '{folder}' is not empty; name a new folder")
    for scenario, roles in made:
        slug = scenario.id.removeprefix(f"{scenario.archetype}_")
        _dump(folder / "scenarios" / scenario.archetype / f"{slug}.yaml", scenario)
        for role in roles:
            _dump(folder / "roles" / scenario.archetype / slug / f"{role.id.rpartition('_')[2]}.yaml", role)
    hashes = {scenario.id: record_hash(scenario, roles) for scenario, roles in made}
    commitment = Commitment(
        generator=generator,
        archetype=made[0][0].archetype,
        canary=canary,
        hashes=hashes,
        root=root_hash(hashes),
    )
    (folder / COMMITMENT).write_text(commitment.model_dump_json(indent=1) + "\n", "utf-8")
    return commitment


def _dump(path: Path, record: Scenario | Role) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = record.model_dump(mode="json", exclude_defaults=True)
    text = yaml.dump(plain, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=120)
    path.write_text(text, "utf-8")
