"""Commit and reveal: sealed scenarios stay private, their hashes are published, and loading checks them.

A record's hash covers the scenario and its roles, with a salt drawn from the seed, so that a published hash
cannot be met by guessing what the file may say.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import Field, ValidationError

from dyad.errors import ConfigError
from dyad.spec.base import Frozen, canonical_json
from dyad.spec.scenario import Role, Scenario

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
