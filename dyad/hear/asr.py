"""Words with times from audio alone, by an ASR that has no part in the conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dyad.audio import Pcm, to_float
from dyad.spec import SEATS, Word
from dyad.speech.types import Floats

from .align import aligned
from .channel import hear_channels
from .clip import words_within
from .ears import Setting, ears_of, setting_of

Params = Mapping[str, Any]


def check_asr(name: str, model_dir: str = "", lang: str = "en", params: Params | None = None) -> None:
    """Raise ConfigError unless an ASR is known, knows a language, and all that it needs is installed."""
    ears = ears_of(name)
    ears.check(setting_of(ears, params, model_dir, lang))


def asr_key(name: str, model_dir: str = "", params: Params | None = None) -> list[str]:
    """Return what names an ASR's words apart: engine, method, weights and settings.

    Raises ConfigError for an unknown engine, or a named folder without a model.
    """
    ears = ears_of(name)
    return [name, str(ears.method), *ears.key(setting_of(ears, params, model_dir))]


def transcribe(
    pcm: Pcm,
    asr: str,
    hotwords: Sequence[str] = (),
    model_dir: str = "",
    lang: str = "en",
    params: Params | None = None,
) -> list[Word]:
    """Return the words of both channels of int16 [2, N] at 24 kHz, ordered by start, seat a first.

    In scripts without spaces each character is a word (`dyad.speech.places.tokens_of`).

    `hotwords`: names that are likely to occur; they tell an engine how to spell, if it can be told.
    `model_dir`, `params`: the model and the settings of the engine. A channel without words in which Silero
    hears speech was heard three times: `dyad.hear.channel.status_of` says `asr_failed` of it.
    Raises ConfigError as `check_asr` does.
    """
    check_asr(asr, model_dir, lang, params)
    if asr == "none":
        return []
    ears = ears_of(asr)
    setting = setting_of(ears, params, model_dir, lang, hotwords)
    tracks = [_at_16k(channel) for channel in pcm]
    heard = [list(one.words) for one in hear_channels(tracks, ears, setting)]
    timed = zip(SEATS, aligned(tracks, heard, _aligner(setting), lang), strict=True)
    words = [word for seat, found in timed for word in words_within(found, seat, pcm.shape[1])[0]]
    return sorted(words, key=lambda word: (word.start, word.seat))


def _aligner(setting: Setting) -> Any:
    return getattr(setting.params, "align", None)


def _at_16k(channel: Pcm) -> Floats:
    from scipy.signal import resample_poly

    return np.asarray(resample_poly(to_float(channel), 2, 3), np.float32)
