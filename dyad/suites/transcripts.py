"""Transcripts of Full-Duplex-Bench: `<stem>.json` beside `<stem>.wav`, with words and their times as written.

Nothing is corrected here: times may be missing, negative, reversed or beyond the sound.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AliasChoices, BaseModel, Field, TypeAdapter, ValidationError

from .protocol import Chunk

Seconds = Annotated[float, Field(strict=True, allow_inf_nan=False)]
T = TypeVar("T")

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
        first = error.errors(include_url=False)[0]
        where = "".join(f"[{part}]" for part in first["loc"])
        raise Unusable(one_line(f"{name}{where}: {first['msg']}")) from error
    except OSError as error:
        raise Unusable(f"{name} cannot be read ({error.strerror})") from error


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
