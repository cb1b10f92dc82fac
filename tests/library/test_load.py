"""Loading: where the data is found, and how each fault is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dyad.errors import ConfigError
from dyad.library import builtin_root, load_library

Edit = Callable[[str, str, str], Path]
SCENARIO, ROLE = "scenarios/t2/minibus.yaml", "roles/t2/minibus/maren.yaml"


def load(folder: Path) -> None:
    load_library([folder], builtin=False)


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_user_folder_loads_beside_the_shipped_library(folder: Path, edit: Edit) -> None:
    edit(SCENARIO, "id: t2_minibus", "id: t2_coach")
    for name in ("maren", "oskar"):
        (folder / "roles/t2/minibus" / f"{name}.yaml").unlink()  # roles of the shipped library serve as well
    for slug in ("t4_1/radio", "t4_4/sewing"):
        (folder / "scenarios" / f"{slug}.yaml").unlink()
        for role in (folder / "roles" / slug).iterdir():
            role.unlink()
    loaded = load_library([folder])
    assert loaded.scenarios["t2_coach"].seats["a"].role == "t2_minibus_maren"
    assert loaded.path("t2_coach") == folder / SCENARIO
    assert "t2_minibus" in loaded.scenarios


@pytest.mark.parametrize(
    ("file", "old", "new", "field", "says"),
    [
        (SCENARIO, "version: 1", "version: 0", "version", "greater than or equal to 1"),
        (SCENARIO, "split: dev", "splitt: dev", "splitt", "unknown field; did you mean 'split'?"),
        (SCENARIO, "archetype: t2", "archetype: t5", "archetype", "'t4_4'"),
        (SCENARIO, "symmetric: true", "symmetric: false", "symmetric", "must be true for t2"),
        (SCENARIO, "anchor: null", "anchor: a", "anchor", "must be null for t2"),
        (SCENARIO, "[t2.choice, t2.disclosed]", "[t2.choice]", "judge", "must be [t2.choice, t2.disclosed]"),
        (SCENARIO, "answer: Tilbury", "answer: Tilby", "truth", "answer 'Tilby' is not among"),
        (SCENARIO, "  answer: Tilbury", "  anser: Tilbury", "truth.anser", "did you mean 'answer'?"),
        (SCENARIO, "t2_minibus_maren", "t2_minibus_marten", "seats.a.role", "did you mean 't2_minibus_ma"),
        (SCENARIO, "t2_minibus_oskar", "t4_1_radio_mona", "seats.b.role", "t2 needs 'pooler'"),
        (SCENARIO, "id: t2_minibus", "id: ../minibus", "id", "may hold only"),
        (ROLE, "kind: pooler", "kind: poler", "kind", "'pooler'"),
        (ROLE, "kind: lure", "kin: lure", "private.2.kin", "did you mean 'kind'?"),
        (ROLE, "target: [Kendall]", "target: Kendall", "private.0.target", "valid tuple"),
        ("roles/t4_4/sewing/finn.yaml", "value: 90", "value: ninety", "private.0.value", "valid integer"),
        ("scenarios/t4_4/sewing.yaml", "zopa: true", "zopa: false", "truth", "exactly when limit.seller"),
    ],
)  # fmt: skip
def test_fault_names_file_line_and_field(
    folder: Path, edit: Edit, file: str, old: str, new: str, field: str, says: str
) -> None:
    path = edit(file, old, new)
    line = line_of(path, "truth:" if field == "truth" else new)
    with pytest.raises(ConfigError) as fault:
        load(folder)
    text = str(fault.value)
    assert text.startswith(f"{path}:{line}: {field}: ")
    assert says in text
    assert "\n" not in text


def test_missing_field_points_at_the_record(folder: Path, edit: Edit) -> None:
    path = edit(ROLE, "    kind: lure\n", "")
    with pytest.raises(ConfigError, match=r"private\.2\.kind: field is missing") as fault:
        load(folder)
    assert f":{line_of(path, 'id: mercer')}: " in str(fault.value)


def test_broken_yaml_names_the_line(folder: Path, edit: Edit) -> None:
    path = edit(ROLE, "target: [Kendall]", "target: [Kendall")
    with pytest.raises(ConfigError, match="broken YAML") as fault:
        load(folder)
    assert str(fault.value).startswith(f"{path}:{line_of(path, '[Kendall') + 1}: ")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "must hold one mapping"),
        (b"- a\n- b\n", "must hold one mapping"),
        (b"\xff\xfe", "cannot be read as UTF-8"),
        (b"id: x\nid: y\n", ":2: id: field stands twice"),
        (b"id: !!python/object/apply:os.system ['true']\n", "broken YAML"),
    ],
)
def test_unreadable_file_is_one_line(folder: Path, content: bytes, says: str) -> None:
    (folder / ROLE).write_bytes(content)
    with pytest.raises(ConfigError, match="maren") as fault:
        load(folder)
    assert says in str(fault.value)
    assert "\n" not in str(fault.value)


def test_clash_of_ids_is_refused(folder: Path) -> None:
    with pytest.raises(ConfigError, match="is taken by"):
        load_library([folder])


def test_role_without_what_its_kind_needs(folder: Path, edit: Edit) -> None:
    edit("roles/t4_1/radio/mona.yaml", "\nreasons:", "\npoints:")
    with pytest.raises(ConfigError, match="reasons: a role of kind 'advocate' needs this field"):
        load(folder)


def test_folder_without_scenarios(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has no folder scenarios/"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('setting: ""', "setting: A bench in the park.", "setting"),
        ("seats: {}", "seats: {a: {role: t2_minibus_maren}}", "seats"),
        ("judge: []", "judge: [t1.timing]", "judge"),
        ("truth: {}", "truth: {answer: Tilbury}", "truth.answer"),
    ],
)
def test_a_free_conversation_holds_nothing(folder: Path, old: str, new: str, field: str) -> None:
    shipped = (builtin_root() / "scenarios/t0/en.yaml").read_text("utf-8")
    path = folder / "scenarios" / "t0" / "en.yaml"
    path.parent.mkdir()
    path.write_text(shipped.replace(old, new), "utf-8")
    with pytest.raises(ConfigError) as fault:
        load(folder)
    assert str(fault.value).startswith(f"{path}:{line_of(path, new)}: {field}: ")


def test_link_out_of_the_folder_is_refused(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "role.yaml"
    elsewhere.write_bytes((folder / ROLE).read_bytes())
    (folder / ROLE).unlink()
    (folder / ROLE).symlink_to(elsewhere)
    with pytest.raises(ConfigError, match="links to a file outside"):
        load(folder)


def test_wheel_data_comes_before_the_checkout(tmp_path: Path) -> None:
    package = tmp_path / "dyad"
    for place in (tmp_path, package / "data"):
        for name in ("scenarios", "roles"):
            (place / name).mkdir(parents=True)
    assert builtin_root(package) == package / "data"
    (package / "data" / "roles").rmdir()
    assert builtin_root(package) == tmp_path
    (tmp_path / "roles").rmdir()
    with pytest.raises(ConfigError, match="reinstall dyad"):
        builtin_root(package)
