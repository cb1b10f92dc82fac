"""Files of manual turns (JSON, TSV, CHAT) and of words per channel. Times are seconds, those of CHAT ms."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from dyad.errors import ConfigError
from dyad.speech.places import speakable, tokens_of
from dyad.suites.protocol import Chunk
from dyad.suites.words import Words, normalise

MANUAL = (".json", ".tsv", ".cha")
WORDS = ".words.json"


class _Loose(BaseModel):
    """A part of a file that others make: what we do not need in it is left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class _Chunk(_Loose):
    text: str
    timestamp: tuple[float | None, float | None]


class _Words(_Loose):
    chunks: tuple[_Chunk, ...]


class _Channels(_Loose):
    channels: tuple[_Words, _Words]


class _Turn(_Loose):
    start: float
    end: float
    text: str = ""
    speaker: str | int = ""
    words: tuple[_Chunk, ...] | None = None


class _Manual(_Loose):
    turns: tuple[_Turn, ...]
    speakers: dict[str, Literal[0, 1]] = {}
    user: str | None = None


M = TypeVar("M", bound=_Loose)


class Line(NamedTuple):
    """A turn as a file has it; `where` is its place in messages. `words`: None where they have no times."""

    where: str
    start: float
    end: float
    text: str
    speaker: str = ""
    words: tuple[Chunk, ...] | None = None


class Read(NamedTuple):
    """A manual transcript; the channels of its speakers and who the user is, where the file says so."""

    lines: tuple[Line, ...]
    speakers: Mapping[str, int]
    user: str | None = None
    dropped: int = 0  # turns without times


def read_manual(path: Path, speakers: bool) -> Read:
    """Read a manual transcript; `speakers`: whether its turns say whose they are.

    Raises ConfigError, one line with file, place and remedy.
    """
    if path.suffix.lower() == ".cha" and speakers:
        raise ConfigError(f"{path}: CHAT names no channels; give turns with speakers as JSON or TSV")
    read = {".json": _json, ".tsv": _tsv, ".cha": _chat}[path.suffix.lower()](path, speakers)
    for line in read.lines:
        if not 0 <= line.start <= line.end < math.inf:
            raise ConfigError(
                f"{line.where}: a turn from {line.start} to {line.end} s; times must be 0 or more, in order"
            )
        if speakers and not line.speaker:
            raise ConfigError(f"{line.where}: a turn without a speaker; name one, or use format=callfriend")
    return read


def read_channels(path: Path) -> tuple[tuple[Chunk, ...], tuple[Chunk, ...]]:
    """Read the words of both channels; raises ConfigError."""
    first, second = (_chunks(channel.chunks) for channel in _parsed(path, _Channels).channels)
    return first, second


def spoken(chunks: Sequence[Chunk], duration_s: float) -> Words:
    """Normalise words as `dyad.suites.words` does; what has neither a letter nor a digit is no word."""
    return normalise([c if speakable(c.text) else c._replace(text="") for c in chunks], duration_s)


def words_of(text: str) -> tuple[str, ...]:
    """Return what has a place of its own in a text: words, or characters of a script without spaces."""
    return tuple(token for token in tokens_of(text) if speakable(token))


def text_of(path: Path) -> str:
    """Read a file as UTF-8, without a byte-order mark; raises ConfigError."""
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as UTF-8 text ({error}); save it as UTF-8") from None


def _parsed(path: Path, model: type[M]) -> M:
    try:
        return model.model_validate_json(text_of(path))
    except ValidationError as error:
        first: Any = error.errors()[0]
        at = ".".join(map(str, first["loc"])) or "the file"
        raise ConfigError(f"{path}: {at}: {first['msg'].lower()}; see docs/prepare.md for its form") from None


def _chunks(chunks: Sequence[_Chunk]) -> tuple[Chunk, ...]:
    return tuple(Chunk(chunk.text, *chunk.timestamp) for chunk in chunks)


def _json(path: Path, speakers: bool) -> Read:
    manual = _parsed(path, _Manual)
    lines = (
        Line(
            f"{path}: turn {number}", turn.start, turn.end, turn.text, str(turn.speaker),
            None if turn.words is None else _chunks(turn.words),
        )
        for number, turn in enumerate(manual.turns, 1)
    )  # fmt: skip
    return Read(tuple(lines), manual.speakers, manual.user)


def _tsv(path: Path, speakers: bool) -> Read:
    columns = ("start", "end", "speaker", "text") if speakers else ("start", "end", "text")
    lines = []
    for number, line in enumerate(text_of(path).split("\n"), 1):
        cells = line.split("\t")
        if not line.strip() or (number == 1 and cells[0].strip().lower() == "start"):
            continue
        if len(cells) != len(columns):
            wanted = ", ".join(columns)
            raise ConfigError(f"{path}:{number}: {len(cells)} columns; give {wanted}, with tabs in between")
        start, end = (_seconds(cell, f"{path}:{number}") for cell in cells[:2])
        lines.append(Line(f"{path}:{number}", start, end, cells[-1], cells[2].strip() if speakers else ""))
    return Read(tuple(lines), {})


def _seconds(cell: str, where: str) -> float:
    if not re.fullmatch(r"\d{1,9}(\.\d{1,12})?", cell.strip(), re.ASCII):
        raise ConfigError(f"{where}: '{cell.strip()[:40]}' is no time; write seconds such as 12.34")
    return float(cell)


_BULLET = re.compile("\x15(\\d{1,12})_(\\d{1,12})\x15")
_CODES = (
    (re.compile(r"\[[^\]]*\]"), " "),  # what transcribers note about words
    (re.compile(r"&=\S+|&[+~]\S*|\+[^\s\w]+|\(\d*\.+\d*\)|\b0\w+"), " "),  # events, fragments, ends, pauses
    (re.compile(r"\b(?:xxx|yyy|www)\b|&-|@[\w:$]+|[<>()‹›„‡^:]"), ""),  # unintelligible, marks in words
    (re.compile("_"), " "),
)


def _chat(path: Path, speakers: bool) -> Read:
    lines, dropped = list[Line](), 0
    for where, tier in _tiers(path):
        bullets = _BULLET.findall(tier)
        text = _BULLET.sub(" ", tier)
        for pattern, instead in _CODES:
            text = pattern.sub(instead, text)
        if bullets:
            lines.append(Line(where, int(bullets[0][0]) / 1000, int(bullets[-1][1]) / 1000, text))
        else:
            dropped += 1
    return Read(tuple(lines), {}, None, dropped)


def _tiers(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the main lines of a CHAT file, each with the lines that go on with it."""
    where, tier = "", ""
    for number, line in enumerate(text_of(path).split("\n"), 1):
        if line.startswith("\t"):
            tier += " " + line.strip() if where else ""
            continue
        if where:
            yield where, tier
        where, tier = "", ""
        if line.startswith("*") and ":" in line:
            where, tier = f"{path}:{number}", line.partition(":")[2]
    if where:
        yield where, tier
