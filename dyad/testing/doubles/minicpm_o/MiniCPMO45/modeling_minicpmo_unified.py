"""The model for duplex talk: its language model of a few words, and the calls that a unit takes."""

from __future__ import annotations

import copy
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np

from .processing_minicpmo import FIRST, SPECIAL, VOCABULARY, WORDS, MiniCPMOProcessor, Tokenizer
from .utils import Place, StreamDecoder

SOUND, LOUD = -1, 0.01  # the token of a place of sound, and the level of speech
AUDIO_TOKENS = 25  # of a second
MOST_TOKENS, MOST_LETTERS = 20, 28  # of one unit


def _id(token: str) -> int:
    return Tokenizer().convert_tokens_to_ids(token)


class Qwen3ForCausalLM:
    """Answers when the other pauses or talks long, begins when told to, would listen when spoken over."""

    def __call__(self, cache: list[Place]) -> tuple[Any, Any]:
        """Return logits [1, vocabulary] of the next token, and the sound of this unit, float32 [16000]."""
        import torch

        unit = _since(cache, _id("<unit>"))
        heard = [place for place in unit if place.token == SOUND]
        sound = np.concatenate([np.zeros(0, np.float32), *(place.sound for place in heard)])
        logits = torch.full((1, len(VOCABULARY)), -20.0)
        for token, value in self._next(cache, unit, [place.level > LOUD for place in heard]).items():
            logits[0, _id(token)] = value
        return logits, sound

    def _next(self, cache: list[Place], unit: list[Place], loud: list[bool]) -> dict[str, float]:
        tokens = [place.token for place in cache]
        turn = [place.token for place in _since(cache, _id("<|speak|>"))]
        in_turn = _id("<|speak|>") in tokens and _id("<|turn_eos|>") not in turn
        if unit and unit[-1].token == SOUND:
            spoken_over = any(loud[-2:])
            if in_turn:
                return {"<|listen|>" if spoken_over else "<|speak|>": 10.0}
            begins = _id(FIRST) in tokens and _id("<|speak|>") not in tokens
            lately = [place.level > LOUD for place in cache if place.token == SOUND][-20:]
            answers = any(loud) and (not spoken_over or sum(lately) > 14)
            return {"<|speak|>" if begins or answers else "<|listen|>": 10.0}
        if not in_turn:
            return {"<|chunk_eos|>": 20.0}
        said, before = _words(place.token for place in unit), _words(_of_turn(tokens))
        ends = {"<|turn_eos|>": before - 1.0} if before > 5 else {}
        pause = {"<|chunk_eos|>": 2.0 * said} if said > 1 else {}
        return dict.fromkeys(WORDS, 5.0) | {_favourite(cache): 6.0} | ends | pause


def _since(cache: list[Place], token: int) -> list[Place]:
    """Return what follows the last place of a token; all where there is none."""
    last = next((at for at in reversed(range(len(cache))) if cache[at].token == token), -1)
    return cache[last + 1 :]


def _favourite(cache: list[Place]) -> str:
    """Return the word that goes with a voice."""
    level = next((place.level for place in cache if place.token == SOUND), 0.0)
    return WORDS[int(1000 * level) % len(WORDS)]


def _of_turn(tokens: list[int]) -> list[int]:
    ends = [at for at, token in enumerate(tokens) if token in (_id("<|turn_eos|>"), _id("<|listen|>"))]
    return tokens[ends[-1] :] if ends else tokens


def _words(tokens: Any) -> int:
    return sum(len(SPECIAL) <= token < len(VOCABULARY) - 2 for token in tokens)


class MiniCPMTTS:
    """Says what was heard, as many tokens as there is text for."""

    audio_tokenizer: Any = None

    def generate_chunk(
        self, inputs_embeds: list[Any], min_new_tokens: int, max_new_token: int, past_key_values: int | None
    ) -> tuple[list[Any], int]:
        """Return tokens, each 960 samples at 24 kHz, and the memory of the turn."""
        count = min(max(5 * len(inputs_embeds) + 5, min_new_tokens - 1), max_new_token - 1)
        sound = inputs_embeds[-1] if inputs_embeds else np.zeros(16_000, np.float32)
        said = -0.5 * sound[np.arange(24_000) * 2 // 3].reshape(AUDIO_TOKENS, -1)
        return list(said[:count]), (past_key_values or 0) + count


class MiniCPMO:
    """The whole model."""

    CHUNK_MS, FIRST_CHUNK_MS, SAMPLE_RATE = 1000, 1035, 16_000

    @classmethod
    def from_pretrained(cls, path: str, trust_remote_code: bool = False) -> MiniCPMO:
        """Load nothing."""
        return cls()

    def __init__(self) -> None:
        self.llm, self.tts = Qwen3ForCausalLM(), MiniCPMTTS()
        self.config = SimpleNamespace(_attn_implementation="eager")
        self.processor = MiniCPMOProcessor()
        self.duplex: DuplexCapability | None = None
        self.reset_session()

    def children(self) -> list[Any]:
        """Return the parts that have weights."""
        return [self.llm, self.tts]

    def reset_session(self, reset_token2wav_cache: bool = True) -> None:
        """Forget a conversation of another mode."""
        self.audio_past_key_values: float | None = None

    def init_unified(self, pt_path: str | None = None, device: str = "cuda") -> None:
        """Load the vocoder, and make ready for one conversation."""
        from stepaudio2 import Token2wav  # type: ignore[import-not-found]

        self.tts.audio_tokenizer = Token2wav("assets/token2wav", n_timesteps=5)
        self.duplex = DuplexCapability(model=self, device=device)

    def init_streaming_processor(self) -> None:
        """Begin a stream of sound."""
        self.processor.set_streaming_mode(self.CHUNK_MS, self.FIRST_CHUNK_MS)

    def get_audio_embedding(self, sound: Any) -> list[Place]:
        """Return a recording as the language model takes it."""
        return [Place(SOUND, float(np.abs(sound).mean()))]

    def get_audio_embedding_streaming(self, sound: Any) -> list[Place]:
        """Return a second of a stream; what the encoder remembers colours it a little."""
        past = self.audio_past_key_values or 0.0
        parts = sound.reshape(10, -1)
        levels = np.sqrt((parts**2).mean(axis=1))
        self.audio_past_key_values = past + float(levels.sum())
        tint = np.float32(0.001 * (past % 1.0))
        return [Place(SOUND, float(level), part + tint) for level, part in zip(levels, parts, strict=True)]

    def duplex_prepare(self, **prompt: Any) -> str:
        """Begin a conversation."""
        return self._ready().prepare(**prompt)

    def duplex_prefill(
        self, audio_waveform: Any = None, frame_list: Any = None, max_slice_nums: int = 1
    ) -> dict[str, Any]:
        """Take a second of sound."""
        return self._ready().streaming_prefill(audio_waveform)

    def duplex_generate(
        self, decode_mode: str = "greedy", force_listen_override: bool = False, **sampling: Any
    ) -> dict[str, Any]:
        """Listen or speak."""
        return self._ready().streaming_generate(decode_mode, force_listen_override, **sampling)

    def duplex_finalize(self) -> None:
        """End the unit."""
        self._ready().finalize_unit()

    def _ready(self) -> DuplexCapability:
        if self.duplex is None:
            raise RuntimeError("duplex is not initialised; call init_unified() first")
        return self.duplex


class DuplexCapability:
    """One conversation."""

    def __init__(
        self,
        model: MiniCPMO,
        generate_audio: bool = True,
        ls_mode: str = "explicit",
        device: str = "cuda",
        **kwargs: Any,
    ) -> None:
        self.model, self.processor, self.tokenizer = model, model.processor, model.processor.tokenizer
        self.break_event, self.session_stop_event = threading.Event(), threading.Event()
        self.force_listen_count = kwargs.get("force_listen_count", 0)
        self.listen_token_id, self.speak_token_id = _id("<|listen|>"), _id("<|speak|>")
        self.turn_eos_token_id, self.chunk_eos_token_id = _id("<|turn_eos|>"), _id("<|chunk_eos|>")
        self.decoder = StreamDecoder(model.llm, self.tokenizer, [_id("<|tts_pad|>")])
        self._reset_streaming_state()

    def _reset_streaming_state(self) -> None:
        self.audio_chunk_idx, self._streaming_generate_count = 0, 0
        self.current_turn_ended = True
        self.audio_buffer = np.zeros(0, np.float32)
        self.pending_logits: Any = None
        self._pending_finalize: list[int] | None = None
        self.tts_text_start_pos = 0
        self.tts_past_key_values: int | None = None
        self.token2wav_initialized = False

    def prepare(
        self,
        prefix_system_prompt: str | None = None,
        suffix_system_prompt: str | None = None,
        ref_audio: Any = None,
        prompt_wav_path: str | None = None,
    ) -> str:
        """Read the role and hear the voice."""
        self._reset_streaming_state()
        self.decoder.reset()
        self.model.init_streaming_processor()
        if prompt_wav_path:
            vocoder = self.model.tts.audio_tokenizer
            vocoder.cache = None
            flow, hift = vocoder.set_stream_cache(prompt_wav_path)
            self._turn_base = {name: part.clone() for name, part in flow.items()}, hift
            self.prompt_wav_path = prompt_wav_path
            self.token2wav_initialized = True
            self._reset_token2wav_for_new_turn()
        self.decoder.feed(self.decoder.embed_tokens(self.tokenizer.encode(prefix_system_prompt or "")))
        if ref_audio is not None:
            self.decoder.feed(self.model.get_audio_embedding(self.processor.process_audio([ref_audio])))
        self.decoder.feed(self.decoder.embed_tokens(self.tokenizer.encode(suffix_system_prompt or "")))
        return (prefix_system_prompt or "") + (suffix_system_prompt or "")

    def _reset_token2wav_for_new_turn(self) -> None:
        vocoder = self.model.tts.audio_tokenizer
        vocoder.stream_cache, vocoder.hift_cache_dict = copy.deepcopy(self._turn_base)
        self.token2wav_buffer: list[Any] = [4218] * 3

    def streaming_prefill(self, audio_waveform: Any = None) -> dict[str, Any]:
        """Take sound; a unit begins even if there is too little."""
        if self._pending_finalize is not None:
            raise RuntimeError("streaming_prefill called before finalize_unit()!")
        if audio_waveform is None or not len(audio_waveform):
            return {"success": False, "reason": ""}
        self.pending_logits = None
        self.decoder.feed(self.decoder.embed_token(_id("<unit>")))
        self.audio_buffer = np.concatenate([self.audio_buffer, audio_waveform])
        first = self.audio_chunk_idx == 0
        if first:
            lacking = max(0, 16 * self.model.FIRST_CHUNK_MS - len(self.audio_buffer))
            self.audio_buffer = np.concatenate([np.zeros(lacking, np.float32), self.audio_buffer])
        need = self.processor.get_streaming_chunk_size()
        if len(self.audio_buffer) < need:
            return {"success": False, "reason": f"needs {need} samples, has {len(self.audio_buffer)}"}
        features = self.processor.process_audio_streaming(self.audio_buffer[:need])
        embeds = self.model.get_audio_embedding_streaming(features)
        self.pending_logits, _ = self.decoder.feed(embeds, return_logits=True)
        self.audio_buffer = self.audio_buffer[need:]
        self.audio_chunk_idx += 1
        return {"success": True, "reason": ""}

    def streaming_generate(self, decode_mode: str, force_listen: bool, **sampling: Any) -> dict[str, Any]:
        """Decide, write and speak."""
        if self.pending_logits is None:
            self._pending_finalize = None
            return self._result()
        logits, self.pending_logits = self.pending_logits, None
        listens = force_listen or self._streaming_generate_count < self.force_listen_count
        self._streaming_generate_count += 1
        if force_listen and not self.current_turn_ended:
            logits, _ = self.decoder.feed(self.decoder.embed_token(self.turn_eos_token_id), True)
            self.current_turn_ended = True
            self._reset_token2wav_for_new_turn()
        if listens:
            self._pending_finalize = [self.listen_token_id, _id("</unit>")]
            return self._result()
        is_listen, ids, states, ends = self._write(logits, decode_mode, sampling)
        if is_listen:
            return self._result(n_tokens=len(ids))
        text = self.tokenizer.decode(ids, skip_special_tokens=True)
        return self._result(False, text, self._speak(states, ends), ends, len(ids))

    def _write(
        self, logits: Any, mode: str, sampling: dict[str, Any]
    ) -> tuple[bool, list[int], list[Any], bool]:
        """Return whether it listens, tokens, what the model knew at each, and whether the turn ends."""
        ids, states, ends, last = list[int](), list[Any](), False, self.chunk_eos_token_id
        for index in range(MOST_TOKENS):
            if index == MOST_TOKENS - 1:
                last = self.chunk_eos_token_id
                break
            last = int(self.decoder.decode(logits=logits, mode=mode, **sampling).item())
            if last == self.listen_token_id and not self.current_turn_ended:
                last = _id("<|tts_bos|>")
            if last in (self.listen_token_id, self.chunk_eos_token_id, _id("<|chunk_tts_eos|>")):
                break
            self.current_turn_ended = False
            if index and len(self.tokenizer.decode([*ids, last], skip_special_tokens=True)) >= MOST_LETTERS:
                last = self.chunk_eos_token_id
                break
            logits, state = self.decoder.feed(self.decoder.embed_token(last), return_logits=True)
            ends = last == self.turn_eos_token_id
            self.current_turn_ended = ends
            if index:
                ids, states = [*ids, last], [*states, state]
        self._pending_finalize = [last, _id("</unit>")]
        return last == self.listen_token_id, ids, states, self.turn_eos_token_id in ids

    def _speak(self, states: list[Any], ends: bool) -> Any:
        least = 0 if ends or self.tts_text_start_pos == 0 else AUDIO_TOKENS + 1
        tokens, memory = self.model.tts.generate_chunk(
            states, least, AUDIO_TOKENS + 1, self.tts_past_key_values
        )
        self.tts_past_key_values = None if ends else memory
        self.tts_text_start_pos = 0 if ends else self.tts_text_start_pos + len(states) + len(tokens)
        if not self.token2wav_initialized:
            return None
        sound = self._vocode(tokens, ends)
        if ends:
            self._reset_token2wav_for_new_turn()
        return sound

    def _vocode(self, tokens: list[Any], last: bool) -> Any:
        vocoder, pcm = self.model.tts.audio_tokenizer, b""
        ahead = vocoder.flow.pre_lookahead_len
        self.token2wav_buffer += tokens
        while len(self.token2wav_buffer) >= ahead + 5:
            count = min(AUDIO_TOKENS + ahead, len(self.token2wav_buffer))
            pcm += vocoder.stream(self.token2wav_buffer[:count], prompt_wav=self.prompt_wav_path)
            self.token2wav_buffer = self.token2wav_buffer[count - ahead :]
        if last and self.token2wav_buffer:
            pcm += vocoder.stream(self.token2wav_buffer, prompt_wav=self.prompt_wav_path, last_chunk=True)
            self.token2wav_buffer = []
        if not pcm:
            return None
        sound = np.frombuffer(pcm, "<i2").astype(np.float32) / 32768.0
        return sound if last else np.pad(sound, (max(0, 24_000 - len(sound)), 0))

    def _result(
        self, is_listen: bool = True, text: str = "", sound: Any = None, ends: bool = False, n_tokens: int = 0
    ) -> dict[str, Any]:
        costs = ("cost_llm", "cost_tts_prep", "cost_tts", "cost_token2wav", "cost_all")
        return dict.fromkeys(costs, 0.0) | {
            "is_listen": is_listen,
            "text": text,
            "audio_waveform": np.zeros(24_000, np.float32) if sound is None else sound,
            "end_of_turn": ends,
            "current_time": self.audio_chunk_idx,
            "n_tokens": n_tokens,
            "n_tts_tokens": 0,
        }

    def finalize_unit(self) -> None:
        """Tell the model that the unit is over."""
        if self._pending_finalize is not None:
            self.decoder.feed(self.decoder.embed_tokens(self._pending_finalize))
            self._pending_finalize = None
