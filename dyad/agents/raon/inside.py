"""Runs in the worker: Raon-SpeechChat through the step API of its own package `raon`, one state per row.

A frame is 1,920 samples each way. The model writes one text token per frame at most, and the 8 Mimi codes of
its own sound, which a process of its own turns into audio; upstream takes that audio one frame later.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dyad.host.worker import TICK, Floats, Said

WEIGHTS = "KRAFTON/Raon-SpeechChat-9B"
SPEAKER_WEIGHTS = "speechbrain/spkrec-ecapa-voxceleb"
# Upstream waits 5 s for the decoder process to be ready, and 1 s for each of its frames: too short to import
# torch and first use a GPU on a busy machine, and a frame that comes late costs the conversation.
READY_S, FRAME_S = 120.0, 15.0
QUIET = 1e-3  # peak up to which a forced sound is no speech
SURE = -1e9  # logit of every token but the forced one, as upstream forces its first
LONGEST = 4  # tokens that one character may be spread over
HYPERPARAMS = "hyperparams.yaml"  # of the speaker encoder
SOURCE = re.compile(r"^pretrained_path:.*$", re.MULTILINE)


class Model:
    """The weights, and the decoder process, which all rows share."""

    def __init__(self, options: dict[str, Any], device: str) -> None:
        from raon.models.raon import RaonDuplexModel  # type: ignore[import-not-found]
        from raon.utils.misc import resolve_dtype  # type: ignore[import-not-found]
        from raon.utils.processor import RaonProcessor  # type: ignore[import-not-found]
        from raon.utils.special_tokens import ALL_SPECIAL_TOKENS  # type: ignore[import-not-found]

        folders, self.options, self.device = options["weights"], options, device
        self.dtype = resolve_dtype(options["dtype"])
        source = folders[WEIGHTS]
        net = RaonDuplexModel.from_pretrained(source, torch_dtype=self.dtype)
        net._set_attention_implementation(options["attention"])
        self.net = net.to(device).eval()
        self.processor = RaonProcessor.from_pretrained(source)
        self.structural = {token.id for token in ALL_SPECIAL_TOKENS}
        if net.max_delay != options["acoustic_delay"]:
            raise ValueError(
                f"the acoustic codes of this checkpoint come {net.max_delay} frames late, not "
                f"{options['acoustic_delay']}; set agent.raon.acoustic_delay={net.max_delay}"
            )
        self._voices: dict[str, Any] = {}
        self._speaker_weights = Path(folders[SPEAKER_WEIGHTS])
        self._start_decoder()

    def numerics(self) -> dict[str, str]:
        """Return what could change the last bits."""
        import torch

        return {
            "torch": torch.__version__,
            "device": torch.cuda.get_device_name() if self.device == "cuda" else self.device,
            "dtype": str(self.dtype).removeprefix("torch."),
            "attention": self.options["attention"],
            "codec_attention": str(self.net.audio_tokenizer.config._attn_implementation),
        }

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a row: prefill the prompt, and let upstream make its first frame, which has heard nothing."""
        import torch

        tokens = self._tokens(prompt)
        speaker = self._speaker(voice) if voice else None
        if not self.net.concurrent_audio_decoder.is_running:
            self._start_decoder()
        names = ("do_sample", "temperature", "top_k", "top_p", "eos_penalty", "sil_penalty", "bc_penalty")
        with torch.inference_mode():
            state = self.net.init_duplex_decoding_state(
                sequences=tokens,
                attention_mask=torch.ones_like(tokens),
                max_sequence_length=self.options["max_sequence_length"],
                speaker_embeds=speaker,
                speak_first={"always": True, "never": False}.get(self.options["speak_first"], opens),
                **{name: self.options[name] for name in names},
            )
        return Row(self, state)

    def _tokens(self, prompt: str) -> Any:
        """Return a prompt as the model was trained to be told it: a system message, int64 [1, n]."""
        message = [{"role": "system", "content": prompt}]
        inputs = self.processor(message, add_generation_prompt=False, device=self.device, dtype=self.dtype)
        size, kept = inputs["input_ids"].shape[1], self.options["prompt_tokens"]
        if size > kept:
            raise ValueError(
                f"a prompt takes {size} tokens, but {kept} are kept; set agent.raon.prompt_tokens={size} "
                "or shorten it"
            )
        return inputs["input_ids"]

    def _speaker(self, voice: str) -> Any:
        """Return the embedding of a voice, [1, 1, hidden]; from 24 to 16 kHz is the encoder's own affair."""
        import torch
        from raon.utils.audio_io import load_audio  # type: ignore[import-not-found]

        if voice not in self._voices:
            if self.net.speaker_encoder is None:
                raise ValueError("this checkpoint has no speaker encoder; leave agent.raon.voice empty")
            rate = self.processor.sampling_rate
            path = Path(voice).expanduser()
            audio, _ = load_audio(path, rate, mono=True, device=self.device, dtype=self.dtype)
            # its first use builds the encoder, from random numbers that are not the row's
            with torch.random.fork_rng(), torch.inference_mode(), _view(self._speaker_weights) as view:
                self.net.speaker_encoder.pretrained_model_id = view  # else it would look on the hub
                self._voices[voice] = self.net._compute_speaker_embeds(audio, None)
        return self._voices[voice]

    def _start_decoder(self) -> None:
        """Start the process that turns codes into audio, and let it decode a frame, whose first is slow."""
        import torch

        self.net.concurrent_audio_decoder = None  # the queues of one that has died cannot be read
        self.net.start_concurrent_audio_decoder(timeout=READY_S)
        decoder = self.net.concurrent_audio_decoder
        decoder.drain_to = partial(_drain_to, decoder)
        stream = decoder.create_stream()
        decoder.push_audio_codes(stream, torch.zeros(1, 1, self.net.num_code_groups, dtype=torch.long))
        decoder.pull_audio(stream, timeout=READY_S)
        decoder.destroy_stream(stream)


class Row:
    """One conversation: its decoding state, and its talker's cache, which upstream keeps at the model."""

    def __init__(self, model: Model, state: Any) -> None:
        self._model, self._net, self._state = model, model.net, state
        self._talker = model.net._talker_past_key_values
        self._read = state.sequences.shape[1]
        self._letters: list[int] = []  # tokens of a character that is not whole yet
        # the sound of a frame comes so many frames after its tokens
        self._behind = 1 + model.net.max_delay
        self._speech = deque([self._in_speech()] * self._behind)
        self._words: list[int] = []  # forced, and not yet said
        self._forced: tuple[Floats | None, str | None] | None = None
        self._ear: tuple[Any, Any] | None = None  # caches of the codec, which hears forced sound

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Hear a frame and say one: the sound of the frame before, and the text of this one."""
        import torch

        was_speech = self._in_speech()
        with torch.inference_mode(), self._own_talker(), self._forcing():
            frame = torch.from_numpy(np.array(heard))[None].to(self._model.device, self._model.dtype)
            try:
                self._state, audio = self._net.duplex_decoding_step(state=self._state, audio_input=frame)
            except Exception as error:
                raise RuntimeError(f"frame {tick} failed upstream: {error}") from error
        self._speech.append(self._in_speech())
        pcm = audio[0].float().cpu().numpy()
        return Said(np.clip(pcm, -1.0, 1.0), self._said(tick, was_speech), self._speech.popleft())

    def force(self, pcm: Floats | None, text: str | None) -> None:
        """Prescribe the coming frame; None leaves sound, or text, to the model.

        Text is said from this frame on, a token per forced frame and one of onset before the first. "" says
        what is left of it, then goes on with the speech while the forced sound is loud, else is silent.
        """
        if pcm is not None and self._net.max_delay:
            raise ValueError("the sound of a checkpoint whose acoustic codes come late cannot be forced")
        self._forced = pcm, text

    def close(self) -> None:
        """Give the caches back, and the stream of the decoder, unless that has failed."""
        with self._own_talker(), suppress(AssertionError, RuntimeError):
            self._net.free_duplex_decoding_state(self._state)

    def _in_speech(self) -> bool:
        return bool(self._state.machine_state.phase.value == "SPEECH")

    @contextmanager
    def _own_talker(self) -> Iterator[None]:
        """Lend the model this row's talker cache."""
        self._net._talker_past_key_values = self._talker
        yield
        self._talker = self._net._talker_past_key_values

    def _said(self, tick: int, was_speech: bool) -> list[tuple[int, str, str]]:
        """Return this frame's words, without tokens that are structure; a backchannel's onset is an event."""
        new = self._state.sequences[0, self._read :].tolist()
        self._read += len(new)
        at = (tick + self._behind + self._net.config.text_lookahead) * TICK
        said = []
        if not was_speech and self._net.duplex_bc_token_id in new:
            said.append((at, "backchannel", "event"))
        own = [token for token in new if self._is_word(token)]
        if text := self._spelled(own):
            said.append((at, text, "own"))
        return said

    def _is_word(self, token: int) -> bool:
        return token < self._net.text_vocab_size and token not in self._model.structural

    def _spelled(self, tokens: list[int]) -> str:
        """Return whole characters; the bytes of one may be spread over several tokens."""
        self._letters += tokens
        text: str = self._model.processor.tokenizer.decode(self._letters, skip_special_tokens=True)
        if text.endswith("\N{REPLACEMENT CHARACTER}") and len(self._letters) < LONGEST:
            return ""
        self._letters = []
        return text

    @contextmanager
    def _forcing(self) -> Iterator[None]:
        """Put what is forced in the place of what the model would choose, for one frame."""
        forced, self._forced = self._forced, None
        if forced is None:
            yield
            return
        pcm, text = forced
        codes = None if pcm is None else self._codes(pcm)
        token = None if text is None else self._next(text, pcm is not None and np.abs(pcm).max() > QUIET)
        choose = self._net._update_duplex_sequences_and_generate_audio_codes
        if token is not None:
            self._net._update_duplex_sequences_and_generate_audio_codes = partial(_choose, choose, token)
        if codes is not None:
            self._net.generate_audio_codes = lambda **_: codes
        try:
            yield
        finally:
            for name in ("_update_duplex_sequences_and_generate_audio_codes", "generate_audio_codes"):
                self._net.__dict__.pop(name, None)

    def _next(self, text: str, loud: bool) -> int | None:
        """Return the forced token of a frame, by the rules that upstream's frames follow.

        Words come after words or an onset only, and after an onset nothing else: with none left the model
        has to find one.
        """
        net, machine = self._net, self._state.machine_state
        self._words += self._model.processor.tokenizer.encode(text, add_special_tokens=False)
        last = set(machine.last_frame_tokens)
        onset = not last.isdisjoint({net.duplex_end_pad_token_id, net.duplex_bc_token_id})
        if self._words and (onset or any(map(self._is_word, last))):
            return self._words.pop(0)
        if self._words:
            return int(net.duplex_end_pad_token_id)
        if onset:
            return None
        return int(net.duplex_pad_token_id if loud and self._in_speech() else net.duplex_sil_token_id)

    def _codes(self, pcm: Floats) -> Any:
        """Return the Mimi codes of the next forced 80 ms, int64 [1, groups]."""
        import torch
        from transformers import DynamicCache  # type: ignore[import-not-found]

        # without a cache to begin with, upstream's codec keeps none
        past, padding = self._ear or (DynamicCache(config=self._net.config.audio_tokenizer_config), None)
        audio = torch.from_numpy(np.array(pcm))[None].to(self._model.device)
        out = self._net.tokenize_audio(
            audio=audio,
            num_code_groups=self._net.num_code_groups,
            encoder_past_key_values=past,
            conv_padding_cache=padding,
            use_streaming=True,
        )
        self._ear = out.encoder_cache
        return out.audio_codes[:, -1]


@contextmanager
def _view(weights: Path) -> Iterator[str]:
    """Lend speechbrain a folder of links to its weights.

    It writes beside what it loads, which would change what a user's folder is known by, and takes the files
    from where their hyperparameters say, which is the hub.
    """
    told = (weights / HYPERPARAMS).read_text("utf-8")
    with TemporaryDirectory() as view:
        for path in weights.iterdir():
            if path.name != HYPERPARAMS:
                Path(view, path.name).symlink_to(path.absolute())
        own = f"pretrained_path: {json.dumps(view)}"
        Path(view, HYPERPARAMS).write_text(SOURCE.sub(lambda _: own, told), "utf-8")
        yield view


def _drain_to(decoder: Any, max_pending: int, stream_id: int) -> list[Any]:
    """Return a stream's audio until so many frames are left, as upstream does, for several streams.

    Upstream's count leaves out what has come for a stream while another was served, so that a reset of one
    row would lose a frame of others.
    """
    results, waits = [], decoder.stream_output_queues
    while decoder.get_stream_pending_count(stream_id) + waits[stream_id].qsize() > max_pending:
        result = decoder.pull_audio(stream_id=stream_id, block=True, timeout=FRAME_S)
        if result is None:
            break
        results.append(result)
    return results


def _choose(choose: Any, token: int, new_logits: Any, **rest: Any) -> Any:
    """Let upstream choose among logits that leave it one token, which it reads before the last position."""
    logits = new_logits.new_full(new_logits.shape, SURE)
    logits[:, -2, token] = 0.0
    return choose(new_logits=logits, **rest)
