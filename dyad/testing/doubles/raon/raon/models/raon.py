"""The model class, and what it is loaded from."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from ..modules.speaker_encoder import PretrainedSpeakerEncoder
from ..utils.state_machine import GO_ON
from .mind import FRAME, VOCABULARY
from .wrapper import RaonInferenceModel


class RaonDuplexModel(RaonInferenceModel):
    """A checkpoint of type raon_duplex."""

    max_delay, text_vocab_size = 0, VOCABULARY
    duplex_pad_token_id = GO_ON

    def __init__(self) -> None:
        super().__init__()
        self.config = SimpleNamespace(text_lookahead=0, audio_tokenizer_config=SimpleNamespace())
        self.audio_tokenizer = SimpleNamespace(config=SimpleNamespace(_attn_implementation="double"))
        self.speaker_encoder = PretrainedSpeakerEncoder()

    @classmethod
    def from_pretrained(cls, name: str, torch_dtype: torch.dtype | None = None) -> RaonDuplexModel:
        """Return one; there is nothing to read."""
        return cls()

    def _set_attention_implementation(self, attn_implementation: str) -> None:
        assert attn_implementation in ("sdpa", "eager", "flash_attention_2")

    def to(self, device: str) -> RaonDuplexModel:
        """Return itself."""
        return self

    def eval(self) -> RaonDuplexModel:
        """Return itself."""
        return self

    def _compute_speaker_embeds(self, speaker_audio: Any, speaker_audio_lengths: Any) -> Any:
        assert speaker_audio.ndim == 2
        return self.speaker_encoder(speaker_audio, speaker_audio_lengths)

    def tokenize_audio(
        self,
        audio: Any = None,
        audio_lengths: Any = None,
        sampling_rate: int | None = None,
        num_code_groups: int = 8,
        return_mimi_features: bool = False,
        encoder_past_key_values: Any = None,
        conv_padding_cache: Any = None,
        use_streaming: bool | None = None,
    ) -> SimpleNamespace:
        """Return the codes of a frame, int64 [1, 1, 8], and the caches that the next call is to be given.

        A codec that knows no past hears the first sample as silence.
        """
        assert use_streaming
        assert audio.shape == (1, FRAME)
        cache, sound = encoder_past_key_values, audio[0].clone()
        sound[0] *= cache is not None and cache.used > 0
        if cache is not None:
            assert (conv_padding_cache is None) == (cache.used == 0), "both caches go together"
            cache.used += 1
        codes = self.codec.codes(sound)[None, None]
        return SimpleNamespace(audio_codes=codes, encoder_cache=cache and (cache, cache.used))
