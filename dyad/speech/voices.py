"""Voices by engine and preset: one model with several speakers inside, or programs outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from dyad.errors import ConfigError, near

from . import kokoro, openjtalk, programs, timbre
from .places import speakable, tokens_of
from .types import Floats, Speech, Spoken, Voice

RATE = 24_000
SPEECH_DBFS = -26.0  # level of active speech (RMS), as in ITU-T P.56 practice
PEAK = 0.8
_CACHED = 128  # sentences of about 3 s: some 40 MB


@dataclass(frozen=True)
class Engine:
    """A family of voices. `check` raises ConfigError when the engine or preset is not there.

    `assets` names the version or the hash of what makes the sound, `language` what a preset speaks.
    """

    check: Callable[[str], None]
    speak: Callable[[str, str, int, float], Speech]
    assets: Callable[[str], dict[str, str]]
    language: Callable[[str], str] = lambda preset: "en"


ENGINES: Mapping[str, Engine] = MappingProxyType(
    {
        "hibari": Engine(timbre.check, timbre.speak, timbre.assets),
        "kokoro": Engine(kokoro.check, kokoro.speak, kokoro.assets, kokoro.language),
        "openjtalk": Engine(openjtalk.check, openjtalk.speak, openjtalk.assets, lambda preset: "ja"),
        "espeak": Engine(
            programs.check_espeak, programs.speak_espeak, programs.assets_espeak, programs.language_espeak
        ),
        "flite": Engine(programs.check_flite, programs.speak_flite, programs.assets_flite),
        "piper": Engine(
            programs.check_piper, programs.speak_piper, programs.assets_piper, programs.language_piper
        ),
    }
)


@dataclass(frozen=True)
class _Voice:
    engine: str
    preset: str

    def __call__(self, text: str, seed: int = 0, pace: float = 1.0) -> Speech:
        return _say(self.engine, self.preset, text, seed, pace)


def load_voice(engine: str, preset: str) -> Voice:
    """Return a voice (`types.Voice`); ConfigError when the engine or the preset is missing.

    The same text, seed and pace give the same samples; another seed says the text slightly otherwise.
    Each token of the text (`places.tokens_of`) has one place in the speech. Levels are alike across voices.
    """
    if engine not in ENGINES:
        raise ConfigError(f"unknown voice engine '{engine}'{near(engine, ENGINES)}")
    ENGINES[engine].check(preset)
    return _Voice(engine, preset)


def voice_assets(engine: str, preset: str) -> dict[str, str]:
    """Return what a voice is made of, name → version or SHA-256; raises ConfigError as `load_voice` does."""
    load_voice(engine, preset)
    return ENGINES[engine].assets(preset)


def check_voice_speaks(engine: str, preset: str, lang: str) -> None:
    """Raise ConfigError for a voice of another language than `lang`; a file that names none is believed."""
    load_voice(engine, preset)
    speaks = ENGINES[engine].language(preset)
    if speaks not in ("", lang):
        raise ConfigError(f"the voice {engine} '{preset}' speaks '{speaks}', not '{lang}'; use one that does")


@lru_cache(maxsize=_CACHED)
def _say(engine: str, preset: str, text: str, seed: int, pace: float) -> Speech:
    tokens = tokens_of(text)
    if not any(map(speakable, tokens)):
        return Speech(np.zeros(0, np.float32), tuple(Spoken(token, 0, 0) for token in tokens))
    speech = ENGINES[engine].speak(preset, text, seed, pace)
    pcm = level(speech.pcm)
    pcm.setflags(write=False)  # cached speech is shared
    return Speech(pcm, speech.words)


def level(pcm: Floats) -> Floats:
    """Scale speech to −26 dBFS RMS over its active 20 ms frames, and to a peak of at most 0.8."""
    frame = RATE // 50
    power = np.square(pcm[: len(pcm) // frame * frame].reshape(-1, frame)).mean(axis=1)
    active = power[power > power.max(initial=0.0) * 1e-3]  # within 30 dB of the loudest frame
    if not len(active):
        return pcm.copy()
    gain = 10 ** (SPEECH_DBFS / 20) / np.sqrt(active.mean())
    scaled: Floats = (pcm * min(gain, PEAK / np.abs(pcm).max())).astype(np.float32)
    return scaled
