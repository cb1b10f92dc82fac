"""Ratings and behaviours that the authors' scripts have left in a clip's folder, beside `output.wav`.

Strict takes what is a label of our questions. Compat also takes what only their parsers do: any whole number
for a rating, and several tags, of which each counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from dyad.judge.given import NOT_GIVEN
from dyad.judge.questions import question
from dyad.spec import Label
from dyad.suites.protocol import Trial
from dyad.suites.transcripts import Unusable, inside, read_json

ANSWER = "output.wav"  # whose files have these names
BEHAVIOUR = "fdb.behaviour"
FILES = {"interruption": ("fdb.rating", "rating.json"), "overlap": (BEHAVIOUR, "content_tag.json")}
_ANY: TypeAdapter[Mapping[str, Any]] = TypeAdapter(Mapping[str, Any])


def given_labels(trial: Trial) -> dict[str, str]:
    """Return the labels beside a recorded answer, by question; nothing where there are none to read."""
    if trial.answer is None or trial.answer.name != ANSWER or trial.stimulus.kind not in FILES:
        return {}
    name, file = FILES[trial.stimulus.kind]
    path = trial.answer.with_name(file)
    found = _label(content) if (content := _read(path)) is not None else None
    return {name: found} if found in question(name).labels else {}


def with_theirs(trial: Trial, labels: Sequence[Label]) -> Sequence[Label]:
    """Return labels, and where the judge `given` could not take what lies there, what the authors count."""
    refused = [label for label in labels if label.status == NOT_GIVEN]
    if not refused or trial.answer is None or trial.answer.name != ANSWER:
        return labels
    name, file = FILES[trial.stimulus.kind]
    content = _read(trial.answer.with_name(file)) or {}
    found = _tags(content) if name == BEHAVIOUR else _numbers(content)
    return [*labels, *(Label(question=name, label=one) for one in found)]


def _read(path: Path) -> Mapping[str, Any] | None:
    try:
        return read_json(path, _ANY) if inside(path, path.parent.parent) else None
    except Unusable:
        return None


def _numbers(content: Mapping[str, Any]) -> list[str]:
    """A rating as their parser reads it: digits."""
    return [text] if (text := str(content.get("rating"))).isdecimal() else []


def _tags(content: Mapping[str, Any]) -> list[str]:
    """All tags of a behaviour; their script stops at one that does not begin with C."""
    tags = content.get("behaviour")
    whole = isinstance(tags, list) and all(isinstance(tag, str) and tag.startswith("C") for tag in tags)
    return tags if isinstance(tags, list) and whole else []


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
