"""The pipeline: streams of frames in, streams of sound and text out; one stream at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True, slots=True)
class S2SRequestOptions:
    """What a stream asks for; None means the pipeline's own."""

    system_prompt: str | None = None
    top_p: float | None = None
    temperature: float | None = None
    repetition_penalty: float | None = None


@dataclass
class GenerateStepOutput:
    """What one step of one stream gives."""

    stream_id: int
    audio: Any
    text: str = ""
    asr_text: str = ""
    function_text: str = ""


class StreamingS2SPipeline:
    """Keeps the state of its stream."""

    def __init__(self, cfg: Any, s2s_model: Any) -> None:
        streaming = cfg.get("streaming", {})
        self.s2s_model = s2s_model
        if streaming.get("batch_size", 1) != 1:
            raise ValueError(
                "StreamingS2SPipeline supports a single stream (streaming.batch_size must be 1)."
            )
        self.chunk_size_in_secs = streaming.get("chunk_size_in_secs", 0.08)
        if not math.isclose(self.chunk_size_in_secs / 0.08, round(self.chunk_size_in_secs / 0.08)):
            raise ValueError("Chunk size must be a multiple of 0.08s")
        self.num_frames_per_chunk = round(self.chunk_size_in_secs / 0.08)
        self.max_len = streaming.get("max_len", 8192)
        self.system_prompt = cfg.s2s.get("system_prompt")
        self._streams: dict[int, Any] = {}

    @property
    def special_token_strings(self) -> set[str]:
        """Markers that are part of the text, and are not said."""
        strings: set[str] = self.s2s_model.special_token_strings
        return strings

    @property
    def output_capabilities(self) -> Any:
        """Which heads the checkpoint has."""
        return self.s2s_model.output_capabilities

    def generate_step(self, frames: Sequence[Any]) -> list[GenerateStepOutput]:
        for frame in frames:
            if frame.is_first:
                self._init_state(frame.stream_id, frame.options or S2SRequestOptions())
        if len(frames) != 1:
            raise ValueError("StreamingS2SPipeline supports a single stream (batch_size must be 1)")
        (frame,) = frames
        if not frame.samples.numel():
            self._end(frame)
            return [GenerateStepOutput(frame.stream_id, torch.empty(1, 0))]
        with torch.inference_mode():
            return [self._step(frame)]

    def _init_state(self, stream_id: int, options: S2SRequestOptions) -> None:
        if stream_id in self._streams:
            raise RuntimeError(f"Stream {stream_id} is already active.")
        self._streams[stream_id] = state = self.s2s_model.create_decode_state(self.max_len)
        prompt = self.system_prompt if options.system_prompt is None else options.system_prompt
        self.s2s_model.begin_stream(state, prompt, request_id=str(stream_id))

    def _step(self, frame: Any) -> GenerateStepOutput:
        state = self._streams.get(frame.stream_id)
        if state is None:
            raise RuntimeError(f"No state initialized for stream {frame.stream_id}.")
        if frame.samples.dtype != torch.float32 or frame.samples.dim() != 1:
            raise TypeError("samples must be float32 [n]")
        if state.frame_idx + self.num_frames_per_chunk > self.max_len:
            raise RuntimeError("Context maximum length exceeded.")
        sound = self.s2s_model.infer_one_step(frame.samples.unsqueeze(0), self.num_frames_per_chunk, state)
        state.frame_idx += self.num_frames_per_chunk
        self._end(frame)
        return GenerateStepOutput(frame.stream_id, *sound)

    def _end(self, frame: Any) -> None:
        if frame.is_last:
            self._streams.pop(frame.stream_id, None)
