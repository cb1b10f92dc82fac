"""hibari (Apache-2.0, one embedded speaker) as several speakers, with the exact place of every word.

The network takes phonemes and gives durations, pitch and spectra. Pitch is scaled in its pulse source and
formants by resampling, which keeps the phases whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyad.errors import ConfigError, near

from .engines import need, onnx_session, package_file, package_version
from .places import RATE, Place, joined, plain, proportional, trim
from .pronounce import g2p
from .types import Floats, Speech

_GAP = RATE * 120 // 1000  # silence between sentences, well below any end-of-turn silence
_LATE = RATE * 30 // 1000  # the network's durations run this far behind its sound (median of sentence onsets)
_DURATIONS = b"/Clip_output_0"  # the graph's inner tensor of phoneme durations
_PAUSES = ' ,.!?;:—…"()“”'


@dataclass(frozen=True)
class Timbre:
    """Ratios to the embedded speaker: `formant` < 1 is a longer vocal tract, `pitch` < 1 a lower voice."""

    formant: float
    pitch: float


PRESETS: Mapping[str, Timbre] = MappingProxyType(
    {
        "heart": Timbre(1.00, 1.00),
        "bright": Timbre(1.06, 1.12),
        "light": Timbre(1.02, 1.25),
        "warm": Timbre(0.95, 0.85),
        "low": Timbre(0.92, 0.75),
        "deep": Timbre(0.90, 0.66),
    }
)


def check(preset: str) -> None:
    """Raise ConfigError unless hibari is installed and knows the preset."""
    if preset not in PRESETS:
        raise ConfigError(f"unknown hibari voice '{preset}'{near(preset, PRESETS)}")
    package_file("hibari", "assets", "hibari.onnx")
    need("onnxruntime")


def assets(preset: str) -> dict[str, str]:
    """Return the version of the engine; its weights are part of the package."""
    return {"hibari": package_version("hibari-tts")}


def speak(preset: str, text: str, seed: int, pace: float) -> Speech:
    """Speak a text; the seed draws the noise and changes pace and pitch by at most 3 %."""
    draw = np.random.default_rng(seed)
    near_one = 1 + draw.uniform(-0.03, 0.03, 2)
    voice, speed = PRESETS[preset], pace * near_one[0]
    tuned = Timbre(voice.formant, voice.pitch * near_one[1])
    parts = [_sentence(sentence, tuned, speed, draw) for sentence in _sentences(text)]
    return joined(parts, text.split(), _GAP)


def _sentences(text: str) -> list[str]:
    """Split a text where hibari would, keeping every whitespace token; at most 60 tokens each."""
    split = need("hibari").Hibari.split_sentences
    whole = [sentence.split() for sentence in split(" ".join(text.split()))]
    return [" ".join(tokens[k : k + 60]) for tokens in whole for k in range(0, len(tokens), 60)]


def _sentence(
    sentence: str, timbre: Timbre, speed: float, draw: np.random.Generator
) -> tuple[Floats, Sequence[Place]]:
    tokens = sentence.split()
    phonemes, spans = _phonemes([plain(token) for token in tokens])
    if not phonemes:
        return np.zeros(0, np.float32), [(0, 0)] * len(tokens)
    pcm, edges = _synthesise(phonemes, timbre, speed, draw)
    if spans is None:
        pcm, _ = trim(pcm, ())
        return pcm, proportional(tokens, len(pcm))
    return trim(pcm, [(int(edges[a]), int(edges[b])) for a, b in spans])


def _phonemes(tokens: Sequence[str]) -> tuple[str, list[Place] | None]:
    """Return the model's phonemes of a sentence and each token's place in them.

    The places are None when the reader's words cannot be matched with the tokens, e.g. in `7:30 p.m.`.
    """
    reader, normalize = g2p(), need("hibari.g2p.normalize").normalize
    kept = [token for token in tokens if token]
    if not kept:
        return "", None
    groups = [""]
    for piece in reader.phonemize_tokens(reader.tokenize(normalize(" ".join(kept)))):
        groups[-1] += "".join(c for c in piece.phonemes or "" if c in _vocabulary())
        if piece.whitespace:
            groups.append("")
    line = " ".join(groups).strip()
    if not any(c not in _PAUSES for c in line):
        return "", None
    return line, _spans(tokens, groups) if len(groups) == len(kept) else None


def _spans(tokens: Sequence[str], groups: Sequence[str]) -> list[Place]:
    """Place each token in the joined groups, without its punctuation; empty tokens get an empty place."""
    spans: list[Place] = []
    queue, at = list(groups), 0
    for token in tokens:
        group = queue.pop(0) if token else ""
        sound = [k for k, c in enumerate(group) if c not in _PAUSES]
        spans.append((at + sound[0], at + sound[-1] + 1) if sound else (at, at))
        at += len(group) + 1 if token else 0
    return spans


def _synthesise(
    phonemes: str, timbre: Timbre, speed: float, draw: np.random.Generator
) -> tuple[Floats, NDArray[np.float64]]:
    """Return the waveform at 24 kHz and the sample at which each phoneme starts (one more for the end)."""
    formant = Fraction(timbre.formant).limit_denominator(50)
    stretch = float(formant)  # resampling by 1/formant undoes what these two do
    ids = [0, *(_vocabulary()[c] for c in phonemes), 0]
    feed = {"ids": np.array([ids], np.int64), "speed": np.array([speed / stretch], np.float32)}
    *spectra, pitch, durations = _session().run(None, feed)
    dsp = need("hibari.dsp")
    pcm = dsp.synth(*(part[0] for part in spectra), pitch[0] * (timbre.pitch / stretch), draw)
    pcm = _resample(pcm, formant)
    edges = np.concatenate([[0.0], np.cumsum(durations.ravel(), dtype=float)])
    places = np.maximum(edges * len(pcm) / edges[-1] - _LATE, 0.0)
    return pcm, places[1:]  # the leading pad belongs to no phoneme


def _resample(pcm: Floats, formant: Fraction) -> Floats:
    if formant == 1:
        return pcm
    from scipy.signal import resample_poly

    return np.asarray(resample_poly(pcm, formant.denominator, formant.numerator), np.float32)


@cache
def _session() -> Any:
    """The network with the durations as a further output.

    Protobuf messages merge when concatenated: appended bytes `graph.output += name` extend the model.
    """

    def field(number: int, body: bytes) -> bytes:
        return bytes([number << 3 | 2, len(body)]) + body

    model = package_file("hibari", "assets", "hibari.onnx").read_bytes()
    return onnx_session(model + field(7, field(12, field(1, _DURATIONS))))


@cache
def _vocabulary() -> dict[str, int]:
    loaded: dict[str, int] = json.loads(package_file("hibari", "assets", "vocab.json").read_text("utf-8"))
    return loaded
