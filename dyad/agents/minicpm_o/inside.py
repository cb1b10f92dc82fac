"""MiniCPM-o 4.5 in its own interpreter: one second in, one second out.

Upstream serves one conversation: what it knows of it lies in an object for duplex talk with its audio
processor, in the vocoder, and in the memory of the audio encoder. Here each row has its own of these over the
same weights, and they are put in their places around every call.

A unit of one second is decided on as a whole: the model listens, or speaks about a second of sound. Units end
inside a tick, every other one in its middle. What a unit says begins 40 ms before the unit's end, counted as
the engine counts (a tick's answer may sound with it), whichever it is: so the units of a turn follow each
other without a gap. A unit that is shorter than a second comes with silence before it, and is played so, as
upstream's own client does; the last unit of a turn has the length that it has. Units of listening are silent.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dyad.host.worker import RATE, TICK, Floats, Line, Said, Units

WEIGHTS = "openbmb/MiniCPM-o-4_5"
UNIT = 16_000  # samples at 16 kHz
EARLY = 960  # samples at 24 kHz that a unit's sound begins before the unit's end
SAMPLING = (
    "temperature",
    "top_k",
    "top_p",
    "text_repetition_penalty",
    "text_repetition_window_size",
    "length_penalty",
)
# No parameters of ours: upstream applies them to the end of a message, which is no token of duplex talk.
UNUSED = {"listen_prob_scale": 1.0, "listen_top_k": None}


class Model:
    """The weights, and upstream's parts as they are before any conversation."""

    def __init__(self, options: dict[str, Any], device: str) -> None:
        from core.processors.unified import UnifiedProcessor  # type: ignore[import-not-found]

        self._loaded = UnifiedProcessor(options["weights"][WEIGHTS], device=device)
        self._view = self._loaded.set_duplex_mode()
        self.upstream = self._loaded.model
        self._processor, self._vocoder = self.upstream.processor, self.upstream.tts.audio_tokenizer
        self._duplex = type(self.upstream.duplex)
        self._settings = {name: options[name] for name in ("force_listen_count", "tts_temperature")}
        self._settings["device"] = device
        self.sampling = {name: options[name] for name in SAMPLING} | UNUSED
        self.mode: str = options["decode_mode"]
        self.yields: bool = options["yield_on_listen"]

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a row that has read its role and heard its voice."""
        processor = copy.copy(self._processor)
        processor.audio_processor = copy.deepcopy(processor.audio_processor)  # remembers how it last scaled
        self.upstream.processor = processor  # whence the duplex object takes it
        parts = {
            "duplex": self._duplex(model=self.upstream, **self._settings),
            "vocoder": copy.copy(self._vocoder),
            "memory": None,
        }
        row, wav = Row(self, parts), str(_reference(voice))
        with row.seated():
            self._view.prepare(system_prompt_text=prompt, ref_audio_path=wav, prompt_wav_path=wav)
        return row

    def numerics(self) -> dict[str, str]:
        """Return what could change the last bits."""
        import torch

        place = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
        attention = str(self.upstream.config._attn_implementation)
        return {"torch": torch.__version__, "device": place, "attention": attention}

    def shared(self) -> list[Any]:
        """Return what all rows share, which a copy of a row refers to."""
        kept = [*vars(self._processor).values(), *vars(self._vocoder).values()]
        return [self.upstream, *self.upstream.children(), *kept]


def _reference(voice: str) -> Path:
    """Return the recording behind a voice: a file, or a name in upstream's repository."""
    import core  # type: ignore[import-not-found]

    if not voice:
        raise ValueError("needs a reference voice")
    path = Path(voice).expanduser()
    if path.suffix or path.name != voice:
        return path
    return Path(core.__file__).parents[1] / "assets/ref_audio" / f"{voice}.wav"


def _make_own(vocoder: Any) -> None:
    """Copy what a row's vocoder remembers: upstream returns views of buffers that all rows write into."""
    remembered = getattr(vocoder, "stream_cache", None) or {}
    vocoder.stream_cache = {name: part.clone() for name, part in remembered.items()} or None


class Row:
    """One conversation."""

    def __init__(self, model: Model, parts: dict[str, Any]) -> None:
        """`parts`: the row's own duplex object, vocoder, and memory of the audio encoder."""
        self._model, self._parts = model, parts
        self._units, self._line = Units(UNIT), Line(RATE)
        self._ended = 0  # units
        self._script: list[int] | None = None  # tokens that it has to say; empty = to be silent

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Hear one tick; live through the unit that it completes, if it does."""
        said = Said()
        for unit in self._units(heard):
            said = self._live(unit, tick, played)
        said.speaking = self._in_turn or self._line.waiting(played) >= TICK
        return said

    def force(self, pcm: Floats | None, text: str | None) -> None:
        """Say a text in the coming units, as many as it takes; an empty text is silence in the coming one."""
        if pcm is not None:
            raise ValueError("its model hears nothing of what it says; only text can be forced")
        if text is not None:
            duplex = self._parts["duplex"]
            before = [token for token in self._script or [] if token != duplex.turn_eos_token_id]
            self._script = before + duplex.tokenizer.encode(text, add_special_tokens=False)

    def save(self) -> dict[str, Any]:
        """Return a copy of everything that is this row's."""
        return self._copied({key: value for key, value in vars(self).items() if key != "_model"})

    def restore(self, state: dict[str, Any]) -> None:
        """Become a saved row."""
        vars(self).update(self._copied(state))

    @contextmanager
    def seated(self) -> Iterator[None]:
        """Put the row's parts where upstream looks for them, and take back what has become of them."""
        upstream, parts = self._model.upstream, self._parts
        upstream.duplex, upstream.tts.audio_tokenizer = parts["duplex"], parts["vocoder"]
        upstream.audio_past_key_values = parts["memory"]
        try:
            yield
        finally:
            parts["memory"] = upstream.audio_past_key_values
            _make_own(parts["vocoder"])

    @property
    def _in_turn(self) -> bool:
        return not self._parts["duplex"].current_turn_ended

    def _copied(self, state: dict[str, Any]) -> dict[str, Any]:
        duplex = state["_parts"]["duplex"]
        kept = [*self._model.shared(), duplex.break_event, duplex.session_stop_event]
        return copy.deepcopy(state, {id(part): part for part in kept})

    def _live(self, unit: Floats, tick: int, played: int) -> Said:
        """Live through one unit, and return what it says."""
        with self.seated():
            result, cut = self._decide(unit)
        self._ended += 1
        if cut:
            self._line.flush(played)
        if result["is_listen"]:
            return Said(flush=cut)
        return self._placed(np.asarray(result["audio_waveform"], np.float32), result["text"], tick, played)

    def _placed(self, pcm: Floats, text: str, tick: int, played: int) -> Said:
        """Hold a unit's sound until its time, unless what was said before still sounds then."""
        earliest = self._line.starts(tick, played)
        start = max(earliest, self._ended * RATE - EARLY)
        pcm = np.concatenate([np.zeros(start - earliest, np.float32), pcm])
        self._line.give(len(pcm))
        return Said(pcm, [(start, text, "own")] if text.strip() else [])

    def _decide(self, unit: Floats) -> tuple[dict[str, Any], bool]:
        """Take a unit through upstream's three calls; True when that breaks its turn off."""
        upstream = self._model.upstream
        taken = upstream.duplex_prefill(audio_waveform=unit)
        if not taken["success"]:
            raise RuntimeError(f"the model took no unit: {taken['reason']}")
        silent = self._script == [] or (self._script is None and self._would_yield())
        cut = silent and self._in_turn
        result = self._dictate(self._script) if self._script else self._generate(silent)
        if silent:
            self._script = None
        upstream.duplex_finalize()
        return result, cut

    def _generate(self, silent: bool = False) -> dict[str, Any]:
        mode, sampling = self._model.mode, self._model.sampling
        generate = self._model.upstream.duplex_generate
        result: dict[str, Any] = generate(decode_mode=mode, **sampling, force_listen_override=silent)
        return result

    def _would_yield(self) -> bool:
        """Whether it may and would listen in the middle of its turn: the next token, drawn ahead of time.

        The stock model puts another token in its place, and talks on. The draw leaves no trace.
        """
        import torch

        duplex = self._parts["duplex"]
        if not (self._model.yields and self._in_turn):
            return False
        decoder = copy.copy(duplex.decoder)
        decoder.generated_tokens = list(decoder.generated_tokens)
        with torch.random.fork_rng():
            token = decoder.decode(
                logits=duplex.pending_logits, mode=self._model.mode, **self._model.sampling
            )
        return bool(token.item() == duplex.listen_token_id)

    def _dictate(self, script: Sequence[int]) -> dict[str, Any]:
        """Generate with given tokens, as many as upstream takes in one unit; the rest is for the next."""
        duplex = self._parts["duplex"]
        end = duplex.turn_eos_token_id
        tokens = [*script, *([] if script[-1] == end else [end])]
        with _dictating(duplex.decoder, [duplex.speak_token_id, *tokens, duplex.chunk_eos_token_id]):
            result = self._generate()
        self._script = tokens[result["n_tokens"] :] or None
        return result


@contextmanager
def _dictating(decoder: Any, tokens: Sequence[int]) -> Iterator[None]:
    """Let a decoder draw given tokens."""
    import torch

    left = iter(tokens)

    def decode(logits: Any, **settings: Any) -> Any:
        token = next(left)
        decoder.generated_tokens.append(token)
        return torch.tensor([token], device=logits.device)

    decoder.decode = decode
    try:
        yield
    finally:
        del decoder.decode
