from __future__ import annotations

import numpy as np
import pytest

from dyad.agents.scripted import FAMILY
from dyad.errors import ConfigError
from dyad.spec import Prompt
from dyad.testing import check_agent

pytest.importorskip("hibari")

SCRIPT = [{"at_s": 0.5, "text": "Good morning."}, {"at_s": 3.0, "text": "Two plus two is four."}]


def run(ticks: int = 80, rows: int = 1, **params: object) -> tuple[np.ndarray, list]:
    agent = FAMILY.make({"script": SCRIPT} | params)
    agent.load("cpu")
    agent.open([Prompt(text="")] * rows, [""] * rows, list(range(rows)))
    outs = [agent.step(t, np.zeros((rows, 1920), np.float32), np.zeros(rows, np.int64)) for t in range(ticks)]
    return np.concatenate([out.pcm for out in outs], axis=1), [list(out.text) for out in outs]


def test_it_speaks_the_script_at_its_times():
    pcm, _ = run()
    (sound,) = np.nonzero(np.abs(pcm[0]) > 0.02)
    assert 0 <= sound[0] / 24_000 - 0.5 < 0.15
    second = sound[sound > 2.5 * 24_000]
    assert 0 <= second[0] / 24_000 - 3.0 < 0.15


def test_each_word_is_told_in_the_tick_in_which_it_starts():
    _, text = run()
    said = "".join(t.s for tick in text for t in tick)
    assert said == "".join(f" {cue['text']}" for cue in SCRIPT)
    assert all(t.at // 1920 == k for k, tick in enumerate(text) for t in tick)


def test_overlapping_lines_are_added():
    one, _ = run(script=[{"at_s": 0.0, "text": "One two three."}])
    pcm, text = run(script=[{"at_s": 0.0, "text": "One two three."}] * 2)
    assert pcm.std() > 1.2 * one.std()
    assert sum(map(len, text)) == 6


def test_rows_say_the_same_words_and_repeat():
    pcm, text = run(rows=2)
    again, _ = run(rows=2)
    np.testing.assert_array_equal(pcm, again)
    said = [[t.s for tick in text for t in tick if t.row == row] for row in (0, 1)]
    assert said[0] == said[1] != []


def test_without_a_script_it_is_silent():
    pcm, _ = run(ticks=5, script=[])
    assert pcm.shape == (1, 5 * 1920)
    assert not pcm.any()


def test_an_unknown_voice_is_named():
    with pytest.raises(ConfigError, match="heart"):
        FAMILY.make({"preset": "hart"}).load("cpu")


def test_it_keeps_the_contract_of_agents():
    check_agent(FAMILY, {"script": SCRIPT}, ticks=60)
