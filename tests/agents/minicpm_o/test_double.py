"""The stand-in of MiniCPM-o refuses what its upstream refuses, and answers in its form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from dyad.host.family import DOUBLES
from dyad.testing.doubles.minicpm_o.MiniCPMO45.modeling_minicpmo_unified import DuplexCapability, MiniCPMO
from dyad.testing.doubles.minicpm_o.stepaudio2 import Token2wav

SECOND = np.zeros(16_000, np.float32)
VOICE = str(DOUBLES / "minicpm_o/assets/ref_audio/ref_en_dlc_1.wav")


@pytest.fixture
def model() -> MiniCPMO:
    made = MiniCPMO()
    made.tts.audio_tokenizer = Token2wav("")
    made.duplex = DuplexCapability(model=made)
    made.duplex_prepare(
        prefix_system_prompt="<|im_start|>system\nyou speak first\n<|audio_start|>",
        suffix_system_prompt="<|audio_end|><|im_end|>",
        ref_audio=SECOND[:1600],
        prompt_wav_path=VOICE,
    )
    return made


def unit(model: MiniCPMO) -> dict[str, Any]:
    assert model.duplex_prefill(audio_waveform=SECOND)["success"]
    result = model.duplex_generate(decode_mode="greedy")
    model.duplex_finalize()
    return result


def test_a_unit_must_be_finalized_before_the_next(model: MiniCPMO) -> None:
    model.duplex_prefill(audio_waveform=SECOND)
    model.duplex_generate()
    with pytest.raises(RuntimeError, match="before finalize_unit"):
        model.duplex_prefill(audio_waveform=SECOND)
    model.duplex_finalize()
    assert model.duplex_prefill(audio_waveform=SECOND)["success"]


def test_before_init_unified_there_is_no_duplex() -> None:
    with pytest.raises(RuntimeError, match="init_unified"):
        MiniCPMO().duplex_prefill(audio_waveform=SECOND)


def test_pieces_of_a_tick_are_no_units_but_are_kept(model: MiniCPMO) -> None:
    assert model.duplex is not None
    taken = [model.duplex_prefill(audio_waveform=SECOND[:1280])["success"] for _ in range(14)]
    # the first is padded to 1,035 ms and taken; 80 samples stay, and 13 pieces more make the next second
    assert taken == [True, *[False] * 12, True]
    assert len(model.duplex.audio_buffer) == 80 + 13 * 1280 - 16_000


def test_the_first_second_is_padded_on_its_left(model: MiniCPMO) -> None:
    assert model.duplex is not None
    for _ in range(3):
        unit(model)
        assert len(model.duplex.audio_buffer) == 560 + 16_000 - 16_480


def test_every_unit_has_sound_and_the_same_keys(model: MiniCPMO) -> None:
    keys = "is_listen text audio_waveform end_of_turn current_time cost_llm cost_tts_prep cost_tts "
    keys += "cost_token2wav cost_all n_tokens n_tts_tokens"
    listened = model.duplex_generate(force_listen_override=True)  # without a prefill
    results = [listened, *(unit(model) for _ in range(3))]
    assert all(set(result) == set(keys.split()) for result in results)
    assert all(result["audio_waveform"].dtype == np.float32 for result in results)
    assert listened["is_listen"]
    assert len(listened["audio_waveform"]) == 24_000
    assert not listened["audio_waveform"].any()


def test_a_unit_is_a_second_unless_it_ends_the_turn(model: MiniCPMO) -> None:
    results = [unit(model) for _ in range(6)]
    spoken = [result for result in results if not result["is_listen"]]
    assert [result["end_of_turn"] for result in spoken] == [False] * (len(spoken) - 1) + [True]
    sizes = [len(result["audio_waveform"]) for result in spoken]
    assert sizes[:-1] == [24_000] * (len(spoken) - 1) != sizes[-1:]


def test_without_a_voice_it_is_mute(model: MiniCPMO) -> None:
    model.duplex_prepare(prefix_system_prompt="you speak first")
    result = unit(model)
    assert not result["is_listen"]
    assert not result["audio_waveform"].any()


def test_what_the_vocoder_remembers_is_a_view_that_the_next_call_writes_anew() -> None:
    vocoder = Token2wav("")
    vocoder.stream_cache, vocoder.hift_cache_dict = vocoder.set_stream_cache(VOICE)
    vocoder.stream([0.0] * 13, prompt_wav=VOICE)
    kept = vocoder.stream_cache["estimator_cnn_cache"]
    assert float(kept) == 10 * 960
    vocoder.set_stream_cache(VOICE)
    assert float(kept) == 0


def test_a_voice_of_20_s_leaves_the_vocoder_no_room(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "long.wav", np.zeros(8_000 * 20, np.float32), 8_000)
    vocoder = Token2wav("")
    vocoder.stream_cache, vocoder.hift_cache_dict = vocoder.set_stream_cache(str(tmp_path / "long.wav"))
    with pytest.raises(RuntimeError, match="expanded size of the tensor"):
        vocoder.stream([0.0] * 28, prompt_wav=str(tmp_path / "long.wav"))
