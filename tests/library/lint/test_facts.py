"""Rules about facts: one broken file on disk, one finding, at its file and line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dyad.library import builtin_root, lint, load_library


def renamed(old: str, new: str) -> Callable[[Any], Any]:
    """A text, or a whole record, in which other words stand."""
    return lambda data: json.loads(json.dumps(data, ensure_ascii=False).replace(old, new))


def openly(role: dict[str, Any]) -> dict[str, Any]:
    """A role whose closing stands in its brief."""
    return role | {"brief": f"{role['brief']} {role['closing']}", "closing": ""}


HALL, HILDE, BASTIAN = "t2/hall", "t2/hall/hilde", "t2/hall/bastian"
BUS, MAREN, OSKAR = "t2/minibus", "t2/minibus/maren", "t2/minibus/oskar"
MARINA, CATO, RUNA = "t4_2/marina", "t4_2/marina/cato", "t4_2/marina/runa"
SEWING, GRETA, FINN = "t4_4/sewing", "t4_4/sewing/greta", "t4_4/sewing/finn"
GUIDES, RADIO, GYM = "t3_1/guides", "t4_1/radio", "t4_3/gym"

# What is broken: the rule, the file and the start of the line that the finding names, and the changes.
BREAKS: dict[str, tuple[Any, ...]] = {
    "an id that is not the file's": ("L01", HALL, "id:", (HALL, "id", "t2_hut")),
    "a tag missing": ("L01", HALL, "tags:", (HALL, "tags.channel", ...)),
    "no licence": ("L01", HALL, "provenance:", (HALL, "provenance.licence", "")),
    "a role's id that is not its file's": (
        "L01", HILDE, "id:", (HILDE, "id", "t2_hall_hild"), (HALL, "seats.a.role", "t2_hall_hild"),
    ),
    "an option that the setting leaves out": (
        "L01", RADIO, "setting:", (RADIO, "setting", renamed("Small Hours", "something else")),
    ),
    "a line that the setting leaves out": (
        "L01", "t4_3/gym", "setting:", ("t4_3/gym", "setting", renamed("single month", "short time")),
    ),
    "a third line that its setting leaves out": (
        "L01", GYM, "setting: A gym's form takes one of three",
        (GYM, "truth.third.setting", renamed("summer season", "warm part")),
    ),
    "a line that the setting of three leaves out": (
        "L01", GYM, "setting: A gym's form takes one of three",
        (GYM, "truth.third.setting", renamed("full year", "twelve months")),
    ),
    "a third line without a setting": ("L01", GYM, "setting:", (GYM, "truth.third.setting", "")),
    "a rival without the tactic": (
        "L01", "t3_1/guides/edda", "closing:",
        ("t3_1/guides/edda", "closing", "All three must be heard before anybody makes a choice here."),
    ),
    "an avoider who may be asked openly": (
        "L01", "t3_2/ladder/mila", "brief:", ("t3_2/ladder/mila", "", openly),
    ),
    "a defender who may be asked openly": ("L01", RUNA, "brief:", (RUNA, "", openly)),
    "an alias that the setting says": (
        "L17", RADIO, "truth:", (RADIO, "truth.aliases", {"a": ["new radio hour"]}),
    ),
    "an alias that a reason says": (
        "L17", "t4_1/play", "truth:", ("t4_1/play", "truth.aliases", {"b": ["autumn evenings"]}),
    ),
    "a part of a secret that a role says": (
        "L17", MARINA, "truth:", (MARINA, "truth.partials", ["velvet", "trumpet", "harbourmaster"]),
    ),
    "a hint that the scene gives anyway": (
        "L17", MARINA, "truth:", (MARINA, "truth.forbidden_hint", ["the rain"]),
    ),
    "options alike": ("L04", RADIO, "truth:", (RADIO, "", renamed("Small Hours", "Late Harbours"))),
    "lines alike": ("L04", "t4_3/gym", "truth:", ("t4_3/gym", "", renamed("single month", "full ear"))),
    "a third line alike": ("L04", GYM, "truth:", (GYM, "", renamed("summer season", "full ear"))),
    "words of a secret alike": (
        "L04", MARINA, "truth:",
        (MARINA, "", renamed("trumpet", "welwet")), (RUNA, "", renamed("Trumpet", "Welwet")),
    ),
    "candidates alike": (
        "L04", HALL, "truth:",
        (HALL, "", renamed("Redmond", "Norward")), (BASTIAN, "", renamed("Redmond", "Norward")),
    ),
    "a candidate of one syllable": (
        "L04", HALL, "candidates:",
        (HALL, "", renamed("Lambert", "Lamb")), (BASTIAN, "", renamed("Lambert", "Lamb")),
    ),
    "candidates in another order": (
        "L05", HALL, "setting:",
        (HALL, "truth.candidates", ["Harlow", "Lambert", "Norwood", "Stanton", "Redmond"]),
    ),
    "a candidate that the setting leaves out": (
        "L05", HALL, "setting:", (HALL, "setting", renamed("Redmond", "the last")),
    ),
    "facts that leave somebody else": ("L05", HALL, "answer:", (HALL, "truth.answer", "Norwood")),
    "facts that leave nobody": (
        "L05", HALL, "answer:",
        (HILDE, "private.0.text", "Only Harlow and Norwood ask for no rent."),
        (HILDE, "private.0.target", ["Harlow", "Norwood"]),
    ),
    "a seat that knows alone": (
        "L05", HALL, "a:",
        (HILDE, "private.0.text", "Only Stanton asks for no rent."), (HILDE, "private.0.target", ["Stanton"]),
    ),
    "a text that names another": (
        "L05", HILDE, "target:",
        (HILDE, "private.0.text", "Only Harlow, Norwood and Stanton, not Lambert, ask for no rent."),
    ),
    "a fact that nothing voices": ("L05", MAREN, "- id: mercer", (MAREN, "private.2.any", ...)),
    "a candidate ruled out twice": ("L05", BUS, "form:", (OSKAR, "private.2.kind", "eliminate")),
    "a tag of another value": ("L01", HALL, "channel:", (HALL, "tags.channel", "letter")),
    "a tag that nobody knows": ("L01", HALL, "mood:", (HALL, "tags.mood", "grim")),
    "no form": ("L05", HALL, "id:", (HALL, "form", ...)),
    "the answer first": (
        "L06", HALL, "answer:",
        (HALL, "setting", renamed("Harlow, Norwood, Lambert, Stanton", "Stanton, Norwood, Lambert, Harlow")),
        (HALL, "truth.candidates", ["Stanton", "Norwood", "Lambert", "Harlow", "Redmond"]),
    ),
    "the answer named": ("L06", OSKAR, "private:", (OSKAR, "closing", "Somebody spoke of Tilbury before.")),
    "points of another length": (
        "L07", GUIDES, "seats:",
        ("t3_1/guides/edda", "points.0.text", "It works without any signal. " * 4),
    ),
    "reasons of another length": (
        "L07", RADIO, "seats:",
        ("t4_1/radio/mona", "reasons.1.text", "The jingle is written. " * 5),
    ),
    "a secret of one word": (
        "L09", MARINA, "secret:",
        (MARINA, "truth.secret", "velvettrumpet"),
        (RUNA, "private.0.text", "The Heron lies at Velvettrumpet."),
    ),
    "an attacker who knows a word": (
        "L09", CATO, "id:", (CATO, "closing", "You heard that there is velvet in it."),
    ),
    "a pretext that knows a word": ("L09", CATO, "id:", (CATO, "escalation.0", "I hear a trumpet now.")),
    "a setting that knows a word": (
        "L09", CATO, "id:", (MARINA, "setting", "An office with a velvet roof, and the telephone rings."),
    ),
    "a secret told twice": ("L09", RUNA, "private:", (RUNA, "closing", "Velvet Trumpet is for nobody.")),
    "a secret said among the reasons": (
        "L09", RUNA, "private:", (RUNA, "reasons.0.text", "I do not give out Velvet Trumpet."),
    ),
    "a secret told to nobody": ("L09", RUNA, "private:", (RUNA, "private.0.text", "The Heron lies far out.")),
    "a seller who opens below the limit": ("L10", SEWING, "seller: 120", (SEWING, "truth.open.seller", 110),
        (GRETA, "private.0.value", 110), (GRETA, "private.0.text", "Say one hundred and ten at first.")),
    "a buyer who opens at the limit": ("L10", SEWING, "buyer: 150", (SEWING, "truth.open.buyer", 150),
        (FINN, "private.0.value", 150), (FINN, "private.0.text", "Offer one hundred and fifty at first.")),
    "an opening unlike the truth": (
        "L10", GRETA, "private:",
        (GRETA, "private.0.value", 181), (GRETA, "private.0.text", "One hundred and eighty-one is first."),
    ),
    "a limit unlike the truth": (
        "L10", GRETA, "private:",
        (GRETA, "private.1.value", 121), (GRETA, "private.1.text", "Under one hundred and twenty-one, no."),
    ),
    "a price that the text does not say": (
        "L10", GRETA, "text:", (GRETA, "private.1.text", "Below one hundred and ten it stays."),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "file", "line", "changes"), [(*b[:3], b[3:]) for b in BREAKS.values()], ids=BREAKS
)
def test_one_fault_is_one_finding(
    found_once: Callable[..., None], rule: str, file: str, line: str, changes: tuple[Any, ...]
) -> None:
    found_once(changes, rule, file, line)


def test_a_target_that_is_no_candidate(spoil: Callable[..., Any]) -> None:
    found = spoil((MAREN, "private.0.target", ["Kendal"]))
    assert [(rule, file) for rule, file, *_ in found] == [("L05", MAREN), ("L05", BUS)]


def test_a_file_in_the_folder_of_another_archetype(tmp_path: Path) -> None:
    root = builtin_root()
    shutil.copytree(root / "roles/t2/hall", tmp_path / "roles/t2/hall")
    (tmp_path / "scenarios/t4_1").mkdir(parents=True)
    moved = shutil.copy(root / "scenarios/t2/hall.yaml", tmp_path / "scenarios/t4_1/hall.yaml")
    (finding,) = lint(load_library([tmp_path], builtin=False))
    assert (finding.path, finding.line, finding.rule) == (moved, 1, "L01")


def test_a_finding_says_file_line_rule_and_what_to_do(tmp_path: Path, spoil: Callable[..., Any]) -> None:
    spoil((GRETA, "private.0.value", 181), (GRETA, "private.0.text", "Say one hundred and eighty-one first."))
    (finding,) = lint(load_library([tmp_path], builtin=False))
    path = tmp_path / "roles/t4_4/sewing/greta.yaml"
    line = path.read_text("utf-8").splitlines().index("private:") + 1
    assert str(finding) == f"{path}:{line}: L10 open and limit must be 180 and 120, as in the truth"
