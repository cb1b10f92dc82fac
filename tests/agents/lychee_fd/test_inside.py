"""Lychee-FD's adapter in a real worker, against its stand-in."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dyad.agents.lychee_fd.family import FAMILY
from dyad.agents.lychee_fd.inside import VOICES, Model, Row, Speech
from dyad.host.agent import HostAgent
from dyad.host.worker import Said
from dyad.spec import RATE, TICK, Prompt
from dyad.testing.doubles.lychee_fd.token2wav import Token2wav
from tests.agents.drive import (
    Floats,
    answer_to,
    at_work,
    clicks,
    each_as_alone,
    keeps_the_contract,
    lanes_as_alone,
    noise,
    play,
    silence,
)

HEARS = 16_000
WINDOW = 9_600  # samples at 24 kHz
TURN = (78 - 11) * 960  # of a turn of the stand-in: 78 positions, less delay and start
LEAD = 3_840  # silence before the vocoder's first piece
CLICK = 3_200  # a sample in the first window at which it is spoken to

pytestmark = pytest.mark.xdist_group("lychee_fd")  # what is set up once is set up by one worker


@pytest.fixture(scope="module")
def agent() -> Iterator[HostAgent]:
    """All rows in one worker, as the other back end has them: one import of torch."""
    with at_work(FAMILY, rows_per_worker=0, gpu_share=0.3) as made:
        yield made


def silent(rows: int) -> Floats:
    """Two seconds of silence, float32 [rows, samples]."""
    return np.stack([silence(2.0, HEARS)] * rows)


def test_it_keeps_the_contract(agent: HostAgent) -> None:
    keeps_the_contract(FAMILY, agent, ticks=80, rows_per_worker=0, gpu_share=0.3)


def test_it_answers_whole_windows_after_the_vocoder_has_its_fourteen_tokens(agent: HostAgent) -> None:
    played = play(agent, clicks(8.0, HEARS, CLICK, level=0.6)[None])
    sizes = [len(out.pcm[0]) for out in played.outs]
    busy = [tick for tick, size in enumerate(sizes) if size]
    # decides with tick 4; ten positions of delay and nine tokens later, the next window gives the first piece
    assert busy == [19, 24, 29, 34, 39, 44]
    assert sizes[19:44:5] == [WINDOW] * 5
    assert sum(sizes) == LEAD + TURN
    assert played.queue.under_runs[0] == 1  # as the turn ends inside of a tick


@pytest.mark.parametrize("place", [21_280, 41_919])
def test_what_it_hears_comes_back_after_its_lag(agent: HostAgent, place: int) -> None:
    line = play(agent, clicks(8.0, HEARS, CLICK, place, level=0.6)[None]).line[0]
    # the vocoder says in samples at 24 kHz what was heard in samples at 16 kHz
    assert abs(int(np.abs(line).argmax()) - place * 3 / 2 - 24 * FAMILY.caps({}).lag_ms) <= 1


def test_an_impulse_comes_back_after_lag_and_bridge(agent: HostAgent, tmp_path: Path) -> None:
    place = 40_011
    peak = int(np.abs(answer_to(agent, clicks(8.0, RATE, 5_000, place), tmp_path)).argmax())
    filtered = 24  # samples by which the filter from 24 to 16 kHz moves a peak
    assert abs(peak - place - 24 * FAMILY.caps({}).lag_ms - TICK - filtered) <= 1


def test_the_next_turn_begins_as_the_first_did(agent: HostAgent) -> None:
    played = play(agent, clicks(9.6, HEARS, CLICK, 4_000 + 4 * HEARS, level=0.6)[None])
    assert played.given(0) == 2 * (LEAD + TURN)


def test_text_is_told_with_the_sound_that_it_belongs_to(agent: HostAgent) -> None:
    played = play(agent, clicks(8.0, HEARS, CLICK, level=0.6)[None])
    told = played.text(0)
    first = 19 * TICK + LEAD
    assert [at for at, _ in told] == [first + 4 * 960 * index for index in range(len(told))]
    assert {word for _, word in told} <= {"oh ", "yes ", "I do ", "so "}
    events = [(piece.at, piece.s) for out in played.outs for piece in out.text if piece.kind == "event"]
    assert events == [(4 * TICK, "L>S")]


def test_it_yields_to_who_goes_on_talking_and_drops_what_it_had_to_say(agent: HostAgent) -> None:
    heard = np.concatenate(
        [clicks(0.8, HEARS, CLICK, level=0.6), noise(3.0, HEARS, level=0.1), silence(3.0, HEARS)]
    )
    played = play(agent, heard[None])
    (flushed,) = played.flushed(0)
    assert flushed == 34  # the noise begins with tick 10: five windows of it are over
    assert not played.outs[flushed].pcm[0].size
    told = [at for at, _ in played.text(0)]
    again = next(tick for tick in range(flushed, 85) if played.outs[tick].pcm[0].size)
    assert told[0] < flushed * TICK
    # nothing that was not said is told, and the next turn is where it sounds
    assert next(at for at in told if at >= flushed * TICK) == again * TICK + LEAD


def test_it_starts_by_itself_when_its_role_says_so_and_only_then(agent: HostAgent) -> None:
    told = [Prompt(text=text) for text in ("You speak first.", "", "You wait.")]
    played = play(agent, silent(3), prompts=told, voices=["", "default_male", "mine.wav"])
    assert [played.given(row) for row in range(3)] == [2 * WINDOW, 0, 0]


def test_a_role_is_not_given_where_it_is_not_wanted() -> None:
    with at_work(FAMILY, role="none", backend="hf", rows_per_worker=0) as stock:
        assert play(stock, silent(1), prompts=[Prompt(text="You speak first.")]).given(0) == 0
        assert stock.numerics()["backend"] == "hf"


def test_self_play_in_one_worker_equals_each_row_alone(agent: HostAgent) -> None:
    lanes_as_alone(agent, ticks=60)


def test_rows_that_speak_by_turns_keep_their_own_vocoder(agent: HostAgent) -> None:
    """The second begins a window later, and so has another number of tokens behind it."""
    each_as_alone(agent, np.stack([clicks(4.8, HEARS, at, level=0.6) for at in (CLICK, CLICK + 6_400)]))


class Script:
    """A session and its decoder: what comes of each window is written down."""

    def __init__(self, *windows: list[dict[str, Any]]) -> None:
        self.windows, self.closed = deque(windows), False

    def advance_stream(self, window: Floats, **how: bool) -> list[dict[str, Any]]:
        return self.windows.popleft()

    def feed(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        return [event]

    def close(self) -> None:
        self.closed = True


def lived(script: Script) -> list[Said]:
    """Return what a row says in the tick of each window; it has played nothing."""
    row = Row(script, script, Speech(Token2wav(""), "mine.wav"))
    said = [row.step(tick, np.zeros(1_280, np.float32), 0) for tick in range(5 * len(script.windows))]
    row.close()
    return said[4::5]


def tokens(*ids: int) -> dict[str, Any]:
    return {"type": "audio_chunk", "stoken_ids": list(ids)}


START, INTERRUPT = {"type": "event_start"}, {"type": "event_end", "interrupt": True}


def test_the_vocoder_waits_for_its_fourteenth_token_and_gets_none_without_a_sound() -> None:
    script = Script([START, tokens(*[7] * 12, 6_561)], [tokens(7)], [tokens(7)])
    assert [len(said.pcm) for said in lived(script)] == [0, 0, WINDOW]
    assert script.closed


def test_what_is_interrupted_in_the_window_in_which_it_would_sound_is_not_told() -> None:
    said = [{"type": "speaking_token"}, {"type": "text_delta", "delta": "oh "}, tokens(*[7] * 14)]
    change = {"type": "state_change", "from": "S", "to": "L"}
    (kept,) = lived(Script([START, *said]))
    (dropped,) = lived(Script([START, *said, INTERRUPT, change]))
    assert (len(kept.pcm), kept.text, kept.flush) == (WINDOW, [(4 * TICK + LEAD, "oh ", "own")], False)
    assert (len(dropped.pcm), dropped.text, dropped.flush) == (0, [(4 * TICK, "S>L", "event")], True)


def test_its_parameters_and_voices_reach_upstream() -> None:
    factors = {"start_speak": 1.5, "start_listen": 0.5, "end_speak": 2.0}
    model = Model.__new__(Model)
    model._options = {**factors, "backend": "vllm", "role": "none", "backchannels": True}
    model._options |= {"gpu_share": 0.3, "context": 2_048}
    model._generation = SimpleNamespace(
        SYSTEM_MESSAGE_PREFIX="", VLLMGenerationFramework=dict, StreamingDecoder=lambda *parts, **how: None
    )
    told = model._framework("weights", "cuda")
    assert (told["model_path"], told["device"], told["allowing_backchannel"]) == ("weights", "cuda", True)
    assert (told["gpu_memory_utilization"], told["max_model_len"]) == (0.3, 2_048)
    assert told["enable_prefix_caching"] is False
    model.framework = SimpleNamespace(create_incremental_stream_session=dict, tokenizer=None)
    model.vocoder, model._root = Token2wav(""), Path("code")
    row = model.open("", "", 1, False)
    assert {name: row._session[f"{name}_token_factor"] for name in factors} == factors
    assert model._voice("") == f"code/{VOICES}/default_female.wav"
    assert model._voice("~/mine.wav") == str(Path.home() / "mine.wav")
    assert model._voice("my/recording") == "my/recording"
