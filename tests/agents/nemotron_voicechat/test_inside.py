"""The adapter of NemotronLabs VoiceChat in a real worker, against its stand-in."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from omegaconf import OmegaConf

from dyad.agents.nemotron_voicechat.family import FAMILY
from dyad.agents.nemotron_voicechat.inside import BASE, WEIGHTS, Row, _settings
from dyad.host.agent import HostAgent
from dyad.host.family import DOUBLES
from dyad.spec import RATE, TICK, Prompt
from dyad.testing.doubles.nemotron_voicechat.nemo.collections.asr.inference.streaming.framing import request
from dyad.testing.doubles.nemotron_voicechat.nemo.collections.speechlm2.inference import StreamingS2SPipeline
from tests.agents.drive import (
    answer_to,
    at_work,
    clicks,
    keeps_the_contract,
    lanes_as_alone,
    noise,
    play,
    silence,
)

HEARS, HEARD, SAID = 16_000, 1_280, 1_764
TURN = 40  # frames

pytestmark = pytest.mark.xdist_group("nemotron_voicechat")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    with at_work(FAMILY) as made:
        yield made


def said_of(agent: HostAgent, *roles: str) -> list[float]:
    """Return the peak of what rows with these roles say when they hear nothing."""
    prompts = [Prompt(text=role) for role in roles]
    played = play(agent, np.zeros((len(roles), 5 * HEARD), np.float32), prompts=prompts)
    return [float(peak) for peak in np.abs(played.line).max(axis=1)]


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent, voice="Aria")


def test_every_tick_gives_one_frame(agent: HostAgent) -> None:
    played = play(agent, np.stack([noise(4.0, HEARS, seed=seed) for seed in (1, 2)]))
    assert all([len(pcm) for pcm in out.pcm] == [SAID, SAID] for out in played.outs)
    assert list(played.queue.under_runs) == [0, 0]


@pytest.mark.parametrize("place", [20 * HEARD, 21 * HEARD + 639, 23 * HEARD - 1])
def test_what_it_hears_comes_back_a_frame_later(agent: HostAgent, place: int) -> None:
    line = play(agent, clicks(4.0, HEARS, place)[None]).line[0]
    assert int(np.abs(line).argmax()) == SAID + min(round(place % HEARD * SAID / HEARD), SAID - 1) + (
        place // HEARD * SAID
    )


def test_an_impulse_comes_back_after_lag_and_bridge(agent: HostAgent, tmp_path: Path) -> None:
    place = 30_011
    peak = int(np.abs(answer_to(agent, clicks(4.8, RATE, place), tmp_path)).argmax())
    filters = 23.5 + 23.5 * RATE / 22_050  # samples by which they move a peak, to 16 kHz and from 22.05
    assert abs(peak - place - 24 * FAMILY.caps({}).lag_ms - TICK - filters) <= 1


def test_text_is_told_without_markers_and_when_it_sounds(agent: HostAgent) -> None:
    played = play(agent, clicks(6.0, HEARS, 10 * HEARD)[None])
    pieces = [(tick, piece) for tick, out in enumerate(played.outs) for piece in out.text]
    own = [(tick, piece.at, piece.s) for tick, piece in pieces if piece.kind == "own"]
    # it hears the click in frame 10, begins in frame 11, and then writes a word every four frames
    assert [tick for tick, _, _ in own] == list(range(12, 11 + TURN, 4))
    assert all(at == tick * TICK for tick, at, _ in own)
    assert {s for _, _, s in own} <= {" oh", " yes", " I do", " so"}
    assert not [piece for _, piece in pieces if piece.kind == "heard"]  # the release has no head for it
    assert [(tick, piece.s) for tick, piece in pieces if piece.kind == "event"] == [(11, " up")]


def test_it_yields_to_who_goes_on_talking(agent: HostAgent) -> None:
    heard = np.concatenate([clicks(0.8, HEARS, 100), noise(1.6, HEARS), silence(0.8, HEARS)])
    line = play(agent, heard[None]).line[0].reshape(-1, SAID)
    talks = np.abs(line).max(axis=1) > 0
    assert list(np.flatnonzero(np.diff(talks.astype(int)))) == [
        0,
        18,
        29,
    ]  # ten loud frames; then it waits for a pause


def test_it_starts_by_itself_when_its_role_says_so_and_only_then(agent: HostAgent) -> None:
    first, second, third = said_of(agent, "You speak first.", "You wait.", "")
    assert first > 0
    assert (second, third) == (0, 0)


def heads(agent: HostAgent) -> tuple[str, ...]:
    known = agent.numerics()
    return known["asr_head"], known["function_head"], known["forced_turn_taking"]


def test_its_numerics_say_which_heads_the_checkpoint_has(agent: HostAgent) -> None:
    said_of(agent, "")
    assert heads(agent) == ("False", "True", "False")


def test_a_checkpoint_in_a_folder_that_can_tell_what_it_hears_does(tmp_path: Path) -> None:
    """Nothing is asked of the hub, and nothing is written into the folder."""
    shutil.copytree(DOUBLES / FAMILY.name, tmp_path, dirs_exist_ok=True)
    config = tmp_path / Path(WEIGHTS).name / "config.json"
    config.write_text(config.read_text().replace('"predict_user_text": false', '"predict_user_text": true'))
    (tmp_path / Path(BASE).name / "configuration_nemotron_h.py").touch()
    before = FAMILY.assets({"weights": str(tmp_path)}, "")
    with at_work(FAMILY, weights=str(tmp_path), asr_head=True) as made:
        played = play(made, clicks(1.6, HEARS, 10 * HEARD)[None])
        assert heads(made) == ("True",) * 3
    assert [s for _, s in played.text(0, "heard")] == [" la"]
    assert FAMILY.assets({"weights": str(tmp_path)}, "") == before


def test_its_parameters_reach_upstream() -> None:
    given = {"top_p": 0.4, "temperature": 0.2, "repetition_penalty": 1.3, "force_turn_taking": False}
    given["deterministic"] = True
    told = _settings({**given, "llm_cache": True, "weights": {WEIGHTS: "/weights"}}, "cuda")["s2s"]
    assert {name: told[name] for name in given} == given
    assert (told["use_llm_cache"], told["model_path"], told["device"]) == (True, "/weights", "cuda")


def test_a_row_that_is_closed_ends_its_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, request.__name__.partition(".nemotron_voicechat.")[2], request)
    state = SimpleNamespace(frame_idx=0)
    model = SimpleNamespace(create_decode_state=lambda most: state, begin_stream=lambda *told, **named: None)
    row = Row(StreamingS2SPipeline(OmegaConf.create({"s2s": {}}), model))
    row.send(np.zeros(0, np.float32), is_first=True)
    row.close()
    with pytest.raises(RuntimeError, match="No state"):
        row.step(0, np.zeros(HEARD, np.float32), 0)


def test_self_play_in_one_worker_equals_each_row_alone(agent: HostAgent) -> None:
    lanes_as_alone(agent, ticks=40)
