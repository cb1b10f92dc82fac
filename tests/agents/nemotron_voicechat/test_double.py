"""The stand-in for NemotronLabs VoiceChat refuses what upstream would refuse."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from omegaconf import OmegaConf

from dyad.testing.doubles.nemotron_voicechat.nemo.collections.asr.inference.streaming.framing.request import (
    Frame,
)
from dyad.testing.doubles.nemotron_voicechat.nemo.collections.speechlm2.inference import (
    S2SPipelineBuilder,
    StreamingS2SPipeline,
)
from dyad.testing.doubles.nemotron_voicechat.nemo.collections.speechlm2.inference.model_wrappers import (
    engine_selection,
)

STOCK = {"model_path": "x", "speaker_name": "Aria", "device": "cpu"}


def built(streaming: dict[str, Any] | None = None, **s2s: Any) -> StreamingS2SPipeline:
    config = OmegaConf.create({"s2s": STOCK | s2s, "streaming": streaming or {"max_len": 2}})
    with engine_selection.inference_precision_from_cfg(config.s2s):
        return S2SPipelineBuilder.build_pipeline(config)


def frame(samples: int, **fields: Any) -> Frame:
    return Frame(torch.zeros(samples), 0, **fields)


def test_nothing_is_loaded_before_the_precision_is_set() -> None:
    config = OmegaConf.create({"s2s": STOCK, "streaming": {}})
    with pytest.raises(RuntimeError, match="precision"):
        S2SPipelineBuilder.build_pipeline(config)


@pytest.mark.parametrize(
    ("s2s", "streaming", "match"),
    [
        ({"speaker_name": "Bob"}, {}, "Unknown speaker_name"),
        ({"speaker_reference": "me.wav"}, {}, "speaker_reference"),
        ({"model_path": ""}, {}, "model_path"),
        ({}, {"batch_size": 2}, "single stream"),
        ({}, {"chunk_size_in_secs": 0.1}, "multiple of 0.08"),
    ],
)
def test_settings_that_cannot_be(s2s: dict[str, Any], streaming: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        built(streaming, **s2s)


def test_a_stream_begins_once_then_goes_on_and_ends() -> None:
    pipeline = built()
    with pytest.raises(RuntimeError, match="No state"):
        pipeline.generate_step([frame(1_280)])
    (empty,) = pipeline.generate_step([frame(0, is_first=True)])
    assert tuple(empty.audio.shape) == (1, 0)
    with pytest.raises(RuntimeError, match="already active"):
        pipeline.generate_step([frame(0, is_first=True)])
    for _ in range(2):
        (given,) = pipeline.generate_step([frame(1_280)])
        assert tuple(given.audio.shape) == (1, 1_764)
    with pytest.raises(RuntimeError, match="maximum length"):
        pipeline.generate_step([frame(1_280)])
    pipeline.generate_step([frame(0, is_last=True)])
    pipeline.generate_step([frame(0, is_first=True)])


def test_two_streams_at_once_are_refused() -> None:
    pipeline = built()
    with pytest.raises(ValueError, match="single stream"):
        pipeline.generate_step([frame(0, is_first=True), Frame(torch.zeros(0), 1, is_first=True)])
