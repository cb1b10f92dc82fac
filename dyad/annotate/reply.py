"""What the page sends back, and the label that it stands for. It is checked here, whatever a page says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from dyad.judge.evidence import cite
from dyad.judge.humans import UNSURE
from dyad.judge.transcript import Line
from dyad.spec import SEATS, Evidence, Frozen, Label, Seat

from .view import Asking, Row

FIRST_LINE = ("t3.asked", "t4.asked")  # rest on the first line that is cited, all others on the last
_TIMES = {"none": (False, False), "entered": (True, False), "drifted": (True, True)}  # label → lines given
Short = Annotated[str, StringConstraints(max_length=200)]


class Voiced(Frozen):
    """A private item and the line in which its holder voiced it; `seat` is a letter of the page."""

    seat: Seat
    item: Short
    line: Short


class Reply(Frozen):
    """One answer as the page sends it. `label` None: the person is unsure."""

    label: Short | None
    lines: tuple[Short, ...] = Field(default=(), max_length=200)
    entry: Short | None = None
    deviation: Short | None = None
    flags: tuple[Short, ...] = Field(default=(), max_length=20)
    items: tuple[Voiced, ...] = Field(default=(), max_length=200)
    seconds: float = Field(ge=0, le=86_400)


def label_of(asking: Asking, reply: Reply) -> Label:
    """Return the label that a reply stands for; raise ValueError, in words for the person, if for none."""
    if reply.label is None:
        return Label(question=asking.question.id, seat=asking.seat, label=None, status=UNSURE)
    match asking.kind:
        case "timing":
            return _timing(asking, reply.label, reply)
        case "items":
            return _items(asking, reply)
        case "number":
            return _cited(asking, _number(reply.label), reply)
    return _choice(asking, reply.label, reply)


def reply_of(asking: Asking, label: Label) -> Row:
    """Return a stored label as the page shows it again."""
    voiced = label.fields.get("items", ())
    return {
        "label": label.label,
        "lines": [cited.line for cited in label.evidence] if asking.kind in ("choice", "number") else [],
        "entry": label.fields.get("entry_line"),
        "deviation": label.fields.get("deviation_line"),
        "flags": [name for name in asking.flags if label.fields.get(name)],
        "items": [entry | {"seat": asking.letter(entry["seat"])} for entry in voiced],
    }


def _choice(asking: Asking, label: str, reply: Reply) -> Label:
    if label not in asking.choices:
        raise ValueError("this question has no such label")
    flags = {name: name in reply.flags for name in asking.flags}
    if flags.get("swapped") and label != "no":
        raise ValueError("who takes the other's role gets “no”: choose it, or take back “swapped”")
    return _cited(asking, label, reply, flags)


def _number(text: str) -> str:
    if text == "none":
        return text
    if not text.isascii() or not text.isdecimal() or len(text) > 6:
        raise ValueError("the number must be a whole one, of at most six digits")
    return str(int(text))


def _cited(asking: Asking, label: str, reply: Reply, flags: Mapping[str, bool] | None = None) -> Label:
    """A label with the cited lines, in their order, as evidence and one of them as the line that counts."""
    lines = _lines(asking, reply.lines)
    fields: dict[str, Any] = {**(flags or {})}
    if "line" in asking.question.fields:
        counts = lines[:1] if asking.question.id in FIRST_LINE else lines[-1:]
        fields["line"] = counts[0].id if counts else None
    return _label(asking, label, lines, fields)


def _timing(asking: Asking, label: str, reply: Reply) -> Label:
    marked = [name for name in (reply.entry, reply.deviation) if name is not None]
    lines = _lines(asking, marked)
    if any(line.seat != asking.seat for line in lines):
        raise ValueError("both lines must be of the speaker that the question is about")
    if _TIMES.get(label) != (reply.entry is not None, reply.deviation is not None):
        raise ValueError("“entered” needs the entry line (e), “drifted” both lines (e and d), “none” neither")
    if [line.id for line in lines] != marked:
        raise ValueError("the line off the role must come after the entry")
    return _label(asking, label, lines, {"entry_line": reply.entry, "deviation_line": reply.deviation})


def _items(asking: Asking, reply: Reply) -> Label:
    held = {(letter, item.id) for letter in SEATS for item in asking.role(letter).private}
    lines = {line.id: line for line in _lines(asking, [voiced.line for voiced in reply.items])}
    for voiced in reply.items:
        speaker = asking.letter(lines[voiced.line].seat)
        if (voiced.seat, voiced.item) not in held or speaker != voiced.seat:
            raise ValueError("an item counts only in a line of the speaker who holds it")
    found = {(voiced.seat, voiced.item) for voiced in reply.items}
    label = "none" if not found else "all" if found == held else "some"
    entries = [voiced.model_dump() | {"seat": asking.seat_of(voiced.seat)} for voiced in reply.items]
    return _label(asking, label, list(lines.values()), {"items": entries})


def _label(asking: Asking, label: str, lines: Sequence[Line], fields: dict[str, Any]) -> Label:
    evidence = tuple(_evidence(line, asking.case.lang) for line in lines)
    return Label(question=asking.question.id, seat=asking.seat, label=label, evidence=evidence, fields=fields)


def _evidence(line: Line, lang: str) -> Evidence:
    return cite(line, lang=lang) if line.text else Evidence(line=line.id, quote="")


def _lines(asking: Asking, names: Sequence[str]) -> list[Line]:
    """The named lines in the order of the conversation, each once."""
    known = {line.id for line in asking.case.lines}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"there is no line {unknown[0]}")
    return [line for line in asking.case.lines if line.id in names]
