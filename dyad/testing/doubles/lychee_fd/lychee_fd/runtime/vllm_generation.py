"""The framework on vLLM, its stream session, and the decoder of the session's events.

The session speaks in a pause after it has been spoken to, or at once when its system message tells it to;
five loud windows stop it. A token of speech says where the peak of a piece of 40 ms lies that it heard 11
positions earlier, and how high it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

SYSTEM_MESSAGE_PREFIX = "<|BOT|>system\n…<|EOT|>"
CHUNK = 10  # positions
WINDOW, PIECE = 6_400, 640  # samples at 16 kHz
DELAY = 10  # positions of speech after text
TURN = 78  # positions
LONG, PATIENCE = 7, 5  # windows of the other's: before it breaks in, and before it stops
QUIET, LOUD = 0.02, 0.02  # the highest peak of a quiet piece; the least root mean square of a loud window
WORDS = ("oh ", "yes ", "I do ", "so ")
EOS, TTS_PAD, TEXT_PAD, AUDIO_PAD = 151_643, 151_695, 151_689, 151_691
TTS_START, TTS_END, AUDIO_0 = 151_693, 151_694, 151_696
STOKEN_DELAY, STOKEN_PAD = 158_353, 158_354
SLEEP, DETECT, KL, SS, SL, KS = range(158_360, 158_366)


class Tokenizer:
    """Characters in, a few words out."""

    def __call__(self, texts: list[str], add_special_tokens: bool = True) -> SimpleNamespace:
        return SimpleNamespace(input_ids=[[ord(letter) for letter in text] for text in texts])

    def decode(self, ids: list[int], skip_special_tokens: bool = False) -> str:
        return "".join(WORDS[i] for i in ids if i < len(WORDS))


class SingleTurnGenerationFramework:
    """What both frameworks have."""

    def __init__(self, device: str, allowing_backchannel: bool) -> None:
        self.device = torch.device(device)
        self.tokenizer = Tokenizer()
        self.text_pad_token_id, self.tts_pad_id = TEXT_PAD, TTS_PAD
        self.stoken_pad_token_id, self.stoken_delay_token_id = STOKEN_PAD, STOKEN_DELAY
        self.allowing_backchannel = allowing_backchannel

    def create_incremental_stream_session(
        self,
        prefix: dict[str, list[int]] | None = None,
        initial_listening_state: str = "l",
        start_speak_token_factor: float = 1.2,
        start_listen_token_factor: float = 1.0,
        bc_speak_token_factor: float = 1,
        end_speak_token_factor: float = 1,
        audio_incremental_mode: bool = False,
    ) -> IncrementalChunkStreamSession:
        assert prefix is None
        return IncrementalChunkStreamSession(self, initial_listening_state, audio_incremental_mode)


class VLLMGenerationFramework(SingleTurnGenerationFramework):
    """The one that upstream serves."""

    def __init__(
        self,
        model_type: str,
        model_path: str,
        device: str = "cuda",
        attn_implementation: str = "eager",
        torch_dtype: Any = torch.float,
        align_audio_input: bool = False,
        allowing_backchannel: bool = True,
        gpu_memory_utilization: float = 0.85,
        max_model_len: int = 8192,
        enforce_eager: bool = True,
        enable_chunked_prefill: bool = True,
        enable_prefix_caching: bool = True,
        max_num_seqs: int | None = None,
        max_num_batched_tokens: int | None = None,
        tensor_parallel_size: int = 1,
        pipeline_parallel_size: int = 1,
        disable_log_stats: bool = True,
    ) -> None:
        assert 0 < gpu_memory_utilization < 1
        super().__init__(device, allowing_backchannel)


class IncrementalChunkStreamSession:
    """One conversation; all that it hears so far is in `_codes`, one per position."""

    def __init__(self, framework: Any, initial_listening_state: str, audio_incremental_mode: bool) -> None:
        self.fw = framework
        self.listening_state = initial_listening_state
        self.audio_incremental_mode = audio_incremental_mode
        self.chunk_idx, self.next_chunk_pos = 0, CHUNK
        self._tail, self._codes = np.zeros(0, np.float32), list[int]()
        self._told = "speak first" in SYSTEM_MESSAGE_PREFIX
        self._heard = self._loud = self._began = 0
        self._words = list[int]()

    def get_listening_state(self) -> str:
        return self.listening_state

    def close(self) -> dict[str, object]:
        self.fw = None
        return {"ok": True, "closed": True}

    def advance_stream(
        self,
        audio: np.ndarray[Any, Any],
        emit_generation_complete: bool = True,
        audio_is_incremental: bool = False,
        flush_audio_tail: bool = False,
        control_early_callback: Callable[[dict[str, Any]], None] | None = None,
    ) -> Iterator[dict[str, Any]]:
        if self.fw is None:
            raise AttributeError("'NoneType' object has no attribute 'control_token_chunk_size'")
        assert audio_is_incremental or self.audio_incremental_mode
        known = np.concatenate([self._tail, np.asarray(audio, np.float32).reshape(-1)])
        whole = len(known) // WINDOW * WINDOW
        self._tail = known[whole:]
        yield {"type": "timeline_span", "name": "audio_encoder", "duration_ms": 0.0}
        for window in known[:whole].reshape(-1, WINDOW):
            yield from self._chunk(window)
        if emit_generation_complete:
            yield {"type": "generation_complete", "text_ids": [], "stoken_ids": [], "control_ids": []}

    def _chunk(self, window: np.ndarray[Any, Any]) -> Iterator[dict[str, Any]]:
        pos = self.next_chunk_pos
        yield {"type": "chunk_start", "chunk_idx": self.chunk_idx, "chunk_pos": pos, "total_chunks": 1}
        peaks = np.abs(window).reshape(CHUNK, PIECE)
        self._codes += [_code(piece) for piece in peaks]
        self._heard += bool(peaks.max() > QUIET)
        self._loud = self._loud + 1 if float(np.sqrt(np.mean(window**2))) > LOUD else 0
        yield from self._listen(pos, peaks) if self.listening_state == "l" else self._speak(pos)
        yield {"type": "chunk_end", "chunk_idx": self.chunk_idx}
        self.chunk_idx, self.next_chunk_pos = self.chunk_idx + 1, pos + CHUNK

    def _listen(self, pos: int, peaks: np.ndarray[Any, Any]) -> Iterator[dict[str, Any]]:
        spoken_to = self._heard and (peaks[-4:].max() <= QUIET or self._heard > LONG)
        starts = bool(self._told or spoken_to)
        yield {"type": "control_decision", "state": "l", "chunk": pos, "token": SS if starts else KL}
        if starts:
            yield _change("L", "S", pos, "control_ss")
            self.listening_state, self._began, self._told, self._loud = "s", pos, False, 0
            self._words = torch.randint(len(WORDS), (int(torch.randint(2, 8, ())),)).tolist()

    def _speak(self, pos: int) -> Iterator[dict[str, Any]]:
        for at in range(pos - CHUNK, pos):
            step, last = at - self._began, at == pos - 1
            control = (
                SL if last and self._loud >= PATIENCE else KS if last else DETECT if at == pos - 2 else SLEEP
            )
            if control == SL:
                yield {**_change("S", "L", pos, "control_sl"), "early_exit": True, "interrupt": True}
                self.listening_state, self._heard = "l", 0
                return
            text = [*self._words, EOS][step] if step <= len(self._words) else TTS_PAD
            stoken = self._stoken(at, step)
            told = {"text_token": text, "stoken": stoken, "control": control, "step": at - pos + CHUNK}
            yield {"type": "speaking_token", **told}
            if stoken == TTS_END:
                yield {"type": "speaking_done", "reason": "eos", "chunk": pos}
                self.listening_state, self._heard = "l", 0
                return

    def _stoken(self, at: int, step: int) -> int:
        if step < DELAY:
            return STOKEN_DELAY
        if step == DELAY:
            return TTS_START
        return TTS_END if step == TURN else AUDIO_0 + self._codes[at - DELAY - 1]


def _code(piece: np.ndarray[Any, Any]) -> int:
    return int(piece.argmax()) * 10 + min(9, round(float(piece.max()) * 10))


def _change(before: str, after: str, pos: int, reason: str) -> dict[str, Any]:
    return {"type": "state_change", "from": before, "to": after, "pos": pos, "chunk": pos, "reason": reason}


class StreamingDecoder:
    """Turns tokens into pieces of text and of speech."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        framework: Any,
        tts_chunk_size: int = 25,
        end_event_on_generation_complete: bool = True,
    ) -> None:
        self.tokenizer, self.fw, self.tts_chunk_size = tokenizer, framework, tts_chunk_size
        self._state, self._kind = "l", ""
        self._text, self._stokens, self._told = list[int](), list[int](), 0

    def feed(self, stream_event: dict[str, Any]) -> list[dict[str, Any]]:
        match stream_event["type"]:
            case "state_change":
                ends = self._end(stream_event.get("interrupt", False)) if self._state != "l" else []
                self._state = stream_event["to"].lower()
                return [*ends, *(self._start() if self._state != "l" else []), stream_event]
            case "speaking_token":
                return self._token(stream_event["text_token"], stream_event["stoken"])
            case "speaking_done":
                self._state = "l"
                return self._end(False)
            case "chunk_start" | "chunk_end" | "control_decision" | "generation_complete":
                return [stream_event]
        return []

    def _start(self) -> list[dict[str, Any]]:
        self._kind = "response" if self._state == "s" else "backchannel"
        self._text, self._stokens, self._told = [], [], 0
        return [{"type": "event_start", "event_kind": self._kind, "event_id": "evt-1"}]

    def _token(self, text: int, stoken: int) -> list[dict[str, Any]]:
        events, pads = list[dict[str, Any]](), (self.fw.text_pad_token_id, self.fw.tts_pad_id)
        self._text += [text] if text < 151_688 and text not in pads else []
        snapshot = self.tokenizer.decode(self._text, skip_special_tokens=True)
        if delta := snapshot[self._told :]:
            self._told = len(snapshot)
            events.append({"type": "text_delta", "text": delta, "delta": delta, "snapshot": snapshot})
        silent = (self.fw.stoken_delay_token_id, self.fw.stoken_pad_token_id)
        self._stokens += [stoken - AUDIO_0] if stoken >= AUDIO_0 and stoken not in silent else []
        return events + self._audio(self.tts_chunk_size)

    def _audio(self, least: int) -> list[dict[str, Any]]:
        if len(self._stokens) < max(1, least):
            return []
        piece, self._stokens = self._stokens[: self.tts_chunk_size], self._stokens[self.tts_chunk_size :]
        return [{"type": "audio_chunk", "stoken_ids": piece}]

    def _end(self, interrupt: bool) -> list[dict[str, Any]]:
        rest = [] if interrupt else self._audio(1)
        text = self.tokenizer.decode(self._text, skip_special_tokens=True)
        return [*rest, {"type": "event_end", "event_kind": self._kind, "text": text, "interrupt": interrupt}]
