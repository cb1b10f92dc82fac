"""The shipped library, and a small folder of one's own that tests break on purpose."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dyad.library import Library, builtin_root, load_library, role_of
from dyad.spec import Scenario, other
from dyad.spec.scenario import Role


@pytest.fixture(scope="session")
def library() -> Library:
    return load_library()


@pytest.fixture(scope="session")
def written(library: Library) -> Callable[..., list[Scenario]]:
    """The shipped scenarios that stand in files of their own and have roles: written(archetype, lang)."""

    def chosen(archetype: str = "", lang: str = "") -> list[Scenario]:
        asked = {"archetype": archetype, "lang": lang}
        own = [s for s in library.scenarios.values() if not s.twin and not s.free]
        return [s for s in own if all(value in ("", getattr(s, key)) for key, value in asked.items())]

    return chosen


@pytest.fixture(scope="session")
def played(library: Library) -> list[tuple[Scenario, Role, Role]]:
    """Each scenario and twin from each seat: with the role there, and the role at the other end."""
    return [
        (scenario, role_of(library, scenario, seat), role_of(library, scenario, other(seat)))
        for scenario in library.scenarios.values()
        for seat in scenario.seats
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user folder that holds copies of three shipped scenarios and of their roles."""
    for slug in ("t2/minibus", "t4_1/radio", "t4_4/sewing"):
        source = builtin_root()
        target = tmp_path / "scenarios" / f"{slug}.yaml"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / "scenarios" / f"{slug}.yaml", target)
        shutil.copytree(source / "roles" / slug, tmp_path / "roles" / slug)
    return tmp_path


@pytest.fixture
def edit(folder: Path) -> Callable[[str, str, str], Path]:
    """Replace text in a file of the folder."""

    def change(name: str, old: str, new: str) -> Path:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) >= 1, f"{name} does not hold {old!r}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return path

    return change
