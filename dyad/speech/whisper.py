"""Whisper on CTranslate2 with a short encoder context: int8, one thread, greedy; it repeats bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from dyad.errors import ConfigError

from .engines import INSTALL, need
from .mel import HOP, RATE, log_mel
from .types import Floats

# A shorter context is 3–4 times cheaper, but below 10 s, or with less than 2 s to spare, Whisper loops.
_MIN_FRAMES, _SPARE_FRAMES, _MAX_FRAMES = 1000, 200, 3000
_MAX_PIECE = (_MAX_FRAMES - _SPARE_FRAMES) * HOP
_NO_SPEECH, _LOGPROB = 0.6, -1.0
_HINT_TOKENS, _MAX_TOKENS = 100, 220
_BATCH = 8
# Said before any hint: what is written in simplified characters goes on in simplified characters.
_PRIMERS = {"zh": "以下是普通话的句子。"}


@dataclass(frozen=True)
class Heard:
    """What Whisper made of an utterance. `logprob`: mean per token; `no_speech`: probability of no speech."""

    text: str
    logprob: float
    no_speech: float

    @property
    def speech(self) -> bool:
        """Whether anybody spoke, by Whisper's own rule; on silence and noise it invents a word or two."""
        return self.no_speech <= _NO_SPEECH or self.logprob >= _LOGPROB


class Whisper:
    """Speech to text for one finished utterance in one language (`types.Recogniser`)."""

    def __init__(self, folder: Path, lang: str = "en") -> None:
        self._model, self._tokenizer = _load(folder)
        self._mels = self._model.n_mels
        self._lang = lang
        if not self._knows(lang):
            raise ConfigError(
                f"the Whisper model in '{folder}' does not know '{lang}'; name a multilingual one"
            )

    def __call__(self, pcm16k: Floats, hint: str = "") -> str:
        """Transcribe mono float32 at 16 kHz; `hint` lists words that are likely to occur."""
        heard = (self.hear(piece, hint) for piece in split_long(pcm16k))
        return " ".join(part.text for part in heard if part.text and part.speech)

    def hear(self, pcm16k: Floats, hint: str = "") -> Heard:
        """Transcribe at most 28 s and say how sure the model is; the rest is cut off."""
        return self._batch([pcm16k], hint)[0]

    def hear_all(self, pieces: Sequence[Floats], hint: str = "") -> list[Heard]:
        """Transcribe many pieces as `hear` does, cheaper, for decoding a batch costs little more than one."""
        heard: dict[int, Heard] = {}
        by_context = sorted(range(len(pieces)), key=lambda i: context_frames(len(pieces[i])))
        for _, same in groupby(by_context, lambda i: context_frames(len(pieces[i]))):
            for batch in _batches(list(same)):
                heard.update(zip(batch, self._batch([pieces[i] for i in batch], hint), strict=True))
        return [heard[i] for i in range(len(pieces))]

    def _batch(self, pieces: Sequence[Floats], hint: str) -> list[Heard]:
        """Transcribe pieces that take the same context."""
        ct2 = need("ctranslate2")
        frames = context_frames(len(pieces[0]))
        # One by one, because a batch of encoder inputs leaves the cache and takes half as long again.
        encoded = [self._encode(pcm16k, frames) for pcm16k in pieces]
        results = self._model.generate(
            ct2.StorageView.from_array(np.concatenate(encoded)),
            [self._prompt(hint)] * len(pieces),
            beam_size=1,
            max_length=_MAX_TOKENS,
            no_repeat_ngram_size=6,
            return_scores=True,
            return_no_speech_prob=True,
        )
        return [self._heard(result) for result in results]

    def _encode(self, pcm16k: Floats, frames: int) -> Floats:
        mel = log_mel(pcm16k, frames, self._mels)
        return np.asarray(self._model.encode(need("ctranslate2").StorageView.from_array(mel[None]), False))

    def _heard(self, result: Any) -> Heard:
        text = self._tokenizer.decode(result.sequences_ids[0], skip_special_tokens=True).strip()
        return Heard(text, float(result.scores[0]), float(result.no_speech_prob))

    def _knows(self, lang: str) -> bool:
        """An English model's tokenizer has the marks of all languages too."""
        marked = self._tokenizer.token_to_id(f"<|{lang}|>") is not None
        return lang == "en" or (marked and self._model.is_multilingual)

    def _prompt(self, hint: str) -> list[int]:
        told = _PRIMERS.get(self._lang, "") + hint.strip()
        before = self._tokenizer.encode(f" {told}", add_special_tokens=False).ids if told else []
        marks = ["<|startoftranscript|>"]
        if self._model.is_multilingual:
            marks += [f"<|{self._lang}|>", "<|transcribe|>"]
        marks.append("<|notimestamps|>")
        start = [self._tokenizer.token_to_id(mark) for mark in marks]
        return (
            [self._tokenizer.token_to_id("<|startofprev|>"), *before[:_HINT_TOKENS], *start]
            if before
            else start
        )


def context_frames(samples: int) -> int:
    """Return how many 10 ms frames the encoder sees for an utterance at 16 kHz: even, 1,000 to 3,000."""
    frames = -(-samples // HOP)
    return min(_MAX_FRAMES, max(_MIN_FRAMES, (frames + _SPARE_FRAMES) // 2 * 2))


def _batches(items: list[int]) -> list[list[int]]:
    return [items[k : k + _BATCH] for k in range(0, len(items), _BATCH)]


def split_long(pcm16k: Floats) -> list[Floats]:
    """Cut an utterance of more than 28 s at the quietest 80 ms in the last 6 s of each piece."""
    pieces, step = [], RATE * 8 // 100
    while len(pcm16k) > _MAX_PIECE:
        tail = pcm16k[_MAX_PIECE - 75 * step : _MAX_PIECE].reshape(75, step)
        cut = _MAX_PIECE - (75 - int(np.argmin((tail**2).sum(axis=1)))) * step + step // 2
        pieces.append(pcm16k[:cut])
        pcm16k = pcm16k[cut:]
    return [*pieces, pcm16k]


@cache
def _load(folder: Path) -> tuple[Any, Any]:
    """Load model and tokenizer once per process and folder."""
    ct2, tokenizers = need("ctranslate2"), need("tokenizers")
    try:
        model = ct2.models.Whisper(
            str(folder), device="cpu", compute_type="int8", inter_threads=1, intra_threads=1
        )
        return model, tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # CTranslate2 and tokenizers raise many kinds for a broken folder
        raise ConfigError(
            f"the Whisper model in '{folder}' cannot be loaded ({error}); run: {INSTALL}"
        ) from error
