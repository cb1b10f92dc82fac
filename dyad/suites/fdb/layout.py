"""Stimuli of Full-Duplex-Bench: `<set>/<clip>/input.wav` with what is known about it in JSON beside it.

A clip with anything missing or malformed stays in the list, with a `problem`; nothing is dropped. A pause
whose note cannot be read has no span: only strict rules ask for it. What is no clip (hidden or other folders,
loose files) is ignored.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import soundfile
from pydantic import BaseModel, Field, TypeAdapter

from dyad.audio import Facts, decoded, facts
from dyad.errors import SHOWN, ConfigError
from dyad.spec.suite import Kind, Span, Stimulus
from dyad.suites.transcripts import Seconds, Unusable, inside, one_line, read_json

V1: Mapping[str, Kind] = {
    "pause_handling": "pause",
    "backchannel": "backchannel",
    "turn_taking": "turn_taking",
    "user_interruption": "interruption",
}
V15 = ("user_interruption", "user_backchannel", "talking_to_other", "background_speech")
INPUT, CLEAN_INPUT, REFERENCES = "input.wav", "clean_input.wav", "icc_gt_distribution.json"
NOTE: Mapping[Kind, str] = {
    "pause": "pause.json",
    "turn_taking": "turn_taking.json",
    "interruption": "interrupt.json",
    "overlap": "metadata.json",
}
FILES = {INPUT, CLEAN_INPUT, *NOTE.values(), "transcription.json", "output.wav", "output.json"}

NAME_SIZE = 40  # characters of a set's or a clip's part of an id
SLACK_S = 0.01  # notes give times to the hundredth of a second
LONGEST_S = 3600.0
RATES = range(8_000, 192_001)  # Hz


class _Event(BaseModel):
    timestamp: tuple[Seconds, Seconds]


class _Turn(BaseModel):
    timestamp: tuple[Seconds | None, Seconds | None] | tuple[Seconds | None]  # only the first is used


class _Interrupt(BaseModel):
    timestamp: tuple[Seconds | None, Seconds | None]
    context: str
    interrupt: str


class _Metadata(BaseModel):
    timestamps: tuple[Seconds, Seconds]
    context_text: str = ""
    current_turn_text: str = ""


_EVENTS = TypeAdapter(Annotated[list[_Event], Field(min_length=1)])
_TURNS = TypeAdapter(Annotated[list[_Turn], Field(min_length=1)])
_INTERRUPTS = TypeAdapter(Annotated[list[_Interrupt], Field(min_length=1)])
_METADATA = TypeAdapter(_Metadata)
_BY_CLIP = TypeAdapter(dict[str, Any])
_SHARES = TypeAdapter(Annotated[tuple[Annotated[Seconds, Field(ge=0)], ...], Field(max_length=100_000)])


class _Length(NamedTuple):
    """The seconds of a sound, what is wrong with it, and whether that is that it is cut off."""

    seconds: float
    problem: str = ""
    damaged: bool = False


class _Note(NamedTuple):
    """What the JSON of a clip says: `problem` where it cannot be used."""

    span: Span | None = None
    texts: Mapping[str, str] = {}
    problem: str = ""


def read_v1(data: Path, references: Path | None = None) -> list[Stimulus]:
    """Return the stimuli of Full-Duplex-Bench v1.0, by set, then by clip, numbers as numbers.

    `data` is a set, the folder of the sets, or the folder that holds that as `v1_0`. Where people put
    backchannels is read from `icc_gt_distribution.json`: `references` (the file or its folder), else in the
    set's folder, else in that of the sets or in `data`; a clip that it does not name has no reference. Raises
    ConfigError where there is no clip of a known set, or that file cannot be read.
    """
    data = data.absolute()
    sets = _sets(data, "v1.0", frozenset(V1.values()), sorted(V1))
    found = []
    for folder, kind in sets:
        shares = _references(folder, data, references) if kind == "backchannel" else {}
        found += [_v1(clip, kind, data, shares) for clip in clips(folder)]
    return _some(found, sets)


def read_v15(data: Path) -> list[Stimulus]:
    """Return the stimuli of Full-Duplex-Bench v1.5, each followed by its twin without the overlap.

    As `read_v1`, with the folder `v1_5`. A twin whose other half cannot be played has a problem too: it is
    there only to be compared with.
    """
    data = data.absolute()
    sets = _sets(data, "v1.5", frozenset({"overlap"}), V15)
    return _some([one for folder, _ in sets for clip in clips(folder) for one in _v15(clip, data)], sets)


def kind_of(folder: Path) -> Kind | None:
    """Return which rules score a set: by the end of its name, or None for no set.

    v1.0 and v1.5 both have sets that end in `user_interruption`; what lies in the clips decides between them.
    """
    name = folder.name.removesuffix("_example")  # so the authors call their samples
    if name.endswith(V15[1:]):
        return "overlap"
    kind = next((kind for end, kind in V1.items() if name.endswith(end)), None)
    return "overlap" if kind == "interruption" and _has_twins(folder, name) else kind


def clips(folder: Path) -> list[Path]:
    """Return the folders of a set's clips: those with a number for a name, or any file of the convention."""
    try:
        held = [path for path in folder.iterdir() if not path.name.startswith(".")]
    except OSError as error:
        raise ConfigError(f"{folder} cannot be read ({error.strerror}); change who may") from error
    return sorted(filter(_is_clip, held), key=lambda path: _order(path.name))


def safe(name: str) -> str:
    """Return a name that can be a part of an id and of a file's name; the same where it already is one.

    Another one keeps its letters and gets digits of a hash in front, which tell it from all others.
    """
    if re.fullmatch(rf"[A-Za-z0-9][A-Za-z0-9_+-]{{0,{NAME_SIZE - 1}}}", name):
        return name
    normal = unicodedata.normalize("NFC", name).encode("utf-8", "surrogateescape")
    mark = hashlib.blake2b(normal, digest_size=4).hexdigest()
    kept = re.sub(r"[^A-Za-z0-9_+-]+", "_", name).strip("_")
    return f"{mark}-{kept[len(mark) + 1 - NAME_SIZE :]}" if kept else mark


def _sets(data: Path, version: str, kinds: Set[Kind], ends: Sequence[str]) -> list[tuple[Path, Kind]]:
    own = (version.replace(".", "_"), version)
    if not data.is_dir():
        raise ConfigError(f"{data} is no folder; give data= the folder of Full-Duplex-Bench {version}")
    for folders in (*(_folders(place) for place in (data, *(data / name for name in own))), [data]):
        known = [(folder, kind_of(folder)) for folder in folders]
        if found := [(folder, kind) for folder, kind in known if kind is not None and kind in kinds]:
            return found
    held = ", ".join(one_line(path.name) for path in _folders(data)[:SHOWN]) or "none"
    raise ConfigError(
        f"{data} holds no set of Full-Duplex-Bench {version}: neither it nor {own[0]} or {own[1]} in it has "
        f"a folder whose name ends in {', '.join(ends)}; give data= the folder of the sets (here: {held})"
    )


def _folders(place: Path) -> list[Path]:
    """Return the folders in a folder that are not hidden, by name; none where it does not exist."""
    held = place.iterdir() if place.is_dir() else ()
    return sorted(path for path in held if not path.name.startswith(".") and path.is_dir())


def _some(found: list[Stimulus], sets: Sequence[tuple[Path, Kind]]) -> list[Stimulus]:
    if not found:
        raise ConfigError(
            f"no clip in {', '.join(str(folder) for folder, _ in sets)}; put <clip>/{INPUT} there"
        )
    return found


def _has_twins(folder: Path, name: str) -> bool:
    has = [{file for file in FILES if os.path.lexists(clip / file)} for clip in clips(folder)]
    twins = sum(bool(files & {CLEAN_INPUT, NOTE["overlap"]}) for files in has)
    alone = sum(NOTE["interruption"] in files for files in has)
    return twins > alone or (twins == alone and name == V15[0])


def _is_clip(path: Path) -> bool:
    """Where nobody can tell, it is one and is counted: a link to nowhere, a folder closed to readers."""
    try:
        if not path.is_dir():
            return path.is_symlink() and not path.exists()
    except OSError:
        return True
    readable = os.access(path, os.R_OK | os.X_OK)
    return not readable or path.name.isdecimal() or any(os.path.lexists(path / name) for name in FILES)


def _order(name: str) -> tuple[bool, int, str]:
    number = name.isdecimal()
    return not number, int(name) if number else 0, name


def _v1(clip: Path, kind: Kind, root: Path, references: Mapping[str, Any]) -> Stimulus:
    sound = _length(clip / INPUT, root)
    note = _note(clip, kind, root, sound[0])
    reference, unusable = _shares(references.get(clip.name, []), clip.name)
    return _stimulus(clip, kind, sound, note, unusable).model_copy(update={"reference": reference})


def _v15(clip: Path, root: Path) -> tuple[Stimulus, Stimulus]:
    sound, clean = _length(clip / INPUT, root), _length(clip / CLEAN_INPUT, root)
    noisy = _stimulus(clip, "overlap", sound, _note(clip, "overlap", root, sound[0]))
    twin = _stimulus(clip, "overlap", clean, _Note(), noisy.problem and f"its twin: {noisy.problem}")
    update = {"id": noisy.clean_id, "sound": CLEAN_INPUT, "texts": noisy.texts, "clean": True}
    return noisy, twin.model_copy(update=update)


def _stimulus(clip: Path, kind: Kind, sound: _Length, note: _Note, also: str = "") -> Stimulus:
    task, folder = safe(clip.parent.name), _utf8(str(clip))
    renamed = "" if folder == str(clip) else "its path is not UTF-8; rename it"
    problems = dict.fromkeys(filter(None, (renamed, sound[1], note.problem, also)))
    return Stimulus(
        id=f"{task}.{safe(clip.name)}",
        task=task,
        kind=kind,
        clip=_utf8(clip.name),
        folder=folder,
        duration_s=sound[0],
        span=note.span,
        texts=dict(note.texts),
        problem="; ".join(problems),
        damaged=sound.damaged,
    )


def _utf8(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _length(path: Path, root: Path) -> _Length:
    name = path.name
    try:
        if not inside(path, root):
            return _Length(0.0, f"{name} lies outside {one_line(root)}; put a copy there")
        if not path.is_file():
            return _Length(0.0, f"no {name}")
        about = facts(path)
        return _Length(about.seconds, _unplayable(path, about), bool(about.lacks))
    except (soundfile.LibsndfileError, OSError, UnicodeError) as error:
        why = one_line(getattr(error, "error_string", error))
        return _Length(0.0, f"{name} cannot be read as audio ({why})")


def _unplayable(path: Path, about: Facts) -> str:
    if about.channels != 1:
        return f"{path.name} has {about.channels} channels; keep the user's alone"
    if about.lacks:
        return f"{path.name} is {about.lacks}"
    if not about.frames:
        return f"{path.name} is empty"
    if about.rate not in RATES or about.rate % 25:
        return f"{path.name} has {about.rate} Hz, not a multiple of 25 from {RATES[0]} to {RATES[-1]}"
    if about.frames > LONGEST_S * about.rate:
        return f"{path.name} is longer than {LONGEST_S:.0f} s"
    if about.subtype in ("FLOAT", "DOUBLE") and not _finite(path):
        return f"{path.name} holds NaN or infinite samples"
    return ""


def _finite(path: Path) -> bool:
    return bool(np.isfinite(decoded(path).pcm).all())


def _note(clip: Path, kind: Kind, root: Path, duration: float) -> _Note:
    if kind not in NOTE:
        return _Note()
    path = clip / NOTE[kind]
    try:
        note = _READ[kind](path if inside(path, root) else _outside(path, root))
        _check(note.span, path.name)
    except Unusable as error:
        return _Note() if kind == "pause" else _Note(problem=str(error))  # the authors read no pause.json
    end = note.span[1] if note.span and duration else 0.0  # without a length, the sound's own problem says it
    beyond = f"{path.name}: {end:g} s is beyond the sound of {duration:g} s"
    return _Note(problem=beyond) if end > duration + SLACK_S else note


def _outside(path: Path, root: Path) -> Path:
    raise Unusable(f"{path.name} lies outside {one_line(root)}; put a copy there")


def _check(span: Span | None, name: str) -> None:
    if span and not 0 <= span[0] <= span[1]:
        raise Unusable(f"{name}: no span of time: {span[0]:g} to {span[1]:g} s")


def _pause(path: Path) -> _Note:
    """The first pause is asked about; further ones are kept as a text, so that none is lost unseen."""
    spans = [event.timestamp for event in read_json(path, _EVENTS)]
    more = {"pauses": ", ".join(f"{start!r}–{end!r}" for start, end in spans)} if spans[1:] else {}
    return _Note(spans[0], more)


def _turn(path: Path) -> _Note:
    start = read_json(path, _TURNS)[0].timestamp[0]
    return _Note() if start is None else _Note((start, start))  # what needs no end is scored


def _interrupt(path: Path) -> _Note:
    first = read_json(path, _INTERRUPTS)[0]
    start, end = first.timestamp
    span = None if end is None else (end if start is None else start, end)
    return _Note(span, {"context": first.context, "interruption": first.interrupt})


def _overlap(path: Path) -> _Note:
    found = read_json(path, _METADATA)
    texts = {"context_text": found.context_text, "current_turn_text": found.current_turn_text}
    return _Note(found.timestamps, {name: text for name, text in texts.items() if text})


_READ: Mapping[Kind, Callable[[Path], _Note]] = {
    "pause": _pause,
    "turn_taking": _turn,
    "interruption": _interrupt,
    "overlap": _overlap,
}


def _references(folder: Path, data: Path, given: Path | None) -> Mapping[str, Any]:
    """Return the references of a set by the names of its clips; none where no file has any."""
    places = (folder, folder.parent, data) if given is None else (given,)
    files = [place / REFERENCES if place.is_dir() else place for place in places]
    path = next((file for file in files if given or os.path.lexists(file)), None)
    if path is None:
        return {}
    try:
        file = path if given or inside(path, path.parent) else _outside(path, path.parent)
        return read_json(file, _BY_CLIP)
    except Unusable as error:
        raise ConfigError(f"{path}: {error}; give references= the authors' file") from error


def _shares(value: Any, clip: str) -> tuple[tuple[float, ...], str]:
    try:
        shares = _SHARES.validate_python(value)
    except ValueError:
        shares = (0.0,)
    if shares and not 0 < sum(shares) < float("inf"):
        return (), f"{REFERENCES} has no probabilities for {one_line(clip)}"
    return shares, ""
