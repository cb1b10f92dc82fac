"""NemotronLabs VoiceChat in its own interpreter: one pipeline per row, around one model.

A pipeline serves a single stream, and what it keeps of that is its own: caches, buffers, whether a role was
read. The model keeps nothing of a stream, so any number of pipelines may use it in turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dyad.host.worker import TICK, Floats, Line, Said

WEIGHTS = "nvidia/NVIDIA-NemotronLabs-VoiceChat-11B"
BASE = "nvidia/NVIDIA-Nemotron-Nano-9B-v2"  # the language model that it began as
VOICE = "Aria"
RATE_OUT = 22_050
FRAME_S = 0.08
FRAMES_HEARD = 71  # in the buffer: the 70 that the ears attend to, and the newest
STREAM = 0  # every pipeline has this one


class Model:
    """The wrapper that holds the weights, and what a pipeline around it needs."""

    def __init__(self, options: dict[str, Any], device: str) -> None:
        from nemo.collections.speechlm2.inference import S2SPipelineBuilder  # type: ignore[import-not-found]
        from nemo.collections.speechlm2.inference.model_wrappers import (  # type: ignore[import-not-found]
            engine_selection,
        )
        from omegaconf import OmegaConf

        self._config = OmegaConf.create(_settings(options, device))
        self._turn_taking = options["force_turn_taking"]
        # precision is a matter of the whole process, and upstream refuses to load before it is set
        self._precision = ExitStack()
        self._precision.enter_context(engine_selection.inference_precision_from_cfg(self._config.s2s))
        with _view(options["weights"]) as self._config.s2s.model_path:
            self._loaded = S2SPipelineBuilder.build_pipeline(self._config)

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a stream with an empty frame, in which it reads its role."""
        from nemo.collections.speechlm2.inference import S2SRequestOptions, StreamingS2SPipeline

        pipeline = StreamingS2SPipeline(self._config, self._loaded.s2s_model)
        row = Row(pipeline)
        row.send(np.zeros(0, np.float32), is_first=True, options=S2SRequestOptions(prompt or None))
        return row

    def numerics(self) -> dict[str, str]:
        """Return what could change the last bits, and which heads the checkpoint has."""
        import torch

        heads = self._loaded.output_capabilities
        return {
            "torch": torch.__version__,
            "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
            "asr_head": str(heads.has_asr_head),
            "function_head": str(heads.has_function_head),
            "forced_turn_taking": str(self._turn_taking and heads.has_asr_head),
        }


def _settings(options: dict[str, Any], device: str) -> dict[str, Any]:
    """Return upstream's streaming configuration; what is not named here is as upstream has it."""
    given = ("top_p", "temperature", "repetition_penalty", "force_turn_taking", "deterministic")
    return {
        "s2s": {
            **{name: options[name] for name in given},
            "model_path": options["weights"][WEIGHTS],
            "speaker_name": VOICE,
            "device": device,
            "use_llm_cache": options["llm_cache"],
            "inference_user_pad_boost": 0.8,
        },
        "streaming": {"chunk_size_in_secs": FRAME_S, "buffer_size_in_secs": FRAMES_HEARD * FRAME_S},
    }


@contextmanager
def _view(weights: dict[str, str]) -> Iterator[str]:
    """Lend upstream a folder of links to its weights, which names its base model by that one's folder.

    Upstream would ask the hub for configuration and tokenizer of the base. It knows the release by its name.
    """
    folder, config = Path(weights[WEIGHTS]), "config.json"
    with TemporaryDirectory() as place:
        view = Path(place, Path(WEIGHTS).name)
        view.mkdir()
        for path in folder.iterdir():
            if path.name != config:
                (view / path.name).symlink_to(path.absolute())
        told = (folder / config).read_text("utf-8").replace(json.dumps(BASE), json.dumps(weights[BASE]))
        (view / config).write_text(told, "utf-8")
        yield str(view)


class Row:
    """One conversation."""

    def __init__(self, pipeline: Any) -> None:
        self._pipeline, self._line = pipeline, Line(RATE_OUT)

    def send(self, heard: Floats, **fields: Any) -> Any:
        """Give the pipeline one frame, and return what it makes of it."""
        import torch
        from nemo.collections.asr.inference.streaming.framing.request import (  # type: ignore[import-not-found]
            Frame,
        )

        frame = Frame(samples=torch.from_numpy(heard.copy()), stream_id=STREAM, **fields)
        (given,) = self._pipeline.generate_step([frame])
        return given

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Hear a frame and say one: text is said in the frame in which it is written."""
        given = self.send(heard)
        pcm = given.audio.detach().float().cpu().numpy().reshape(-1).clip(-1.0, 1.0)
        at = {"own": self._line.starts(tick, played), "heard": tick * TICK, "event": tick * TICK}
        self._line.give(len(pcm))
        told = {"own": given.text, "heard": given.asr_text, "event": given.function_text}
        text = [(at[kind], self._plain(s), kind) for kind, s in told.items()]
        return Said(pcm, [piece for piece in text if piece[1]])

    def close(self) -> None:
        """End the stream."""
        self.send(np.zeros(0, np.float32), is_last=True)

    def _plain(self, text: str) -> str:
        """Return text without the markers of turns and of silence."""
        for marker in self._pipeline.special_token_strings:
            text = text.replace(marker, "")
        return text
