"""`playback`: the file, sample for sample, and a refusal before anything is played."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
import soundfile
from pydantic import ValidationError

from dyad.agents.playback import FAMILY
from dyad.bridge import play
from dyad.errors import ConfigError
from dyad.spec import TICK, AgentSpec
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
