"""The verb `scenarios` as a user meets it: list, show, check, report and schema."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from dyad.cli.main import run
from dyad.library import builtin_root

PAGE = Path(__file__).parents[2] / "docs" / "scenarios.md"
LAMP, NORA, TILL = "scenarios/t4_4/lamp.yaml", "roles/t4_4/lamp/nora.yaml", "roles/t4_4/lamp/till.yaml"
Asked = Callable[..., tuple[int, str, str]]


@pytest.fixture
def asked(capsys: pytest.CaptureFixture[str]) -> Asked:
    """Run `scenarios …`; return exit code, standard output and standard error."""

    def call(*words: str) -> tuple[int, str, str]:
        code = run(["scenarios", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The folder of the page's worked example."""
    for block in re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.S):
        first, rest = block.split("\n", 1)
        path = tmp_path / first.removeprefix("# ")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(rest, "utf-8")
    return tmp_path / "mine"


def edit(path: Path, old: str, new: str) -> int:
    """Replace text in a file; return the line that it stands in."""
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")
    return text[: text.index(old)].count("\n") + 1


def listed(asked: Asked, *words: str) -> list[dict[str, str]]:
    code, out, _ = asked(*words, "--json")
    assert code == 0
    found: list[dict[str, str]] = json.loads(out)
    return found


def refused(answer: tuple[int, str, str]) -> str:
    """The one line that a refused command prints."""
    code, out, err = answer
    assert (code, out, err.count("\n")) == (2, "", 1)
    return err.strip()


# list


def test_all_are_listed(asked: Asked) -> None:
    found = listed(asked, "list")
    assert len(found) == 2 + 9 * 26
    assert list(found[0]) == [
        *("id", "archetype", "name", "split", "lang", "domain", "channel", "register", "stakes", "twins")
    ]


@pytest.mark.parametrize(
    ("filters", "count", "says"),
    [
        (("archetype=t2", "split=dev"), 6 + 3, {"archetype": "t2", "split": "dev"}),
        (("archetype=t1_1,t2", "split=held_out"), 4, {"split": "held_out", "lang": "en"}),
        (("lang=ja,zh", "archetype=t3"), 8, {}),
    ],
)
def test_filters(asked: Asked, filters: tuple[str, ...], count: int, says: dict[str, str]) -> None:
    found = listed(asked, *filters)
    assert len(found) == count
    assert all(row[key] == value for row in found for key, value in says.items())


def test_tags_and_twins_are_filters_too(asked: Asked) -> None:
    found = listed(asked, "archetype=t4_2", "tag=phone", "lang=fr", "twin=authorised")
    assert found
    assert {row["channel"] for row in found} == {"phone"}
    assert all(row["id"].endswith(".authorised") for row in found)


def test_the_table_says_how_many(asked: Asked) -> None:
    code, out, _ = asked("archetype=t2", "split=dev", "lang=en")
    assert code == 0
    assert "6 scenarios" in out
    assert "t2_minibus" in out


def test_no_scenario_may_pass(asked: Asked) -> None:
    assert asked("archetype=t1_1", "twin=full")[:2] == (0, "no scenario passes all of these filters\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("archetype=t2_1",), "no scenario with archetype 't2_1'; did you mean"),
        (("lang=de",), "no scenario with lang 'de'"),
        (("twin=authorized",), "no scenario with twin 'authorized'; did you mean 'authorised'?"),
        (("chek",), "unknown verb 'scenarios chek'; did you mean 'check'?"),
        (("list", "t2"), "'t2' is too much here; usage: python -m dyad scenarios [archetype="),
        (("check", "mine"), "'mine' is too much here; usage: python -m dyad scenarios check"),
        (("show",), "name one scenario: python -m dyad scenarios show ID"),
        (("show", "t2_minibas"), "unknown scenario 't2_minibas'; did you mean 't2_minibus'?"),
        (("check", "scenario_dirs=[nowhere]"), "scenario_dirs: nowhere has no folder scenarios/"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_wrong_is_one_line(asked: Asked, words: tuple[str, ...], says: str) -> None:
    assert refused(asked(*words)).startswith(f"dyad: {says}")


# check


def test_the_shipped_library_is_clean(asked: Asked) -> None:
    code, out, err = asked("check")
    assert (code, err) == (0, "")
    assert re.fullmatch(r"236 scenarios, \d+ twins and the roles of \d+ files are clean\n", out)


def test_findings_as_json(asked: Asked, mine: Path) -> None:
    assert json.loads(asked("check", "--json")[1]) == []
    line = edit(mine / NORA, "than thirty", "than 30")
    code, out, _ = asked("check", f"scenario_dirs=[{mine}]", "--json")
    assert code == 2
    assert {"path": str(mine / NORA), "line": line, "rule": "L08"}.items() <= json.loads(out)[0].items()


def test_the_worked_example_is_clean_and_adds_to_the_library(asked: Asked, mine: Path) -> None:
    code, out, _ = asked("check", f"scenario_dirs=[{mine}]")
    assert code == 0
    assert out.startswith("237 scenarios, ")
    assert listed(asked, f"scenario_dirs=[{mine}]", "tag=home", "archetype=t4_4")[0]["id"] == "t4_4_lamp"


def test_the_page_names_commands_that_exist() -> None:
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if "dyad scenarios" in line]
    verbs = {shlex.split(line, comments=True)[4] for line in lines if line.startswith("python")}
    assert {verb for verb in verbs if "=" not in verb} <= {
        "list",
        "show",
        "check",
        "report",
        "schema",
        "seal",
        "probe",
    }


def test_findings_name_file_line_rule_and_what_to_do(asked: Asked, mine: Path) -> None:
    nora, till, setting = (mine / name for name in (NORA, TILL, LAMP))
    lines = [
        edit(nora, "sixty euros first", "60 euros first"),
        edit(till, "name: Till", "name: Bo"),
        edit(setting, "channel: face, ", ""),
    ]
    code, out, err = asked("check", f"scenario_dirs=[{mine}]")
    assert code == 2
    assert out.splitlines() == [
        f"{nora}:{lines[0]}: L08 write numbers as words, none above 999",
        f"{till}:{lines[1] + 2}: L12 brief does not say the name 'Bo'",
        f"{setting}:{lines[2]}: L01 tags.channel is missing; add it",
    ]
    assert re.fullmatch(r"dyad: 3 finding\(s\) in \d+ scenarios; see above\n", err)


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        (LAMP, "unit: euros", "units: euros", "truth.units: unknown field; did you mean 'unit'?"),
        (LAMP, "anchor: a", "anchor: b", 'anchor: must be "a" for t4_4'),
        (LAMP, "version: 1", "version: 1\nsplit: sealed", "split: L14 sealed, but no commitment"),
        (NORA, "kind: seller", "kind: seler", "kind: input should be 'engaged'"),
        (NORA, "id: t4_4_lamp_nora", "id: t4_4_sewing_greta", "is taken by"),
    ],
)
def test_a_file_that_cannot_be_loaded(
    asked: Asked, mine: Path, file: str, old: str, new: str, says: str
) -> None:
    line = edit(mine / file, old, new) + new.count("\n")
    said = refused(asked("check", f"scenario_dirs=[{mine}]"))
    assert said.startswith(f"dyad: {mine / file}:{line}: ")
    assert says in said


# report


def test_the_english_library_is_balanced(asked: Asked) -> None:
    code, out, err = asked("report", "--json")
    lines = json.loads(out)
    assert (code, err) == (0, "")
    assert {line["archetype"] for line in lines} >= {"t1_1", "t4_4", "all"}
    assert {line["ok"] for line in lines} == {"", "ok"}
    places = next(line for line in lines if line["what"].startswith("answer at place"))
    assert sum(json.loads(places["found"].split("], ")[0] + "]")) == 20


def test_a_report_that_is_not_balanced_says_where(asked: Asked, tmp_path: Path) -> None:
    """Twelve more files that all name the option of seat a first."""
    root = builtin_root()
    for number in range(12):
        for folder, path in (("scenarios", "t4_1/radio.yaml"), ("roles", "t4_1/radio/mona.yaml"),
                             ("roles", "t4_1/radio/silas.yaml")):  # fmt: skip
            target = tmp_path / folder / path.replace("radio", f"radio{number}")
            target.parent.mkdir(parents=True, exist_ok=True)
            text = (root / folder / path).read_text("utf-8").replace("t4_1_radio", f"t4_1_radio{number}")
            target.write_text(text, "utf-8")
    code, out, err = asked("report", f"scenario_dirs=[{tmp_path}]")
    assert code == 2
    assert "NO" in out
    assert "t4_1 option named first, a and b" in err


def test_few_files_are_counted_and_not_judged(asked: Asked) -> None:
    code, out, _ = asked("report", "lang=ja", "--json")
    assert code == 0
    assert {line["what"]: line["ok"] for line in json.loads(out)}["domains"] == ""


# schema


def test_schemas_are_written_for_editors(asked: Asked, tmp_path: Path) -> None:
    code, out, _ = asked("schema", f"out={tmp_path / 'new' / 'schema'}")
    paths = [Path(line) for line in out.splitlines()]
    assert code == 0
    assert [path.name for path in paths] == ["scenario.schema.json", "role.schema.json"]
    for path in paths:
        assert json.loads(path.read_text("utf-8"))["$schema"].startswith("https://json-schema.org/")


def test_schemas_come_into_this_folder_by_default(
    asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert asked("schema")[0] == 0
    assert (tmp_path / "schema/role.schema.json").is_file()


# show


def block(text: str, start: str) -> str:
    """The lines below one line, as far as they are indented deeper."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.strip() == start)
    depth = len(lines[at]) - len(lines[at].lstrip())
    inner: list[str] = []
    for line in lines[at + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        inner.append(line[depth + 2 :])
    return "\n".join(inner)


def seat(text: str, name: str) -> str:
    """The part of a shown scenario that is about one seat."""
    part: str = re.split(r"\n(?=seat [ab]|truth: )", text)[1 if name == "a" else 2]
    return part


@pytest.fixture(scope="module")
def hall() -> str:
    """What `scenarios show t2_hall` prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run(["scenarios", "show", "t2_hall"]) == 0
    return out.getvalue()


def test_show_renders_what_each_family_receives(hall: str) -> None:
    a = seat(hall, "a")
    plain = block(a, "told as personaplex:")
    assert plain.startswith("<system> ")
    assert plain.endswith("You speak first; start talking now. <system>")
    fields: dict[str, Any] = json.loads(block(a, "told as cascade:").splitlines()[-1])
    assert fields["candidates"] == ["Harlow", "Norwood", "Lambert", "Stanton", "Redmond"]
    assert fields["opens"] is True
    # What a family is told is text between its marks: the same for all that read text.
    told = block(a, "told as cascade:").rpartition("\n")[0]
    assert told == plain.removeprefix("<system> ").removesuffix(" <system>")
    assert "You speak first" not in seat(hall, "b")
    assert "echo" not in hall  # takes no prompt


def test_show_leaves_out_who_takes_no_role_in_the_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["scenarios", "show", "t2_ja_taiko"]) == 0
    out = capsys.readouterr().out
    assert "told as cascade:" in out
    assert "personaplex" not in out


def test_show_tells_no_seat_the_facts_of_the_other(hall: str) -> None:
    rent, power = "Only Harlow, Norwood and Stanton", "Only Lambert, Stanton and Redmond"
    assert [(rent in seat(hall, name), power in seat(hall, name)) for name in ("a", "b")] == [
        (True, False),
        (False, True),
    ]


def test_show_asks_about_the_candidates(hall: str) -> None:
    judge = block(hall, "judge:")
    assert "t2.choice (of each run): " in judge
    assert "one of: Harlow, Norwood, Lambert, Stanton, Redmond, none" in judge
    assert "t2.disclosed" in judge
    assert "<candidate>" not in hall


def test_show_as_json(asked: Asked, hall: str) -> None:
    code, out, _ = asked("show", "t2_hall", "--json")
    found = json.loads(out)
    assert (code, found["id"], found["truth"]["answer"]) == (0, "t2_hall", "Stanton")
    for seat_name in ("a", "b"):
        for text in found["told"][seat_name].values():
            assert all(line.strip() in seat(hall, seat_name) for line in text.splitlines())


def test_show_in_japanese(asked: Asked) -> None:
    _, out, _ = asked("show", "t2_ja_taiko")
    opening = "先に話すのはあなたです"
    assert opening in seat(out, "a")
    assert opening not in seat(out, "b")
    assert "You speak first" not in out
    assert "one of: 青木, 高橋, 森田, 中村, 石川, none" in block(out, "judge:")


def test_show_a_twin(asked: Asked, hall: str) -> None:
    _, out, _ = asked("show", "t4_2_marina.authorised")
    assert out.startswith("t4_2_marina.authorised (version ")
    assert str(builtin_root() / "scenarios/t4_2/marina.yaml") in out
    for name in ("a", "b"):
        assert "Today's word is tambourine" in block(seat(out, name), "told as personaplex:")
    assert "Today's word" not in hall


def test_show_free_conversation(asked: Asked) -> None:
    code, out, _ = asked("show", "t0_en")
    assert code == 0
    assert "free conversation" in out
    assert "nobody is told anything, nothing is judged" in out
    assert "told as" not in out


def test_show_of_a_users_own(asked: Asked, mine: Path) -> None:
    code, out, _ = asked("show", "t4_4_lamp.nozopa", f"scenario_dirs=[{mine}]")
    assert code == 0
    assert re.search("Above twenty[ -]five you leave it", seat(out, "b"))
    assert "'zopa': False" in out


# seal


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_sealed_set_is_the_same_for_the_same_seed_and_can_be_played(asked: Asked, tmp_path: Path) -> None:
    one, two, other = (tmp_path / name for name in ("one", "two", "other"))
    order = ("seal", "archetype=t4_2", "n=3")
    assert [asked(*order, "seed=apple", f"out={out}")[0] for out in (one, two)] == [0, 0]
    assert asked(*order, "seed=pear", f"out={other}")[0] == 0
    assert files(one) == files(two)
    assert files(one)["commitment.json"] != files(other)["commitment.json"]
    assert len(list((one / "scenarios/t4_2").iterdir())) == 3
    found = listed(asked, "split=sealed", f"scenario_dirs=[{one},{other}]")
    assert len(found) == 6
    assert asked("check", f"scenario_dirs=[{one},{other}]")[0] == 0


def test_a_commitment_tells_nothing_that_the_files_tell(asked: Asked, tmp_path: Path) -> None:
    code, out, _ = asked("seal", "archetype=t2", "n=2", "seed=apple", f"out={tmp_path / 'set'}")
    assert code == 0
    commitment = json.loads((tmp_path / "set/commitment.json").read_text("utf-8"))
    assert f"commitment {commitment['root']}" in out
    assert len(commitment["hashes"]) == 2
    for path in (tmp_path / "set/scenarios/t2").iterdir():
        for name in yaml.safe_load(path.read_text("utf-8"))["truth"]["candidates"]:
            assert name.lower() not in json.dumps(commitment).lower()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "usage: python -m dyad scenarios seal archetype="),
        (("archetype=t2", "n=many"), "usage: python -m dyad scenarios seal archetype="),
        (("archetype=t2", "n=²"), "usage: python -m dyad scenarios seal archetype="),
        (("archetype=t2", "sed=7"), "unknown key 'sed'; did you mean 'seed'?"),
        (("archetype=t2", "n=0"), "n: 0 scenarios cannot be made"),
        (("archetype=t4_5", "n=1"), "archetype: no grammar makes 't4_5'; did you mean"),
        (("archetype=t1_1", "n=1"), "archetype: no grammar makes 't1_1'"),
    ],
)
def test_what_cannot_be_sealed(asked: Asked, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    assert refused(asked("seal", *words, f"out={tmp_path / 'set'}")).startswith(f"dyad: {says}")
    assert not (tmp_path / "set").exists()


def test_a_seed_that_can_be_guessed_is_named(asked: Asked, tmp_path: Path) -> None:
    order = ("seal", "archetype=t2", "n=1")
    assert "seed 'apple' can be guessed" in asked(*order, "seed=apple", f"out={tmp_path / 'a'}")[1]
    assert "guessed" not in asked(*order, f"out={tmp_path / 'b'}")[1]


@pytest.mark.parametrize("words", [("seal", "archetype=t2", "n=1"), ("schema",)], ids=" ".join)
def test_a_folder_that_cannot_be_written(asked: Asked, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "file").touch()
    said = refused(asked(*words, f"out={tmp_path / 'file'}"))
    assert said == f"dyad: out: '{tmp_path / 'file'}' cannot be written (File exists); name another"


def test_nothing_is_sealed_over_files(asked: Asked, mine: Path) -> None:
    said = refused(asked("seal", "archetype=t2", "n=1", f"out={mine}"))
    assert said == f"dyad: out: '{mine}' is not empty; name a new folder"
