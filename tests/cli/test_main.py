"""The command line as a user meets it: exit codes, one-line errors, sweeps, JSON, studies by name."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from dyad import simulate as simulator
from dyad.agents import echo
from dyad.bridge.protocol import Caps
from dyad.cli import verbs
from dyad.cli.args import parse
from dyad.cli.main import HANDLERS, run
from dyad.cli.verbs import stored
from dyad.judge.humans import Answer, save
from dyad.spec import Label

pytestmark = pytest.mark.xdist_group("main")  # what is set up once is set up by one worker

Dyad = Callable[..., int]


FAST = ("launcher=serial", "report.bootstrap=20", "report.permutations=20")
BASE = (
    "name=small", "pairing=echo_tone", "task=t2", "window_s=4", "design.repetitions=1",
    "scenarios.limit=1", "report.embed_audio=never", *FAST,
)  # fmt: skip


@pytest.fixture
def dyad(tmp_path: Path) -> Dyad:
    """Run a verb on a small study of instruments, with the store in tmp_path."""

    def call(verb: str, *rest: str) -> int:
        fresh = BASE if verb in ("run", "plan", "simulate") else ()
        keys = {r.partition("=")[0] for r in rest}
        own = (b for b in fresh if b.partition("=")[0] not in keys)
        return run([verb, *own, *rest, f"store={tmp_path / 'store'}"])

    return call


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of that study after `run`."""
    folder = tmp_path_factory.mktemp("once") / "store"
    assert run(["run", *BASE, f"store={folder}"]) == 0
    return folder


@pytest.fixture
def ran(once: Path, tmp_path: Path) -> None:
    """Have the study in tmp_path as if it had been run there."""
    shutil.copytree(once, tmp_path / "store")


def written(tmp_path: Path) -> list[Path]:
    return [p for p in (tmp_path / "store").rglob("*") if p.is_file()]


def test_run_then_run_again(dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dyad("run") == 0
    first = {p: p.stat().st_mtime_ns for p in written(tmp_path) if "/runs/" in str(p)}
    assert "4/4 done" in capsys.readouterr().err
    assert dyad("run") == 0
    assert "4 stored, nothing to do" in capsys.readouterr().err
    assert {p: p.stat().st_mtime_ns for p in written(tmp_path) if "/runs/" in str(p)} == first


def test_same_command_on_two_stores_gives_the_same_bytes(tmp_path: Path) -> None:
    import pandas as pd

    frames, sounds = [], []
    for name in ("one", "two"):
        store = tmp_path / name
        base = ["pairing=echo_tone", "task=t1,t2", "window_s=3", "design.repetitions=1", "scenarios.limit=1"]
        assert run(["run", *base, "name=same", f"store={store}", *FAST, "channel.noise_snr_db=20"]) == 0
        frames.append(pd.read_parquet(store / "studies/same/table.parquet"))
        sounds.append({p.parent.name: p.read_bytes() for p in store.glob("runs/*/audio.flac")})
    pd.testing.assert_frame_equal(frames[0], frames[1])
    assert sounds[0] == sounds[1]
    assert len(sounds[0]) == 12


def test_a_free_conversation_goes_all_the_way(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import pandas as pd

    assert dyad("run", "pairing=tone_tone", "task=t0", "window_s=10") == 0
    page = tmp_path / "store/studies/small/report.html"
    assert "free conversation: t0_en" in page.read_text("utf-8")
    frame = pd.read_parquet(page.with_name("table.parquet"))
    assert set(frame["task"]) == {"t0"}
    assert frame["run_id"].nunique() == 2
    assert dyad("table", "study=small") == 0
    printed, said = capsys.readouterr()
    assert "turn-taking" in printed
    assert "(row acts" not in printed
    assert "judge     0 stored, nothing to do" in said
    assert dyad("show", "tone_tone__t0_en__ab-a") == 0
    assert "Free conversation.\nA = seat a: tone\n" in capsys.readouterr().out


def test_an_agent_without_prompt_plays_free_conversation_only(
    dyad: Dyad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    under_test = Caps("unprompted", prompt="none")  # no instrument, as a speech model without role prompts
    monkeypatch.setattr(echo, "FAMILY", dataclasses.replace(echo.FAMILY, caps=lambda params: under_test))
    assert dyad("run", "task=t0,t3") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "agent 'echo' takes no role prompt, so it cannot play task 't3'; it can play task=t0" in line
    assert not (tmp_path / "store").exists()
    assert dyad("run", "task=t0") == 0


def test_a_cascade_of_rules_is_refused_without_roles(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnxruntime")
    assert dyad("run", "pairing=bold_bold", "task=t0") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "agent 'cascade_bold' acts on a role sheet" in line
    assert not (tmp_path / "store").exists()


def test_plan_writes_nothing(dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dyad("plan", "--json") == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["runs"], plan["stored"]) == (4, 0)
    assert not (tmp_path / "store").exists()


def test_cfg_prints_the_configuration_and_stops(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dyad("run", "--cfg", "job") == 0
    out = capsys.readouterr().out
    assert "freq_hz:" in out
    assert "noise_snr_db: null" in out
    assert not (tmp_path / "store").exists()


def test_later_stages_by_the_name_of_the_study(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dyad("simulate") == 0
    assert not list((tmp_path / "store").glob("runs/*/segments"))
    assert dyad("hear", "study=small", "vad=merge_first") == 0
    assert dyad("measure", "study=small") == 0
    assert len(list((tmp_path / "store").glob("runs/*/segments/*"))) == 8  # both VADs stand side by side
    assert len(list((tmp_path / "store").glob("runs/*/judgments/*"))) == 4
    capsys.readouterr()
    assert dyad("table", "study=small", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {r["measure"] for r in rows} >= {"solved", "tor_end"}
    assert dyad("table", "study=smal") == 2
    assert "did you mean 'small'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "override", ["task=t1", "window_s=9", "seed=1", "pairing.a.name=x", "mode=paper,strict"]
)
@pytest.mark.usefixtures("ran")
def test_a_stored_study_refuses_what_would_change_nothing(
    dyad: Dyad, capsys: pytest.CaptureFixture[str], override: str
) -> None:
    capsys.readouterr()
    assert dyad("measure", "study=small", override) == 2
    assert override.partition("=")[0] in capsys.readouterr().err


def test_a_store_may_have_any_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    base = ["name=s", "pairing=echo_tone", "task=t2", "window_s=2", "scenarios.limit=1", *FAST,
            "design.repetitions=1"]  # fmt: skip
    for path in ("x/../y", "'a b (1)'"):
        assert run(["run", *base, f"store={path}"]) == 0
        assert run(["table", "study=s", f"store={path}"]) == 0
    assert (tmp_path / "a b (1)/studies/s/report.html").is_file()


BROKEN = {
    "studies/small/plan.json": b"{",
    "runs/*/spec.json": b'{"a": 1}',
    "runs/*/manifest.json": b"[]",
    "runs/*/text.jsonl": b"\xff\xfe",
    "runs/*/segments/*": b"{",
    "runs/*/judgments/*": b"no",
}


@pytest.mark.parametrize("pattern", BROKEN)
@pytest.mark.usefixtures("ran")
def test_a_broken_file_is_named_in_one_line(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str], pattern: str
) -> None:
    broken = next((tmp_path / "store").glob(pattern))
    broken.write_bytes(BROKEN[pattern])
    capsys.readouterr()
    assert dyad("measure", "study=small") == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert str(broken) in last
    assert "internal error" not in last


@pytest.mark.parametrize("verb", ["hear", "judge", "measure", "report"])
def test_cfg_of_a_stored_study_does_nothing(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    assert dyad("simulate") == 0
    capsys.readouterr()
    assert dyad(verb, "study=small", "mode=strict", "--cfg", "job") == 0
    assert "\nmode: strict #" in capsys.readouterr().out
    assert not any(tmp_path.glob("store/runs/*/segments"))
    assert not any(tmp_path.glob("store/studies/*/*.parquet"))


def test_a_disk_that_takes_nothing_is_no_internal_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(args: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "store/x")

    monkeypatch.setitem(HANDLERS, "agents", full)
    assert run(["agents"]) == 2
    assert capsys.readouterr().err.startswith("dyad: store/x: No space left on device; make room")


@pytest.mark.usefixtures("ran")
def test_a_broken_table_is_made_again(dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "store/studies/small/table.parquet").write_bytes(b"no")
    assert dyad("table", "study=small") == 2
    assert "python -m dyad measure study=small" in capsys.readouterr().err
    assert dyad("measure", "study=small") == 0
    assert dyad("table", "study=small") == 0


@pytest.mark.usefixtures("ran")
def test_show_prints_a_conversation(dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_id = next((tmp_path / "store/runs").iterdir()).name
    capsys.readouterr()
    assert dyad("show", run_id[-12:]) == 0
    out = capsys.readouterr().out
    assert run_id in out
    assert "A = seat" in out
    assert "t2.choice: " in out
    assert dyad("show", run_id, "study=small") == 0  # with the settings that the study was made with
    assert capsys.readouterr().out == out
    assert dyad("show", run_id, "study=smal") == 2
    assert dyad("show", "nothing") == 2


def test_sweep_flags_are_accepted(dyad: Dyad, capsys: pytest.CaptureFixture[str]) -> None:
    assert dyad("plan", "-m", "pairing=echo_tone,tone_tone", "task=t1,t3", "seed=range(0,3)", "--json") == 0
    assert json.loads(capsys.readouterr().out)["runs"] == 3 * (4 * (4 + 2))


BAD = [
    (["plan", "pairing=ecko_tone"], "did you mean 'echo_tone'"),
    (["plan", "agent@pairing.a=nobody"], "no agent"),
    (["rum"], "did you mean 'run'"),
    (["plan", "--jsn"], "did you mean '--json'"),
    (["plan", "task"], "key=value"),
    (["plan", "window_s=0"], "window_s"),
    (["plan", "seed=-1"], "seed"),
    (["show"], "RUN_ID"),
    (["table"], "study=NAME"),
    (["scenarios", "chek"], "did you mean 'check'"),
    (["plan", "--config-dir", "/nowhere"], "--config-dir"),
    (["agents", "--config-dir"], "--config-dir: expected one argument; write --config-dir DIR"),
    (["plan", "--config-dir="], "--config-dir: no folder ''"),
    (["plan", "--config-dir", "--json"], "--config-dir: expected one argument"),
    (["plan", "--cfg=all_of_it"], "write --cfg job"),
    (["plan", "--yes=no"], "--yes takes no value"),
    (["plan", "--json=false"], "--json takes no value"),
    (["plan", "-m=1"], "--multirun takes no value"),
    (["plan", "--js"], "did you mean '--json'"),  # no half of a name
    (["plan", "study=dmo"], "did you mean 'demo'"),
    (["plan", "=3"], "KEY=VALUE"),
    (["plan", "name=ü"], "name = 'ü': 'ü' must be 1 to 100 letters"),
    (["plan", "window_s=$(x"], "cannot read"),
    (["plan", "seed=range(0,0)"], "sweeps over nothing"),
    (["plan", "channel=null"], "channel=NAME"),
    (["plan", "pairing=[1]"], "pairing=NAME"),
    (["plan", "pairing.a=3"], "pairing.a.KEY=VALUE"),
    (["plan", "pairing.a.params=3"], "pairing.a.params.KEY=VALUE"),
    (["plan", "~pairing.b"], "'pairing.b' is missing"),
    (["plan", "~task"], "'task' is missing"),
    (["plan", "grid=3"], "grid.KEY=VALUE"),
    (["plan", "+grid.task=t2"], "grid.task must be a list"),
    (["plan", "window_s=1.5"], "window_s"),  # the opener's partner would never be heard
    (["plan", "window_s=inf"], "finite"),
    (["plan", "window_s=1e9"], "86400"),
    (["plan", "channel.noise_snr_db=nan"], "finite"),
    (["plan", "channel.noise_snr_db=-1000"], "-60"),
    (["plan", "seed=10000000000000000000"], "seed"),
    (["plan", "design.repetitions=1000000000"], "design.repetitions"),
    (["plan", "store=''"], "store"),
    *(
        (["run", f"{key}={name}"], "letters, digits")
        for key in ("name", "pairing.name", "pairing.a.name", "vad.name", "asr.name", "judge.name")
        for name in ("../x", "'[/x]'", "''")
    ),
]


@pytest.mark.parametrize(("argv", "message"), BAD)
def test_bad_input_is_one_line_and_exit_2(
    argv: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = [f"store={tmp_path / 'store'}"] if argv[0] in ("plan", "run") and "store" not in argv[1] else []
    assert run([*argv, *store]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.count("\n") == 1
    assert not out
    assert not (tmp_path / "store").exists()


def sound(path: Path, samples: np.ndarray, rate: int = 24_000) -> str:
    soundfile.write(path, samples, rate, subtype="FLOAT", format="WAV")
    return f"pairing.b.params.path={path}"


@pytest.mark.parametrize(
    ("samples", "rate", "message"),
    [
        (np.zeros(0, np.float32), 24_000, "empty"),
        (np.array([0.1, np.nan] * 100, np.float32), 24_000, "NaN"),
    ],
)
def test_bad_playback_file(
    samples: np.ndarray, rate: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = sound(tmp_path / "stimulus.wav", samples, rate)
    argv = ["run", "pairing=echo_tone", "agent@pairing.b=playback", path, f"store={tmp_path / 'store'}"]
    assert run(argv) == 2
    err = capsys.readouterr().err
    assert "stimulus.wav" in err
    assert message.lower() in err.lower()
    assert err.count("\n") == 1
    assert not (tmp_path / "store").exists()


def test_broken_scenario_names_file_line_and_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mine/scenarios/t2"
    folder.mkdir(parents=True)
    (folder / "broken.yaml").write_text("id: t2_mine\narchetype: t2\nversion: zero\n")
    argv = ["plan", f"scenarios.dirs=[{tmp_path / 'mine'}]", f"store={tmp_path / 'store'}"]
    assert run(argv) == 2
    err = capsys.readouterr().err
    assert "broken.yaml:3" in err
    assert "version" in err
    assert err.count("\n") == 1


def test_store_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert run(["run", "pairing=echo_tone", f"store={tmp_path / 'file/store'}"]) == 2
    assert "not writable" in capsys.readouterr().err


def test_missing_asr_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYAD_WHISPER_DIR", str(tmp_path / "nowhere"))
    argv = ["run", "pairing=echo_tone", "asr=whisper", f"store={tmp_path / 'store'}"]
    assert run(argv) == 2
    err = capsys.readouterr().err
    assert "DYAD_WHISPER_DIR" in err
    assert err.count("\n") == 1
    assert not (tmp_path / "store").exists()


def test_budget_stops_with_exit_4(dyad: Dyad, capsys: pytest.CaptureFixture[str]) -> None:
    assert dyad("run", "budget.wall_min=0.000001") == 4
    assert "budget.wall_min" in capsys.readouterr().err


def test_own_configuration_folder(dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "conf/agent").mkdir(parents=True)
    (tmp_path / "conf/agent/hum.yaml").write_text(
        "defaults:\n  - base/tone@_here_\n  - _self_\nname: hum\nparams: {freq_hz: 110.0}\n"
    )
    assert dyad("plan", "--config-dir", str(tmp_path / "conf"), "agent@pairing.a=hum", "--cfg", "job") == 0
    assert "name: hum" in capsys.readouterr().out


def test_agents_and_scenarios_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["agents", "--json"]) == 0
    assert "cascade_bold" in json.loads(capsys.readouterr().out)["agents"]
    assert run(["scenarios", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) >= 27
    assert run(["scenarios", "check"]) == 0
    assert run(["scenarios", "show", "t2_hall"]) == 0
    assert "seat a" in capsys.readouterr().out


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    assert run(["--version"]) == 0
    assert "usage: python -m dyad" in capsys.readouterr().out


@pytest.mark.parametrize("argv", [[], ["--json"], ["pairing=echo_tone"]])
def test_without_a_verb_the_help_is_printed_and_nothing_is_done(
    argv: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(argv) == 2
    out, err = capsys.readouterr()
    assert "usage: python -m dyad" in err
    assert not out
    assert not list(tmp_path.iterdir())


def test_tables_in_a_pipe_are_not_cut(dyad: Dyad, capsys: pytest.CaptureFixture[str]) -> None:
    name = "a_name_that_is_far_too_long_for_the_eighty_columns_of_a_terminal"
    assert dyad("run", f"pairing.a.name={name}_1", f"pairing.b.name={name}_2") == 0
    assert run(["agents"]) == run(["scenarios"]) == 0
    out = capsys.readouterr().out
    assert "…" not in out
    row = next(line for line in out.splitlines() if line.count(name) == 2 and "│" in line)
    assert row.count("(n=") == 5  # every turn-taking measure, in one line


def test_a_table_has_the_definitions_that_it_names(dyad: Dyad, capsys: pytest.CaptureFixture[str]) -> None:
    # the echo still speaks when the tone pauses: strict definitions leave that pause out
    assert dyad("run", "pairing.b.params.pattern=[[25,31],[37,45]]") == 0
    assert dyad("table", "study=small", "mode=strict") == 2
    assert "measure study=small" in capsys.readouterr().err
    modes = {}
    for mode in ("paper", "strict"):
        assert dyad("measure", "study=small", f"mode={mode}") == 0
        capsys.readouterr()
        assert dyad("table", "study=small", f"mode={mode}", "--json") == 0
        modes[mode] = json.loads(capsys.readouterr().out)
    assert [found["mode"] for found in modes.values()] == ["paper", "strict"]
    assert modes["paper"]["rows"] != modes["strict"]["rows"]


SECOND = ("+judge@judges.second=mechanical", "judges.second.name=second")


def table_of(dyad: Dyad, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """Measure and print the tables of the small study."""
    assert dyad("measure", "study=small", *options) == 0
    capsys.readouterr()
    assert dyad("table", "study=small", *options) == 0
    return capsys.readouterr().out


def test_tables_say_whose_labels_they_show(dyad: Dyad, capsys: pytest.CaptureFixture[str]) -> None:
    assert dyad("run") == 0
    alone = capsys.readouterr().out
    assert "judge: mechanical (rules on words)\n" in alone
    assert "also judged by" not in alone
    assert "agreement" not in alone
    assert "no_words 4" in alone  # a tone says nothing that could be judged
    both = table_of(dyad, capsys, *SECOND)
    assert "judge: mechanical (rules on words)\nalso judged by: second (rules on words)\n" in both
    assert "agreement of judges" in both
    rows = [alone.count("(n="), both.count("(n=")]
    assert rows[0] == rows[1] > 0, "another judge adds no cell and is pooled into none"


@pytest.mark.usefixtures("ran")
def test_people_are_in_the_tables_and_put_the_judge_right(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = stored(parse(["measure", "study=small", f"store={tmp_path / 'store'}"]))
    judge = study.config.judges[0]
    for run_id in study.ids:  # as if the rules had seen a choice everywhere
        path = study.store.sidecar(run_id, study.labels_file(run_id, judge))
        choice = Label(question="t2.choice", label=study.scenario(study.specs[run_id]).truth["answer"])
        path.write_text(choice.model_dump_json() + "\n")
    said = {"AB": "yynn", "CD": "ynnn"}
    for by, answers in said.items():
        for run_id, answer in zip(study.ids, answers, strict=True):
            truth = study.scenario(study.specs[run_id]).truth["answer"]
            label = Label(question="t2.choice", label=truth if answer == "y" else "none")
            given = Answer(label=label, by=by, utc="", seconds=1.0, weight=1.0, sample="s", seed=0)
            save(study.shown(run_id), given)
    found = [line.split() for line in table_of(dyad, capsys).splitlines()]
    (people,) = [line for line in found if "human:AB" in line and "human:CD" in line]
    assert people[1] == "t2.choice"
    assert people[7:12:2] == ["4", "0.75", "0.57"]  # n, exact, kappa: chance by pairs of different runs
    assert dyad("table", "study=small", "--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert {"judges", "agreement", "corrected", "missing"} <= set(data)
    assert [judge["name"] for judge in data["judges"]] == ["mechanical"]
    assert len(data["agreement"]["pairs"]) == 3
    (solved,) = [x for x in data["corrected"] if x["measure"] == "solved" and not x["agent"]]
    assert (solved["raw"], solved["n"], solved["n_human"], solved["ties"]) == (1.0, 4, 3, 1)
    assert solved["value"] == pytest.approx(1 / 3)  # of three on which people agree, one was solved


def test_later_verbs_bring_everything_behind_them_up_to_date(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dyad("simulate", "asr=none") == 0
    for verb in ("judge", "measure", "report"):
        assert dyad(verb, "study=small", "asr=none", "vad=dyafdb", "--json") == 0
        result = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert (result["study"], result["runs"], result["failed"]) == ("small", 4, [])
        page = Path(result["report"])
        assert page.is_file()
        page.unlink()
    assert len(list((tmp_path / "store").glob("runs/*/judgments/*"))) == 4


def test_hear_without_the_model_is_one_line(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dyad("simulate") == 0
    monkeypatch.setenv("DYAD_WHISPER_DIR", str(tmp_path / "nowhere"))
    capsys.readouterr()
    assert dyad("hear", "study=small", "asr=whisper") == 2
    err = capsys.readouterr().err
    assert "DYAD_WHISPER_DIR" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("verb", ["hear", "judge"])
def test_a_recording_that_cannot_be_heard_is_named(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    assert dyad("simulate") == 0
    bad, *_ = sorted((tmp_path / "store/runs").iterdir())
    (bad / "audio.flac").write_bytes(b"torn")
    capsys.readouterr()
    assert dyad(verb, "study=small") == 3
    err = capsys.readouterr().err
    assert "3/4 done, 1 failed" in err
    assert err.splitlines()[-1].startswith(
        f"dyad: 1 failure(s), the other runs are complete; first: {bad.name}: "
    )
    assert len(list((tmp_path / "store").glob("runs/*/segments/*"))) == 3
    assert dyad("show", bad.name) == 3
    assert bad.name in capsys.readouterr().err


def test_failed_runs_are_named_and_the_others_reported(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(simulator, "play", stumble)
    assert dyad("run") == 3
    err = capsys.readouterr().err
    assert "RuntimeError: two lines" in err.splitlines()[-1]
    assert len(list((tmp_path / "store/failed").iterdir())) == 4
    assert (tmp_path / "store/studies/small/report.html").is_file()
    monkeypatch.undo()
    assert dyad("run") == 0


def test_work_before_the_budget_is_kept(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [0.0]
    real_play = simulator.play

    def slow(*args: Any) -> Any:
        clock[0] += 40.0  # seconds for each batch
        return real_play(*args)

    monkeypatch.setattr(simulator, "play", slow)
    monkeypatch.setattr(verbs, "NOW", lambda: clock[0])
    assert dyad("run", "budget.wall_min=1", "launcher.lanes=1") == 4
    monkeypatch.undo()
    assert "2 of 4 runs played" in capsys.readouterr().err
    kept = {p: p.read_bytes() for p in written(tmp_path) if p.name == "audio.flac"}
    assert len(kept) == 2
    assert dyad("run") == 0
    assert kept.items() <= {p: p.read_bytes() for p in written(tmp_path)}.items()


@pytest.mark.parametrize(
    ("override", "advice"),
    [
        ("mode=paper,strict", "measure study=NAME mode=..."),
        ("vad=dyafdb,merge_first", "measure study=NAME vad=..."),
        ("launcher=serial,local", "one value"),
    ],
)
def test_what_a_study_has_one_of_cannot_be_swept(
    dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str], override: str, advice: str
) -> None:
    assert dyad("run", override) == 2
    err = capsys.readouterr().err
    assert advice in err
    assert err.count("\n") == 1
    assert not (tmp_path / "store").exists()


@pytest.mark.usefixtures("ran")
def test_another_plan_of_the_same_name_loses_no_run(dyad: Dyad, tmp_path: Path) -> None:
    before = {p: p.read_bytes() for p in written(tmp_path) if "/runs/" in str(p)}
    assert dyad("run", "seed=1") == 0
    assert before.items() <= {p: p.read_bytes() for p in written(tmp_path)}.items()
    record = json.loads((tmp_path / "store/studies/small/plan.json").read_text())
    assert all("-s1-" in run_id for run_id in record["runs"])


def test_show_gives_seconds(dyad: Dyad, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert dyad("run", "window_s=8") == 0
    run_id = next((tmp_path / "store/runs").iterdir()).name
    capsys.readouterr()
    assert dyad("show", run_id, "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert [(x["start"], x["end"]) for x in shown["lines"] if x["seat"] == "b"] == [(2.0, 3.6), (6.0, 7.6)]
    assert {label["question"] for label in shown["labels"]} == {"t2.choice", "t2.disclosed"}
