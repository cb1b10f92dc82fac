"""Text and sound as the model takes them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

SPECIAL = [
    *("<|listen|>", "<|speak|>", "<|tts_bos|>", "<|tts_eos|>", "<|tts_pad|>", "<|chunk_eos|>"),
    *("<|chunk_tts_eos|>", "<|turn_eos|>", "<unit>", "</unit>"),
    *("<|im_start|>", "<|im_end|>", "<|audio_start|>", "<|audio_end|>"),
]
WORDS = [*("oh", "yes", "no", "I", "do", "so", "it", "is", "ok"), *("but", "me", "we", "go", "on", "my")]
FIRST = "first"  # told to speak so, it begins by itself
VOCABULARY = [*SPECIAL, *WORDS, FIRST, "<unk>"]


class Tokenizer:
    """One token a word."""

    eos_token_id = 0
    unk_token_id = len(VOCABULARY) - 1

    def convert_tokens_to_ids(self, token: str) -> int:
        """Return the number of a token."""
        return VOCABULARY.index(token) if token in VOCABULARY else self.unk_token_id

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """Return the numbers of a text's words."""
        return [self.convert_tokens_to_ids(word) for word in re.findall(r"<[^<>\s]+>|\w+", text)]

    def decode(self, ids: list[int], skip_special_tokens: bool = False) -> str:
        """Return the text of tokens."""
        shown = [VOCABULARY[token] for token in ids]
        return "".join(f" {word}" for word in shown if not (skip_special_tokens and word in SPECIAL))


class AudioProcessor:
    """Scales sound in one of two ways, and remembers which: long sound differs from a stream's beginning."""

    scale = 1.0

    def __call__(self, audio: Any) -> Any:
        return self.scale * audio


class StreamingMel:
    """Takes a stream piece by piece; the first one has a length of its own."""

    def __init__(self, extractor: AudioProcessor, chunk_ms: int, first_chunk_ms: int) -> None:
        self.feature_extractor, self.is_first = extractor, True
        self._chunk, self._first = 16 * chunk_ms, 16 * first_chunk_ms // 160 * 160

    def get_chunk_size(self) -> int:
        """Return how many samples come next."""
        return self._first if self.is_first else self._chunk

    def process(self, audio: Any) -> Any:
        """Return the last second of a piece."""
        self.is_first, self.feature_extractor.scale = False, 0.5
        return 2.0 * self.feature_extractor(audio[-self._chunk :])


class MiniCPMOProcessor:
    """Tokenizer and audio processor, with the state of one stream."""

    def __init__(self) -> None:
        self.tokenizer, self.audio_processor = Tokenizer(), AudioProcessor()
        self.set_streaming_mode()

    def set_streaming_mode(self, chunk_ms: int = 100, first_chunk_ms: int = 100) -> None:
        """Begin a stream."""
        self._streaming_mel_processor = StreamingMel(self.audio_processor, chunk_ms, first_chunk_ms)

    def get_streaming_chunk_size(self) -> int:
        """Return how many samples the stream takes next."""
        return self._streaming_mel_processor.get_chunk_size()

    def process_audio(self, audios: list[Any]) -> Any:
        """Return whole recordings."""
        return self.audio_processor(np.concatenate(audios))

    def process_audio_streaming(self, audio_chunk: Any) -> Any:
        """Return the next piece of a stream."""
        return self._streaming_mel_processor.process(audio_chunk)
