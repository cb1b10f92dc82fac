"""`playback`: the file, sample for sample, and a refusal before anything is played."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
import soundfile
from pydantic import ValidationError

from dyad.agents.playback import FAMILY, RECORDED
from dyad.audio import to_int16
from dyad.bridge import play
from dyad.errors import ConfigError
from dyad.spec import TICK, AgentSpec, Prompt
from dyad.testing import agents_of, check_agent, lane


@pytest.fixture
def stereo(tmp_path: Path):
    pcm = np.random.default_rng(0).integers(-9000, 9000, (2, 3 * TICK + 11)).astype(np.int16)
    path = tmp_path / "two.wav"
    soundfile.write(path, pcm.T, 24_000, subtype="PCM_16")
    return str(path), pcm


def recorded(ticks: int, **params) -> np.ndarray:
    run = lane(AgentSpec(name="p", adapter="playback", params=params), "silence", ticks=ticks)
    return play([run], agents_of([run]))[0].pcm[0]


def test_it_keeps_the_contract(stereo):
    check_agent(FAMILY, {"path": stereo[0], "channel": 1, "start_tick": 2, "loop": True})


def test_channel_and_start(stereo):
    path, pcm = stereo
    said = recorded(8, path=path, channel=1, start_tick=2)
    assert not said[: 2 * TICK].any()
    assert np.array_equal(said[2 * TICK : 5 * TICK + 11], pcm[1])
    assert not said[5 * TICK + 11 :].any()


def test_loop_joins_the_end_to_the_beginning(stereo):
    path, pcm = stereo
    assert np.array_equal(recorded(10, path=path, channel=0, loop=True), np.tile(pcm[0], 4)[: 10 * TICK])


def test_gain_is_linear(stereo):
    path, pcm = stereo
    assert np.array_equal(recorded(3, path=path, channel=0, gain=2.0), 2 * pcm[0, : 3 * TICK])


def test_the_file_is_part_of_the_identity(stereo):
    path, _ = stereo
    want = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert FAMILY.assets({"path": path, "channel": 0}, "") == {"sound": want}


def test_what_cannot_be_played_is_refused_by_the_plan(stereo, tmp_path):
    path, _ = stereo
    with pytest.raises(ConfigError, match="2 channels; choose one"):
        FAMILY.assets({"path": path}, "")
    with pytest.raises(ConfigError, match="does not exist"):
        FAMILY.assets({"path": str(tmp_path / "none.wav")}, "")
    with pytest.raises(ValidationError):
        FAMILY.params(path=path, volume=3)


def test_each_row_plays_the_file_of_its_voice(stereo, tmp_path):
    path, pcm = stereo
    soundfile.write(tmp_path / "left.wav", pcm[0], 24_000, subtype="PCM_16")
    agent = FAMILY.make({"channel": 0, "start_tick": 1})
    agent.load("cpu", 2, 4)
    prompts = [Prompt(text="")] * 2
    agent.open(prompts, [path, str(tmp_path / "left.wav")], [0, 1])
    heard, played = np.zeros((2, TICK), np.float32), np.zeros(2, np.int64)
    first, second = (agent.step(tick, heard, played).pcm for tick in (0, 1))
    assert not first.any()
    assert np.array_equal(to_int16(second), np.stack([pcm[0, :TICK]] * 2))
    agent.reset(0, prompts[0], str(tmp_path / "left.wav"), 0)
    again = agent.step(2, heard, played).pcm
    assert not again[0].any()
    assert again[1].any()


def test_a_voice_is_named_by_its_sound(stereo):
    path, _ = stereo
    want = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert FAMILY.assets({"channel": 0}, path) == {"voice": want}
    assert RECORDED.assets({"channel": 0, "stem": "output"}, path) == {"voice": want}


def test_nothing_to_play_is_refused():
    with pytest.raises(ConfigError, match=r"set agent\.playback\.path"):
        FAMILY.assets({}, "")
