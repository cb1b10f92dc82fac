"""Round trip of names: spoken by the packaged voices, heard by the recogniser that hears recordings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from dyad.judge.rules.accord import name_marker
from dyad.library import aliases_of, options_of
from dyad.spec import SEATS, Scenario
from dyad.text import fold, tokens

from .source import Bench

VOICES = ("heart", "low", "bright")
CARRIERS = ("We could say {word} for now.", "I was thinking of {word}.", "So it is {word}, is it not?")


def round_trip(bench: Bench, seed: int) -> Sequence[str]:
    """Speak each hotword in an English sentence; yes where a judge would find it in the words that are heard.

    The recogniser gets no hint, unlike with recordings: it would copy even a name that nobody can say from
    its hint. Voice and sentence change with the seed.
    """
    words = hotwords(bench.scenario)
    voice = VOICES[seed % len(VOICES)]
    sentence = CARRIERS[(seed + seed // len(VOICES)) % len(CARRIERS)]
    heard = _whisper().hear_all([_spoken(sentence.format(word=word), voice, seed) for word in words])
    kept = [keeps(bench.scenario, word, found.text) for word, found in zip(words, heard, strict=True)]
    return ["yes" if held else "no" for held in kept]


def hotwords(scenario: Scenario) -> list[str]:
    """Return the names whose spelling the recogniser is told."""
    return [str(word) for word in scenario.asr.get("hotwords", ())]


def keeps(scenario: Scenario, word: str, heard: str) -> bool:
    """Return whether a judge finds a hotword in what was heard; T2 names and secrets may be bent a little."""
    mark = name_marker({"word": spellings(scenario, word)}, near=scenario.archetype in ("t2", "t4_2"))
    return "@word" in mark(tokens(heard))


def spellings(scenario: Scenario, word: str) -> tuple[str, ...]:
    """Return a hotword and the other spellings that a judge takes for it."""
    options, aliases = options_of(scenario), aliases_of(scenario)
    known = {fold(options[seat]): aliases[seat] for seat in SEATS if options}
    known |= {fold(str(scenario.truth.get("secret", ""))): tuple(scenario.truth.get("aliases", ()))}
    return (word, *known.get(fold(word), ()))


@cache
def _whisper() -> Any:
    from dyad.speech.weights import need_whisper
    from dyad.speech.whisper import Whisper

    return Whisper(need_whisper().folder)


def _spoken(text: str, preset: str, seed: int) -> Any:
    """Mono float32 at 16 kHz."""
    from scipy.signal import resample_poly

    from dyad.speech.voices import load_voice

    return np.asarray(resample_poly(load_voice("hibari", preset)(text, seed).pcm, 2, 3), np.float32)
