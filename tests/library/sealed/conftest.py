"""Sealed sets, written to disk and loaded as a user would load them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dyad.library import Library, load_library
from dyad.library.seal import write_sealed
from dyad.library.sealed import GENERATOR, canary, generate


def loaded(folder: Path, archetype: str, n: int, seed: str) -> Library:
    write_sealed(folder, GENERATOR, canary(seed), generate(archetype, n, seed))
    return load_library([folder], builtin=False)


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Library]:
    """A thousand scenarios of an archetype, generated once."""
    known: dict[str, Library] = {}

    def get(archetype: str) -> Library:
        if archetype not in known:
            known[archetype] = loaded(tmp_path_factory.mktemp("sealed") / archetype, archetype, 1000, "test")
        return known[archetype]

    return get
