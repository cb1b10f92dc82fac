"""Trials as folders of Full-Duplex-Bench, which the authors' scripts score as they are.

<set>/<clip>/  input.wav output.wav output.json, and the notes of the clip
               of an interruption also: output_whole.json, with what was said before it ended
               v1.5 also: clean_input.wav clean_output.wav input.json clean_input.json clean_output.json
<set>/icc_gt_distribution.json: where people put backchannels
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import soundfile

from dyad.errors import ConfigError
from dyad.spec.suite import Stimulus

from ..protocol import Chunk, Exported, Sound, Trial
from ..transcripts import beside, inside, write_chunks
from .layout import CLEAN_INPUT, INPUT, NOTE, REFERENCES, safe
from .turns import after

LONGEST_NAME = 255  # bytes
WHOLE = "output_whole.json"  # which the authors' scripts do not see
COPIED = ("transcription.json", "context.wav", "interrupt.wav")  # beside the note of each kind
SOUNDS = (INPUT, CLEAN_INPUT, "output.wav", "clean_output.wav")  # of v1.5; each has a transcript


class _Written(NamedTuple):
    place: Path
    stimulus: Stimulus


def export_trials(
    trials: Iterable[Trial], folder: Path, crop: bool = True, names: Sequence[str] = ()
) -> Exported:
    """Write trials, one after the other, into a new folder, which appears complete or not at all.

    `names` are those of the clips' folders, if not the clips' own: repetitions of a clip need them. (The
    authors' script for backchannels sees only numbers.) A stimulus is copied byte for byte where its file
    exists, with the notes beside it; else what was played is written, and notes of what is known. Sounds are
    PCM16 at their own rate and of their own length. `crop` leaves out what was said before an interruption
    ended, as the authors' transcripts of those sets do; their script would take it for the reply. All words
    lie beside it as `output_whole.json`. Words that are not known to be all are written as they are.

    Raises ConfigError where there is nothing to write, two trials would share a folder, a trial is one of a
    twin without overlap (it is written with its other half), or `folder` is not empty or cannot be written.
    """
    written = list[_Written]()
    target = folder.resolve()
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise ConfigError(f"{folder} is not empty; name a new folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".export-", dir=target.parent) as scratch:
            made = Path(scratch) / "made"
            for number, trial in enumerate(trials):
                place = _place(trial.stimulus, names[number] if names else trial.stimulus.clip)
                if (made / place).exists():
                    raise ConfigError(
                        f"several trials would be written to {place}; export one repetition at a time"
                    )
                _write_trial(trial, made / place, crop)
                written.append(_Written(place, trial.stimulus))
            if not written:
                raise ConfigError("no trial to export; play the suite first")
            _write_references(made, written)
            made.rename(target)  # over an empty folder, never over anything else
    except OSError as error:
        raise ConfigError(f"{folder} cannot be written ({error.strerror}); name another folder") from error
    return _exported(target, written)


def _place(stimulus: Stimulus, name: str) -> Path:
    if stimulus.clean:
        raise ConfigError(f"{stimulus.id} is no trial of its own; export the one with the overlap")
    return Path(stimulus.task, _folder_name(name))


def _folder_name(name: str) -> str:
    plain = name.isprintable() and not name.startswith(".") and not set(name) & set('/\\:*?"<>|')
    return name if name and plain and len(name.encode()) <= LONGEST_NAME else safe(name)


def _write_trial(trial: Trial, folder: Path, crop: bool) -> None:
    stimulus = trial.stimulus
    folder.mkdir(parents=True)
    _write_input(stimulus, stimulus.sound, folder / INPUT, trial.user)
    _write_sound(folder / "output.wav", trial.model)
    _write_said(trial, folder, crop)
    if stimulus.kind == "overlap":
        _write_input(stimulus, CLEAN_INPUT, folder / CLEAN_INPUT, trial.clean_user)
        if trial.clean is not None:
            _write_sound(folder / "clean_output.wav", trial.clean)
        for name, sound in zip(SOUNDS, (trial.user, trial.clean_user, None, trial.clean), strict=True):
            _write_words(beside(folder / name), sound.words if sound else None)
    for name in COPIED:
        _copy(stimulus, name, folder / name)
    _write_note(stimulus, folder)


def _write_said(trial: Trial, folder: Path, crop: bool) -> None:
    """Write what the model said; that these are all words of an interruption is known by the second file."""
    words, span = trial.model.words, trial.stimulus.span
    if trial.stimulus.kind == "interruption" and trial.model.whole:
        _write_words(folder / WHOLE, words)
        if crop and words and span:
            words = after(words, span[1])
    _write_words(folder / "output.json", words)


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


def _write_references(made: Path, written: Sequence[_Written]) -> None:
    by_set: dict[Path, dict[str, list[float]]] = {}
    for place, stimulus in written:
        if stimulus.reference:
            by_set.setdefault(place.parent, {})[place.name] = list(stimulus.reference)
    for folder, references in by_set.items():
        _write_json(made / folder / REFERENCES, references)


def _write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, allow_nan=False) + "\n", "ascii")


def _copy(stimulus: Stimulus, name: str, path: Path) -> bool:
    """Copy a file of the stimulus; False where there is none, or a link leads to it from another set."""
    source = Path(stimulus.folder) / name
    if not stimulus.folder or not source.is_file() or not inside(source, source.parent.parent):
        return False
    shutil.copyfile(source, path)
    return True


def _exported(target: Path, written: Sequence[_Written]) -> Exported:
    missing = [
        str(beside(place / name))
        for place, stimulus in written
        for name in (SOUNDS if stimulus.kind == "overlap" else SOUNDS[2:3])
        if not beside(target / place / name).is_file()
    ]
    return Exported(tuple(str(place) for place, _ in written), tuple(missing))
