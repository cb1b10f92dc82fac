"""The stand-in for Lychee-FD refuses what upstream would refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dyad.testing.doubles.lychee_fd.lychee_fd.runtime import hf_v9_realtime, vllm_generation
from dyad.testing.doubles.lychee_fd.token2wav import Token2wav

WINDOW = np.zeros(6_400, np.float32)


@pytest.fixture
def session() -> Any:
    framework = vllm_generation.VLLMGenerationFramework("FD", "", device="cpu")
    return framework.create_incremental_stream_session(audio_incremental_mode=True)


def kinds(session: Any, audio: Any, **options: Any) -> list[str]:
    return [event["type"] for event in session.advance_stream(audio, audio_is_incremental=True, **options)]


def test_a_window_is_worth_a_chunk_and_a_part_of_one_waits(session: Any) -> None:
    chunk = ["chunk_start", "control_decision", "chunk_end"]
    assert kinds(session, WINDOW[:100], emit_generation_complete=False) == ["timeline_span"]
    assert kinds(session, WINDOW[100:]) == ["timeline_span", *chunk, "generation_complete"]


def test_a_session_that_was_closed_is_over(session: Any) -> None:
    assert session.close()["closed"]
    with pytest.raises(AttributeError):
        kinds(session, WINDOW)


def test_the_other_back_end_is_of_one_kind_of_model_only() -> None:
    with pytest.raises(AssertionError):
        hf_v9_realtime.HFRealtimeV9GenerationFramework("FD", "", device="cpu")


def test_the_vocoder_wants_a_stream_and_tokens_that_it_knows() -> None:
    vocoder = Token2wav("")
    with pytest.raises(ValueError, match="not set"):
        vocoder.stream([1] * 13, prompt_wav="a.wav")
    vocoder.set_stream_cache("a.wav")
    with pytest.raises(IndexError):
        vocoder.stream([6_561], prompt_wav="a.wav")
    # ten tokens of 40 ms, less the 160 ms that are held back, which the last piece brings
    assert len(vocoder.stream([1] * 13, prompt_wav="a.wav")) == 2 * (10 * 960 - 3_840)
    assert len(vocoder.stream([1] * 3, prompt_wav="a.wav", last_chunk=True)) == 2 * (3 * 960 + 3_840)
