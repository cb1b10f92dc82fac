"""Judges that ask services, from the command line to the labels, against stand-ins for the services."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from dyad.judge.models.anthropic import AnthropicSettings, Messages
from dyad.judge.models.prompt import Style, calls
from dyad.judge.models.types import Request
from tests.forks import Forks, forking
from tests.judge.studies import judge, made, some
from tests.judge.wire.running import Server, running

pytestmark = pytest.mark.xdist_group("studies")  # what is set up once is set up by one worker

KEY = "sk-ant-secret-0123456789abcdef"


@pytest.fixture(scope="module")
def claude() -> Iterator[Server]:
    """Anthropic's protocol."""
    with running("anthropic_server.py", "--port", "0") as server:
        yield server


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one conversation of each archetype, heard and never judged by a model."""
    folder = tmp_path_factory.mktemp("study")
    made(folder, some())
    return folder


@pytest.fixture(scope="module")
def stored_few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with three conversations, of which one asks nothing of a model."""
    folder = tmp_path_factory.mktemp("few")
    made(folder, [case for case in some() if case.scenario.archetype in ("t2", "t3_1", "t4_1")])
    return folder


@pytest.fixture
def service(claude: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The service has forgotten everything, and its key is set."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    claude.change(reset=True, forget=True)


@pytest.fixture
def study(stored: Path, service: None, tmp_path: Path) -> Path:
    """A copy of the store with every archetype."""
    return Path(shutil.copytree(stored, tmp_path / "store"))


@pytest.fixture
def few(stored_few: Path, service: None, tmp_path: Path) -> Path:
    """A copy of the store with three conversations."""
    return Path(shutil.copytree(stored_few, tmp_path / "few"))


@pytest.fixture(scope="module")
def once(stored: Path, claude: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of that store in which the service has judged every run, call by call."""
    folder = Path(shutil.copytree(stored, tmp_path_factory.mktemp("once") / "store"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        assert judge(folder, *options(claude)) == 0
    return folder


@pytest.fixture
def judged(once: Path, service: None, tmp_path: Path) -> Path:
    """A copy of that one; the service has forgotten everything."""
    return Path(shutil.copytree(once, tmp_path / "judged"))


def options(server: Server, *more: str) -> list[str]:
    return ["judge=claude_opus", f"judge.base_url={server.url}", "--yes", *more]


def paid(server: Server) -> Counter[str]:
    """What was answered, by request, alone or in batches."""
    stats = server.get("stats")
    return Counter(stats["hashes"]) + Counter(stats["custom_ids"])


def labels(folder: Path, judge_name: str = "claude_opus") -> pd.DataFrame:
    frame = pd.read_parquet(folder / "studies/made/labels.parquet")
    return frame[frame["judge"] == judge_name]


# -- sync and batch --------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [(), ("judge.batch=true", "judge.poll_s=0.01")], ids=["sync", "batch"])
def test_every_run_is_labelled_and_a_second_time_costs_nothing(
    study: Path, claude: Server, how: tuple[str, ...]
) -> None:
    assert judge(study, *options(claude, *how)) == 0
    found = labels(study)
    asked = found[found["status"] != "no_speech"]
    assert set(asked["question"]) == {
        "t1.adherence", "t1.timing", "t2.choice", "t2.disclosed", "t3.asked", "t3.granted", "t4.landed",
        "t4.asked", "t4.leak", "t4.price",
    }  # fmt: skip
    assert set(asked["status"]) == {"ok"}
    before = claude.get("stats")
    assert judge(study, *options(claude, *how)) == 0
    assert claude.get("stats") == before


def test_sync_and_batch_share_their_labels(judged: Path, claude: Server) -> None:
    before = claude.get("stats")
    assert judge(judged, *options(claude, "judge.batch=true")) == 0
    assert claude.get("stats") == before


def test_lost_sidecars_are_written_again_from_the_records(judged: Path, claude: Server) -> None:
    first, before = labels(judged), claude.get("stats")
    for sidecar in judged.glob("runs/*/judgments/*claude_opus*"):
        sidecar.unlink()
    assert judge(judged, *options(claude)) == 0
    assert claude.get("stats") == before
    pd.testing.assert_frame_equal(first, labels(judged))


def test_another_judge_adds_files_and_the_first_keeps_its_own(study: Path, claude: Server) -> None:
    assert judge(study) == 0
    mechanical = {p: p.read_bytes() for p in study.glob("runs/*/judgments/*mechanical*")}
    assert judge(study, *options(claude)) == 0
    assert {p: p.read_bytes() for p in mechanical} == mechanical
    assert len(list(study.glob("runs/*/judgments/*claude_opus*"))) == 9


def test_a_panel_shows_the_majority_of_its_members(study: Path, claude: Server) -> None:
    members = "judges.claude_opus.base_url", "judges.claude_haiku.base_url"
    ways = [f"{key}={claude.url}" for key in members]
    assert judge(study, "panel=[claude_opus,claude_haiku,mechanical]", *ways, "--yes") == 0
    frame = pd.read_parquet(study / "studies/made/table.parquet")
    assert {"panel", "claude_opus", "claude_haiku", "mechanical"} <= set(frame["judge"])
    by_judge = {
        name: labels(study, name).set_index(["run_id", "question", "seat"])["label"]
        for name in frame["judge"].unique()
        if name
    }
    agreed = by_judge["claude_opus"][by_judge["claude_opus"] == by_judge["claude_haiku"]]
    assert (by_judge["panel"].loc[agreed.index] == agreed).all()


# -- money -----------------------------------------------------------------------------------------


def test_nothing_is_sent_without_a_yes(
    study: Path, claude: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge(study, "judge=claude_opus", f"judge.base_url={claude.url}") == 2
    assert "add --yes" in capsys.readouterr().err
    assert not paid(claude)


def test_the_budget_stops_new_work_with_exit_4(
    study: Path, claude: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    few = options(claude, "budget.usd=0.05", "judge.concurrency=1")
    assert judge(study, *few) == 4
    assert "budget.usd=0.05 reached after $" in capsys.readouterr().err
    assert 0 < paid(claude).total() < 10
    records = [
        json.loads(line) for line in (study / ".cache/judge/claude_opus.jsonl").read_text().splitlines()
    ]
    assert sum(r["usd"] for r in records) <= 0.05
    assert judge(study, *options(claude)) == 0  # goes on where it stopped
    assert set(paid(claude).values()) == {1}


def test_a_budget_needs_a_price(study: Path, claude: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert judge(study, *options(claude, "judge.model=claude-unheard-of", "budget.usd=1")) == 2
    assert "price of 'claude-unheard-of'" in capsys.readouterr().err


def test_the_plan_foresees_what_the_service_counts(
    study: Path, claude: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = AnthropicSettings(model="claude-opus-5", base_url=claude.url)
    service, style = Messages(settings), Style("marked", "merged")
    asked = [call for case in some() for call in calls(case, style)]
    requests = [Request("0" * 64, call.system, call.user, call.answer, 4096) for call in asked]
    counted = sum(service.count(request) or 0 for request in requests)
    assert judge(study, "judge=claude_opus", f"judge.base_url={claude.url}") == 2
    told = re.search(r"(\d+) calls, about (\d+)k tokens in", capsys.readouterr().err)
    assert told is not None
    assert int(told[1]) == len(asked)
    assert 1000 * int(told[2]) == pytest.approx(counted, rel=0.15)


# -- secrets ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [401, 403, 400, 500])
def test_a_key_is_nowhere_after_a_failing_call(
    few: Path, claude: Server, fault: int, capfd: pytest.CaptureFixture[str]
) -> None:
    rule = {"on": "messages", "do": "status", "status": fault, "times": None}
    claude.change(rules=[rule])
    code = judge(few, *options(claude, "judge.deadline_s=0.2", "--debug"))
    assert code in (2, 3)
    said = capfd.readouterr()
    assert KEY not in said.out + said.err
    assert len(said.err.strip().splitlines()[-1]) > 20
    for path in few.rglob("*"):
        assert path.is_dir() or KEY.encode() not in path.read_bytes(), path
    assert KEY not in (few / "studies/made/config.yaml").read_text()


def test_a_failing_service_leaves_runs_to_be_judged_later(few: Path, claude: Server) -> None:
    claude.change(rules=[{"on": "messages", "do": "status", "status": 529, "times": None}])
    assert judge(few, *options(claude, "judge.deadline_s=0.2")) == 3
    (free,) = few.glob("runs/*/judgments/*claude_opus*")  # points are counted: nobody was asked
    assert free.name.startswith("t3_1@")
    claude.change(reset=True)
    assert judge(few, *options(claude)) == 0
    assert set(labels(few)["status"]) <= {"ok", "no_speech"}


# -- crashes ---------------------------------------------------------------------------------------

COMMANDS = """
import anthropic, pandas, pyarrow.parquet, rich.table, scipy.signal, soundfile
import dyad.report
from dyad.cli.compose import compose
from dyad.cli.main import run
compose([])
def main(*words):
    return run(words)
"""


@pytest.fixture(scope="module")
def commands() -> Iterator[Forks]:
    """Commands in processes of their own."""
    with forking(COMMANDS, ANTHROPIC_API_KEY=KEY) as forks:
        yield forks


@pytest.mark.parametrize("rule", [
    {"on": "create", "do": "hang"},
    {"on": "create", "delay_s": 60},
    {"on": "retrieve", "do": "hang"},
    {"on": "results", "do": "hang"},
], ids=["before", "accepted", "polling", "results"])  # fmt: skip
def test_a_batch_survives_kill_9_and_is_paid_once(
    few: Path, claude: Server, commands: Forks, rule: dict[str, object]
) -> None:
    claude.change(rules=[rule])
    way = options(claude, "judge.batch=true", "judge.poll_s=0.01", "judge.timeout_s=3")
    child = commands.start("judge", "study=made", f"store={few}", *way)
    deadline = time.monotonic() + 200
    while not claude.asked(str(rule["on"])) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.2)
    commands.kill(child)
    claude.change(rules=[])
    assert judge(few, *way) == 0
    assert set(labels(few)["status"]) <= {"ok", "no_speech"}
    assert set(paid(claude).values()) == {1}


# -- who answers -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def llama() -> Iterator[Server]:
    """llama.cpp's server, which has one model and takes any name."""
    with running("openai_server.py", "--service", "llama") as server:
        yield server


def local(server: Server) -> list[str]:
    return ["judge=llamacpp", f"judge.base_url={server.url}/v1", "judge.concurrency=1"]


def test_another_model_at_the_same_address_labels_anew(
    few: Path, llama: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its replies are of another model, whatever the name of the judge."""
    llama.change(answers_as="local-one", serves="", rules=[])
    assert judge(few, *local(llama)) == 0
    kept = {path.name: path.read_bytes() for path in few.glob("runs/*/judgments/*llamacpp*")}
    asked = llama.asked("/v1/chat/completions")
    assert judge(few, *local(llama)) == 0
    assert llama.asked("/v1/chat/completions") == asked
    llama.change(answers_as="local-two")
    capsys.readouterr()
    assert judge(few, *local(llama)) == 0
    assert "llamacpp: answered by local-two" in capsys.readouterr().err
    assert llama.asked("/v1/chat/completions") > asked
    both = {path.name: path.read_bytes() for path in few.glob("runs/*/judgments/*llamacpp*")}
    assert len(both) == 2 * len(kept)
    assert kept.items() <= both.items()
    llama.change(answers_as="local-one")
    again = llama.asked("/v1/chat/completions")
    assert judge(few, *local(llama)) == 0
    assert llama.asked("/v1/chat/completions") == again


def test_what_is_stored_is_read_without_the_server(
    few: Path, llama: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    llama.change(answers_as="local-one", serves="", rules=[])
    assert judge(few, *local(llama)) == 0
    before = labels(few, "llamacpp")
    assert judge(few, "judge=llamacpp", "judge.base_url=http://127.0.0.1:9/v1") == 0
    assert "nobody answers at its address; labels that are stored stand" in capsys.readouterr().err
    pd.testing.assert_frame_equal(labels(few, "llamacpp"), before)


def test_a_judge_none_of_whose_answers_can_stand_is_a_failure(
    few: Path, llama: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    llama.change(answers_as="local-one", serves="", rules=[{"do": "prose", "times": None}])
    assert judge(few, *local(llama)) == 3
    assert "none of its answers can stand (invalid_json)" in capsys.readouterr().err
