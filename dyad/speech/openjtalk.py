"""Open JTalk for Japanese (package pyopenjtalk-plus): dictionary and the HTS voice "Mei" are part of it.

It gives no word times: characters are placed between the pauses by how long they are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from dyad.errors import ConfigError, near

from .engines import INSTALL_LANGUAGES, need, package_version
from .places import RATE, joined, read_aloud, sentences, spread, tokens_of, trim
from .programs import at_24k, variation
from .types import Floats, Speech

_GAP = RATE * 120 // 1000  # silence between sentences, well below any end-of-turn silence
_FULL_SCALE = 32_768.0
# Semitones above the recorded speaker.
PRESETS: Mapping[str, float] = MappingProxyType({"mei": 0.0, "mei-low": -3.0, "mei-high": 3.0})


def check(preset: str) -> None:
    """Raise ConfigError unless Open JTalk is installed and the preset is known."""
    if preset not in PRESETS:
        raise ConfigError(f"unknown openjtalk voice '{preset}'{near(preset, PRESETS)}")
    package_version("pyopenjtalk-plus", INSTALL_LANGUAGES)


def assets(preset: str) -> dict[str, str]:
    """Return the versions of the engine, which holds the voice, and of the dictionary that it asks."""
    names = ("pyopenjtalk-plus", "sudachidict-core")
    return {name: package_version(name, INSTALL_LANGUAGES) for name in names}


def speak(preset: str, text: str, seed: int, pace: float) -> Speech:
    """Speak a text; the seed changes pace by at most 3 % and pitch by at most half a semitone."""
    speed, pitch = variation(seed)
    tokens = tokens_of(text)
    parts = []
    for group in sentences(tokens):
        semitones = PRESETS[preset] + 12 * float(np.log2(pitch))
        pcm, _ = trim(_synthesise(read_aloud(group), pace * speed, semitones), ())
        parts.append((pcm, spread(group, pcm)))
    return joined(parts, tokens, _GAP)


def _synthesise(text: str, speed: float, semitones: float) -> Floats:
    pcm, rate = need("pyopenjtalk", INSTALL_LANGUAGES).tts(text, speed=speed, half_tone=semitones)
    return at_24k(np.asarray(pcm / _FULL_SCALE, np.float32), rate)
