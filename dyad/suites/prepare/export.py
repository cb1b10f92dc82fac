"""Samples as folders of Full-Duplex-Bench v1, with the other speaker of the dialogue beside them.

    <name>_<task>/<clip>/ input.wav transcription.json human.wav human.json
                          pause.json | turn_taking.json |
                          interrupt.json context.wav interrupt.wav human_whole.json
    manifest.json  cuts.tsv  icc_gt_distribution.json

Clips have numbers, the best first: the authors' script for backchannels sees no other folders. No file lies
in the folder of a set: their other scripts take it for a clip.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soundfile

from dyad.audio import Pcm, opened, resampled, to_float, to_int16
from dyad.errors import ConfigError
from dyad.suites.words import EPSILON, Timed

from ..fdb.layout import REFERENCES
from .corpus import Dialogue
from .events import Sample, Voices
from .publish import MANIFEST
from .turns import Span

RULES = "fdb_french-1"  # raised by hand when the same corpus would give other samples
BIN_S, FLOOR = 0.2, 1e-10  # of the histograms of backchannels, as the scorer makes its own


class Cut(NamedTuple):
    """How a sound is made: a stretch of one channel of a dialogue, then zeros. Seconds."""

    file: str
    channel: int
    start: float
    end: float
    zeros_s: float = 0.0


class Item(NamedTuple):
    """A sample of a set, with the dialogue that it is from. `clip` is the name of its folder."""

    set: str
    clip: str
    sample: Sample
    dialogue: Dialogue
    voices: Voices


def export(folder: Path, items: Sequence[Item], audio: bool = True, rate: int | None = None) -> None:
    """Write samples into an empty folder; without `audio`, annotations and cuts only.

    `rate` of the sounds in Hz, by default that of each dialogue. Raises ConfigError where a sound ends early.
    """
    for item in items:
        clip = folder / item.set / item.clip
        clip.mkdir(parents=True)
        for name, content in notes(item).items():
            write_json(clip / name, content)
        if audio:
            for cut in cuts(item.sample):
                _write_sound(clip / cut.file, _pcm(item.dialogue, cut, rate), rate or item.dialogue.rate)
    write_json(folder / MANIFEST, {"rules": RULES, "samples": [_entry(item) for item in items]})
    write_json(folder / REFERENCES, references(items))
    (folder / "cuts.tsv").write_text("".join(_rows(items)), "utf-8")


def cuts(sample: Sample) -> list[Cut]:
    """Return how each sound of a sample is made. The human has the input's span, its zeros included."""
    user, end = sample.channel, sample.end + sample.tail_s
    found = [
        Cut("input.wav", user, sample.start, sample.end, sample.tail_s),
        Cut("human.wav", 1 - user, sample.start, end),
    ]
    if sample.context and sample.interrupt:
        found.append(Cut("context.wav", user, sample.context.start, sample.context.end))
        found.append(Cut("interrupt.wav", user, sample.interrupt.start, sample.interrupt.end))
    return [cut._replace(start=round(cut.start, 6), end=round(cut.end, 6)) for cut in found]


def notes(item: Item) -> dict[str, Any]:
    """Return the JSON files of a sample by name; times are seconds of its input."""
    sample = item.sample
    own = _within(item.voices.words[sample.channel], (sample.start, sample.end))
    said = [{"speaker": sample.channel, "item": _chunks(own, sample.start)}]
    return {"transcription.json": said, **human(item), **_event(sample)}


def human(item: Item) -> dict[str, Any]:
    """Return what the other speaker says in the span of the input, in the form of a model's output.json.

    Of an interruption, that is what follows its end, as the authors' transcripts have it; all is beside it.
    """
    sample = item.sample
    words = _within(item.voices.words[1 - sample.channel], (sample.start, sample.end + sample.tail_s))
    if sample.interrupt is None:
        return {"human.json": _transcript(words, sample.start)}
    after = _within(words, (sample.interrupt.end, math.inf))
    return {
        "human.json": _transcript(after, sample.start),
        "human_whole.json": _transcript(words, sample.start),
    }


def references(items: Iterable[Item]) -> dict[str, list[float]]:
    """Return where the other speaker puts backchannels, by clip: probabilities of bins of 0.2 s."""
    return {i.clip: _reference(i.sample) for i in items if i.sample.task == "backchannel"}


def write_json(path: Path, content: object) -> None:
    """Write JSON; in ASCII, since the authors' scripts read it in whatever encoding a machine prefers."""
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", "ascii")


def _reference(sample: Sample) -> list[float]:
    counts = np.full(_bin(sample.end - sample.start) + 1, FLOOR)
    for start, end in sample.units:
        counts[_bin(start - sample.start) : _bin(end - sample.start) + 1] += 1
    return [float(share) for share in counts / counts.sum()]


def _bin(seconds: float) -> int:
    return math.floor(seconds / BIN_S + 1e-9)


def _event(sample: Sample) -> dict[str, Any]:
    at = _relative(sample.span, sample.start)
    if sample.task == "pause_handling":
        return {"pause.json": [{"text": "[PAUSE]", "timestamp": at}]}
    if sample.task == "turn_taking":
        return {"turn_taking.json": [{"text": "[TURN-TAKING]", "timestamp": at}]}
    if sample.context and sample.interrupt:
        texts = {"context": sample.context.text, "interrupt": sample.interrupt.text}
        return {"interrupt.json": [texts | {"timestamp": at}]}
    return {}


def _within(words: Iterable[Timed], span: Span) -> list[Timed]:
    """Return the words whose middle lies in a span, clipped to it."""
    low, high = span
    inside = (w for w in words if low - EPSILON <= (w.start + w.end) / 2 <= high + EPSILON)
    return [Timed(w.text, max(w.start, low), max(low, min(w.end, high))) for w in inside]


def _chunks(words: Iterable[Timed], zero: float) -> list[dict[str, Any]]:
    return [{"text": w.text, "timestamp": _relative((w.start, w.end), zero)} for w in words]


def _transcript(words: Sequence[Timed], zero: float) -> dict[str, Any]:
    return {"text": " ".join(word.text for word in words), "chunks": _chunks(words, zero)}


def _relative(span: Span, zero: float) -> list[float]:
    return [round(max(0.0, time - zero), 6) for time in span]


def _entry(item: Item) -> dict[str, Any]:
    sample, sound = item.sample, item.dialogue.sound
    return {
        "set": item.set,
        "clip": item.clip,
        "dialogue": sample.dialogue,
        "sound": sound.name if sound else None,
        "channel": sample.channel,
        "start": sample.start,
        "end": sample.end,
        "zeros_s": sample.tail_s,
        "event": list(sample.span),
        "quality": sample.quality,
        "rules": RULES,
    }


def _rows(items: Iterable[Item]) -> Iterable[str]:
    yield "\t".join(("set", "clip", "file", "dialogue", "channel", "start_s", "end_s", "zeros_s")) + "\n"
    for item in items:
        for cut in cuts(item.sample):
            times = (f"{x:.6f}" for x in (cut.start, cut.end, cut.zeros_s))
            names = (item.set, item.clip, cut.file, item.dialogue.id, str(cut.channel))
            yield "\t".join((*names, *times)) + "\n"


def _pcm(dialogue: Dialogue, cut: Cut, rate: int | None) -> Pcm:
    """Cut int16 [N] out of a dialogue; what lies beyond its end is zeros."""
    assert dialogue.sound is not None  # read_corpus has seen to it
    first, last = round(cut.start * dialogue.rate), round(cut.end * dialogue.rate)
    try:
        with opened(dialogue.sound) as file:
            file.seek(first)
            floats = file.subtype in ("FLOAT", "DOUBLE")  # which libsndfile does not scale to integers
            read = file.read(last - first, "float32" if floats else "int16", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise ConfigError(
            f"{dialogue.sound}: ends early or is broken ({error.error_string}); copy it again"
        ) from None
    pcm: Pcm = np.zeros(last - first, np.int16)
    pcm[: len(read)] = to_int16(np.nan_to_num(read[:, cut.channel])) if floats else read[:, cut.channel]
    if rate and rate != dialogue.rate:
        pcm = to_int16(resampled(to_float(pcm), dialogue.rate, rate))
    return np.concatenate([pcm, np.zeros(round(cut.zeros_s * (rate or dialogue.rate)), np.int16)])


def _write_sound(path: Path, pcm: Pcm, rate: int) -> None:
    soundfile.write(path, pcm, rate, subtype="PCM_16")
