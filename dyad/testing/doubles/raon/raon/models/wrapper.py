"""The step API: a decoding state per conversation, one frame per call."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import torch

from ..modules.concurrent_audio_decoder import ConcurrentAudioDecoder
from ..utils.special_tokens import AUDIO_START, IM_START
from ..utils.state_machine import (
    BC,
    HEARD,
    ONSET,
    SAID,
    SIL,
    STRUCTURE,
    DuplexMachineState,
    DuplexPhase,
    may_follow,
    transition,
)
from .mind import ECHO, FRAME, GROUPS, Codec, Ear, voice, wishes

SURE = -1e9
DEATH = re.compile(r"die in frame (\d+)")  # a role that ends the decoder


@dataclass
class Cache:
    """Keys and values: here only their number, and what the conversation began with."""

    room: int
    hz: float = 220.0
    used: int = 0

    def add(self, tokens: int) -> None:
        """Take the keys and values of tokens; raises IndexError as a static cache does when it is full."""
        self.used += tokens
        if self.used > self.room:
            raise IndexError("index_copy_(): index out of range in self")


@dataclass
class RaonDecodingState:
    """One conversation."""

    sequences: Any
    attention_mask: Any
    audio_codes: Any
    audio_codes_mask: Any
    past_key_values: Any
    audio_input_encoder_cache: Any
    audio_decoder_stream_id: int
    do_sample: bool
    logits_processor: Any
    num_code_groups: int = GROUPS
    semantic_buffer: Any = None
    eos_penalty: float = 0.0
    sil_penalty: float = 0.0
    bc_penalty: float = 0.0
    machine_state: DuplexMachineState | None = None
    forced_sil_remaining: int = 0


class RaonInferenceModel:
    """What a model of the family can do in full duplex."""

    sampling_rate, frame_rate, num_code_groups = 24_000, 12.5, GROUPS
    duplex_sil_token_id, duplex_bc_token_id, duplex_end_pad_token_id = SIL, BC, ONSET
    _talker_past_key_values: Cache | None = None

    def __init__(self) -> None:
        self.concurrent_audio_decoder: ConcurrentAudioDecoder | None = None
        self.codec = Codec()

    def start_concurrent_audio_decoder(self, timeout: float = 5.0) -> None:
        """Start the decoder unless it runs."""
        if self.concurrent_audio_decoder is None:
            self.concurrent_audio_decoder = ConcurrentAudioDecoder(self)
        if not self.concurrent_audio_decoder.is_running:
            self.concurrent_audio_decoder.start(timeout=timeout)

    @property
    def _decoder(self) -> ConcurrentAudioDecoder:
        decoder = self.concurrent_audio_decoder
        assert decoder is not None, "Concurrent audio decoder must be running."
        assert decoder.is_running, "Concurrent audio decoder must be running."
        return decoder

    def pull_audio(self, stream_id: int) -> Any:
        """Return the audio of the frame before the last that was pushed."""
        results = self._decoder.drain_to(max_pending=1, stream_id=stream_id)
        assert len(results) == 1, f"Expected exactly one audio result but got `{len(results)}`."
        return results[0][1]

    def free_duplex_decoding_state(self, state: RaonDecodingState) -> None:
        """End a conversation."""
        self._decoder.drain_to(max_pending=0, stream_id=state.audio_decoder_stream_id)
        self._decoder.destroy_stream(state.audio_decoder_stream_id)
        self._talker_past_key_values = None
        state.sequences, state.machine_state = state.sequences[:, :0], None

    def init_duplex_decoding_state(
        self,
        sequences: Any,
        attention_mask: Any = None,
        do_sample: bool = True,
        temperature: float = 1.0,
        top_k: int = 20,
        top_p: float = 0.8,
        max_sequence_length: int = 8192,
        prev_state: RaonDecodingState | None = None,
        eos_penalty: float = 0.0,
        sil_penalty: float = 0.0,
        bc_penalty: float = 0.0,
        speaker_embeds: Any = None,
        speak_first: bool = False,
    ) -> RaonDecodingState:
        """Prefill a prompt, int64 [1, n], and make the first frame, whose token is forced."""
        self.start_concurrent_audio_decoder()
        if sequences.shape[0] != 1:
            raise NotImplementedError(f"Only batch size 1 is supported but got `{sequences.shape[0]}`.")
        stream = self._decoder.create_stream()
        if death := DEATH.search(bytes(token for token in sequences[0].tolist() if token < 256).decode()):
            self._decoder.last[stream] = int(death[1])
        past = Cache(max_sequence_length)
        if speaker_embeds is not None:
            past.hz, speaker = float(speaker_embeds.flatten()[0]), sequences.new_tensor([[151671]])
            sequences = torch.cat((sequences, speaker), dim=1)
        self._talker_past_key_values = Cache(max_sequence_length)
        sequences = torch.cat((sequences, sequences.new_tensor([[IM_START.id, AUDIO_START.id]])), dim=1)
        state = RaonDecodingState(
            sequences=sequences,
            attention_mask=torch.ones_like(sequences),
            audio_codes=torch.zeros(1, 0, GROUPS, dtype=torch.long),
            audio_codes_mask=torch.zeros(1, 0, dtype=torch.bool),
            past_key_values=past,
            audio_input_encoder_cache=Ear(),
            audio_decoder_stream_id=stream,
            do_sample=do_sample,
            logits_processor=temperature,
            eos_penalty=eos_penalty,
            sil_penalty=float(sil_penalty),
            bc_penalty=float(bc_penalty),
            machine_state=DuplexMachineState(DuplexPhase.SIL, [HEARD, SAID]),
            forced_sil_remaining=int(not speak_first),
        )
        first = ONSET if speak_first else SIL
        return self._frame(state, torch.zeros(FRAME), sequences.shape[1], first)

    def duplex_decoding_step(
        self, state: RaonDecodingState, audio_input: Any
    ) -> tuple[RaonDecodingState, Any]:
        """Hear a frame, [1, 1920], choose a token and codes, and return the sound of the codes before."""
        assert state.machine_state is not None, "the state is freed"
        if int(state.sequences[0, -1]) != SAID:
            raise ValueError(f"Last token must be `{SAID}` but got `{int(state.sequences[0, -1])}`.")
        assert audio_input.shape == (1, FRAME)
        assert audio_input.is_floating_point()
        heard = state.audio_input_encoder_cache.hear(audio_input[0].float())
        forced = SIL if state.forced_sil_remaining else None
        state = self._frame(state, heard, state.machine_state.num_input_tokens, forced)
        state.forced_sil_remaining = max(0, state.forced_sil_remaining - 1)
        return state, self.pull_audio(state.audio_decoder_stream_id)

    def _frame(self, state: RaonDecodingState, heard: Any, new: int, forced: int | None) -> RaonDecodingState:
        """Take `new` tokens into the caches, and write the next frame."""
        talker = self._talker_past_key_values
        if talker is None or talker.used != state.sequences.shape[1] - new:
            raise RuntimeError(f"the talker's cache is of another conversation: {talker}, not {new} behind")
        talker.add(new)
        state.past_key_values.add(new)
        assert state.machine_state is not None
        logits = wishes(state.machine_state, state.audio_input_encoder_cache, _words(state.sequences[0]))
        if forced is not None:
            logits = torch.full_like(logits, SURE)
            logits[forced] = 0.0
        frames = state.audio_codes.shape[1]
        own = voice(frames, state.past_key_values.hz) * (state.machine_state.phase is DuplexPhase.SPEECH)
        _, *written, machine = self._update_duplex_sequences_and_generate_audio_codes(
            new_logits=logits.expand(1, max(new, 2), -1),
            new_last_hidden_state=(ECHO * heard + own)[None, None],
            sequences=state.sequences,
            attention_mask=state.attention_mask,
            audio_codes=state.audio_codes,
            audio_codes_mask=state.audio_codes_mask,
            do_sample=state.do_sample,
            logits_processor=state.logits_processor,
            eos_penalty=state.eos_penalty,
            sil_penalty=state.sil_penalty,
            bc_penalty=state.bc_penalty,
            machine_state=state.machine_state,
        )
        state.sequences, state.attention_mask, state.audio_codes, state.audio_codes_mask = written
        state.machine_state = machine
        self._decoder.push_audio_codes(state.audio_decoder_stream_id, state.audio_codes[:, -1:])
        return state

    def _update_duplex_sequences_and_generate_audio_codes(
        self,
        new_logits: Any,
        new_last_hidden_state: Any,
        sequences: Any,
        attention_mask: Any,
        audio_codes: Any,
        audio_codes_mask: Any,
        do_sample: bool,
        logits_processor: Any,
        eos_penalty: float = 0.0,
        sil_penalty: float = 0.0,
        bc_penalty: float = 0.0,
        machine_state: DuplexMachineState | None = None,
    ) -> tuple[Any, Any, Any, Any, Any, DuplexMachineState]:
        """Choose the token at the last position but one, and codes; return the frame and all sequences."""
        assert machine_state is not None
        logits = new_logits[0, -2].clone()
        logits[SIL] -= sil_penalty
        logits[BC] -= bc_penalty
        allowed = [token for token in range(1_000) if may_follow(machine_state, token)]
        allowed += [token for token in STRUCTURE if may_follow(machine_state, token)]
        chances = torch.softmax(logits[allowed] / logits_processor, dim=-1)
        chosen = torch.multinomial(chances, 1) if do_sample else chances.argmax()
        machine = transition(machine_state, allowed[int(chosen)])
        codes = self.generate_audio_codes(
            talker_last_hidden_state=new_last_hidden_state[:, -1:],
            first_code_sampler=None,
            allow_audio_end=False,
        )
        assert codes.shape == (1, GROUPS)
        frame = sequences.new_tensor([machine.last_frame_tokens])
        return (
            frame,
            torch.cat((sequences, frame), dim=1),
            torch.cat((attention_mask, torch.ones_like(frame)), dim=1),
            torch.cat((audio_codes, codes[None]), dim=1),
            torch.cat((audio_codes_mask, torch.tensor([[True]])), dim=1),
            machine,
        )

    def generate_audio_codes(
        self, talker_last_hidden_state: Any, first_code_sampler: Any = None, allow_audio_end: bool = True
    ) -> Any:
        """Return the codes of a hidden state, int64 [1, 8]; here that is the sound itself."""
        return self.codec.codes(talker_last_hidden_state[0, -1])[None]


def _words(sequence: Any) -> int:
    """Return how many words the turn under way has; below 0 for a backchannel."""
    count = 0
    for token in reversed(sequence.tolist()):
        if token in (ONSET, AUDIO_START.id):
            return count
        if token == BC:
            return -1
        count += token not in STRUCTURE
    return count
