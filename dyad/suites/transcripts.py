"""Transcripts of Full-Duplex-Bench: `<stem>.json` beside `<stem>.wav`, with words and their times as written.

Nothing is corrected here: times may be missing, negative, reversed or beyond the sound.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AliasChoices, BaseModel, Field, TypeAdapter, ValidationError

from .protocol import Chunk

Seconds = Annotated[float, Field(strict=True, allow_inf_nan=False)]
T = TypeVar("T")

BEYOND_S = 0.5  # by which a recogniser may place the end of a word after that of the sound
LARGEST = 16 << 20  # bytes of a JSON file: an hour of words takes less than one


class Unusable(Exception):
    """A file of the convention is missing or is not what it should be; one line."""


class _Word(BaseModel):
    text: str
    timestamp: tuple[Seconds | None, Seconds | None] = Field(
        validation_alias=AliasChoices("timestamp", "timestamps")
    )


class _Transcript(BaseModel):
    chunks: list[_Word]


_TRANSCRIPT = TypeAdapter(_Transcript)
_HALF = re.compile(rb"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]..")


def beside(sound: Path) -> Path:
    """Return where the transcript of a sound lies; a name for every stem, so that none overwrites another."""
    return sound.with_suffix(".json")


def inside(path: Path, folder: Path) -> bool:
    """Whether a path, its links followed, stays in a folder."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a loop of links
        return False


def one_line(text: object) -> str:
    """Return a text that can be printed and stored on one line, whatever a file or its name holds."""
    return " ".join(str(text).encode("utf-8", "replace").decode().split())


def read_json(path: Path, shape: TypeAdapter[T]) -> T:
    """Return what a JSON file holds; raises Unusable with one line that says what is wrong with it."""
    name = one_line(path.name)
    try:
        if not path.is_file():
            raise Unusable(f"no {name}")
        if path.stat().st_size > LARGEST:
            raise Unusable(f"{name} is larger than {LARGEST >> 20} MiB")
        return shape.validate_json(path.read_bytes().removeprefix(codecs.BOM_UTF8))
    except ValidationError as error:
        raise Unusable(one_line(f"{name}{_wrong(error, path.read_bytes())}")) from error
    except OSError as error:
        raise Unusable(f"{name} cannot be read ({error.strerror})") from error


def _wrong(error: ValidationError, content: bytes) -> str:
    """Where a file is not what it should be, and how, in words about the file and not about its reader."""
    first = error.errors(include_url=False)[0]
    if first["type"] != "json_invalid":
        parts = (part for part in first["loc"] if not (isinstance(part, str) and {*part} & {*"[]()-"}))
        return "".join(f"[{part}]" for part in parts) + f": {first['msg']}"
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in content:
        return ": Invalid JSON: it is UTF-16; save it as UTF-8"
    try:
        content.decode()
    except UnicodeDecodeError as fault:
        return f": Invalid JSON: byte {fault.start} is not UTF-8; save it as UTF-8"
    half = _HALF.search(content)
    what = f"half a character, {half[0].decode()} without its other half (a lone surrogate); " if half else ""
    return f": {what}{first['msg']}"


def beyond(path: Path, words: Sequence[Chunk], duration_s: float) -> str:
    """Say which word of a transcript ends after its sound of `duration_s` seconds, "" where none does."""
    ends = [max((t for t in word[1:] if t is not None), default=0.0) for word in words]
    late = next((i for i, end in enumerate(ends) if end > duration_s + BEYOND_S), None)
    if late is None:
        return ""
    which = f"{one_line(path.name)}[chunks][{late}]: the word ends at {ends[late]:g} s"
    unit = "; are its times milliseconds?" if _in_ms(ends, duration_s) else ""
    return f"{which}, beyond the sound of {duration_s:.1f} s{unit}"


def _in_ms(ends: Sequence[float], duration_s: float) -> bool:
    """Whether times are whole numbers that would lie in the sound as milliseconds."""
    return all(end == round(end) for end in ends) and max(ends) <= 1000 * (duration_s + BEYOND_S)


def read_chunks(path: Path) -> tuple[tuple[Chunk, ...], str]:
    """Return the words of a transcript, as the file has them, and ""; else no words and what is wrong.

    An empty list of words is a transcript without words, which is not the same as no transcript.
    """
    try:
        found = read_json(path, _TRANSCRIPT)
    except Unusable as error:
        return (), str(error)
    return tuple(Chunk(word.text, *word.timestamp) for word in found.chunks), ""


def write_chunks(path: Path, words: Sequence[Chunk]) -> None:
    """Write a transcript that reads back as the same words with the same times, to the last bit.

    It is ASCII, since the authors' scripts read it in whatever encoding the machine prefers. Raises
    ValueError for a time that is not finite.
    """
    chunks = [{"text": word.text, "timestamp": [_number(word.start), _number(word.end)]} for word in words]
    content = {"text": spoken(words), "chunks": chunks}
    path.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", "ascii")


def spoken(words: Sequence[Chunk]) -> str:
    """Return the words as one text."""
    return " ".join(text for word in words if (text := word.text.strip()))


def _number(seconds: float | None) -> float | None:
    return None if seconds is None else float(seconds)
