"""The agents that need no model: `silence`, `echo`, `tone`."""

from __future__ import annotations

import numpy as np
import pytest

from dyad.bridge import play
from dyad.errors import ConfigError
from dyad.registry import load
from dyad.spec import TICK, AgentSpec
from dyad.testing import agents_of, check_agent, lane


@pytest.mark.parametrize("name", ["silence", "echo", "tone"])
def test_they_keep_the_contract(name):
    check_agent(load("agents", name))


def recorded(ticks: int, **params):
    run = lane(AgentSpec(name="t", adapter="tone", params=params), "silence", ticks=ticks)
    (recording,) = play([run], agents_of([run]))
    return recording


def test_tone_sounds_in_its_bursts_and_names_them():
    recording = recorded(20, pattern=[[1, 3], [4, 5]], period_ticks=8)
    loud = (recording.pcm[0].reshape(20, TICK) != 0).any(axis=1)
    assert np.flatnonzero(loud).tolist() == [1, 2, 4, 9, 10, 12, 17, 18]
    assert [(p.seat, p.at // TICK, p.s) for p in recording.pieces] == [
        ("a", t, "tone ") for t in (1, 4, 9, 12, 17)
    ]


def test_tone_has_its_pitch_and_peak():
    pcm = recorded(25, pattern=[[0, 25]], freq_hz=1000, level=0.5).pcm[0]
    assert np.argmax(np.abs(np.fft.rfft(pcm))) * 24_000 / len(pcm) == pytest.approx(1000)
    assert np.abs(pcm).max() == 0.5 * 32768


def test_tone_swells_as_syllables_do():
    pcm = recorded(25, pattern=[[0, 25]], freq_hz=1000, level=0.5, am_hz=4.0).pcm[0]
    loudness = np.abs(pcm.reshape(-1, 240)).max(axis=1)  # per 10 ms
    assert [int(np.argmax(loudness[start : start + 25])) // 2 for start in range(0, 200, 25)] == [6] * 8


@pytest.mark.parametrize(
    "params",
    [
        {"pattern": [[3, 3]]},
        {"pattern": [[5, 9], [0, 2]]},
        {"pattern": [[-1, 2]]},
        {"pattern": [[0, 9]], "period_ticks": 5},
    ],
)
def test_a_pattern_that_makes_no_sense_is_one_line(params):
    with pytest.raises(ConfigError, match="tone: pattern"):
        load("agents", "tone").params(**params)
