"""The later stages on stored runs: sidecars stand side by side, and what cannot be done is said."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dyad import pipeline
from dyad.cli.compose import compose
from dyad.errors import ConfigError
from dyad.hear.asr import asr_key
from dyad.judge.case import Case
from dyad.judge.rules import label, mechanical
from dyad.pipeline import Study, asr_name, hearing, vad_name
from dyad.pipeline import study as study_module
from dyad.plan import Plan
from dyad.simulate import simulate
from dyad.spec.study import AsrSettings, JudgeSettings
from dyad.store import Store

SETTINGS = {name: compose([f"vad={name}"]).studies[0].vad for name in ("dyafdb", "merge_first")}
Planned = Callable[..., Plan]
Studied = Callable[..., Study]


@pytest.fixture
def studied(planned: Planned) -> Studied:
    """A study of instruments whose runs are recorded and not heard yet."""

    def make(*overrides: str) -> Study:
        plan = planned("window_s=8", *overrides)
        store = Store(Path(plan.config.store))
        assert all(played.error is None for played in simulate(store, plan.runs, plan.config.launcher))
        return pipeline.of_plan(plan, store, "dyad run")

    return make


def with_config(study: Study, **changes: Any) -> Study:
    """The same runs in a new session with other settings."""
    return dataclasses.replace(study, config=study.config.model_copy(update=changes))


def bring_up(study: Study) -> list[str]:
    errors = [*pipeline.hear(study, pipeline.unheard(study))]
    errors += pipeline.judge(study, study.config.judges[0], pipeline.unjudged(study, study.config.judges[0]))
    return [error for error in errors if error]


def test_a_free_conversation_is_measured_and_never_judged(studied: Studied) -> None:
    study = studied("task=t0")
    assert bring_up(study) == []
    assert pipeline.heard_ids(study) == list(study.ids)
    assert folders(study).keys() == {"segments"}
    frame = pipeline.measure(study)
    assert set(frame["task"]) == {"t0"}
    assert {"tor_end", "occupancy", "silence"} <= set(frame["measure"])
    assert frame["value"].notna().all()


def files(study: Study) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in study.store.runs.rglob("*") if p.is_file()}


def folders(study: Study) -> Counter[str]:
    return Counter(p.parent.name for p in files(study) if p.suffix == ".jsonl" and p.name != "text.jsonl")


# -- names -----------------------------------------------------------------------------------------


def test_names_of_segments_follow_every_setting() -> None:
    setting = SETTINGS["dyafdb"]
    others = {
        "name": "mine", "start_rms": 0.02, "stop_rms": 0.003, "min_frames": 3, "merge_frames": 5,
        "order": "merge_then_drop", "normalise": True,
    }  # fmt: skip
    assert set(others) == set(type(setting).model_fields)
    names = {vad_name(setting.model_copy(update={key: value})) for key, value in others.items()}
    assert len(names | {vad_name(setting)}) == len(others) + 1
    assert all(name.startswith("segments/") and name.endswith(".jsonl") for name in names)


def test_names_of_words_follow_the_weights_and_not_their_folder(tmp_path: Path) -> None:
    for folder, weights in (("one", b"aa"), ("two", b"aa"), ("three", b"bb")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "model.bin").write_bytes(weights)
        (tmp_path / folder / "tokenizer.json").write_bytes(b"{}")

    def name(folder: str, called: str = "whisper") -> str:
        settings = AsrSettings(name=called, engine="whisper", model_dir=str(tmp_path / folder))
        return asr_name(settings, asr_key(settings.engine, settings.model_dir))

    assert name("one") == name("two") != name("three")
    assert name("two", "mine").startswith("words/mine-")


def test_names_of_labels_follow_what_the_judge_read(studied: Studied) -> None:
    study = studied()
    run_id = study.ids[0]
    plain = study.labels_file(run_id, study.config.judges[0])
    assert re.fullmatch(r"judgments/t2@\d+-[0-9a-f]{8}--mechanical-[0-9a-f]{6}\.jsonl", plain)
    for change in (
        {"vad": SETTINGS["merge_first"]},
        {"asr": AsrSettings(name="sphinx", engine="sphinx")},
        {"judges": (called(study, "other"),)},
    ):
        changed = with_config(study, **change)
        assert changed.labels_file(run_id, changed.config.judges[0]) != plain
    for same in ({"mode": "strict"}, {"launcher": study.config.launcher.model_copy(update={"lanes": 9})}):
        assert with_config(study, **same).labels_file(run_id, study.config.judges[0]) == plain


def called(study: Study, name: str) -> JudgeSettings:
    """The study's judge under another name."""
    return study.config.judges[0].model_copy(update={"name": name})


# -- stages ----------------------------------------------------------------------------------------


def test_hearing_with_another_vad_adds_files(studied: Studied) -> None:
    study = studied()
    recorded = files(study)
    assert bring_up(study) == []
    first = files(study)
    assert folders(study) == {"segments": 4, "judgments": 4}
    other = with_config(study, vad=SETTINGS["merge_first"])
    assert pipeline.unheard(other) == list(study.ids)
    assert bring_up(other) == []
    assert folders(study) == {"segments": 8, "judgments": 8}
    assert first.items() <= files(study).items()
    assert recorded.items() <= first.items()
    for done in (study, other):
        assert pipeline.unheard(done) == pipeline.unjudged(done, done.config.judges[0]) == []


def test_labels_wait_for_segments(studied: Studied) -> None:
    study = studied()
    assert pipeline.unjudged(study, study.config.judges[0]) == []
    assert pipeline.measure(study).empty
    list(pipeline.hear(study, study.ids[:1]))
    assert pipeline.unjudged(study, study.config.judges[0]) == [study.ids[0]]
    assert set(pipeline.measure(study)["run_id"]) == {study.ids[0]}


def test_an_unhealthy_run_is_kept_and_not_judged(studied: Studied) -> None:
    study = studied("agent@pairing.a=silence", "agent@pairing.b=silence", "pairing.name=quiet")
    assert len(study.ids) == 2  # self-play
    assert bring_up(study) == []
    assert folders(study) == {"segments": 2}
    assert all(pipeline.shown_labels(study, i) == [] for i in study.ids)
    frame = pipeline.measure(study)
    solved = frame[frame["measure"] == "solved"]
    assert len(solved) == 2
    assert solved["value"].isna().all()  # missing, not wrong


def test_measuring_in_the_other_mode_needs_no_other_stage(studied: Studied) -> None:
    study = studied("pairing=tone_tone")
    bring_up(study)
    before = files(study)
    paper = pipeline.measure(study)
    strict = pipeline.measure(with_config(study, mode="strict"))
    assert files(study) == before
    assert set(paper["mode"]) == {"paper"}
    assert set(strict["mode"]) == {"strict"}
    assert "response_time" in set(strict["measure"]) - set(paper["measure"])
    stored = pipeline.read_table(with_config(study, mode="strict"))
    pd.testing.assert_frame_equal(stored, strict)
    with pytest.raises(ConfigError, match="made with other settings"):
        pipeline.read_table(study)


def test_a_table_of_other_settings_is_not_shown_as_ours(studied: Studied) -> None:
    study = studied()
    with pytest.raises(
        ConfigError, match=r"table\.parquet is missing or broken; run: python -m dyad measure study="
    ):
        pipeline.read_table(study)
    other = with_config(study, vad=SETTINGS["merge_first"])
    bring_up(other)
    pipeline.measure(other)
    assert len(pipeline.read_table(other)) > 0
    with pytest.raises(ConfigError, match="made with other settings"):
        pipeline.read_table(study)


def test_runs_that_are_missing_are_known(planned: Planned) -> None:
    plan = planned("window_s=8")
    store = Store(Path(plan.config.store))
    list(simulate(store, plan.runs[1:3], plan.config.launcher))
    study = pipeline.of_plan(plan, store, "")
    ids = [run.id for run in plan.runs]
    assert (list(study.ids), list(study.missing)) == (ids[1:3], [ids[0], ids[3]])


def test_a_changed_scenario_stops_every_stage_that_reads_it(studied: Studied) -> None:
    study = studied()
    bring_up(study)
    ((name, scenario),) = [(s.id, s) for s in study.library.scenarios.values() if s.id == scenario_of(study)]
    newer = scenario.model_copy(update={"version": scenario.version + 1})
    library = dataclasses.replace(study.library, scenarios={**study.library.scenarios, name: newer})
    changed = dataclasses.replace(study, library=library)
    again = with_config(changed, judges=(called(changed, "again"),))
    message = (
        f"scenario '{name}' is at version {newer.version}, the run used {scenario.version}; play it again"
    )
    with pytest.raises(ConfigError, match=message):
        list(pipeline.judge(again, again.config.judges[0], pipeline.unjudged(again, again.config.judges[0])))
    with pytest.raises(ConfigError, match=message):
        pipeline.measure(changed)
    gone = dataclasses.replace(study, library=dataclasses.replace(library, scenarios={}))
    with pytest.raises(ConfigError, match=r"not in the library; add scenarios\.dirs"):
        pipeline.measure(gone)


def edited(study: Study, **changes: Any) -> Study:
    """The same runs in a session in which somebody has edited their scenario without raising its version."""
    name = scenario_of(study)
    scenario = study.library.scenarios[name].model_copy(update=changes)
    library = dataclasses.replace(study.library, scenarios={**study.library.scenarios, name: scenario})
    return dataclasses.replace(study, library=library)


def test_an_edited_truth_makes_new_labels_and_a_new_table(studied: Studied) -> None:
    study = studied()
    bring_up(study)
    pipeline.measure(study)
    truth = study.library.scenarios[scenario_of(study)].truth
    other = edited(study, truth={**truth, "answer": truth["candidates"][0]})
    assert pipeline.unheard(other) == []
    assert pipeline.unjudged(other, other.config.judges[0]) == list(other.ids)
    with pytest.raises(ConfigError, match="made with other settings"):
        pipeline.read_table(other)


def test_edited_hotwords_make_new_words(studied: Studied) -> None:
    study = with_config(studied(), asr=AsrSettings(name="sphinx", engine="sphinx"))
    other = edited(study, asr={"hotwords": ["Zebulon"]})
    assert not set(study.words_files.values()) & set(other.words_files.values())
    (judge,) = study.config.judges
    assert study.labels_file(study.ids[0], judge) != other.labels_file(other.ids[0], judge)


def test_a_table_lacks_no_run_that_came_later(planned: Planned) -> None:
    plan = planned("window_s=8")
    store = Store(Path(plan.config.store))
    list(simulate(store, plan.runs[:2], plan.config.launcher))
    early = pipeline.of_plan(plan, store, "")
    bring_up(early)
    pipeline.measure(early)
    list(simulate(store, plan.runs, plan.config.launcher))
    late = pipeline.of_plan(plan, store, "")
    bring_up(late)
    with pytest.raises(ConfigError, match="of other runs"):
        pipeline.read_table(late)


def scenario_of(study: Study) -> str:
    return study.specs[study.ids[0]].scenario


# -- failures --------------------------------------------------------------------------------------


def test_a_recording_that_cannot_be_heard_is_named_and_the_others_go_on(studied: Studied) -> None:
    study = studied()
    bad = study.ids[1]
    (study.store.run_dir(bad) / "audio.flac").write_bytes(b"not flac")
    (error,) = bring_up(study)
    assert error.startswith(f"{bad}: ")
    assert "audio.flac" in error
    assert pipeline.unheard(study) == [bad]
    assert set(pipeline.measure(study)["run_id"]) == set(study.ids) - {bad}
    assert pipeline.transcript(study, bad) == []


def test_a_run_whose_words_failed_is_not_judged_without_them(
    studied: Studied, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = studied()
    study = with_config(study, asr=AsrSettings(name="sphinx", engine="sphinx"))
    bad = study.ids[0]

    def deaf(*_: Any) -> list[Any]:
        raise MemoryError("too long")

    monkeypatch.setattr(hearing, "transcribe", deaf)
    errors = [e for e in pipeline.hear(study, [bad]) if e]
    assert errors == [f"{bad}: MemoryError: too long"]
    assert list((study.store.run_dir(bad) / "segments").iterdir())
    assert pipeline.unheard(study) == list(study.ids)
    assert pipeline.unjudged(study, study.config.judges[0]) == []
    assert pipeline.measure(study).empty


def test_a_run_that_cannot_be_judged_is_named_and_its_scores_are_missing(
    studied: Studied, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = studied(
        "pairing=tone_tone", "pairing.b.params.freq_hz=330", "pairing.b.name=hum", "pairing.name=two_tones"
    )
    bad = study.ids[2]

    judged: list[Case] = []

    def stumble(case: Case) -> Any:
        judged.append(case)
        if study.ids[len(judged) - 1] == bad:
            raise KeyError("no such rule")
        return label(case)

    monkeypatch.setattr(mechanical, "label", stumble)
    (error,) = bring_up(study)
    assert error == f"{bad}: judge: KeyError: 'no such rule'"
    assert pipeline.unjudged(study, study.config.judges[0]) == [bad]
    frame = pipeline.measure(study)
    solved = frame[frame["measure"] == "solved"].set_index("run_id")["value"]
    assert solved.isna().to_dict() == {i: i == bad for i in study.ids}
    monkeypatch.undo()
    assert bring_up(study) == []


# -- cost ------------------------------------------------------------------------------------------


def test_specs_and_manifests_are_read_once_for_all_stages(
    studied: Studied, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = studied()
    reads = Counter[str]()
    for name in ("spec", "manifest"):
        real = getattr(Store, name)

        def counted(self: Store, run_id: str, real: Any = real, name: str = name) -> Any:
            reads[name] += 1
            return real(self, run_id)

        monkeypatch.setattr(Store, name, counted)
    keys = Counter[str]()
    real_key = study_module.asr_key
    monkeypatch.setattr(
        study_module, "asr_key", lambda engine, *more: keys.update([engine]) or real_key(engine, *more)
    )
    bring_up(study)
    pipeline.measure(study)
    assert reads == {"spec": 4, "manifest": 4}
    assert keys.total() == 1
