"""Rules about wording: one broken file on disk, one finding, at its file and line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dyad.library import lint, load_library


def more(text: str) -> Callable[[str], str]:
    """A text that goes on."""
    return lambda old: f"{old.strip()} {text}"


KOFI, SOLVEIG, GRETA, MILA = "t1_1/hive/kofi", "t1_1/hive/solveig", "t4_4/sewing/greta", "t3_2/ladder/mila"
EBBA, NICO, GUIDES = "t4_3/gym/ebba", "t4_3/gym/nico", "t3_1/guides"
THREE = "setting: A gym's form takes one of three"
XIUCHE, PIANO = "t1_1/zh_xiuche", "t1_1/fr_piano/odile"

# What is broken: the rule, the file and the start of the line that the finding names, and the changes.
BREAKS: dict[str, tuple[Any, ...]] = {
    "a long setting": ("L02", "t1_1/hive", "setting:", ("t1_1/hive", "setting", "long " * 36)),
    "a long Chinese setting": ("L02", XIUCHE, "setting:", (XIUCHE, "setting", "修车铺门口" * 13)),
    "a long Japanese setting": (
        "L02", "t3_1/ja_bento", "setting:", ("t3_1/ja_bento", "setting", more("店は朝早く開きます。" * 9)),
    ),
    "a long setting of three lines": (
        "L02", "t4_3/gym", THREE,
        ("t4_3/gym", "truth.third.setting", more("It is long, and longer than that.")),
    ),
    "a short role": ("L02", KOFI, "brief:", (KOFI, "brief", "You are Kofi, veil on.")),
    "a long role": ("L02", KOFI, "brief:", (KOFI, "brief", more("Bees hang there still. " * 15))),
    "a long statement": ("L02", EBBA, "text: It was", (EBBA, "private.0.text", f"It was{' shut' * 24}.")),
    "five words of the other role": (
        "L03", EBBA, "text: You saw", (NICO, "closing", more("A green door opens early.")),
        (EBBA, "private.0.text", "You saw that a green door opens early there."),
    ),
    "five words of the setting": (
        "L03", f"{GUIDES}/edda", "text: Yours lies",
        (GUIDES, "setting", "Two guides lie on a desk under a lamp."),
        (f"{GUIDES}/edda", "private.0.text", "Yours lies there on a desk under a lamp, and it works alone."),
    ),
    "five words of the setting of three lines": (
        "L03", EBBA, "text: You saw", ("t4_3/gym", "truth.third.setting", more("A green door opens early.")),
        (EBBA, "private.0.text", "You saw that a green door opens early there."),
    ),
    "twelve characters of a Japanese setting": (
        "L03", "t3_1/ja_bento/sho", "text:", ("t3_1/ja_bento", "setting", more("青い船が朝早く港へと着く。")),
        ("t3_1/ja_bento/sho", "private.0.text", more("青い船が朝早く港へと着く。")),
    ),
    "eight characters of the other Chinese role": (
        "L03", "t3_1/zh_puzi/zihan", "text:", ("t3_1/zh_puzi/dapeng", "brief", more("清早绿船靠了北岸。")),
        ("t3_1/zh_puzi/zihan", "private.0.text", more("清早绿船靠了北岸。")),
    ),
    "a digit in a setting": ("L08", "t1_1/hive", "setting:", ("t1_1/hive", "setting", "It is 9 already.")),
    "a digit in a setting of three lines": (
        "L08", "t4_3/gym", THREE, ("t4_3/gym", "truth.third.setting", more("It is 9 already.")),
    ),
    "a digit in a brief": ("L08", KOFI, "brief:", (KOFI, "brief", more("It is 9 already."))),
    "a digit in a closing": ("L08", KOFI, "closing:", (KOFI, "closing", "It is 9 already.")),
    "a digit in a statement": (
        "L08", GRETA, "text: Start at 180", (GRETA, "private.0.text", "Start at 180 euros."),
    ),
    "a number above the limit": ("L08", KOFI, "brief:", (KOFI, "brief", more("A thousand bees are on it."))),
    "a value above the limit": ("L08", "t2/hall/hilde", "value:", ("t2/hall/hilde", "private.0.value", 1000)),
    "a value below the limit": ("L08", "t2/hall/hilde", "value:", ("t2/hall/hilde", "private.0.value", 0)),
    "talk of a role play": ("L11", KOFI, "brief:", (KOFI, "brief", more("This is a role-play."))),
    "talk of a scenario": ("L11", KOFI, "brief:", (KOFI, "brief", more("Picture the scenario."))),
    "talk of a French scenario": ("L11", PIANO, "brief:", (PIANO, "brief", more("C'est ton scénario."))),
    "talk of a Chinese role play": ("L11", f"{XIUCHE}/zhiqiang", "brief:",
        (f"{XIUCHE}/zhiqiang", "brief", more("这是角色扮演。"))),
    "talk of winning": ("L11", NICO, "brief:", (NICO, "brief", more("Win this."))),
    "talk of a machine": ("L11", KOFI, "brief:", (KOFI, "brief", more("Answer as an AI."))),
    "a stage direction": ("L11", KOFI, "brief:", (KOFI, "brief", more("(A bee lands.)"))),
    "a time limit": ("L11", KOFI, "brief:", (KOFI, "closing", "You have about sixty seconds.")),
    "the partner's demand": ("L11", MILA, "brief:", (MILA, "brief", more("They say: lend me the ladder."))),
    "the partner's line": ("L11", NICO, "brief:", (NICO, "closing", "They ask for the full year and wait.")),
    "the partner's option": (
        "L11", "t4_1/radio/mona", "brief:", ("t4_1/radio/mona", "closing", more("Small Hours is no name.")),
    ),
    "a brief without the name": ("L12", KOFI, "brief:", (KOFI, "name", "Zeno")),
}  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "file", "line", "changes"), [(*b[:3], b[3:]) for b in BREAKS.values()], ids=BREAKS
)
def test_one_fault_is_one_finding(
    found_once: Callable[..., None], rule: str, file: str, line: str, changes: tuple[Any, ...]
) -> None:
    found_once(changes, rule, file, line)


def zed(role: dict[str, Any]) -> dict[str, Any]:
    """The role under another name."""
    return role | {"name": "Zed", "brief": f"Zed. {role['brief']}"}


def test_a_name_for_five_people(spoil: Callable[..., Any]) -> None:
    people = [KOFI, SOLVEIG, MILA, "t3_2/ladder/gerd", EBBA]
    assert sorted(spoil(*((who, "", zed) for who in people))) == sorted(
        ("L12", who, "name: Zed") for who in people
    )


def test_a_name_for_four_people(spoil: Callable[..., Any]) -> None:
    """The engaged twin of a digresser is the same person."""
    people = [KOFI, SOLVEIG, MILA, "t1_2/dough/tobin", "t1_2/dough/tobin.engaged"]
    assert spoil(*((who, "", zed) for who in people)) == []


def test_words_of_a_published_brief(tmp_path: Path, spoil: Callable[..., Any]) -> None:
    """Only hashes of published runs of eight words are at hand: one per line of `_published.txt`."""
    said = "nothing hums quite like this hive of ours"
    assert spoil((KOFI, "closing", f"Remember that {said}.")) == []
    hashes = [hashlib.sha256(run.encode()).hexdigest()[:16] for run in ("some other words", said)]
    (tmp_path / "scenarios/_published.txt").write_text("\n".join(hashes) + "\n", "utf-8")
    (finding,) = lint(load_library([tmp_path], builtin=False))
    assert (finding.rule, finding.path.stem) == ("L15", "kofi")
    assert finding.path.read_text("utf-8").splitlines()[finding.line - 1].startswith("brief:")
    assert said in finding.problem


@pytest.mark.parametrize(
    ("role", "other", "said"),
    [
        (EBBA, NICO, "A green door opens."),
        ("t3_1/ja_bento/sho", "t3_1/ja_bento/yumi", "青い船が朝早く港に着く。"),
        ("t3_1/zh_puzi/zihan", "t3_1/zh_puzi/dapeng", "清早绿船靠北岸。"),
    ],
    ids=["four words", "eleven Japanese characters", "seven Chinese characters"],
)
def test_what_both_seats_may_be_told(spoil: Callable[..., Any], role: str, other: str, said: str) -> None:
    assert spoil((other, "closing", more(said)), (role, "private.0.text", more(said))) == []


@pytest.mark.parametrize(
    "said",
    ["Zebras hum over there.", "zebras hum over there while seven owls, {}"],
    ids=["a sentence of four words", "a run of seven words"],
)
def test_what_two_scenarios_may_share(spoil: Callable[..., Any], said: str) -> None:
    assert spoil((KOFI, "closing", said.format("now.")), (EBBA, "closing", more(said.format("later.")))) == []


@pytest.mark.parametrize(
    "said",
    ["Zebras always hum over there.", "zebras hum over there while seven owls listen, {}"],
    ids=["a sentence of five words", "a run of eight words"],
)
def test_what_two_scenarios_may_not_share(spoil: Callable[..., Any], said: str) -> None:
    found = spoil((KOFI, "closing", said.format("now.")), (EBBA, "closing", more(said.format("later."))))
    assert [finding[:2] for finding in found] == [("L16", EBBA)]
    assert found[0][2].startswith("brief:")


def test_what_both_seats_of_a_scenario_may_share(spoil: Callable[..., Any]) -> None:
    said = "Zebras always hum over there."
    assert spoil((KOFI, "closing", said), (SOLVEIG, "closing", said)) == []
