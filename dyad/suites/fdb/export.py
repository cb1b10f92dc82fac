"""Trials as folders of Full-Duplex-Bench, which the authors' scripts score as they are.

<set>/<clip>/  input.wav output.wav output.json, and the notes of the clip
               v1.5 also: clean_input.wav clean_output.wav input.json clean_input.json clean_output.json
<set>/icc_gt_distribution.json: where people put backchannels
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import soundfile

from dyad.errors import ConfigError
from dyad.spec.suite import Stimulus

from ..protocol import Chunk, Sound, Trial
from .layout import CLEAN_INPUT, INPUT, NOTE, REFERENCES, inside, safe
from .transcripts import beside, write_chunks
from .turns import after

LONGEST_NAME = 255  # bytes
COPIED = ("transcription.json", "context.wav", "interrupt.wav")  # beside the note of each kind
SOUNDS = (INPUT, CLEAN_INPUT, "output.wav", "clean_output.wav")  # of v1.5; each has a transcript


class Exported(NamedTuple):
    """What was written: a folder per trial, `<set>/<clip>`, and the transcripts that there are none of.

    The authors' scripts leave a clip without its transcripts out, or stop there.
    """

    folders: tuple[str, ...]
    untranscribed: tuple[str, ...]


def export_trials(
    trials: Sequence[Trial], folder: Path, names: Sequence[str] = (), crop: bool = True
) -> Exported:
    """Write trials into a new folder, which appears complete or not at all.

    `names` are those of the clips' folders, if not the clips' own: repetitions of a clip need them. (The
    authors' script for backchannels sees only numbers.) A stimulus is copied byte for byte where its file
    exists, with the notes beside it; else what was played is written, and notes of what is known. Sounds are
    PCM16 at their own rate and of their own length. `crop` leaves out what was said before an interruption
    ended, as the authors' transcripts of those sets do; their script would take it for the reply.

    Raises ConfigError where there is nothing to write, two trials would share a folder, a trial is one of a
    twin without overlap (it is written with its other half), or `folder` is not empty or cannot be written.
    """
    places = _places(trials, names or [trial.stimulus.clip for trial in trials])
    target = folder.resolve()
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise ConfigError(f"{folder} is not empty; name a new folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".export-", dir=target.parent) as scratch:
            made = Path(scratch) / "made"
            for place, trial in zip(places, trials, strict=True):
                _write_trial(trial, made / place, crop)
            _write_references(trials, [made / place for place in places])
            made.rename(target)  # over an empty folder, never over anything else
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written ({error.strerror}); name another folder") from error
    return _exported(trials, target, places)


def _places(trials: Sequence[Trial], names: Sequence[str]) -> list[Path]:
    if not trials:
        raise ConfigError("no trial to export; play the suite first")
    if twins := [trial.stimulus.id for trial in trials if trial.stimulus.clean]:
        raise ConfigError(f"{twins[0]} is no trial of its own; export the one with the overlap")
    places = [
        Path(trial.stimulus.task, _folder_name(name)) for trial, name in zip(trials, names, strict=True)
    ]
    if twice := [place for place in places if places.count(place) > 1]:
        raise ConfigError(f"several trials would be written to {twice[0]}; export one repetition at a time")
    return places


def _folder_name(name: str) -> str:
    plain = name.isprintable() and not name.startswith(".") and not set(name) & set('/\\:*?"<>|')
    return name if name and plain and len(name.encode()) <= LONGEST_NAME else safe(name)


def _write_trial(trial: Trial, folder: Path, crop: bool) -> None:
    stimulus = trial.stimulus
    folder.mkdir(parents=True)
    _write_input(stimulus, stimulus.sound, folder / INPUT, trial.user)
    _write_sound(folder / "output.wav", trial.model)
    _write_words(folder / "output.json", _said(trial, crop))
    if stimulus.kind == "overlap":
        _write_input(stimulus, CLEAN_INPUT, folder / CLEAN_INPUT, trial.clean_user)
        if trial.clean is not None:
            _write_sound(folder / "clean_output.wav", trial.clean)
        for name, sound in zip(SOUNDS, (trial.user, trial.clean_user, None, trial.clean), strict=True):
            _write_words(beside(folder / name), sound.words if sound else None)
    for name in COPIED:
        _copy(stimulus, name, folder / name)
    _write_note(stimulus, folder)


def _said(trial: Trial, crop: bool) -> Sequence[Chunk] | None:
    words, span = trial.model.words, trial.stimulus.span
    cropped = crop and words and span and trial.stimulus.kind == "interruption"
    return after(words, span[1]) if cropped and words and span else words


def _write_input(stimulus: Stimulus, name: str, path: Path, played: Sound | None) -> None:
    if not _copy(stimulus, name, path) and played is not None:
        _write_sound(path, played)


def _write_sound(path: Path, sound: Sound) -> None:
    soundfile.write(path, sound.pcm, sound.rate, format="WAV", subtype="PCM_16")


def _write_words(path: Path, words: Sequence[Chunk] | None) -> None:
    if words is not None:
        write_chunks(path, words)


def _write_note(stimulus: Stimulus, folder: Path) -> None:
    name = NOTE.get(stimulus.kind)
    if name and not _copy(stimulus, name, folder / name) and stimulus.span is not None:
        _write_json(folder / name, _note(stimulus, list(stimulus.span)))


def _note(stimulus: Stimulus, span: list[float]) -> Any:
    texts = stimulus.texts
    if stimulus.kind == "overlap":
        named = {name: texts.get(name, "") for name in ("context_text", "current_turn_text")}
        return named | {"timestamps": span}
    if stimulus.kind == "interruption":
        said = {"context": texts.get("context", ""), "interrupt": texts.get("interruption", "")}
        return [said | {"timestamp": span}]
    return [{"text": "[PAUSE]" if stimulus.kind == "pause" else "[TURN-TAKING]", "timestamp": span}]


def _write_references(trials: Sequence[Trial], folders: Sequence[Path]) -> None:
    by_set: dict[Path, dict[str, list[float]]] = {}
    for trial, folder in zip(trials, folders, strict=True):
        if trial.stimulus.reference:
            by_set.setdefault(folder.parent, {})[folder.name] = list(trial.stimulus.reference)
    for folder, references in by_set.items():
        _write_json(folder / REFERENCES, references)


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, allow_nan=False) + "\n", "ascii")


def _copy(stimulus: Stimulus, name: str, path: Path) -> bool:
    """Copy a file of the stimulus; False where there is none, or a link leads to it from another set."""
    source = Path(stimulus.folder) / name
    if not stimulus.folder or not source.is_file() or not inside(source, source.parent.parent):
        return False
    shutil.copyfile(source, path)
    return True


def _exported(trials: Sequence[Trial], target: Path, places: Sequence[Path]) -> Exported:
    missing = [
        str(beside(place / name))
        for trial, place in zip(trials, places, strict=True)
        for name in (SOUNDS if trial.stimulus.kind == "overlap" else SOUNDS[2:3])
        if not beside(target / place / name).is_file()
    ]
    return Exported(tuple(map(str, places)), tuple(missing))
