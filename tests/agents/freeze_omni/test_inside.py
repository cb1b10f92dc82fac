"""Freeze-Omni's adapter in a real worker, against its stand-in."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dyad.agents.freeze_omni.family import FAMILY
from dyad.agents.freeze_omni.inside import SERVER, Row, _settings
from dyad.host.agent import HostAgent
from dyad.spec import Prompt
from dyad.testing.doubles.freeze_omni.web import vad
from tests.agents.drive import (
    at_work,
    each_as_alone,
    goes_on_when_restored,
    keeps_the_contract,
    noise,
    play,
    silence,
    turn,
)

RATE = 16_000
WORD = 6_000  # samples of a word of the stand-in at 24 kHz
REPLY = 12 * WORD  # five words and a stop, twice

pytestmark = pytest.mark.xdist_group("freeze_omni")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    with at_work(FAMILY) as made:
        yield made


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent, ticks=60)


def test_it_answers_in_the_tick_that_completes_the_unit_of_its_decision(agent: HostAgent) -> None:
    played = play(agent, turn(0.8, 4.8, RATE)[None])
    # speech ends with tick 9; after 0.48 s of silence, in the third quiet unit, the stand-in takes the floor
    assert played.flushed(0) == [15]
    first = int(np.flatnonzero(played.line[0])[0])
    assert 15 * 1920 <= first < 16 * 1920
    assert REPLY - 100 < played.given(0) == played.queue.played[0] < REPLY  # the soft start is cut
    assert played.speaking(0) == list(range(15, 15 + played.given(0) // 1920))
    assert played.queue.under_runs[0] == 0


def test_it_writes_no_further_than_it_speaks(agent: HostAgent) -> None:
    played = play(agent, turn(0.8, 4.8, RATE)[None])
    busy = [tick for tick, out in enumerate(played.outs) if len(out.pcm[0])]
    sizes = [len(played.outs[tick].pcm[0]) for tick in busy]
    # one phrase when the reply begins, and the other in the tick in which the queue would have run dry
    assert len(busy) == 2
    assert busy[1] == busy[0] + sizes[0] // 1920
    assert played.queue.fill[0] == 0


def test_words_are_told_when_they_sound(agent: HostAgent) -> None:
    played = play(agent, turn(0.8, 4.8, RATE)[None])
    words = played.text(0)
    assert "".join(word for _, word in words).count(".") == 2
    for tick, out in enumerate(played.outs):
        assert all(tick * 1920 <= piece.at < (tick + 1) * 1920 for piece in out.text)


def test_what_it_says_depends_on_what_it_hears(agent: HostAgent) -> None:
    loud, soft = (play(agent, np.float32(level) * turn(0.8, 2.4, RATE)[None]).line[0] for level in (1.0, 0.5))
    assert loud.max() == pytest.approx(2 * soft.max(), rel=0.02)
    assert not play(agent, silence(2.4, RATE)[None]).line.any()


def test_it_acts_on_its_role(agent: HostAgent) -> None:
    heard, told = turn(0.8, 4.0, RATE), Prompt(text="Answer briefly.")
    played = play(agent, np.stack([heard, heard]), prompts=[told, Prompt(text="Take your time.")])
    sentences = ["".join(word for _, word in played.text(row)).count(".") for row in range(2)]
    assert sentences == [1, 2]


def test_without_a_role_it_has_upstreams_own(agent: HostAgent) -> None:
    """The stand-in's is to answer briefly."""
    heard = turn(0.8, 4.0, RATE)
    played = play(agent, np.stack([heard, heard]), prompts=[Prompt(text=""), Prompt(text=" \n")])
    sentences = ["".join(word for _, word in played.text(row)).count(".") for row in range(2)]
    assert sentences == [1, 1]


def test_a_short_sound_is_no_turn(agent: HostAgent) -> None:
    cough = np.concatenate([noise(0.2, RATE), silence(3.0, RATE)])
    assert not play(agent, cough[None]).line.any()


def test_a_new_turn_stops_it_and_the_rest_is_neither_heard_nor_told(agent: HostAgent) -> None:
    # the gate opens again only after two seconds without speech, by which time the reply is still sounding
    quiet = silence(2.08, RATE)
    barge = np.concatenate([noise(0.8, RATE), quiet, noise(0.32, RATE, seed=1), silence(4.0, RATE)])
    played = play(agent, barge[None])
    first, second = played.flushed(0)
    assert played.queue.flushes[0] == 1
    assert played.queue.under_runs[0] == 0
    assert played.given(0) > played.queue.played[0]
    assert first < second
    told = played.text(0)
    before, after = (
        [piece for piece in told if (piece[0] >= second * 1920) is late] for late in (False, True)
    )
    assert "".join(word for _, word in before).count(".") < 2
    assert "".join(word for _, word in after).count(".") == 2
    assert after[0][0] == second * 1920
    assert after[0][1].startswith(" ok")  # the stand-in knows that it has spoken


def test_two_rows_are_each_as_alone(agent: HostAgent) -> None:
    heard = np.stack([turn(0.8, 2.4, RATE, 1), np.roll(turn(0.8, 2.4, RATE, 2), 3200)])
    each_as_alone(agent, heard)


def test_a_saved_row_speaks_on_as_it_would_have(agent: HostAgent) -> None:
    goes_on_when_restored(agent, np.concatenate([silence(0.48, RATE), turn(0.8, 5.12, RATE)]), 26, later=16)


class Deaf:
    """A model that decides the same of all units, and counts them."""

    def __init__(self, stat: str) -> None:
        self.stat, self.units = stat, 0

    def listen(self, state: dict[str, Any], features: Any) -> dict[str, Any]:
        self.units += 1
        return {**state, "stat": self.stat}


@pytest.fixture
def gated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "web.vad", vad)


@pytest.mark.usefixtures("gated")
def test_a_turn_on_which_the_model_does_not_decide_ends_with_the_gate() -> None:
    model = Deaf("cl")
    row = Row(model, {"past_key_values": None})  # type: ignore[arg-type]
    for tick, heard in enumerate(np.tile(turn(0.32, 3.52, RATE), 2).reshape(-1, 1_280)):
        row.step(tick, heard, 0)
    # twice: six units before it, two of speech, and of silence twelve; with the next, two seconds are over
    assert model.units == 2 * (6 + 2 + 12)


@pytest.mark.usefixtures("gated")
def test_what_the_model_decides_on_units_before_a_turn_is_overruled() -> None:
    model = Deaf("el")
    row = Row(model, {"past_key_values": None})  # type: ignore[arg-type]
    for tick, heard in enumerate(noise(0.16, RATE).reshape(-1, 1_280)):
        row.step(tick, heard, 0)
    assert model.units == 5 + 1  # the second is not asked about, as the first had ended the turn


def test_the_checkpoints_settings_go_before_those_of_the_release(tmp_path: Path) -> None:
    assert _settings(tmp_path / "server.json") == SERVER
    (tmp_path / "server.json").write_text(json.dumps({"decoder_top_k": 5}))
    assert _settings(tmp_path / "server.json") == {**SERVER, "decoder_top_k": 5}
