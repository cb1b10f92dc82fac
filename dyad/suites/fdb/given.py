"""Ratings and behaviours that the authors' scripts have left in a clip's folder, beside `output.wav`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from dyad.judge.questions import question
from dyad.suites.protocol import Trial
from dyad.suites.transcripts import Unusable, inside, read_json

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
    return {name: found} if found in question(name).labels else {}


def given_files(answer: Path | None) -> list[Path]:
    """Return the files that may hold labels of a recorded answer."""
    if answer is None or answer.name != ANSWER:
        return []
    files = (answer.with_name(file) for _, file in FILES.values())
    return [file for file in files if file.is_file()]


def _label(content: Mapping[str, Any]) -> str:
    """A rating, or the one tag of a behaviour."""
    tags = content.get("behaviour")
    if isinstance(tags, list):
        return str(tags[0]) if len(tags) == 1 else ""
    return str(tags if tags is not None else content.get("rating"))
