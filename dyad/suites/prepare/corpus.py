"""A corpus of two-channel dialogues in a folder: what belongs together, and its two forms."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import soundfile

from dyad.audio import check_whole, facts, unreadable
from dyad.errors import ConfigError, near
from dyad.speech.places import proportional
from dyad.suites.words import Timed, Words

from .transcripts import MANUAL, WORDS, Line, Read, read_channels, read_manual, spoken, words_of

Format = Literal["callfriend", "media"]
FORMATS: tuple[Format, ...] = ("callfriend", "media")
SOUNDS = (".wav", ".flac")
NUMBERED = {"0": 0, "1": 1}  # speakers of a file that names no channels
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,59}")  # part of folder names, with more after it

Said = tuple[Timed, ...]
Hear = Callable[[Path], tuple[Said, Said]]  # recognises the words of both channels of a file


class Manual(NamedTuple):
    """A turn of a manual transcript; `channel` and `times` (of its words) where the corpus has them."""

    start: float
    end: float
    words: tuple[str, ...]
    channel: int | None = None
    times: Said = ()


@dataclass(frozen=True)
class Dialogue:
    """Two people on two channels. `duration_s` is infinite and `rate` 0 where the sound is not there."""

    id: str
    sound: Path | None
    duration_s: float
    rate: int
    manual: tuple[Manual, ...]
    heard: tuple[Said, Said] | None  # recognised words per channel; None in the media form
    users: tuple[int, ...]  # the channels that take the user's part, each in its turn
    dropped: int = 0  # words and turns that have no text or no times, or lie outside of the sound


class _Files(NamedTuple):
    id: str
    manual: Path
    sound: Path | None
    words: Path | None


def read_corpus(
    folder: Path, form: Format, audio: bool = True, user: int | None = None, hear: Hear | None = None
) -> list[Dialogue]:
    """Read all dialogues of a folder, in the order of their names.

    `audio`: whether sounds are needed. `user`: the channel that is the user's, where files do not say so.
    `hear` recognises the words of dialogues that come without. Raises ConfigError, one line with file and
    remedy, for anything that is missing or malformed.
    """
    return [_dialogue(files, form, audio, user, hear) for files in _collect(folder)]


def _collect(folder: Path) -> list[_Files]:
    if not folder.is_dir():
        raise ConfigError(f"corpus: no folder '{folder}'; give the folder of the dialogues, corpus=DIR")
    found: dict[str, dict[str, Path]] = {}
    for path in sorted(folder.iterdir()):
        kind, ending = _kind(path)
        if not kind or path.name.startswith(".") or not path.is_file():
            continue
        if not path.resolve().is_relative_to(folder.resolve()):
            raise ConfigError(f"{path}: links to a file outside of {folder}; put a copy there")
        parts = found.setdefault(path.name.removesuffix(ending), {})
        if kind in parts:
            raise ConfigError(f"{path}: {parts[kind].name} is there too; keep one of them")
        parts[kind] = path
    if not found:
        raise ConfigError(f"corpus: no dialogues in '{folder}'; docs/prepare.md shows the files it must hold")
    return [_files(folder, id, parts) for id, parts in found.items()]


def _kind(path: Path) -> tuple[str, str]:
    """Return what a file is to a dialogue ("" for nothing), and the ending of its name."""
    if path.name.endswith(WORDS):
        return "words", WORDS
    ending = path.suffix.lower()
    return "manual" if ending in MANUAL else "sound" if ending in SOUNDS else "", path.suffix


def _files(folder: Path, id: str, parts: dict[str, Path]) -> _Files:
    if not _ID.fullmatch(id):
        raise ConfigError(
            f"{folder}: '{id}' must be at most 60 letters, digits, '_', '-', '+', '.'; rename it"
        )
    if "manual" not in parts:
        stray = next(iter(parts.values()))
        raise ConfigError(f"{stray}: no transcript beside it; add {id}.json, {id}.tsv or {id}.cha")
    return _Files(id, parts["manual"], parts.get("sound"), parts.get("words"))


def _dialogue(files: _Files, form: Format, audio: bool, user: int | None, hear: Hear | None) -> Dialogue:
    if audio and files.sound is None:
        raise ConfigError(f"{files.manual}: no {files.id}.wav or .flac beside it; add it, or say audio=false")
    duration, rate = _sound(files.sound) if files.sound else (math.inf, 0)
    read = read_manual(files.manual, speakers=form == "media")
    manual, outside = _turns(read, form, duration)
    heard, lost = _recognised(files, hear, duration) if form == "callfriend" else (None, 0)
    users = _users(files.manual, read, user)
    return Dialogue(
        files.id, files.sound, duration, rate, manual, heard, users, read.dropped + outside + lost
    )


def _sound(path: Path) -> tuple[float, int]:
    try:
        held = facts(path)
    except soundfile.LibsndfileError as error:
        raise unreadable(f"{path}:", error) from None
    check_whole(path, held)
    if held.channels != 2:
        raise ConfigError(f"{path}: has {held.channels} channel(s); give one speaker on each of two")
    return held.seconds, held.rate


def _recognised(files: _Files, hear: Hear | None, duration: float) -> tuple[tuple[Said, Said], int]:
    """Return the recognised words of both channels, and how many are none."""
    if files.words:
        first, second = (spoken(chunks, duration) for chunks in read_channels(files.words))
        return (first.words, second.words), first.dropped + second.dropped
    if hear and files.sound:
        return hear(files.sound), 0
    raise ConfigError(f"{files.manual}: no {files.id}{WORDS} beside it; add it, or choose an ASR with asr=")


def _turns(read: Read, form: Format, duration: float) -> tuple[tuple[Manual, ...], int]:
    """Return the turns that have words and lie in the sound, and how many turns and words do not."""
    found = [_turn(line, read.speakers if form == "media" else None, duration) for line in read.lines]
    kept = tuple(turn for turn, _ in found if turn.words and turn.start < turn.end)
    return kept, len(found) - len(kept) + sum(dropped for _, dropped in found)


def _turn(line: Line, speakers: Mapping[str, int] | None, duration: float) -> tuple[Manual, int]:
    """Return a turn and how many of its words are none; `speakers`: the channels of a form that has them."""
    end = min(line.end, duration)
    if speakers is None:
        return Manual(line.start, end, words_of(line.text)), 0
    words = _spread(line, end) if line.words is None else spoken(line.words, duration)
    texts = tuple(word.text for word in words.words)
    return Manual(line.start, end, texts, _channel(line, speakers), words.words), words.dropped


def _spread(line: Line, end: float) -> Words:
    """Give the words of a turn times by their letters."""
    words = words_of(line.text)
    steps = proportional(words, round(max(0.0, end - line.start) * 1e6))
    return Words(
        tuple(
            Timed(text, line.start + a / 1e6, min(end, line.start + b / 1e6))
            for text, (a, b) in zip(words, steps, strict=True)
        )
    )


def _channel(line: Line, speakers: Mapping[str, int]) -> int:
    known = speakers or NUMBERED
    if line.speaker not in known:
        raise ConfigError(
            f"{line.where}: speaker '{line.speaker[:40]}' has no channel{near(line.speaker, known)}; "
            'add it to "speakers" of the file'
        )
    return known[line.speaker]


def _users(path: Path, read: Read, user: int | None) -> tuple[int, ...]:
    if user is not None:
        return (user,)
    if read.user is None:
        return (0, 1)
    known = read.speakers or NUMBERED
    if read.user not in known:
        raise ConfigError(f"{path}: user '{read.user[:40]}' is none of its speakers{near(read.user, known)}")
    return (known[read.user],)
