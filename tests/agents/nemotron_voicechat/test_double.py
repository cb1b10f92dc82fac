"""The stand-in for NemotronLabs VoiceChat refuses what upstream would refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from omegaconf import OmegaConf

from dyad.host.family import DOUBLES
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

FOLDERS = DOUBLES / "nemotron_voicechat"
RELEASE, BASE = "NVIDIA-NemotronLabs-VoiceChat-11B", "NVIDIA-Nemotron-Nano-9B-v2"
STOCK = {"speaker_name": "Aria", "device": "cpu"}


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint that names its base model by a folder, as `x`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").mkdir()
    (tmp_path / "x/model.safetensors").touch()
    config = json.loads((FOLDERS / RELEASE / "config.json").read_text())
    config["model"]["stt"]["model"] |= {"pretrained_llm": str(FOLDERS / BASE), "source_sample_rate": 16_000}
    config["model"]["speech_generation"]["model"]["pretrained_lm_name"] = str(FOLDERS / BASE)
    (tmp_path / "x/config.json").write_text(json.dumps(config))


def built(streaming: dict[str, Any] | None = None, **s2s: Any) -> StreamingS2SPipeline:
    config = OmegaConf.create(
        {"s2s": STOCK | {"model_path": "x"} | s2s, "streaming": streaming or {"max_len": 2}}
    )
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


@pytest.mark.parametrize(
    ("path", "error", "match"),
    [
        (
            str(FOLDERS / RELEASE),
            OSError,
            "couldn't find nvidia/NVIDIA-Nemotron-Nano-9B-v2 in the cached files",
        ),
        ("none", RuntimeError, "Missing config.json"),
    ],
)
def test_what_it_would_have_to_fetch_is_not_there(path: str, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        built(model_path=path)


def test_the_release_is_known_by_its_folder_or_its_base_model() -> None:
    config = Path("x/config.json").read_text()
    Path("x/config.json").write_text(config.replace('"source_sample_rate": 16000', '"other": 0'))
    with pytest.raises(AttributeError, match="source_sample_rate"):
        built()
    Path("x").rename(RELEASE)
    assert built(model_path=RELEASE)


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
