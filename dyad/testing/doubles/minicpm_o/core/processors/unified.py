"""Loads the model once, and prepares conversations as the demo does."""

from __future__ import annotations

from typing import Any

import numpy as np
import soundfile


class DuplexView:
    """Full-duplex conversations."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def prepare(
        self,
        system_prompt_text: str | None = None,
        ref_audio_path: str | None = None,
        prompt_wav_path: str | None = None,
    ) -> str:
        """Begin a conversation with a role and the recording of a voice."""
        text = "Streaming Omni Conversation." if system_prompt_text is None else system_prompt_text
        prompt: str = self._model.duplex_prepare(
            prefix_system_prompt=f"<|im_start|>system\n{text}\n<|audio_start|>",
            suffix_system_prompt="<|audio_end|><|im_end|>",
            ref_audio=_load(ref_audio_path) if ref_audio_path else None,
            prompt_wav_path=prompt_wav_path or ref_audio_path,
        )
        return prompt


class UnifiedProcessor:
    """Owns the model, which is gone with it."""

    def __init__(self, model_path: str, pt_path: str | None = None, device: str = "cuda") -> None:
        from MiniCPMO45.modeling_minicpmo_unified import MiniCPMO  # type: ignore[import-not-found]

        self.model = MiniCPMO.from_pretrained(model_path, trust_remote_code=True)
        self.model.init_unified(pt_path=pt_path, device=device)

    def set_duplex_mode(self) -> DuplexView:
        """Forget what other modes left, and return this one's view."""
        self.model.reset_session()
        return DuplexView(self.model)


def _load(path: str) -> Any:
    """Read a recording as mono at 16 kHz."""
    audio, rate = soundfile.read(path, dtype="float32", always_2d=True)
    mono = audio.mean(axis=1)
    at = np.arange(len(mono) * 16_000 // rate) * rate / 16_000
    return np.interp(at, np.arange(len(mono)), mono).astype(np.float32)
