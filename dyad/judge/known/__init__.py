"""Conversations with known answers, with which every judge is measured.

Each was written for the answers that it has by the rubric's definitions; no judge was asked what it thinks of
them. A file holds a list of items; a talk has one segment of voice activity per line:

    a: words    starts when everything before has ended
    b~ mm-hm    starts while the other is still speaking
    a*          sound without words

Role a sits in seat a. `hostile` numbers the segments that speak to the judge, or quotes such words by part.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal, NamedTuple

import numpy as np
import yaml
from pydantic import Field, ValidationError, model_validator

from dyad.errors import ConfigError, near
from dyad.library import Library
from dyad.library.source import LOADER
from dyad.spec import SEATS, Frozen, Label, Seat, other
from dyad.text import word_count

from ..case import Case, Excerpt, Subject
from ..protocol import Control, Task
from ..silence import asked, status
from ..transcript import Line, lines

Answer = tuple[str, Seat | None]  # a question and the bridge seat that it is about; None: the pair
Kind = Literal["plain", "hard", "injection"]

LEAD_TICKS = 20  # nobody but the opener can be heard earlier
GAP_TICKS = 15  # 1.2 s: long enough to end a turn
WORD_TICKS = 5  # 2.5 words a second
NOISE_TICKS = 10  # a sound without words
PAUSE_TICKS = 5  # a shorter pause would be closed by the voice activity detector
TAIL_TICKS = 25

_ENTRY = re.compile(r"([ab])(?:([:~])\s*(\S.*)|\*)")


@dataclass(frozen=True)
class Known:
    """A subject and its right answers.

    `kind`: `hard` lies close to another label, in an `injection` somebody tells the judge what to answer:
    `demand` holds those answers, and `plain` is the subject without these words, with the same right answers.
    `lines` holds, for a question that asks for lines, the fields of its label: a line id each, or None for no
    such line.
    """

    id: str
    kind: Kind
    why: str
    subject: Subject
    expect: Mapping[Answer, str]
    demand: Mapping[Answer, str] = field(default_factory=dict)
    lines: Mapping[Answer, Mapping[str, str | None]] = field(default_factory=dict)
    plain: Subject | None = None


class Entry(NamedTuple):
    """One segment of a talk. `over`: it starts while the other is still speaking."""

    role: Seat
    text: str
    over: bool = False


_Labels = dict[str, str | dict[Seat, str]]  # of the pair, or by role letter
_Numbers = dict[str, int | None]  # entries of the talk, from 1


class _Item(Frozen):
    id: str = Field(pattern=r"^[a-z0-9_]+-[0-9]{2,}$")
    kind: Kind
    why: str = Field(min_length=1)
    expect: _Labels = Field(min_length=1)
    demand: _Labels = Field(default_factory=dict)
    hostile: list[int] | dict[str, str] = Field(default_factory=list)  # entries from 1, or words by part
    scenario: str = ""
    opener: Seat = "a"
    talk: str = ""
    lines: dict[str, dict[Seat, _Numbers] | _Numbers] = Field(default_factory=dict)
    rubric: str = ""
    parts: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _whole(self) -> _Item:
        if [bool(self.scenario), bool(self.talk)] != [not self.rubric, not self.parts]:
            raise ValueError("needs either scenario and talk, or rubric and parts")
        if {bool(self.demand), bool(self.hostile)} != {self.kind == "injection"}:
            raise ValueError("demand and hostile belong to an injection, and an injection needs both")
        if self.hostile and isinstance(self.hostile, dict) != bool(self.parts):
            raise ValueError("hostile holds numbers of entries for a talk, words by part for an excerpt")
        expect = dict(_flat(self.expect))
        if wrong := [q for q, label in _flat(self.demand) if expect.get(q, label) == label]:
            raise ValueError(f"demand of {wrong[0][0]} must differ from what is expected")
        return self


def known_answers(library: Library) -> list[Known]:
    """Return the shipped set; its scenarios are looked up in a library.

    Raises ConfigError that names the file and the item for the first mistake.
    """
    found: dict[str, Known] = {}
    for file in sorted(files(__name__).iterdir(), key=lambda file: file.name):
        if file.name.endswith(".yaml"):
            for item in read_items(file.name, file.read_text("utf-8"), library):
                if item.id in found:
                    raise ConfigError(f"{file.name}: {item.id}: id stands twice; give it another number")
                found[item.id] = item
    return list(found.values())


def read_items(name: str, text: str, library: Library) -> Iterator[Known]:
    """Yield the items of one file's text; ConfigError names `name` and the item at fault."""
    for place, data in enumerate(_listed(name, text), 1):
        named = data.get("id", f"item {place}") if isinstance(data, dict) else f"item {place}"
        try:
            yield _known(_Item.model_validate(data), library)
        except ValidationError as fault:
            first = fault.errors()[0]
            at = ".".join(str(step) for step in first["loc"])
            raise ConfigError(f"{name}: {named}: {at and at + ': '}{first['msg']}") from None
        except ValueError as error:
            raise ConfigError(f"{name}: {named}: {error}") from None


def controls(items: Iterable[Known]) -> list[Control]:
    """Return the conversations with an injection as controls, where the question asked first is demanded.

    A judge answers one sheet of a control, its first; what else is demanded, `judge check` asks about.
    """
    told = (item for item in items if isinstance(item.subject, Case) and _first(item) in item.demand)
    return [_control(item, item.plain) for item in told if item.plain]


def talk_lines(talk: Sequence[Entry], opener: Seat) -> tuple[list[Line], list[str], int]:
    """Return the lines of a talk, the id of each entry's line, and the length of the recording in ticks.

    Raises ValueError for an entry that starts over nothing.
    """
    spans = _spans(talk)
    ticks = max((end for _, end in spans), default=0) + TAIL_TICKS
    rows = {seat: [i for i, entry in enumerate(talk) if entry.role == seat] for seat in SEATS}
    segments = {
        seat: np.array([spans[i] for i in rows[seat]], dtype=np.int64).reshape(-1, 2) for seat in SEATS
    }
    found = lines(opener, segments, {seat: [talk[i].text for i in rows[seat]] for seat in SEATS}, ticks)
    ids = {(line.seat, line.start): line.id for line in found}
    return found, [ids[entry.role, start] for entry, (start, _) in zip(talk, spans, strict=True)], ticks


def _listed(name: str, text: str) -> list[Any]:
    try:
        found = yaml.load(text, LOADER)
    except yaml.YAMLError as fault:
        raise ConfigError(f"{name}: broken YAML: {' '.join(str(fault).split())}") from None
    if not isinstance(found, list):
        raise ConfigError(f"{name}: must hold a list of items, '- id: …'")
    return found


def _known(item: _Item, library: Library) -> Known:
    subject, plain, ids = _subjects(item, library)
    cited = {answer: _ids(numbers, ids) for answer, numbers in _flat(item.lines)}
    expect, demand = dict(_flat(item.expect)), dict(_flat(item.demand))
    return Known(item.id, item.kind, item.why, subject, expect, demand, cited, plain)


def _subjects(item: _Item, library: Library) -> tuple[Subject, Subject | None, list[str]]:
    """The subject of an item, the same without hostile words, and the ids of its lines."""
    if isinstance(item.hostile, dict):
        return Excerpt(item.rubric, item.parts), Excerpt(item.rubric, _clean(item.parts, item.hostile)), []
    if item.parts:
        return Excerpt(item.rubric, item.parts), None, []
    talk = _entries(item.talk)
    found, ids = _case(item, talk, library)
    return found, _case(item, _genuine(talk, item.hostile), library)[0] if item.hostile else None, ids


def _clean(parts: Mapping[str, str], hostile: Mapping[str, str]) -> dict[str, str]:
    """The parts of an excerpt without hostile words."""
    if wrong := [name for name, words in hostile.items() if parts.get(name, "").count(words) != 1]:
        raise ValueError(f"hostile: {wrong[0]} must be a part that holds these words once")
    return {name: text.replace(hostile.get(name, ""), "").strip() for name, text in parts.items()}


def _genuine(talk: Sequence[Entry], hostile: Sequence[int]) -> list[Entry]:
    """The entries of a talk without hostile ones; what started over one of them starts over nothing."""
    if not set(hostile) < set(range(1, len(talk) + 1)):
        raise ValueError(f"hostile: must be some of the {len(talk)} entries of the talk, and not all")
    return [
        entry._replace(over=entry.over and number - 1 not in hostile)
        for number, entry in enumerate(talk, 1)
        if number not in hostile
    ]


def _case(item: _Item, talk: Sequence[Entry], library: Library) -> tuple[Case, list[str]]:
    """The conversation of an item, and the id of each entry's line."""
    if item.scenario not in library.scenarios:
        raise ValueError(f"no scenario '{item.scenario}'{near(item.scenario, library.scenarios)}")
    scenario = library.scenarios[item.scenario]
    roles = {seat: library.roles[ref.role] for seat, ref in scenario.seats.items()}
    seats: dict[Seat, Seat] = {seat: seat for seat in SEATS}
    found, ids, ticks = talk_lines(talk, item.opener)
    return Case(scenario, roles, seats, tuple(found), item.opener, ticks), ids


def _entries(talk: str) -> list[Entry]:
    return [_entry(row.strip(), number) for number, row in enumerate(talk.strip().split("\n"), 1)]


def _entry(row: str, number: int) -> Entry:
    found = _ENTRY.fullmatch(row)
    if not found:
        raise ValueError(f"talk: entry {number} must be 'a: words', 'b~ words' or 'a*', not '{row}'")
    role: Seat = "a" if found[1] == "a" else "b"
    return Entry(role, found[3] or "", found[2] == "~")


def _spans(talk: Sequence[Entry]) -> list[tuple[int, int]]:
    """Start and end of every entry in ticks."""
    spans: list[tuple[int, int]] = []
    last: dict[Seat, tuple[int, int]] = dict.fromkeys(SEATS, (0, LEAD_TICKS - GAP_TICKS))
    for number, entry in enumerate(talk, 1):
        if entry.over:
            start = _start_over(last[other(entry.role)], last[entry.role][1], number)
        else:
            start = max(end for _, end in last.values()) + GAP_TICKS
        length = WORD_TICKS * max(1, word_count(entry.text)) if entry.text else NOISE_TICKS
        last[entry.role] = (start, start + length)
        spans.append(last[entry.role])
    return spans


def _start_over(partner: tuple[int, int], own_end: int, number: int) -> int:
    """Half-way through what is left of the partner's line when the own one before has ended."""
    start = (max(partner[0], own_end) + partner[1]) // 2
    if not max(partner[0], own_end + PAUSE_TICKS) < start < partner[1]:
        raise ValueError(f"talk: entry {number} starts over the other, who is not speaking long enough")
    return start


def _flat(told: Mapping[str, Any]) -> Iterator[tuple[Answer, Any]]:
    """What is told of questions, by question and seat; letters of roles are the seats."""
    for question, value in told.items():
        if isinstance(value, Mapping) and value.keys() <= set(SEATS):
            yield from (((question, seat), of_seat) for seat, of_seat in value.items())
        else:
            yield (question, None), value


def _ids(numbers: Mapping[str, int | None], ids: Sequence[str]) -> dict[str, str | None]:
    if wrong := [n for n in numbers.values() if n is not None and not 1 <= n <= len(ids)]:
        raise ValueError(f"lines: no entry {wrong[0]} in a talk of {len(ids)}")
    return {name: None if n is None else ids[n - 1] for name, n in numbers.items()}


def _first(item: Known) -> Answer | None:
    """What a reader is asked first: nobody is asked what a silence settles."""
    units = (unit for unit in asked(item.subject) if not status(item.subject, unit))
    return next(((unit.question.id, unit.role) for unit in units), None)


def _control(item: Known, plain: Subject) -> Control:
    def demanded(labels: Sequence[Label]) -> bool:
        return any(
            label.label is not None and item.demand.get((label.question, label.seat)) == label.label
            for label in labels
        )

    key = f"control/{item.id}"
    return Control(Task(key, item.subject), Task(f"{key}/plain", plain), demanded)
