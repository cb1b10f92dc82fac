"""L14 and the rules that treat generated sets apart: sealed files on disk, and what loading and lint say."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from dyad.errors import ConfigError
from dyad.library import Library, lint, load_library, role_of
from dyad.library.seal import COMMITMENT, write_sealed
from dyad.spec import SEATS


def seal(folder: Path, library: Library, **secrets: str) -> Path:
    """Write two shipped scenarios as a sealed set, with the commitment to it; each may get another secret."""
    made = []
    for id in ("t4_2_archive", "t4_2_marina"):
        scenario = library.scenarios[id]
        a, b = (role_of(library, scenario, seat) for seat in SEATS)
        if words := secrets.get(id):
            item = b.private[0].model_copy(update={"text": f"The answer is {words.title()}."})
            b = b.model_copy(update={"private": (item, *b.private[1:])})
            scenario = scenario.model_copy(update={"truth": scenario.truth | {"secret": words}})
        made.append((scenario.model_copy(update={"split": "sealed"}), (a, b)))
    write_sealed(folder, 1, "a canary", made)
    return folder


@pytest.fixture
def sealed(tmp_path: Path, library: Library) -> Path:
    return seal(tmp_path, library)


def test_files_load_as_they_were_committed(sealed: Path) -> None:
    loaded = load_library([sealed], builtin=False)
    assert set(loaded.seals) == set(loaded.scenarios)
    assert {s.split for s in loaded.scenarios.values()} == {"sealed"}
    assert lint(loaded) == []


@pytest.mark.parametrize(
    ("file", "field", "value"),
    [
        ("t4_2/marina", "tags.stakes", "low"),
        ("t4_2/marina/runa", "reasons.0.text", "No."),
        ("t4_2/marina/cato", "name", "Zed"),
    ],
)
def test_a_file_that_was_changed(sealed: Path, write: Any, file: str, field: str, value: str) -> None:
    write(sealed, file, field, value)
    with pytest.raises(ConfigError, match=r"scenarios/t4_2/marina\.yaml:1: L14 .*; restore the files"):
        load_library([sealed], builtin=False)


def test_a_file_without_a_commitment(sealed: Path) -> None:
    (sealed / COMMITMENT).unlink()
    with pytest.raises(
        ConfigError, match=r"archive\.yaml:\d+: split: L14 sealed, but no commitment"
    ) as fault:
        load_library([sealed], builtin=False)
    path, number = str(fault.value).split(":")[:2]
    assert Path(path).read_text("utf-8").splitlines()[int(number) - 1] == "split: sealed"


def test_a_commitment_without_its_files(sealed: Path) -> None:
    """Hashes may lie in a library before the files are shown."""
    published = sealed / "scenarios/_commitments"
    published.mkdir()
    (sealed / COMMITMENT).rename(published / "t4_2.json")
    assert load_library([sealed], builtin=False).seals
    shutil.rmtree(sealed / "scenarios/t4_2")
    assert not load_library([sealed], builtin=False).seals


def test_two_commitments_that_contradict_each_other(sealed: Path, library: Library) -> None:
    other = seal(sealed / "other", library, t4_2_archive="saffron kite")
    (sealed / "scenarios/_commitments").mkdir()
    (other / COMMITMENT).rename(sealed / "scenarios/_commitments/t4_2.json")
    with pytest.raises(
        ConfigError, match=r"t4_2\.json: another commitment has another hash for 't4_2_archive'"
    ):
        load_library([sealed], builtin=False)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: text.replace("t4_2_archive", "t4_2_archiv", 1), "its hashes do not make its root hash"),
        (lambda text: "{}", "no commitment .*; restore it"),
        (lambda text: text[:40], "no commitment .*; restore it"),
    ],
)
def test_a_commitment_that_was_changed(sealed: Path, change: Any, says: str) -> None:
    path = sealed / COMMITMENT
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    with pytest.raises(ConfigError, match=rf"commitment\.json: {says}") as fault:
        load_library([sealed], builtin=False)
    assert "\n" not in str(fault.value)


def test_generated_secrets_may_sound_alike(tmp_path: Path, library: Library) -> None:
    """There are more of them than words that do not; L09 asks for this of written files only."""
    seal(tmp_path, library, t4_2_archive="velvet teapot")
    assert lint(load_library([tmp_path], builtin=False)) == []


def test_a_generated_secret_drawn_twice(tmp_path: Path, library: Library) -> None:
    seal(tmp_path, library, t4_2_archive="velvet trumpet")
    (finding,) = lint(load_library([tmp_path], builtin=False))
    assert (finding.rule, finding.path.stem) == ("L09", "marina")
    assert finding.path.read_text("utf-8").splitlines()[finding.line - 1].strip() == "secret: velvet trumpet"


def test_generated_roles_may_share_names_and_sentences(tmp_path: Path, library: Library, write: Any) -> None:
    """A grammar repeats itself: L12 and L16 are about written files."""
    made = []
    for number in range(5):
        scenario = library.scenarios["t1_1_hive"]
        seats = {
            seat: {"role": f"t1_1_hive{number}_{role_of(library, scenario, seat).name.lower()}"}
            for seat in SEATS
        }
        changed = scenario.model_dump() | {"id": f"t1_1_hive{number}", "seats": seats, "split": "sealed"}
        roles = [
            role_of(library, scenario, seat).model_copy(update={"id": seats[seat]["role"]}) for seat in SEATS
        ]
        made.append((type(scenario).model_validate(changed), (roles[0], roles[1])))
    write_sealed(tmp_path, 1, "a canary", made)
    assert lint(load_library([tmp_path], builtin=False)) == []
