"""The stimuli as files, in the folders of Full-Duplex-Bench.

    v1_0/<set>/<id>/  input.wav transcription.json, and by kind
                      pause.json | turn_taking.json | interrupt.json context.wav interrupt.wav
    v1_0/icc_gt_distribution.json  references of the backchannel set, by id
    v1_5/<set>/<id>/  input.wav clean_input.wav metadata.json, and their exact words: input.json
                      clean_input.json

WAV: mono, 16 bit, 24 kHz. Every time is a whole number of samples, divided by 24,000.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import uuid
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import soundfile

from dyad.audio import Pcm
from dyad.errors import ConfigError
from dyad.spec import RATE, digest
from dyad.store import TMP

from .nods import reference
from .sound import ENGINE, Turn, render, turns_of
from .texts import SETS, Item, TextSet, load_set

METHOD = 1  # raised by hand when the same texts would sound otherwise or be written otherwise
REFERENCES = "v1_0/icc_gt_distribution.json"  # named as the authors name theirs


def folder_of(cache: Path) -> Path:
    """Return the folder of the set inside `cache`, building it (some seconds) where it is not there yet.

    Its name says what it was made of. It appears by one rename, so several processes may do this at once.
    Raises ConfigError where the voices (extra `cascade`) are not installed, or nothing can be written there.
    """
    folder = cache / f"fdb_mini-{_made_of()}"
    if folder.is_dir():
        return folder
    partial = cache / f"{TMP}{socket.gethostname()}~{os.getpid()}~{uuid.uuid4().hex[:6]}~{folder.name}"
    try:
        build(partial)
        partial.rename(folder)
    except OSError as error:
        if not folder.is_dir():  # else another process was first
            why = f"the stimuli of fdb_mini cannot be written to {cache} ({error.strerror})"
            raise ConfigError(f"{why}; make room, or choose another store with store=DIR") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return folder


def build(folder: Path, only: Collection[str] | None = None) -> None:
    """Write the set, or those stimuli of it that `only` names (`<set>.<id>`), into a folder.

    The same on one machine to the bit, whichever others are written. Raises ConfigError for a name that is
    none, and where the voices (extra `cascade`) are not installed.
    """
    sets = {name: load_set(name) for name in SETS}
    known = {f"{name}.{item.id}": (name, item) for name, texts in sets.items() for item in texts.items}
    if unknown := sorted(set(only or ()) - set(known)):
        raise ConfigError(
            f"fdb_mini has no stimulus '{unknown[0]}'; a name is '<set>.<id>', e.g. {SETS[0]}.0"
        )
    nods: dict[str, list[float]] = {}
    for name, item in (known[id_] for id_ in known if only is None or id_ in only):
        texts = sets[name]
        turns = turns_of(name, texts, item)
        samples = turns[-1].end + round(texts.tail_s * RATE)
        _write(folder / texts.version / name / str(item.id), texts, item, turns, samples)
        if texts.kind == "backchannel":
            nods[str(item.id)] = reference(_words(turns), samples)
    if nods:
        _json(folder / REFERENCES, nods)


def _made_of() -> str:
    """Hash what decides about every sample: texts, voices, and how they are put together."""
    from dyad.speech.voices import voice_assets

    sets = {name: load_set(name) for name in SETS}
    presets = {item.voice_of(k) for texts in sets.values() for item in texts.items for k in (0, 1)}
    texts = {name: texts.model_dump(mode="json") for name, texts in sets.items()}
    return digest([METHOD, texts, {preset: voice_assets(ENGINE, preset) for preset in presets}])


def _write(folder: Path, texts: TextSet, item: Item, turns: Sequence[Turn], samples: int) -> None:
    folder.mkdir(parents=True)
    _wav(folder / "input.wav", render(turns, samples))
    if texts.kind == "overlap":
        _write_overlap(folder, item, turns, samples)
        return
    _json(folder / "transcription.json", [{"speaker": 0, "item": _timed(turns)}])
    if texts.kind == "pause":
        span = [turns[0].span[1], turns[1].span[0]]
        _json(folder / "pause.json", [{"text": "[PAUSE]", "timestamp": span}])
    elif texts.kind == "turn_taking":
        span = [turns[0].span[1], samples / RATE]
        _json(folder / "turn_taking.json", [{"text": "[TURN-TAKING]", "timestamp": span}])
    elif texts.kind == "interruption":
        _write_interruption(folder, item, turns)


def _write_interruption(folder: Path, item: Item, turns: Sequence[Turn]) -> None:
    for name, turn in zip(("context", "interrupt"), turns, strict=True):
        _wav(folder / f"{name}.wav", render([Turn(0, turn.speech)], len(turn.speech.pcm)))
    context, interrupt = item.turns
    about = {"context": context, "interrupt": interrupt, "timestamp": turns[1].span}
    _json(folder / "interrupt.json", [about])


def _write_overlap(folder: Path, item: Item, turns: Sequence[Turn], samples: int) -> None:
    _wav(folder / "clean_input.wav", render(turns[:1], samples))
    context, current = item.turns
    about = {"context_text": context, "current_turn_text": current, "timestamps": turns[1].span}
    _json(folder / "metadata.json", about)
    for name, heard in (("input", turns), ("clean_input", turns[:1])):
        text = " ".join(item.turns[: len(heard)])
        _json(folder / f"{name}.json", {"text": text, "chunks": _timed(heard)})


def _words(turns: Sequence[Turn]) -> list[tuple[str, float, float]]:
    return [word for turn in turns for word in turn.words]


def _timed(turns: Sequence[Turn]) -> list[dict[str, Any]]:
    return [{"text": text, "timestamp": [start, end]} for text, start, end in _words(turns)]


def _wav(path: Path, pcm: Pcm) -> None:
    soundfile.write(path, pcm, RATE, subtype="PCM_16")


def _json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", "utf-8")
