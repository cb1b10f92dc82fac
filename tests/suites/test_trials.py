"""Clocks of trials: time 0 is when the model hears the first sample of the stimulus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from dyad.audio import read_mono, resampled, to_float, to_int16
from dyad.pipeline import Study
from dyad.pipeline.trials import listening
from dyad.spec import RATE, SEATS, TICK, Word
from dyad.speech.spans import window_probs
from dyad.suites.listen import read_speech
from dyad.suites.plan import start_tick
from dyad.suites.protocol import Chunk
from dyad.suites.trials import trial
from tests.suites.fdb.folders import burst, clip_v15, put
from tests.suites.played import planned, run_of, studied, trial_of, wav

TASK = "candor_turn_taking"
RATES = {"1": 16_000, "2": 24_000, "3": 48_000}
TAIL_S = 0.5


def clip(root: Path, name: str, rate: int, seconds: float = 2.13) -> Path:
    """A clip whose length is no whole number of ticks."""
    folder = root / TASK / name
    wav(folder / "input.wav", burst(seconds, rate, seed=int(name)), rate)
    put(folder / "turn_taking.json", [{"text": "[TURN-TAKING]", "timestamp": [1.5, 2.0]}])
    return folder


@pytest.fixture(scope="module", params=[0.0, 0.5])
def echoed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Study:
    """What `echo` made of three rates, without and with silence before them."""
    root = tmp_path_factory.mktemp("echo")
    for name, rate in RATES.items():
        clip(root / "data", name, rate)
    more = [f"suite.data={root / 'data'}", f"suite.lead_s={request.param}", f"suite.tail_s={TAIL_S}"]
    study, failed = studied(planned("fdb_v1", root / "store", "agent@pairing.a=echo", *more))
    assert failed == []
    return study


def test_the_lead_is_whole_ticks_and_one_more(echoed: Study) -> None:
    assert echoed.config.suite is not None
    assert start_tick(echoed.config.suite) == {0.0: 1, 0.5: 8}[echoed.config.suite.lead_s]


@pytest.mark.parametrize("name", RATES)
def test_the_recording_holds_the_stimulus_sample_for_sample(echoed: Study, name: str) -> None:
    run = listening(echoed, run_of(echoed, f"{TASK}.{name}"))
    said = to_int16(read_mono(run.stimulus.path))
    model, user = echoed.store.pcm(run.run_id)
    assert said.any()
    for channel, first in ((user, run.start - TICK), (model, run.start)):
        assert np.array_equal(channel[first : first + len(said)], said)
        assert not channel[:first].any()
        assert not channel[first + len(said) :].any()


@pytest.mark.parametrize("name", RATES)
def test_an_echo_is_the_stimulus_from_time_zero_on(echoed: Study, name: str) -> None:
    made = trial_of(echoed, f"{TASK}.{name}")
    assert (made.user.rate, made.model.rate) == (RATES[name], 16_000)
    assert np.array_equal(made.user.pcm, burst(2.13, RATES[name], seed=int(name)))
    assert made.user.duration_s == made.stimulus.duration_s
    assert made.model.duration_s == pytest.approx(made.stimulus.duration_s + TAIL_S, abs=1 / 16_000)
    user = resampled(to_float(made.user.pcm), RATES[name], 16_000)
    model = to_float(made.model.pcm[: len(user)])
    shifts = {shift: float(np.dot(np.roll(user, shift), model)) for shift in range(-2, 3)}
    assert max(shifts, key=lambda shift: shifts[shift]) == 0
    if RATES[name] == RATE:  # the others went through 24 kHz
        assert np.array_equal(made.model.pcm[: len(user)], to_int16(user))


@pytest.mark.parametrize("name", RATES)
def test_known_onsets_are_found_where_they_are(echoed: Study, name: str) -> None:
    """Within a millisecond, which is what a filter rings."""
    rate, made = RATES[name], trial_of(echoed, f"{TASK}.{name}")
    known = np.flatnonzero(soundfile.read(made.stimulus.path)[0])[[0, -1]] / rate
    for sound in (made.user, made.model):
        found = np.flatnonzero(np.abs(to_float(sound.pcm)) > 0.02)[[0, -1]] / sound.rate
        assert found == pytest.approx(known, abs=1e-3)


def test_what_is_recorded_beyond_the_scored_time_is_said(echoed: Study) -> None:
    run = listening(echoed, run_of(echoed, f"{TASK}.2"))
    ticks = echoed.store.manifest(run.run_id).ticks
    cut = trial_of(echoed, f"{TASK}.2").tail_cut_s
    assert cut == pytest.approx((ticks * TICK - run.start - run.length) / RATE)
    assert 0 <= cut < 2.0


def test_speech_is_that_of_the_scored_part(echoed: Study) -> None:
    run_id = run_of(echoed, f"{TASK}.2")
    model, speech = trial_of(echoed, f"{TASK}.2").model, read_speech(listening(echoed, run_id))
    assert set(speech) == {"model", "as_read"}  # the user's is needed for overlaps only
    assert np.array_equal(speech["model"], window_probs(to_float(model.pcm)[None])[0])
    assert np.array_equal(model.probs, model.as_read)


def test_words_of_both_seats_are_on_the_stimulus_clock(tmp_path: Path) -> None:
    """What is played is said one tick before the model hears it."""
    clip_v15(tmp_path / "data", "user_backchannel")
    more = ["agent@pairing.a=echo", f"suite.data={tmp_path / 'data'}", "suite.lead_s=0.3"]
    study, _ = studied(planned("fdb_v15", tmp_path / "store", *more))
    run = replace(listening(study, study.ids[0]), words_file="words/made.jsonl")
    end = run.start + run.length
    placed = {
        "a": [(-2_400, 1_200), (0, 2_400), (24_000, 36_000), (run.length - 1_200, run.length + 600)],
        "b": [(0, 2_400), (24_000, 36_000)],
    }
    outside = (
        Word(seat="a", start=end, end=end + 2_400, s="late"),
        Word(seat="a", start=0, end=900, s="early"),
    )
    zeros = {"a": run.start, "b": run.start - TICK}
    words = [
        Word(seat=seat, start=zeros[seat] + start, end=zeros[seat] + stop, s=f"{start}")
        for seat in SEATS
        for start, stop in placed[seat]
    ]
    run.store.add_sidecar(run.run_id, run.words_file, [*words, *outside])
    made = trial(run)
    assert made.user.words == (Chunk("0", 0.0, 0.1), Chunk("24000", 1.0, 1.5))
    assert made.model.words is not None
    assert made.model.words[:2] == (Chunk("0", 0.0, 0.1), Chunk("24000", 1.0, 1.5))
    assert [word.text for word in made.model.words[2:]] == [str(run.length - 1_200)]
    assert made.model.words[2].end == made.model.duration_s


# -- answers of other systems ----------------------------------------------------------------------


def recorded(root: Path, *overrides: str) -> Study:
    more = ["agent@pairing.a=recorded", f"suite.data={root / 'data'}", *overrides]
    study, failed = studied(planned("fdb_v1", root / "store", *more))
    assert failed == []
    return study


@pytest.mark.parametrize("rate", [16_000, 24_000])
def test_a_recorded_answer_is_scored_as_it_is(tmp_path: Path, rate: int) -> None:
    said = burst(3.0, rate, seed=9)
    wav(clip(tmp_path / "data", "1", 16_000) / "output.wav", said, rate)
    study = recorded(tmp_path)
    compat, strict = (trial_of(study, f"{TASK}.1", mode=mode) for mode in ("compat", "strict"))
    assert (compat.model.rate, strict.model.rate) == (rate, rate)
    assert np.array_equal(compat.model.pcm, said)
    assert np.array_equal(strict.model.pcm, said[: round(2.13 * rate)])
    assert compat.tail_cut_s == strict.tail_cut_s == pytest.approx(0.87, abs=1e-3)
    speech = read_speech(listening(study, run_of(study, f"{TASK}.1")))
    assert np.array_equal(speech["as_read"], window_probs(to_float(said)[None])[0])
    assert np.array_equal(speech["as_read"], speech["model"]) == (rate == 16_000)
    assert len(speech["model"]) == -(-3 * 16_000 // 512)


def test_a_recorded_answer_is_heard_from_time_zero_on(tmp_path: Path) -> None:
    said = burst(1.0, RATE, seed=9)
    wav(clip(tmp_path / "data", "1", 16_000) / "output.wav", said, RATE)
    study = recorded(tmp_path, "suite.lead_s=0.3")
    run = listening(study, study.ids[0])
    assert np.array_equal(study.store.pcm(run.run_id)[0, run.start : run.start + len(said)], said)


def test_all_of_a_longer_answer_is_heard(tmp_path: Path) -> None:
    """It counts as a whole in compat, so the ASR must not hear a part of it."""
    said = burst(9.7, 16_000, seed=9)
    wav(clip(tmp_path / "data", "1", 16_000) / "output.wav", said, 16_000)
    study = recorded(tmp_path)
    run = listening(study, study.ids[0])
    heard = study.store.pcm(run.run_id)[0, run.start :]
    assert len(heard) >= 9.7 * RATE
    assert np.flatnonzero(heard)[-1] == pytest.approx(np.flatnonzero(said)[-1] * 1.5, abs=48)
    assert np.array_equal(trial_of(study, f"{TASK}.1").model.pcm, said)


def test_a_channel_of_a_recorded_answer_is_chosen(tmp_path: Path) -> None:
    both = np.stack([burst(2.0, 16_000, seed=seed) for seed in (1, 2)], axis=1)
    wav(clip(tmp_path / "data", "1", 16_000) / "output.wav", both, 16_000)
    study = recorded(tmp_path, "agent.recorded.channel=1")
    assert np.array_equal(trial_of(study, f"{TASK}.1").model.pcm, both[:, 1])


def test_words_beside_an_answer_are_its_words(tmp_path: Path) -> None:
    folder = clip(tmp_path / "data", "1", 16_000)
    wav(folder / "output.wav", burst(2.0, 16_000), 16_000)
    put(folder / "output.json", {"chunks": [{"text": "Yes", "timestamp": [-0.1, None]}]})
    study = recorded(tmp_path)
    assert trial_of(study, f"{TASK}.1").model.words == (Chunk("Yes", -0.1, None),)
    assert not trial_of(study, f"{TASK}.1").model.whole
    put(folder / "output_whole.json", {"chunks": [{"text": "No", "timestamp": [0.1, 0.2]}]})
    assert trial_of(study, f"{TASK}.1").model.words == (Chunk("No", 0.1, 0.2),)
    assert trial_of(study, f"{TASK}.1").model.whole
    put(folder / "output_whole.json", "no JSON")
    assert trial_of(study, f"{TASK}.1").model.words is None
