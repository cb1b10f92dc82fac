"""The model: in every frame of 80 ms it hears 1,280 samples at 16 kHz and says 1,764 at 22.05 kHz.

It talks in a pause after it has been spoken to, or at once when it is told to; ten loud frames stop it. While
it talks, what it heard one frame earlier sounds again at half its level, over a hum and a breath.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

HEARD, SAID = 1_280, 1_764  # samples of a frame
QUIET, LOUD = 0.02, 0.02  # the highest peak of a quiet frame; the least root mean square of a loud one
TURN, WORD, LONG, PATIENCE = 40, 4, 20, 10  # frames
WORDS = (" oh", " yes", " I do", " so")
BOS, EOS, PAD = "<s>", "</s>", "<SPECIAL_12>"
SPEAKERS = ("Aria",)
RELEASE, LLM = "NVIDIA-NemotronLabs-VoiceChat-11B", "nvidia/NVIDIA-Nemotron-Nano-9B-v2"


@dataclass
class StreamingDecodeState:
    """One stream; `turn` counts the frames of its turn and is −1 while it listens."""

    prompt: str = ""
    frame_idx: int = 0
    turn: int = -1
    loud: int = 0  # frames one after another
    heard: int = 0  # frames one after another that were not quiet
    before: Any = field(default_factory=lambda: torch.zeros(HEARD))


class NemotronVoicechatInferenceWrapper:
    """Holds the weights; what changes is in the state of a stream."""

    def __init__(self, model_cfg: Any) -> None:
        if not model_cfg.get("model_path"):
            raise ValueError("`model_cfg.model_path` must be provided.")
        if model_cfg.get("speaker_reference"):
            raise ValueError("s2s.speaker_reference is not supported.")
        if model_cfg.get("speaker_name") not in SPEAKERS:
            raise ValueError(f"Unknown speaker_name {model_cfg.get('speaker_name')!r}.")
        self.device = torch.device(model_cfg.device)
        self.decode_audio = bool(model_cfg.get("decode_audio", True))
        stt = _loaded(model_cfg.model_path)
        self.output_capabilities = SimpleNamespace(
            has_asr_head=stt["predict_user_text"], has_function_head=stt["use_function_head"]
        )
        self.special_token_strings = {PAD, BOS, EOS, "^", "$"}

    def create_decode_state(self, max_len: int) -> StreamingDecodeState:
        return StreamingDecodeState()

    def begin_stream(
        self, state: StreamingDecodeState, system_prompt: str | None, *, request_id: str
    ) -> None:
        state.prompt = system_prompt or ""

    def infer_one_step(
        self, audio_input: Any, num_frames_per_chunk: int, state: StreamingDecodeState
    ) -> tuple[Any, str, str, str]:
        """Return sound [1, 1764], own text, the other's text and the text of functions."""
        assert audio_input.shape == (1, HEARD)
        now, heard = audio_input[0], state.heard + 1 if audio_input.abs().max() > QUIET else 0
        asr = "^ la" if heard == 1 else "$" if state.heard and not heard else ""
        asr = asr if self.output_capabilities.has_asr_head else ""
        state.loud = state.loud + 1 if float(now.square().mean().sqrt()) > LOUD else 0
        told = state.frame_idx == 0 and "speak first" in state.prompt
        starts = state.turn < 0 and bool(told or (state.heard and not heard) or heard > LONG)
        text = self._turn(state, starts)
        sound = self._sound(state.before) if state.turn >= 0 else torch.zeros(SAID)
        state.before, state.heard = now.clone(), heard
        return sound.unsqueeze(0), text, asr, " up" if starts else ""

    def _turn(self, state: StreamingDecodeState, starts: bool) -> str:
        """Move a turn on by a frame, and return what is written in it."""
        if starts:
            state.turn, state.loud = 0, 0
            return BOS
        if state.turn < 0:
            return PAD
        state.turn += 1
        if state.turn == TURN or state.loud >= PATIENCE:
            state.turn = -1
            return EOS
        return WORDS[int(torch.randint(len(WORDS), ()))] if state.turn % WORD == 1 else PAD

    def _sound(self, heard: Any) -> Any:
        hum = 0.05 * torch.sin(torch.arange(SAID) * (24 * torch.pi / SAID))  # whole periods, of 150 Hz
        sound = hum + 1e-4 * torch.randn(SAID)
        places = (torch.arange(HEARD) * SAID / HEARD).round().long().clamp(max=SAID - 1)
        return sound.index_add(0, places, 0.5 * heard.cpu())


def _loaded(model_path: str) -> dict[str, Any]:
    """Return the settings of the language model; everything that they name must be on this machine."""
    file = Path(model_path) / "config.json"
    if not file.is_file():
        raise RuntimeError(f"Missing config.json file for model_id={model_path!r}")
    if not file.with_name("model.safetensors").is_file():
        raise RuntimeError(f"Missing model.safetensors file for model_id={model_path!r}")
    model = json.loads(file.read_text("utf-8"))["model"]
    stt: dict[str, Any] = model["stt"]["model"]
    known = stt["pretrained_llm"] == LLM and stt["use_function_head"] and not stt["predict_user_text"]
    if not (known or Path(model_path).name == RELEASE or "source_sample_rate" in stt):
        raise AttributeError("Missing key source_sample_rate")  # the release has it elsewhere
    for source in (stt["pretrained_llm"], model["speech_generation"]["model"]["pretrained_lm_name"]):
        _tokenizer(source)
    return stt


def _tokenizer(source: str) -> None:
    """Look for configuration and tokenizer of a language model; the hub cannot be reached."""
    for name in ("config.json", "tokenizer.json"):
        if not (Path(source) / name).is_file():
            raise OSError(
                "We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find "
                f"{source} in the cached files."
            )
