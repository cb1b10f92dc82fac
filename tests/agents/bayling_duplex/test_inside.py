"""BayLing-Duplex's adapter in a real worker, against its stand-in, which says back clicks."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dyad.agents.bayling_duplex.family import FAMILY
from dyad.agents.bayling_duplex.inside import BLOCK_OUT, FOREVER, LATE, SEGMENT, Model, Row, _fitted
from dyad.host.agent import HostAgent
from tests.agents.drive import (
    Floats,
    at_work,
    clicks,
    each_as_alone,
    goes_on_when_restored,
    keeps_the_contract,
    play,
    silence,
)

RATE_IN, RATE_OUT, BLOCK = 16_000, 22_050, 12_800
CUT = 24  # samples of a block that are cut where that is not heard

pytestmark = pytest.mark.xdist_group("bayling_duplex")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    with at_work(FAMILY) as made:
        yield made


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent, ticks=40)


def test_a_click_comes_back_after_the_lag(agent: HostAgent) -> None:
    """To the sample but for the cuts of blocks, and for the vocoder's 103 frames for 103.36 of time."""
    places = np.array([12_810, 14_100, 25_700, 31_000, 38_300, 38_500])
    line = play(agent, clicks(4.0, RATE_IN, *places)[None]).line[0]
    found = np.flatnonzero(np.abs(line) > 0.1)
    lag = 9 * 1764 + LATE
    late = np.abs(found - places * RATE_OUT / RATE_IN - lag)
    assert late[[0, 2, 5]].max() <= CUT  # these begin a block
    assert late.max() <= CUT + 0.36 * 256
    assert FAMILY.caps({}).lag_ms == round(lag / RATE_OUT * 1000)


def test_every_block_is_said_whole_and_without_a_gap(agent: HostAgent) -> None:
    played = play(agent, silence(3.2, RATE_IN)[None])
    sizes = [len(out.pcm[0]) for out in played.outs]
    assert sizes == ([0] * 9 + [BLOCK_OUT]) * 4
    assert played.queue.under_runs[0] == 0
    assert played.queue.fill[0] == 9 * 1764  # the tick that completes a block plays the first of its ten


def test_words_are_placed_in_the_sound_of_their_block(agent: HostAgent) -> None:
    played = play(agent, clicks(4.0, RATE_IN, 100, 13_000)[None])
    late = LATE * 24_000 // RATE_OUT
    # the second text token of each block that is heard to be loud
    assert [at for at, _ in played.text(0)] == [tick * 1920 + late + 3840 for tick in (9, 19)]


def test_a_letter_that_two_tokens_spell_is_told_whole_with_the_second(agent: HostAgent) -> None:
    played = play(agent, clicks(2.4, RATE_IN, 100, 5_000)[None])
    assert played.text(0) == [(9 * 1920 + LATE * 24_000 // RATE_OUT + 2 * 3840, " é")]


def test_it_goes_on_after_its_first_reply(agent: HostAgent) -> None:
    played = play(agent, clicks(3.2, RATE_IN, 100, 26_000)[None])
    assert len(played.text(0)) == 2
    # the first block begins a reply, which ends with the next
    assert played.speaking(0) == [*range(9, 19), *range(29, 39)]
    assert not any(out.finished is not None and out.finished.any() for out in played.outs)


def test_two_rows_are_each_as_alone(agent: HostAgent) -> None:
    heard = np.stack([clicks(4.0, RATE_IN, 100, 30_000), clicks(4.0, RATE_IN, 20_000, 21_000)])
    each_as_alone(agent, heard)


def test_a_state_takes_along_what_the_vocoder_holds(agent: HostAgent) -> None:
    # block 2 ends in tick 29 with a click that sounds with block 3
    heard = clicks(6.4, RATE_IN, 13_000, 2 * BLOCK - 100, 30_000)
    goes_on_when_restored(agent, heard, tick=25, later=10)


class Tokens:
    """Counts what the tokenizer is given: a token is the number of its 80 ms within the call."""

    upstream = type("Upstream", (), {"create_stream_state": lambda self: None})()

    def __init__(self) -> None:
        self.calls = list[int]()

    def tokens(self, audio: Floats) -> list[int]:
        self.calls.append(len(audio))
        return list(range(len(audio) // 1_280))


def test_segments_of_the_tokenizer_are_those_of_a_whole_file() -> None:
    """Thirty seconds are 37 blocks and a half: the block between two segments has five tokens of each."""
    model = Tokens()
    row = Row(model, "row")  # type: ignore[arg-type]
    tokens = [row._tokens(np.zeros(BLOCK, np.float32)) for _ in range(80)]
    assert [len(block) for block in tokens] == [10] * 80
    assert tokens[37] == [370, 371, 372, 373, 374, 0, 1, 2, 3, 4]
    assert tokens[74] == list(range(365, 375))
    assert tokens[75] == list(range(10))
    assert max(model.calls) == SEGMENT


def test_a_block_is_cut_where_it_is_not_heard() -> None:
    wave = np.random.default_rng(0).uniform(0.1, 0.2, BLOCK_OUT + CUT).astype(np.float32)
    wave[5_000:5_100] = np.sin(2 * np.pi * np.arange(100) / CUT)  # here a period less is not noticed
    cut = _fitted(wave, BLOCK_OUT)
    assert len(cut) == BLOCK_OUT
    assert np.allclose(cut[: 5_100 - CUT], wave[: 5_100 - CUT], atol=1e-5)
    assert np.array_equal(cut[5_100 - CUT :], wave[5_100:])
    first = _fitted(wave[: BLOCK_OUT // 2], BLOCK_OUT)
    assert np.array_equal(first[BLOCK_OUT // 2 :], wave[: BLOCK_OUT // 2])
    assert not first[: BLOCK_OUT // 2].any()


def test_tokens_are_drawn_as_asked_until_upstream_stops() -> None:
    class Upstream:
        asked = 0

        def create_stream_state(self) -> SimpleNamespace:
            return SimpleNamespace(assistant_count=0, epad_count=0, stop_requested=False)

        def stream_audio_tokens(self, tokens: list[int], state: Any, **settings: Any) -> Iterator[Any]:
            assert settings == {
                "temperature": 0.5,
                "top_p": 0.9,
                "silence_penalty": 2.0,
                "max_epad_count": FOREVER,
            }
            self.asked += 1
            state.stop_requested = True
            return iter(())

    model = Model.__new__(Model)
    model.upstream = Upstream()
    model.sampling = {"temperature": 0.5, "top_p": 0.9, "silence_penalty": 2.0}
    model.tokens = lambda audio: [0] * 10  # type: ignore[method-assign]
    model.sound = lambda tokens, stream: np.zeros(0, np.float32)  # type: ignore[method-assign]
    row = Row(model, "row")
    over = [row.step(tick, np.zeros(1_280, np.float32), 0).finished for tick in range(20)]
    assert over == [False] * 9 + [True] * 11
    assert model.upstream.asked == 1


def test_a_row_that_is_closed_leaves_nothing_in_the_vocoder() -> None:
    class Upstream:
        decoder = type("Decoder", (), {"mel_overlap_dict": {"a": 1, "b": 2}, "hift_cache_dict": {"a": 1}})

        def create_stream_state(self) -> None:
            """Return nothing."""

    model = Model.__new__(Model)
    model.upstream = Upstream()
    Row(model, "a").close()
    assert model.caches() == ({"b": 2}, {})
