"""`oracle`: when it answers is known to the sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dyad.agents.oracle import FAMILY, FLOOR
from dyad.errors import ConfigError
from dyad.spec import RATE, TICK, Prompt
from dyad.testing import check_agent

pytest.importorskip("hibari")

Span = tuple[int, int]


def answered(*turns: Span, ticks: int = 60, **params: Any) -> tuple[np.ndarray, list[tuple[int, str]]]:
    """What it says, to turns of noise: [N], and its words with their places."""
    heard = np.zeros(ticks * TICK, np.float32)
    for start, end in turns:
        heard[start:end] = 1e-4  # faint is not silent
    agent = FAMILY.make(params)
    agent.load("cpu")
    agent.open([Prompt(text="")], [""], [5])
    outs = [agent.step(t, heard[None, t * TICK :][:, :TICK], np.zeros(1, np.int64)) for t in range(ticks)]
    return np.concatenate([out.pcm[0] for out in outs]), [(x.at, x.s) for out in outs for x in out.text]


def onset(pcm: np.ndarray, since: int = 0) -> int:
    return since + int(np.argmax(np.abs(pcm[since:]) > FLOOR))


@pytest.mark.parametrize("end", [20_000, 10 * TICK - 1, 10 * TICK, 10 * TICK + 1, 12_345])
@pytest.mark.parametrize("delay_s", [0.1, 0.5, 1.003])
def test_its_first_sound_comes_exactly_then(end: int, delay_s: float) -> None:
    pcm, words = answered((3_000, end), delay_s=delay_s)
    due = end + round(delay_s * RATE)
    assert onset(pcm) == due
    assert not pcm[:due].any()
    assert words[0] == (due, " Let")


def test_a_pause_that_is_shorter_is_no_end() -> None:
    pcm, _ = answered((0, 9_000), (9_000 + RATE // 2, 30_000), delay_s=0.6)
    assert onset(pcm) == 30_000 + round(0.6 * RATE)


def test_it_stops_when_talked_into_and_answers_again() -> None:
    pcm, words = answered((0, 9_000), (36_000, 48_000), stop_s=0.25)
    stop = 36_000 + RATE // 4
    assert onset(pcm) == 9_000 + RATE // 2
    assert pcm[stop - TICK : stop].any()
    assert not pcm[stop : 48_000 + RATE // 2].any()
    assert onset(pcm, stop) == 48_000 + RATE // 2
    assert [s for _, s in words].count(" Let") == 2
    assert not [at for at, _ in words if stop <= at < 48_000 + RATE // 2]


def test_it_talks_on_if_told_to() -> None:
    alone, _ = answered((0, 9_000))
    pcm, _ = answered((0, 9_000), (36_000, 40_000), stop_s=None)
    again = (40_000 + RATE // 2) // TICK * TICK
    assert np.array_equal(pcm[:again], alone[:again])


def test_silence_has_no_answer() -> None:
    pcm, words = answered()
    assert not pcm.any()
    assert words == []


def test_what_is_not_louder_than_its_level_is_silence() -> None:
    assert not answered((0, 9_000), level=0.001)[0].any()


def test_it_keeps_the_contract() -> None:
    check_agent(FAMILY, {"level": 0.9}, ticks=40)


def test_an_unknown_voice_is_named() -> None:
    with pytest.raises(ConfigError, match="heart"):
        FAMILY.make({"preset": "hart"}).load("cpu")
