"""The tokens that are structure, at upstream's ids."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SpecialToken:
    """An id and its text."""

    id: int
    text: str


IM_START = SpecialToken(151644, "<|im_start|>")
IM_END = SpecialToken(151645, "<|im_end|>")
AUDIO_START = SpecialToken(151669, "<|audio_start|>")
AUDIO_END = SpecialToken(151670, "<|audio_end|>")
SPEAKER_EMBEDDING_PLACEHOLDER = SpecialToken(151671, "<|speaker_embedding_placeholder|>")
DUPLEX_SIL = SpecialToken(151672, "<|audio_output_sil|>")
AUDIO_OUTPUT_BC = SpecialToken(151673, "<|audio_output_backchannel|>")
AUDIO_OUTPUT_PLACEHOLDER = SpecialToken(151675, "<|audio_output_placeholder|>")
AUDIO_INPUT_PLACEHOLDER = SpecialToken(151676, "<|audio_input_placeholder|>")
AUDIO_OUTPUT_PAD = SpecialToken(151677, "<|audio_output_pad|>")
AUDIO_OUTPUT_END_PAD = SpecialToken(151678, "<|audio_output_end_pad|>")
PAD = SpecialToken(151679, "<|endoftext|>")

ALL_SPECIAL_TOKENS = [value for value in list(globals().values()) if isinstance(value, SpecialToken)]
