"""From stimuli to runs: which there are, how long they last, and what cannot be asked for."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
import soundfile

from dyad.cli.compose import compose
from dyad.errors import ConfigError
from dyad.plan import Plan
from dyad.simulate import shards
from dyad.spec import RATE, SEATS, TICK, TICK_S, RunSpec
from dyad.spec.suite import CLEAN
from dyad.store import Store
from dyad.suites.plan import GRID, family, given_words, playable, stimuli_of
from tests.suites.fdb.folders import OVERLAPS, SETS, burst, clip_v1, clip_v15, put, wav
from tests.suites.played import planned

ECHO = "agent@pairing.a=echo"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All sets of both versions: two clips, and a third of each whose sound is lacking."""
    root = tmp_path_factory.mktemp("data")
    for name in ("1", "2", "10"):
        for task in SETS:
            clip_v1(root, task, name)
        for task in OVERLAPS:
            clip_v15(root / "v1_5", task, name)
    for folder in root.rglob("10"):
        (folder / "input.wav").unlink()
    return root


def v1(data: Path, tmp_path: Path, *overrides: str) -> Plan:
    return planned("fdb_v1", tmp_path, f"suite.data={data}", ECHO, *overrides)


def v15(data: Path, tmp_path: Path, *overrides: str) -> Plan:
    return planned("fdb_v15", tmp_path, f"suite.data={data}", ECHO, *overrides)


def test_one_run_for_each_stimulus_and_repetition(data: Path, tmp_path: Path) -> None:
    plan = v1(data, tmp_path, "suite.repetitions=2")
    assert [(run.scenario, run.repetition) for run in plan.runs] == [
        (f"{task}.{clip}", repetition) for task in SETS for clip in (1, 2) for repetition in (0, 1)
    ]
    assert len(set(plan.ids)) == len(plan.runs)
    assert all(
        re.fullmatch(rf"echo__{run.scenario}__ab-b-r0\d-s0-[0-9a-f]{{12}}", run.id) for run in plan.runs
    )


def test_a_run_says_what_is_played_and_to_whom(data: Path, tmp_path: Path) -> None:
    run = v1(data, tmp_path, "suite.prompt=Be brief.", "suite.lead_s=0.5").runs[0]
    assert (run.suite, run.task, run.archetype) == ("fdb_v1", "candor_pause_handling", "pause")
    assert (run.a.agent.adapter, run.b.agent.adapter, run.opener, run.lead_ticks) == (
        "echo",
        "playback",
        "b",
        0,
    )
    assert (run.a.prompt.text, run.b.prompt.text) == ("Be brief.", "")
    assert run.b.agent.params["start_tick"] == 7  # 0.5 s are 6.25 ticks
    assert Path(run.b.agent.voice) == data / "candor_pause_handling/1/input.wav"


@pytest.mark.parametrize(("lead_s", "tail_s"), [(0.0, 0.0), (0.5, 0.0), (0.0, 20.0), (5.0, 3.21)])
def test_windows_lie_on_the_grid_and_hold_what_is_scored(
    data: Path, tmp_path: Path, lead_s: float, tail_s: float
) -> None:
    for run in v1(data, tmp_path, f"suite.lead_s={lead_s}", f"suite.tail_s={tail_s}").runs:
        duration_s = soundfile.info(run.b.agent.voice).duration
        needed_s = (run.b.agent.params["start_tick"] + 1) * TICK_S + duration_s + tail_s
        assert run.ticks % GRID == 0
        assert needed_s <= run.ticks * TICK_S + 1e-9 < needed_s + (GRID + 1) * TICK_S


def test_a_twin_is_the_same_conversation_until_the_overlap(data: Path, tmp_path: Path) -> None:
    runs = {run.scenario: run for run in v15(data, tmp_path).runs}
    assert len(runs) == 2 * 2 * len(OVERLAPS)
    for name, run in runs.items():
        if not name.endswith(CLEAN):
            twin = runs[f"{name}{CLEAN}"]
            assert twin.id != run.id
            for seat in SEATS:
                assert twin.stream_seed("voice", seat) == run.stream_seed("voice", seat)
                assert twin.stream_seed("noise", seat) == run.stream_seed("noise", seat)
    assert len({run.stream_seed("voice", "a") for run in runs.values()}) == 2 * len(OVERLAPS)


def test_agents_share_random_numbers(data: Path, tmp_path: Path) -> None:
    (one,), (other,) = (
        planned(
            "fdb_v1", tmp_path, f"suite.data={data}", agent, "suite.limit=1", "suite.tasks=[icc_backchannel]"
        ).runs
        for agent in (ECHO, "agent@pairing.a=tone")
    )
    assert one.id != other.id
    assert one.stream_seed("voice", "a") == other.stream_seed("voice", "a")


def test_tasks_and_limit_choose_in_the_order_of_the_suite(data: Path, tmp_path: Path) -> None:
    tasks = ("icc_backchannel", "candor_turn_taking")
    plan = v1(data, tmp_path, f"suite.tasks=[{','.join(tasks)}]", "suite.limit=1")
    assert [run.scenario for run in plan.runs] == ["candor_turn_taking.1", "icc_backchannel.1"]


def test_a_limit_keeps_twins_together(data: Path, tmp_path: Path) -> None:
    names = [run.scenario for run in v15(data, tmp_path, "suite.limit=1").runs]
    assert names == [f"{task}.1{end}" for task in OVERLAPS for end in ("", CLEAN)]


def test_what_cannot_be_played_stays_known(data: Path, tmp_path: Path) -> None:
    study = v1(data, tmp_path).config
    assert study.suite is not None
    stimuli = stimuli_of(study.suite, tmp_path)
    assert len(stimuli) == 3 * len(SETS)
    assert {s.clip for s in stimuli if not playable(study, s)} == {"10"}
    assert {s.problem for s in stimuli if s.clip == "10"} == {"no input.wav"}


def test_only_recorded_answers_are_played(data: Path, tmp_path: Path) -> None:
    folder = data / "icc_backchannel/2"
    wav(folder / "mine.wav")
    more = ["agent@pairing.a=recorded", "agent.recorded.stem=mine"]
    (run,) = planned("fdb_v1", tmp_path, f"suite.data={data}", *more).runs
    assert run.scenario == "icc_backchannel.2"
    assert (Path(run.a.agent.voice), run.a.agent.params["start_tick"]) == (folder / "mine.wav", 1)


def test_a_run_is_named_by_what_its_sound_holds(tmp_path: Path) -> None:
    clip_v1(tmp_path / "one", "icc_backchannel")
    clip_v1(tmp_path / "two", "icc_backchannel")
    one, two = (v1(tmp_path / name, tmp_path).ids for name in ("one", "two"))
    assert one == two  # wherever it lies
    soundfile.write(tmp_path / "two/icc_backchannel/1/input.wav", burst(3.0, seed=8), 16_000)
    assert v1(tmp_path / "two", tmp_path).ids != one


WRONG = [
    (["suite.tasks=[candor_turn_takin]"], "in suite 'fdb_v1'; did you mean 'candor_turn_taking'?"),
    (["+suite.flags.vad_sr_16=false"], "suite.flags: no bug 'vad_sr_16'; did you mean 'vad_sr_16k'?"),
    (["suite.family=fdb_v2"], "no 'fdb_v2' among the suites"),
    (["suite.limit=0"], "suite.limit"),
    (["suite.limits=1"], "did you mean 'suite.limit'?"),
    (["agent@pairing.a=recorded"], "none of 15 stimuli can be played; the first: no output.wav in"),
]  # fmt: skip


@pytest.mark.parametrize(("overrides", "message"), WRONG)
def test_what_cannot_be_asked_for_is_one_line(
    data: Path, tmp_path: Path, overrides: list[str], message: str
) -> None:
    with pytest.raises(ConfigError) as error:
        v1(data, tmp_path, *overrides)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_every_fault_of_the_authors_can_be_switched_off(tmp_path: Path) -> None:
    settings = compose(["suite=fdb_mini"]).studies[0].suite
    assert settings is not None
    off = dict.fromkeys(family(settings).flags, False)
    assert off
    assert family(settings.model_copy(update={"flags": off})).name == "fdb_mini"


def shard_kinds(runs: list[RunSpec], lanes: int, tmp_path: Path) -> list[tuple[int, int]]:
    launcher = compose([f"launcher.lanes={lanes}", "launcher=serial"]).studies[0].launcher
    return [(shard.specs[0].ticks, len(shard.specs)) for shard in shards(Store(tmp_path), runs, launcher)]


def test_stimuli_of_about_one_length_share_a_batch(tmp_path: Path) -> None:
    for number in range(40):
        put(tmp_path / f"icc_backchannel/{number}/transcription.json", [])
        wav(tmp_path / f"icc_backchannel/{number}/input.wav", 3.0 + number / 10)  # 3.0 to 6.9 s
    runs = list(v1(tmp_path, tmp_path).runs)
    windows = Counter(run.ticks for run in runs)
    assert windows == {50: 10, 75: 20, 100: 10}
    found = shard_kinds(runs, 8, tmp_path)
    assert found == [(100, 8), (100, 2), (75, 8), (75, 8), (75, 4), (50, 8), (50, 2)]


def test_a_recorded_answer_needs_no_batch_of_its_own(tmp_path: Path) -> None:
    """The file is a row's voice: one agent plays all of them."""
    for number in range(6):
        clip = clip_v1(tmp_path / "data", "icc_backchannel", str(number))
        wav(clip / "output.wav", 1.0 + number / 10)
    plan = planned("fdb_v1", tmp_path, f"suite.data={tmp_path / 'data'}", "agent@pairing.a=recorded")
    assert len(plan.runs) == 6
    assert shard_kinds(list(plan.runs), 8, tmp_path) == [(50, 6)]


def test_an_answer_that_is_no_sound_is_planned_and_fails_when_played(tmp_path: Path) -> None:
    put(clip_v1(tmp_path / "data", "icc_backchannel") / "output.wav", "no sound")
    plan = planned("fdb_v1", tmp_path, f"suite.data={tmp_path / 'data'}", "agent@pairing.a=recorded")
    assert len(plan.runs) == 1


def test_samples_of_the_grid() -> None:
    assert GRID * TICK == 2 * RATE


def test_a_link_out_of_a_set_is_not_followed(tmp_path: Path) -> None:
    clip = clip_v1(tmp_path / "data", "candor_turn_taking")
    wav(tmp_path / "private/output.wav", 4.0)
    put(tmp_path / "private/output.json", {"chunks": []})
    for name in ("output.wav", "output.json"):
        (clip / name).symlink_to(tmp_path / "private" / name)
    more = ("agent@pairing.a=recorded", f"suite.data={tmp_path / 'data'}")
    with pytest.raises(ConfigError):
        planned("fdb_v1", tmp_path / "store", *more)
    (clip / "output.wav").unlink()
    wav(clip / "output.wav", 4.0)
    plan = planned("fdb_v1", tmp_path / "store", *more)
    assert plan.config.suite is not None
    (stimulus,) = stimuli_of(plan.config.suite, tmp_path)
    assert given_words(plan.runs[0].a.agent, plan.config.suite, stimulus) == {}
