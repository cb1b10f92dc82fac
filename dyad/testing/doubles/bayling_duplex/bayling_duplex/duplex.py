"""BayLing-Duplex: a stream of tokens of both speakers and of text, and a state that is passed along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from .decoder import AudioDecoder

BLOCK, TEXT = 10, 5
SILENCE, ASSISTANT, PAD, EPAD = 0, 1, 2, 3
WORDS = [b"", b"", b"", b"", b"oh", b" yes", b" no", b" I do", b" ok", b" \xc3", b"\xa9"]
HALF, REST = 9, 10  # of a letter that two tokens spell
LOUD = 0.02


@dataclass
class DuplexStreamEvent:
    """A text token, or the audio tokens of a block."""

    kind: str
    block_index: int
    token_id: int | None = None
    text: str | None = None
    audio_tokens: list[int] = field(default_factory=list)
    assistant_started: bool = False
    assistant_finished: bool = False
    stop_requested: bool = False


@dataclass
class DuplexStreamState:
    """What a dialogue is made of."""

    text_tokens: list[int] = field(default_factory=list)
    audio_tokens: list[int] = field(default_factory=list)
    user_audio_tokens: list[int] = field(default_factory=list)
    past_key_values: Any = None
    current_position: int = 0
    assistant_count: int = 0
    epad_count: int = 0
    block_index: int = 0
    completed_blocks: int = 0
    stop_requested: bool = False


class Tokenizer:
    """Spells bytes; what is no whole character becomes U+FFFD."""

    def decode(self, token_ids: list[int], skip_special_tokens: bool = False) -> str:
        """Return the text of tokens."""
        return b"".join(WORDS[token] for token in token_ids).decode(errors="replace")


class BayLingDuplex:
    """Says the clicks that it hears back in the same block, and a word for a loud one."""

    sample_rate, output_sample_rate = 16_000, 22_050

    def __init__(
        self,
        model_path: str,
        speech_tokenizer_path: str,
        decoder_path: str | None = None,
        interleave_ratio: str = "10:5:10",
        device: str | None = None,
        torch_dtype: str | None = "auto",
        audio_vocab_size: int = 16_384,
    ) -> None:
        """The paths are folders of weights."""
        if interleave_ratio != "10:5:10":
            raise ValueError(f"Invalid interleave ratio: {interleave_ratio}")
        self.tokenizer = Tokenizer()
        self.decoder = None if decoder_path is None else AudioDecoder()

    def create_stream_state(self) -> DuplexStreamState:
        """Return the state of a new dialogue."""
        return DuplexStreamState()

    def tokenize_audio(self, audio: tuple[torch.Tensor, int]) -> tuple[list[int], float]:
        """Return a token per 80 ms of float32 [1, n], and the duration in seconds."""
        waveform, rate = audio
        if rate != self.sample_rate or waveform.dim() != 2 or waveform.dtype != torch.float32:
            raise ValueError(f"audio must be float32 [1, n] at {self.sample_rate} Hz")
        frames = waveform[0].split(1_280)  # type: ignore[no-untyped-call]
        return [_token(frame) for frame in frames], waveform.shape[1] / rate

    def stream_audio_tokens(
        self,
        user_audio_tokens: Sequence[int],
        state: DuplexStreamState | None = None,
        temperature: float = 0.8,
        top_p: float = 0.8,
        silence_penalty: float = 0.0,
        max_epad_count: int = 1,
    ) -> Iterator[DuplexStreamEvent]:
        """Yield five text events and one of audio for each ten tokens."""
        state = state or self.create_stream_state()
        whole = len(user_audio_tokens) // BLOCK * BLOCK
        for start in range(0, 0 if state.stop_requested else whole, BLOCK):
            heard = list(user_audio_tokens[start : start + BLOCK])
            state.user_audio_tokens += heard
            for index in range(TEXT):
                token = _next_text(state, sum(map(bool, heard)), index)
                yield _written(state, token, self.tokenizer.decode([token]), max_epad_count)
            state.audio_tokens += heard
            state.current_position += 2 * BLOCK + TEXT
            yield DuplexStreamEvent("audio", state.block_index, audio_tokens=heard)
            state.block_index += 1
            state.completed_blocks += 1
            if state.stop_requested:
                return

    def stream_tokens_to_audio(
        self, audio_tokens: Sequence[int], stream_id: str, finalize: bool = False
    ) -> torch.Tensor:
        """Return float [1, n] at 22.05 kHz: what is ready of a stream."""
        if self.decoder is None:
            raise RuntimeError("Audio decoder is not loaded.")
        if not audio_tokens:
            return torch.zeros(1, 0)
        return self.decoder.token2wav(torch.tensor([list(audio_tokens)]), stream_id, finalize)[0]


def _token(frame: torch.Tensor) -> int:
    """Return the place of a frame's peak, counted from 1; 0 for silence."""
    peak = int(frame.abs().argmax())
    return peak + 1 if float(frame[peak].abs()) > LOUD else 0


def _next_text(state: DuplexStreamState, clicks: int, index: int) -> int:
    """A reply begins and ends with a block; between, it has a word, é for two clicks, and is padded."""
    talks = state.assistant_count > state.epad_count
    if index == 0 and bool(clicks) != talks:
        return ASSISTANT if clicks else EPAD
    if not talks:
        return SILENCE
    if clicks > 1 and index in (1, 2):
        return HALF if index == 1 else REST
    return 4 + int(torch.multinomial(torch.ones(5), 1)) if index == 1 else PAD


def _written(state: DuplexStreamState, token: int, text: str, most: int) -> DuplexStreamEvent:
    state.text_tokens.append(token)
    state.assistant_count += token == ASSISTANT
    state.epad_count += token == EPAD
    state.stop_requested |= state.epad_count >= most
    return DuplexStreamEvent(
        "text",
        state.block_index,
        token,
        text,
        assistant_started=token == ASSISTANT,
        assistant_finished=token == EPAD,
        stop_requested=state.stop_requested,
    )
