"""A judged study of two instruments, and sessions on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.annotate.session import Session, sample_of
from dyad.cli.args import parse
from dyad.cli.main import run
from dyad.cli.verbs import stored
from dyad.pipeline import Study
from tests.annotate.zoo import PLAYED, Opened


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of the study `small`, judged by the rules; answers are added by the tests that use it."""
    folder = tmp_path_factory.mktemp("annotate") / "store"
    assert run(["run", *PLAYED, f"store={folder}"]) == 0
    return folder


@pytest.fixture(scope="session")
def small(store: Path) -> Study:
    return stored(parse(["annotate", "study=small", f"store={store}"]))


@pytest.fixture
def opened(small: Study) -> Opened:
    """Open a session of a person."""

    def session(by: str, n: int = 10, seed: int = 0, *questions: str) -> Session:
        return Session(small, by, sample_of(small, n, seed, questions))

    return session
