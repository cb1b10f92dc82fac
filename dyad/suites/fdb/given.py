"""Ratings and behaviours that the authors' scripts have left in a clip's folder, beside `output.wav`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from dyad.judge.questions import question
from dyad.suites.protocol import Trial
from dyad.suites.transcripts import Unusable, inside, read_json

from .behaviour import SEVERAL

ANSWER = "output.wav"  # whose files have these names
FILES = {"interruption": ("fdb.rating", "rating.json"), "overlap": ("fdb.behaviour", "content_tag.json")}
_ANY: TypeAdapter[Mapping[str, Any]] = TypeAdapter(Mapping[str, Any])


def given_labels(trial: Trial) -> dict[str, str]:
    """Return the labels beside a recorded answer, by question; nothing where there are none to read."""
    if trial.answer is None or trial.answer.name != ANSWER or trial.stimulus.kind not in FILES:
        return {}
    name, file = FILES[trial.stimulus.kind]
    path = trial.answer.with_name(file)
    try:
        found = _label(read_json(path, _ANY)) if inside(path, path.parent.parent) else None
    except Unusable:
        return {}
    tags = found.split(SEVERAL) if found else []
    known = all(tag in question(name).labels or (file == "rating.json" and tag.isdecimal()) for tag in tags)
    return {name: found} if tags and known else {}


def given_files(answer: Path | None) -> list[Path]:
    """Return the files that may hold labels of a recorded answer."""
    if answer is None or answer.name != ANSWER:
        return []
    files = (answer.with_name(file) for _, file in FILES.values())
    return [file for file in files if file.is_file()]


def _label(content: Mapping[str, Any]) -> str:
    """A rating, beyond the scale too, or the tags of a behaviour: strict rules take one within it only."""
    tags = content.get("behaviour")
    if isinstance(tags, list):
        return SEVERAL.join(map(str, tags))
    return str(tags if tags is not None else content.get("rating"))
