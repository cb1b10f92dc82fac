"""Which judges a command names, how they are set, and `judge check`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from dyad.cli.compose import compose
from dyad.cli.main import run
from dyad.errors import ConfigError
from dyad.library import builtin_root
from dyad.registry import names
from dyad.spec.study import StudyConfig
from tests.judge.studies import judge, made, some
from tests.judge.wire.running import Server, running

pytestmark = pytest.mark.xdist_group("judges")  # what is set up once is set up by one worker

SHIPPED = sorted(path.stem for path in (builtin_root() / "conf" / "judge").glob("*.yaml"))
MORE = {"gpt": ["judge.model=gpt-5"]}  # what a shipped configuration leaves to the user


def composed(*overrides: str, dirs: tuple[Path, ...] = ()) -> StudyConfig:
    (study,) = compose(overrides, dirs).studies
    return study


def told(*overrides: str) -> str:
    with pytest.raises(ConfigError) as error:
        compose(overrides)
    return str(error.value)


def params(study: StudyConfig) -> dict[str, dict[str, object]]:
    return {judge.name: judge.params for judge in study.judges}


# -- shipped configurations ------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_judge_composes_under_its_own_name(name: str) -> None:
    (found,) = composed(f"judge={name}", *MORE.get(name, [])).judges
    assert found.name == name
    assert found.backend in names("judges")
    assert found.identity


def test_gpt_wants_a_model() -> None:
    assert told("judge=gpt") == "judge.model has no default; set judge.model=VALUE"


def test_judges_on_this_machine_are_billed_nothing() -> None:
    for name in ("llamacpp", "ollama", "vllm_qwen"):
        price = params(composed(f"judge={name}"))[name]["price"]
        assert isinstance(price, dict)
        assert (price["input"], price["output"]) == (0, 0)


def test_cfg_shows_the_defaults_of_a_judge(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "judge=claude_opus", "--cfg", "job"]) == 0
    shown = yaml.safe_load(capsys.readouterr().out)["judge"]
    assert shown["backend"] == "anthropic"
    assert shown["max_tokens"] == 4096
    assert shown["transcript"] == "marked"
    assert shown["key_env"] == "ANTHROPIC_API_KEY"
    assert shown["batch"] is False


# -- several judges --------------------------------------------------------------------------------


def test_several_judges_label_one_study_and_the_first_is_shown() -> None:
    study = composed("judge=claude_opus,mechanical", "judge.effort=max")
    assert [judge.name for judge in study.judges] == ["claude_opus", "mechanical"]
    assert (study.judge, study.panel) == ("claude_opus", False)
    assert params(study)["claude_opus"]["effort"] == "max"


def test_further_judges_are_set_by_their_names() -> None:
    study = composed(
        "judge=mechanical,claude_opus,gpt", "judges.claude_opus.effort=max", "judges.gpt.model=g"
    )
    assert params(study)["claude_opus"]["effort"] == "max"
    assert params(study)["gpt"]["model"] == "g"


def test_a_panel_shows_its_majority_and_its_members_are_set_by_name() -> None:
    study = composed("panel=[claude_opus,gpt,mechanical]", "judges.gpt.model=g", "judges.claude_opus.draws=3")
    assert [judge.name for judge in study.judges] == ["claude_opus", "gpt", "mechanical"]
    assert (study.judge, study.panel) == ("panel", True)
    assert params(study)["claude_opus"]["draws"] == 3


def test_a_sweep_of_something_else_keeps_all_judges() -> None:
    studies = compose(["judge=mechanical,claude_opus", "seed=0,1"]).studies
    assert [[judge.name for judge in study.judges] for study in studies] == [
        ["mechanical", "claude_opus"]
    ] * 2


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["judge=claude_opsu"], "no judge 'claude_opsu'; did you mean 'claude_opus'?"),
        (["judge=mechanical,claude_opsu"], "no judge 'claude_opsu'; did you mean 'claude_opus'?"),
        (["panel=[mechanical,claude_opsu]"], "no judge 'claude_opsu'; did you mean 'claude_opus'?"),
        (["judge=claude_opus", "judge.efort=low"], "'judge.efort'; did you mean 'judge.effort'?"),
        (
            ["judge=mechanical,claude_opus", "judges.claude_opus.efort=low"],
            "'judges.claude_opus.efort'; did you mean 'judges.claude_opus.effort'?",
        ),
        (["judge=claude_opus", "judge.effort=lo"], "judge.effort = 'lo': input should be 'low'"),
        (["judge=claude_opus", "judge.draws=0"], "judge.draws = 0: input should be greater"),
        (["judge=mechanical", "+judge.words=x"], "unknown key 'judge.words'"),
        (["panel=[mechanical]"], "needs at least two different judges"),
        (["panel=[mechanical,mechanical]"], "needs at least two different judges"),
        (["panel=mechanical"], "write panel=[NAME,NAME,NAME]"),
        (["panel=[1,2]"], "write panel=[NAME,NAME,NAME]"),
        (["judge=mechanical,mechanical"], "judge 'mechanical': the name is taken"),
        (["judge=claude_opus", "judge.name=panel"], "judge 'panel': the name is taken"),
        (
            ["judge=mechanical,claude_opus", "judges.claude_opus.name=mechanical"],
            "judge 'mechanical': the name is taken",
        ),
        (["panel=[mechanical,claude_opus]", "judge.draws=3"], "'judge.draws=3' is not used beside panel"),
        (["panel=[claude_opus,mechanical]", "judge=gpt"], "'judge=gpt' is not used beside panel"),
        (["judge=mechanical,claude_opus", "judge=gpt"], "judge is given twice"),
        (["judge=claude_opus", "judge.thinking=enabled", "judge.max_tokens=1000"], "thinking_tokens must be"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_one_line(overrides: list[str], message: str) -> None:
    found = told(*overrides)
    assert message in found
    assert "\n" not in found


@pytest.mark.parametrize("name", ["claude_opus", "vllm_qwen"])
@pytest.mark.parametrize("url", ["http://me:s3cret@host/v1", "https://s3cret@host", "me:s3cret@host/v1"])
def test_an_address_holds_no_password_and_none_is_repeated(name: str, url: str) -> None:
    found = told(f"judge={name}", f"judge.base_url='{url}'")
    assert "judge.base_url" in found
    assert "s3cret" not in found


@pytest.mark.parametrize("name", ["claude_opus", "gpt"])
def test_a_key_in_place_of_its_variable_is_refused_and_not_repeated(name: str) -> None:
    found = told(f"judge={name}", "judge.model=m", "judge.key_env=sk-ant-0123456789")
    assert "judge.key_env = …: must be the name of a variable" in found


# -- a user's own configuration --------------------------------------------------------------------


def test_a_user_adds_judges_in_a_folder_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "judge").mkdir()
    own = "defaults: [base/openai@_here_, _self_]\nname: mine\nmodel: m\nbase_url: http://localhost:9/v1\n"
    (tmp_path / "judge/mine.yaml").write_text(own)
    study = composed("judge=mine,mechanical", "judge.seed=7", dirs=(tmp_path,))
    assert params(study)["mine"]["model"] == "m"
    assert params(study)["mine"]["seed"] == 7
    assert params(study)["mine"]["max_tokens"] == 4096


def test_where_and_how_fast_leave_the_identity_of_a_judge_as_it_is() -> None:
    def identity(*overrides: str) -> str:
        return composed("judge=claude_opus", *overrides).judges[0].identity

    local = [
        "judge.base_url=http://localhost:9",
        "judge.key_env=K",
        "judge.batch=true",
        "judge.concurrency=2",
    ]
    assert {identity(override) for override in local} == {identity()}
    assert len({identity(), identity("judge.effort=max"), identity("judge.draws=3")}) == 3


# -- stored studies --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def claude() -> Iterator[Server]:
    with running("anthropic_server.py") as server:
        yield server


@pytest.fixture
def server(claude: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test")
    claude.change(reset=True, forget=True)
    return claude


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    made(folder, some()[:2])
    return folder


def record(folder: Path, *overrides: str) -> None:
    """Let a stored study have been made with other judges."""
    path = folder / "studies/made/plan.json"
    plan = json.loads(path.read_text("utf-8"))
    plan["overrides"] = [o for o in plan["overrides"] if not o.startswith(("judge", "panel"))] + list(
        overrides
    )
    path.write_text(json.dumps(plan))


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (["judge=claude_opus", "judge.effort=high"], ["judge=mechanical"]),
        (["judge=claude_opus,gpt", "judges.gpt.model=g"], ["judge=mechanical"]),
        (["panel=[claude_opus,mechanical]", "judges.claude_opus.draws=3"], ["judge=mechanical"]),
    ],
)
def test_judges_that_are_named_anew_replace_those_of_the_study(
    stored: Path, capsys: pytest.CaptureFixture[str], before: list[str], now: list[str]
) -> None:
    record(stored, *before)
    assert judge(stored, *now) == 0
    assert "mechanical" in capsys.readouterr().out


def test_a_panel_replaces_the_judge_of_the_study(stored: Path, server: Server) -> None:
    record(stored, "judge=claude_opus", "judge.effort=high")
    url = f"judges.claude_opus.base_url={server.url}"
    assert judge(stored, "panel=[claude_opus,mechanical]", url, "--yes") == 0


def test_settings_alone_keep_the_judge_of_the_study(stored: Path, server: Server) -> None:
    record(stored, "judge=claude_opus", "judge.effort=high")
    assert judge(stored, f"judge.base_url={server.url}", "--yes") == 0
    assert server.asked("messages") > 0


# -- before anything is played or sent -------------------------------------------------------------

PLAYED = ["pairing=echo_tone", "task=t2", "window_s=3", "scenarios.limit=1", "launcher=serial"]


def test_a_missing_key_is_said_before_anything_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert run(["run", *PLAYED, f"store={tmp_path / 's'}", "judge=claude_opus", "--yes"]) == 2
    assert capsys.readouterr().err.startswith("dyad: no key in the variable ANTHROPIC_API_KEY; set it")
    assert not list(tmp_path.glob("s/runs/*"))


def test_a_ceiling_without_a_price_is_said_before_anything_is_played(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    unknown = ["judge=claude_opus", "judge.model=claude-unheard-of", "budget.usd=1", "--yes"]
    assert run(["run", *PLAYED, f"store={tmp_path / 's'}", *unknown]) == 2
    assert "budget.usd needs the price of 'claude-unheard-of'" in capsys.readouterr().err
    assert not list(tmp_path.glob("s/runs/*"))


def test_a_study_that_lacks_nothing_asks_for_no_yes(stored: Path, server: Server) -> None:
    """Not even where nobody knows the price."""
    unknown = ["judge=claude_opus", f"judge.base_url={server.url}", "judge.model=claude-unheard-of"]
    assert judge(stored, *unknown) == 2
    assert judge(stored, *unknown, "--yes") == 0
    assert judge(stored, *unknown) == 0


# -- judge check -----------------------------------------------------------------------------------


def check(folder: Path, *options: str) -> int:
    return run(["judge", "check", f"store={folder}", *options])


def test_the_rules_are_checked_and_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(tmp_path, "judge=mechanical", "--json") == 0
    (path,) = (tmp_path / ".cache/judge/checks").glob("mechanical-*.json")
    (found,) = json.loads(capsys.readouterr().out)
    assert found == json.loads(path.read_text("utf-8"))
    assert found["items"] > 200


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["draws=0"], "draws must be 1 to 99, and share above 0 and at most 1"),
        (["draws=100"], "draws must be 1 to 99"),
        (["draws=two"], "draws and share must be numbers"),
        (["share=0"], "share above 0 and at most 1"),
        (["share=1.5"], "share above 0 and at most 1"),
        (["share=nan"], "share above 0 and at most 1"),
        (["everything"], "'everything' is too much here"),
        (["judge=mechanicla"], "no judge 'mechanicla'; did you mean 'mechanical'?"),
        (["drawz=3"], "unknown key 'drawz'"),
    ],
)
def test_a_check_that_cannot_be_meant_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert check(tmp_path, *options) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / ".cache").exists()


@pytest.mark.parametrize("words", [["judge", "check"], ["plan"]])
def test_settings_are_listed_and_nothing_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert run([*words, f"store={tmp_path}", "judge=claude_opus", "--cfg", "job"]) == 0
    assert yaml.safe_load(capsys.readouterr().out)["judge"]["model"] == "claude-opus-5"
    assert not any(tmp_path.iterdir())


def test_another_word_than_check_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["judge", "chek", "judge=mechanical"]) == 2
    assert capsys.readouterr().err == "dyad: judge chek: no such word; did you mean 'check'?\n"


def test_a_model_is_checked_after_a_yes_and_never_paid_twice(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    way = [
        "judge=claude_haiku",
        f"judge.base_url={server.url}",
        "judge.concurrency=32",
        "draws=2",
        "share=0.02",
    ]
    assert check(tmp_path, *way) == 2
    assert "add --yes" in capsys.readouterr().err
    assert server.asked("messages") == 0
    assert check(tmp_path, *way, "--yes", "--json") == 0
    (found,) = json.loads(capsys.readouterr().out)
    before = server.asked("messages")
    assert before > found["items"]
    assert found["draws"]
    assert check(tmp_path, *way, "--json") == 0  # nothing is left to pay for, so nobody is asked
    assert json.loads(capsys.readouterr().out) == [found]
    assert server.asked("messages") == before


def test_a_check_stops_at_the_budget_of_all_its_draws(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    way = ["judge=claude_opus", f"judge.base_url={server.url}", "draws=2", "share=0.02", "--yes"]
    assert check(tmp_path, *way, "budget.usd=0.2") == 4
    assert "budget.usd=0.2 reached after $0." in capsys.readouterr().err
    rows = (tmp_path / ".cache/judge/claude_opus.jsonl").read_text("utf-8").splitlines()
    assert 0 < sum(json.loads(row)["usd"] for row in rows) <= 0.2
    assert not list((tmp_path / ".cache/judge").glob("checks/*"))


def test_a_check_that_lost_its_service_is_not_stored_and_a_whole_one_is_printed(
    tmp_path: Path, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    server.change(rules=[{"on": "messages", "do": "status", "status": 529, "times": None, "match": "lift"}])
    way = ["judge=claude_haiku", f"judge.base_url={server.url}", "judge.concurrency=32", "draws=1", "--yes"]
    assert check(tmp_path, *way, "judge.deadline_s=0.1") == 3
    assert "got no labels, so nothing was stored; run again to go on" in capsys.readouterr().err
    assert not list((tmp_path / ".cache/judge").glob("checks/*"))
    server.change(rules=[])
    capsys.readouterr()
    assert check(tmp_path, *way) == 0
    shown, told = capsys.readouterr()
    assert f"stored    {tmp_path}/.cache/judge/checks" in told
    assert re.search(r"^claude_haiku: \d+/\d+ known answers are right$", shown, re.MULTILINE)
    assert "t4.leak" in shown
    assert len(list((tmp_path / ".cache/judge").glob("checks/*"))) == 1
