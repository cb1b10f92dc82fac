"""Lychee-FD in its own interpreter: one stream session per row, and one vocoder whose state each row keeps.

In every window of 400 ms the model hears ten positions and, while it speaks, writes ten of text, of speech
and of control. Speech follows text by ten positions, four positions of speech to one of text. The vocoder
takes 13 tokens of speech, sounds ten of them, and holds the last 160 ms back to cross-fade. Its first piece
is shorter by that, and is preceded by as much silence; else there would be a gap after 240 ms of speech.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dyad.host.worker import RATE, TICK, Floats, Line, Said, Units

WEIGHTS, VOCODER = "HIT-TMG/Lychee-FD", "stepfun-ai/Step-Audio-2-mini"
WINDOW = 6_400  # samples at 16 kHz
HOP = 10  # tokens of speech that one call of the vocoder sounds
TOKEN = 960  # samples at 24 kHz of one token of speech
SPEECH_PER_TEXT = 4  # tokens of speech to one of text
CODES = 6_561  # the vocoder's; tokens beyond them have no sound
ROLE = "<|BOT|>system\n{role}<|EOT|>"
VOICES = "frontend/public/clone_24k_mono"
PCM_16 = 32_767.0


class Model:
    """The framework and the vocoder: loaded once, they keep nothing of a row between two calls."""

    def __init__(self, options: dict[str, Any], device: str) -> None:
        self._options, self._root = options, _prepare(options["backend"])
        folders = options["weights"]
        self.vocoder = importlib.import_module("token2wav").Token2wav(f"{folders[VOCODER]}/token2wav")
        self._generation: Any = importlib.import_module("lychee_fd.runtime.vllm_generation")
        self.framework = self._framework(f"{folders[WEIGHTS]}/lychee_full_duplex", device)

    def _framework(self, model_path: str, device: str) -> Any:
        """Load the model as upstream's server does."""
        import torch

        stock = {
            "model_path": model_path,
            "device": device,
            "torch_dtype": torch.bfloat16,
            "align_audio_input": True,
            "allowing_backchannel": self._options["backchannels"],
        }
        if self._options["backend"] == "hf":
            realtime = importlib.import_module("lychee_fd.runtime.hf_v9_realtime")
            return realtime.HFRealtimeV9GenerationFramework(model_type="V9", **stock)
        return self._generation.VLLMGenerationFramework(
            model_type="FD",
            **stock,
            gpu_memory_utilization=self._options["gpu_share"],
            max_model_len=self._options["context"],
            enable_prefix_caching=False,
            max_num_seqs=1,
        )

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a stream session; the role takes the place of the constant system message while it starts."""
        with self._system(prompt if self._options["role"] == "system" else ""):
            session = self.framework.create_incremental_stream_session(
                start_speak_token_factor=self._options["start_speak"],
                start_listen_token_factor=self._options["start_listen"],
                end_speak_token_factor=self._options["end_speak"],
                audio_incremental_mode=True,
            )
        decoder = self._generation.StreamingDecoder(
            self.framework.tokenizer, self.framework, tts_chunk_size=1, end_event_on_generation_complete=False
        )
        return Row(session, decoder, Speech(self.vocoder, self._voice(voice)))

    def numerics(self) -> dict[str, str]:
        """Return what could change the last bits."""
        import torch

        place = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
        return {"backend": self._options["backend"], "torch": torch.__version__, "device": place}

    @contextmanager
    def _system(self, role: str) -> Iterator[None]:
        """Set the system message, which upstream reads from its module."""
        stock = self._generation.SYSTEM_MESSAGE_PREFIX
        self._generation.SYSTEM_MESSAGE_PREFIX = ROLE.format(role=role) if role else stock
        try:
            yield
        finally:
            self._generation.SYSTEM_MESSAGE_PREFIX = stock

    def _voice(self, voice: str) -> str:
        """Return the file of a voice: the user's own, or one of upstream's by name."""
        path = Path(voice).expanduser()
        if path.suffix or path.name != voice:
            return str(path)
        return str(self._root / VOICES / f"{voice or 'default_female'}.wav")


def _prepare(backend: str) -> Path:
    """Put upstream's vendored packages on the import path, and return the root of its code."""
    root = Path(importlib.import_module("lychee_fd").__path__[0]).parent
    sys.path.insert(0, str(root / "third_party" / "Step-Audio2"))
    patched = root / "third_party" / "vllm"
    if backend == "vllm" and patched.is_dir():
        complete(patched / "vllm")
        sys.path.insert(0, str(patched))
        os.environ["PYTHONPATH"] = os.pathsep.join(map(str, (patched, root)))  # vllm may start processes
    return root


def complete(patched: Path) -> None:
    """Give upstream's patched vllm, which is source only, the compiled parts of the installed one.

    Upstream's own start script does the same.
    """
    installed = Path(str(importlib.metadata.distribution("vllm").locate_file("vllm")))
    for part in (*installed.glob("*.so"), installed / "_version.py", installed / "vllm_flash_attn"):
        if not (patched / part.name).exists():
            _copy(part, patched / part.name)


def _copy(part: Path, target: Path) -> None:
    """Copy a file or a folder, which appears whole: another worker may be about to do the same."""
    beside = target.with_name(f"{target.name}.{os.getpid()}")
    if not part.is_dir():
        shutil.copy2(part, beside)
        beside.replace(target)
        return
    shutil.copytree(part, beside)
    try:
        beside.rename(target)
    except OSError:
        shutil.rmtree(beside)


class Speech:
    """The vocoder as one row sees it: its state is put in place before each call, and kept after it."""

    def __init__(self, vocoder: Any, voice: str) -> None:
        self._vocoder, self._voice = vocoder, voice
        self._state: tuple[Any, Any] | None = None
        self.window = HOP + int(vocoder.stream_lookahead_len)

    def start(self) -> None:
        """Begin anew with the next tokens."""
        self._state = None

    def __call__(self, tokens: list[int], last: bool) -> tuple[Floats, int]:
        """Return the sound of some tokens, float32 [n] at 24 kHz, and how much silence it begins with."""
        vocoder, first = self._vocoder, self._state is None
        if self._state is None:
            vocoder.set_stream_cache(self._voice)
        else:
            vocoder.stream_cache, vocoder.hift_cache_dict = self._state
        sound = vocoder.stream(tokens, prompt_wav=self._voice, last_chunk=last)
        # views of buffers, into which the next call for another row writes
        own = {name: part.clone() for name, part in vocoder.stream_cache.items()}
        self._state = (own, vocoder.hift_cache_dict)
        pcm = np.frombuffer(sound, "<i2").astype(np.float32) / PCM_16
        held = max(0, HOP * TOKEN - len(pcm)) if first and not last else 0
        return np.pad(pcm, (held, 0)), held


@dataclass
class Utterance:
    """What is being said: tokens and text that have not sounded yet; `at` is where its first token sounds."""

    tokens: list[int] = field(default_factory=list)
    text: list[tuple[int, str]] = field(default_factory=list)  # (position, s)
    positions: int = 0
    sounded: int = 0  # tokens
    at: int = 0


@dataclass
class Step:
    """What a row says in one tick, as far as it is known."""

    tick: int
    played: int
    parts: list[Floats] = field(default_factory=list)
    text: list[tuple[int, str, str]] = field(default_factory=list)
    flush: bool = False

    def all(self) -> Said:
        """Return it as the worker wants it."""
        pcm = np.concatenate([np.zeros(0, np.float32), *self.parts])
        return Said(pcm, self.text, flush=self.flush)


class Row:
    """One conversation."""

    def __init__(self, session: Any, decoder: Any, speech: Speech) -> None:
        self._session, self._decoder, self._speech = session, decoder, speech
        self._units, self._line = Units(WINDOW), Line(RATE)
        self._utterance = Utterance()

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Hear a tick; a tick that completes a window may give 400 ms of speech."""
        said = Step(tick, played)
        for window in self._units(heard):
            events = self._session.advance_stream(
                window, emit_generation_complete=False, audio_is_incremental=True
            )
            for event in events:
                self._utterance.positions += event["type"] == "speaking_token"
                for decoded in self._decoder.feed(event):
                    self._take(decoded, said)
        return said.all()

    def close(self) -> None:
        """Free what the session holds."""
        self._session.close()

    def _take(self, event: dict[str, Any], said: Step) -> None:
        """Do what an event says."""
        now = self._utterance
        match event["type"]:
            case "state_change":
                said.text.append((said.tick * TICK, f"{event['from']}>{event['to']}", "event"))
            case "event_start":
                self._utterance = Utterance()
                self._speech.start()
            case "text_delta":
                now.text.append((now.positions - 1, event["delta"]))
            case "audio_chunk":
                now.tokens += [token for token in event["stoken_ids"] if token < CODES]
                while len(now.tokens) > self._speech.window:
                    self._sound(said, HOP)
            case "event_end" if event["interrupt"]:
                self._drop(said)
            case "event_end":
                if now.tokens:
                    self._sound(said, len(now.tokens), last=True)

    def _sound(self, said: Step, hop: int, last: bool = False) -> None:
        """Sound the next tokens, and tell the text that belongs to them."""
        now, starts = self._utterance, self._line.starts(said.tick, said.played)
        tokens = now.tokens if last else now.tokens[: self._speech.window]
        pcm, silence = self._speech(tokens, last)
        if not now.sounded:
            now.at = starts + silence
        now.tokens, now.sounded = now.tokens[hop:], now.sounded + hop
        said.parts.append(pcm)
        self._line.give(len(pcm))
        due = [piece for piece in now.text if last or SPEECH_PER_TEXT * piece[0] < now.sounded]
        now.text = now.text[len(due) :]
        said.text += [(now.at + SPEECH_PER_TEXT * TOKEN * position, s, "own") for position, s in due]

    def _drop(self, said: Step) -> None:
        """Fall silent at once: upstream drops what has not been played, and so its text was never said."""
        self._utterance = Utterance()
        said.parts, said.flush = [], True
        said.text = [piece for piece in said.text if piece[2] != "own"]
        self._line.flush(said.played)
