"""Loading: where the data is found, and how each fault is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from dyad.errors import ConfigError
from dyad.library import Library, builtin_root, load_library, prompt

Edit = Callable[[str, str, str], Path]
SCENARIO, ROLE = "scenarios/t2/minibus.yaml", "roles/t2/minibus/maren.yaml"


def load(folder: Path) -> None:
    load_library([folder], builtin=False)


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A user's folder with one scenario of their own, which borrows its roles."""
    shipped = (builtin_root() / SCENARIO).read_text("utf-8")
    path = tmp_path / "mine" / "scenarios" / "t2" / "coach.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(shipped.replace("id: t2_minibus", "id: t2_coach"), "utf-8")
    return tmp_path / "mine"


def add(folder: Path, name: str, content: dict[str, Any]) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content, allow_unicode=True), "utf-8")
    return path


def test_a_folder_adds_to_the_shipped_library(library: Library, mine: Path) -> None:
    loaded = load_library([mine])
    assert set(loaded.scenarios) - set(library.scenarios) == {
        "t2_coach",
        "t2_coach.full",
        "t2_coach.shared_only",
    }
    assert loaded.scenarios["t2_coach"].seats["a"].role == "t2_minibus_maren"
    assert loaded.path("t2_coach") == loaded.path("t2_coach.full") == mine / "scenarios/t2/coach.yaml"


def test_several_folders_add_up(folder: Path, mine: Path) -> None:
    loaded = load_library([str(folder), mine], builtin=False)
    assert {s.id for s in loaded.scenarios.values() if not s.twin} == {
        *("t2_coach", "t2_minibus", "t4_1_radio", "t4_4_sewing")
    }


def test_a_folder_may_bring_its_language(mine: Path) -> None:
    path = mine / "scenarios/t2/coach.yaml"
    path.write_text(path.read_text("utf-8").replace("lang: en", "lang: nl"), "utf-8")
    lines = yaml.safe_load((builtin_root() / "roles/_lines.yaml").read_text("utf-8"))["en"]
    add(mine, "roles/_lines.yaml", {"nl": lines | {"opening": "Jij begint."}})
    loaded = load_library([mine])
    told = prompt(loaded, loaded.scenarios["t2_coach"], "a", opens=True).text
    assert told.endswith("\nJij begint.")


def test_a_folder_does_not_change_the_lines_of_a_shipped_language(library: Library, mine: Path) -> None:
    lines = library.lines["en"].model_dump()
    add(mine, "roles/_lines.yaml", {"en": lines | {"opening": "Go."}})
    assert load_library([mine]).lines["en"] == library.lines["en"]


def test_a_language_without_lines_is_one_line(mine: Path) -> None:
    path = mine / "scenarios/t2/coach.yaml"
    path.write_text(path.read_text("utf-8").replace("lang: en", "lang: nl"), "utf-8")
    with pytest.raises(ConfigError) as fault:
        load_library([mine])
    where = f"{path}:{line_of(path, 'lang: nl')}: lang: "
    assert str(fault.value) == where + "no fixed lines in 'nl'; add them to roles/_lines.yaml in your folder"


def test_a_fault_in_the_lines_of_a_language_names_the_field(mine: Path) -> None:
    lines = yaml.safe_load((builtin_root() / "roles/_lines.yaml").read_text("utf-8"))["en"]
    path = add(mine, "roles/_lines.yaml", {"nl": lines | {"openings": "Jij begint."}})
    with pytest.raises(ConfigError) as fault:
        load_library([mine])
    where = f"{path}:{line_of(path, 'openings:')}: nl.openings: "
    assert str(fault.value) == where + "unknown field; did you mean 'opening'?"


@pytest.mark.parametrize("line", ["Say it.", "Say {wort}.", "Say {word", "Say {word.__class__}."])
def test_a_line_that_a_twin_cannot_fill(mine: Path, line: str) -> None:
    lines = yaml.safe_load((builtin_root() / "roles/_lines.yaml").read_text("utf-8"))["en"]
    add(mine, "roles/_lines.yaml", {"nl": lines | {"word_said": line}})
    with pytest.raises(ConfigError, match=r"_lines\.yaml:\d+: nl\.word_said: "):
        load_library([mine])


@pytest.mark.parametrize(
    ("file", "old", "new", "field", "says"),
    [
        (SCENARIO, "version: ", "version: -", "version", "greater than or equal to 1"),
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
        (ROLE, "target: [Kendall]", "target: Kendall", "private.0.target", "must be a list"),
        (ROLE, "target: [Kendall]", "target: [12]", "private.0.target.0", "put it in quotes"),
        (SCENARIO, "id: t2_minibus", "id: t2_minibus.easy", "id", "names a twin"),
        (SCENARIO, "  hotwords:", "  hotword:", "asr.hotword", "did you mean 'hotwords'?"),
        ("roles/t4_4/sewing/finn.yaml", "value: 90", "value: ninety", "private.0.value", "valid integer"),
        ("scenarios/t4_4/sewing.yaml", "zopa: true", "zopa: false", "truth", "exactly when limit.seller"),
        ("scenarios/t4_4/sewing.yaml", "twin_limit: 110", "twin_limit: 130", "truth", "on the other side"),
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


def test_a_missing_seat_points_at_the_seats(folder: Path) -> None:
    path = folder / SCENARIO
    data = yaml.safe_load(path.read_text("utf-8"))
    del data["seats"]["b"]
    path.write_text(yaml.safe_dump(data), "utf-8")
    with pytest.raises(ConfigError) as fault:
        load(folder)
    where = f"{path}:{line_of(path, 'seats:') + 1}: seats.b: "
    assert str(fault.value) == where + "field is missing; name the role of this seat"


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


def test_the_id_of_a_shipped_scenario_is_taken(mine: Path) -> None:
    path = mine / "scenarios/t2/coach.yaml"
    path.write_text(path.read_text("utf-8").replace("t2_coach", "t2_hall"), "utf-8")
    with pytest.raises(ConfigError) as fault:
        load_library([mine])
    taken = builtin_root() / "scenarios/t2/hall.yaml"
    assert str(fault.value) == f"{path}:1: id: 't2_hall' is taken by {taken}; choose another id"


def test_the_id_of_a_shipped_role_is_taken(mine: Path) -> None:
    role = yaml.safe_load((builtin_root() / ROLE).read_text("utf-8"))
    path = add(mine, ROLE, role)
    with pytest.raises(ConfigError) as fault:
        load_library([mine])
    assert str(fault.value).startswith(
        f"{path}:{line_of(path, 'id: t2_minibus_maren')}: id: 't2_minibus_maren' is "
    )


def test_the_id_of_a_role_is_not_free_for_a_scenario(mine: Path) -> None:
    path = mine / "scenarios/t2/coach.yaml"
    path.write_text(path.read_text("utf-8").replace("t2_coach", "t2_hall_hilde"), "utf-8")
    with pytest.raises(ConfigError, match=r"coach\.yaml:1: id: 't2_hall_hilde' is taken by .*hilde\.yaml"):
        load_library([mine])


def test_a_twin_that_replaces_nothing(mine: Path) -> None:
    path = mine / "scenarios/t2/coach.yaml"
    path.write_text(path.read_text("utf-8").replace("twins: {}", "twins: {easy: {}}"), "utf-8")
    with pytest.raises(ConfigError, match=r"coach\.yaml:\d+: twins\.easy: replaces no role"):
        load_library([mine])


@pytest.mark.parametrize("asr", ["&a {readings: *a}", "&a {hotwords: [&b [x], *b]}"])
def test_a_part_that_stands_in_two_places_is_refused(mine: Path, asr: str) -> None:
    path = mine / "scenarios/t2/coach.yaml"
    text = "".join(x for x in path.read_text("utf-8").splitlines(True) if not x.startswith("asr:"))
    path.write_text(f"{text}asr: {asr}\n", "utf-8")
    with pytest.raises(ConfigError, match=r"coach\.yaml:\d+: anchors .* write the text out"):
        load_library([mine])


def test_a_declared_twin_does_not_replace_one_that_is_made(mine: Path) -> None:
    path = mine / "scenarios/t2/coach.yaml"
    text = path.read_text("utf-8").replace("twins: {}", "twins: {shared_only: {a: t2_hall_hilde}}")
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=r"id: 't2_coach\.shared_only' is taken by .*coach\.yaml"):
        load_library([mine])


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
