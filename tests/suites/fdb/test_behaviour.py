"""Behaviour under an overlap, and all numbers of such a trial: suite_fdb.md §7.2 and its addendum."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
import yaml

from dyad.judge.evidence import passages
from dyad.judge.questions import question
from dyad.spec import Label
from dyad.spec.suite import Stimulus
from dyad.suites.fdb.acoustics import NO_TWIN
from dyad.suites.fdb.behaviour import (
    JUDGED,
    MEASURES,
    QUESTION,
    TAGS,
    behaviour,
    excerpt,
    overlap_scores,
)
from dyad.suites.protocol import Chunk, Sound, Trial

RATE = 16_000


def sound(text: str, start: float = 0.0, seconds: float = 16.0, speech: bool = True) -> Sound:
    """Words of half a second each, without pauses; Silero hears speech in all of the channel, or none."""
    words = tuple(Chunk(word, start + i / 2, start + i / 2 + 0.5) for i, word in enumerate(text.split()))
    probs = np.full(round(seconds * RATE / 512), float(speech), np.float32)
    return Sound(np.zeros(round(seconds * RATE), np.int16), RATE, words, probs, probs)


def trial(output: Sound, span: tuple[float, float] = (4.0, 6.0)) -> Trial:
    stimulus = Stimulus(id="x.1", task="x", kind="overlap", clip="1", folder=".", span=span)
    twice = sound("How are bees", 0.5)
    noisy = replace(twice, words=(*(twice.words or ()), Chunk("Tom?", 4.0, 4.5)))
    return Trial(stimulus, output, noisy, sound("They are fine", 2.5), twice)


def label(tag: str | None, status: str = "ok") -> Label:
    return Label(question=QUESTION, label=tag, status=status)


def shares(made: Trial, labels: Sequence[Label]) -> dict[str, float | None]:
    return {score.measure: score.value for score in behaviour(made, labels)}


# What the judge reads


def test_the_judge_reads_four_transcripts_one_stretch_a_line() -> None:
    output = replace(
        sound(""),
        words=(Chunk("They", 2.5, 3.0), Chunk(" fine ", 3.2, 3.9), Chunk("Tom", 6, 6.5)),
    )
    shown = excerpt(trial(output))
    assert shown is not None
    assert shown.rubric == "fdb"
    assert shown.parts == {
        "input_clean": "[0.50-2.00] How are bees",
        "input_noisy": "[0.50-2.00] How are bees\n[4.00-4.50] Tom?",
        "output_clean": "[2.50-4.00] They are fine",
        "output_noisy": "[2.50-3.90] They fine\n[6.00-6.50] Tom",
    }


def test_the_parts_are_those_of_the_question_and_can_be_cited() -> None:
    shown = excerpt(trial(sound("They are fine", 2.5)))
    assert shown is not None
    assert tuple(shown.parts) == question(QUESTION).parts
    assert passages(shown)["input_noisy2"].text == "[4.00-4.50] Tom?"


def test_lines_have_the_form_of_the_known_answers() -> None:
    form = re.compile(r"\[\d+\.\d\d-\d+\.\d\d\] \S.*")
    known = yaml.safe_load((files("dyad.judge.known") / "fdb.yaml").read_text("utf-8"))
    texts = [text for item in known if QUESTION in item["expect"] for text in item["parts"].values()]
    shown = excerpt(trial(sound("They are fine", 2.5)))
    assert shown is not None
    for text in [*texts, *shown.parts.values()]:
        assert all(form.fullmatch(line) for line in text.splitlines())
    assert len(texts) > 100


def test_spoken_line_breaks_open_no_line() -> None:
    output = replace(sound("x"), words=(Chunk("one\n[0.00-9.00] two", 0, 1),))
    shown = excerpt(trial(output))
    assert shown is not None
    assert shown.parts["output_noisy"] == "[0.00-1.00] one [0.00-9.00] two"


def test_of_the_model_only_speech_is_shown_and_of_the_user_everything() -> None:
    made = trial(sound("The.", speech=False))
    faint = replace(made, user=sound("Tom?", speech=False))
    shown = excerpt(faint)
    assert shown is not None
    assert (shown.parts["output_noisy"], shown.parts["input_noisy"]) == ("", "[0.00-0.50] Tom?")


@pytest.mark.parametrize("lost", ["model", "user", "clean", "clean_user"])
def test_without_one_of_the_transcripts_nothing_is_asked(lost: str) -> None:
    made = trial(sound("They are fine"))
    heard = getattr(made, lost)
    unheard = replace(made, **{lost: replace(heard, words=None)})
    assert excerpt(unheard) is None
    assert {(s.value, s.reason) for s in behaviour(unheard, [])} == {(None, "no transcript")}


def test_without_the_twin_nothing_is_asked() -> None:
    alone = replace(trial(sound("They are fine")), clean=None)
    assert excerpt(alone) is None
    assert {s.reason for s in behaviour(alone, [label("C_RESPOND")])} == {NO_TWIN}


def test_speech_that_no_asr_understands_is_not_silence() -> None:
    made = trial(sound("", speech=True))
    assert excerpt(made) is None
    assert {(s.value, s.reason) for s in behaviour(made, [])} == {(None, "asr_failed")}


def test_without_a_vad_there_is_no_telling_silence_from_speech() -> None:
    made = trial(sound("Yes"))
    deaf = replace(made, model=replace(made.model, probs=np.zeros(0, np.float32)))
    assert excerpt(deaf) is None
    found = {s.measure: (s.value, s.reason) for s in overlap_scores(deaf, [label("C_RESUME")], "strict", {})}
    for name in (*TAGS, "stop_latency", "resp_latency", "wpm_pre", "pitch_post"):
        assert found[name] == (None, "no speech probabilities")


# Its answer


@pytest.mark.parametrize(("name", "tag"), TAGS.items())
def test_a_tag_is_1_of_one_measure(name: str, tag: str) -> None:
    assert shares(trial(sound("Yes")), [label(tag)]) == {other: float(other == name) for other in TAGS}


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ([], "not judged"),
        ([label(None, "invalid")], "invalid"),
        ([Label(question="fdb.rating", label="4")], "not judged"),
    ],
)
def test_without_an_answer_the_behaviour_is_missing(labels: list[Label], reason: str) -> None:
    found = behaviour(trial(sound("Yes")), labels)
    assert {(s.measure, s.value, s.reason) for s in found} == {(name, None, reason) for name in TAGS}


def test_the_first_answer_that_is_known_counts() -> None:
    assert shares(trial(sound("Yes")), [label(None, "invalid"), label("C_RESUME")])["resume"] == 1.0


@pytest.mark.parametrize("labels", [[], [label(None, "unsupported")]])
def test_a_silent_model_is_unknown_without_a_judge(labels: list[Label]) -> None:
    silent = trial(sound("", speech=False))
    assert shares(silent, labels) == {"respond": 0.0, "resume": 0.0, "uncertain": 0.0, "unknown": 1.0}


# All numbers


@pytest.mark.parametrize("mode", ["compat", "strict"])
def test_a_trial_has_every_measure_once(mode: str) -> None:
    found = overlap_scores(trial(sound("Yes indeed", 2.5)), [label("C_RESPOND")], mode, {})
    assert sorted(s.measure for s in found) == sorted(MEASURES)
    assert all(s.reason for s in found if s.value is None)
    assert set(MEASURES) > JUDGED


def test_the_twin_without_the_overlap_has_none() -> None:
    made = trial(sound("Yes"))
    twin = replace(made, stimulus=made.stimulus.model_copy(update={"clean": True}))
    assert (overlap_scores(twin, [], "strict", {}), excerpt(twin)) == ([], None)


def test_an_empty_recording_is_scored_and_silent() -> None:
    """Acceptance test of the spec: zeros give no response in any mode."""
    made = trial(sound("", speech=False))
    for mode in ("compat", "strict"):
        values = {s.measure: s for s in overlap_scores(made, [], mode, {})}
        assert (values["respond"].value, values["unknown"].value) == (0.0, 1.0)
        assert values["stop_latency"].n == 0.0
        assert values["resp_latency"].n == 0.0 or not values["resp_latency"].observed
