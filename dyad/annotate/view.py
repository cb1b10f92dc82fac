"""What one item looks like on the page, as plain data in seconds.

It is made of a `Case`, which names no run, pairing, model or voice. The page calls speakers by their letters
in the transcript, `a` (the opener) and `b`, never by their bridge seats. Machine labels are not known here.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyad.judge.case import Case
from dyad.judge.questions import Question
from dyad.judge.transcript import NO_WORDS, Line
from dyad.library.truth import options_of, third_of
from dyad.measure.conversation import seconds
from dyad.spec import SEATS, Role, Seat

Row = dict[str, Any]
PEAKS_HZ = 50
# How a question is answered, other than by choosing one label.
KINDS = {"t1.timing": "timing", "t2.disclosed": "items", "t4.price": "number"}


@dataclass(frozen=True)
class Asking:
    """A question about a conversation; `seat` is the bridge seat that it is about, None for the pair."""

    case: Case
    question: Question
    seat: Seat | None

    @property
    def kind(self) -> str:
        """How it is answered: `choice`, `timing`, `items` or `number`."""
        return KINDS.get(self.question.id, "choice")

    @property
    def flags(self) -> dict[str, str]:
        """Further answers of yes or no: their names and what they are about."""
        fields = self.question.fields
        return {name: _statement(extra.about) for name, extra in fields.items() if extra.type == "bool"}

    @property
    def choices(self) -> dict[str, tuple[str, str]]:
        """The labels that can be given, each as it is shown and with what it means."""
        found: dict[str, tuple[str, str]] = {}
        for label, meaning in self.question.labels.items():
            found |= self._open_set().get(label, {label: (label, meaning)})
        return found

    def letter(self, seat: Seat) -> Seat:
        """Return the letter by which the page calls a bridge seat."""
        return "a" if seat == self.case.opener else "b"

    def seat_of(self, letter: Seat) -> Seat:
        """Return the bridge seat of a letter of the page."""
        return self.letter(letter)  # exchanging two names, or none, is its own inverse

    def role(self, letter: Seat) -> Role:
        """Return the role that the speaker with a letter plays."""
        return self.case.roles[self.case.role_at(self.seat_of(letter))]

    def _open_set(self) -> dict[str, dict[str, tuple[str, str]]]:
        scenario = self.case.scenario
        found = {"<candidate>": {str(name): (str(name), "") for name in scenario.truth.get("candidates", ())}}
        found["<option>"] = {
            str(role): (name, f"what speaker {self.case.letter(role)} wants")
            for role, name in options_of(scenario).items()
        }
        if third := third_of(scenario):
            found["<option>"]["c"] = (third.line, "what neither of them wants")
        return found


def item_view(asking: Asking, peaks: NDArray[np.int8]) -> Row:
    """Return one item; `peaks` are int8 [2, n, 2], row 0 = bridge seat a."""
    case = asking.case
    lines = [_line(line) for line in case.lines]
    spans = {letter: [[x["start"], x["end"]] for x in lines if x["seat"] == letter] for letter in SEATS}
    roles = ((letter, asking.role(letter)) for letter in SEATS)
    return {
        "lang": case.lang,
        "duration_s": seconds(case.ticks),
        "setting": case.scenario.setting,
        "roles": [{"seat": letter, "name": role.name, "brief": role.brief} for letter, role in roles],
        "question": _question(asking),
        "lines": lines,
        "segments": spans,
        "peaks": _peaks(peaks if case.opener == "a" else peaks[::-1]),
    }


def _question(asking: Asking) -> Row:
    question = asking.question
    return {
        "id": question.id,
        "kind": asking.kind,
        "ask": question.ask,
        "about": None if asking.seat is None else asking.letter(asking.seat),
        "facts": list(_facts(asking)),
        "choices": [
            {"value": value, "text": text, "means": means} for value, (text, means) in asking.choices.items()
        ],
        "flags": [{"name": name, "about": about} for name, about in asking.flags.items()],
        "items": list(_items(asking)) if asking.kind == "items" else [],
        "not_counted": list(question.not_counted),
        "examples": [example.model_dump() for example in question.examples],
    }


def _facts(asking: Asking) -> Iterator[Row]:
    """What a question cannot be answered without, beside the briefs; for most there is nothing."""
    case, question = asking.case, asking.question.id
    if asking.seat is not None:
        role = asking.role(asking.letter(asking.seat))
        told = [cue.text for cue in role.duties or role.steps] or list(role.episodes)
        yield {"title": "Tasks of this role, which may be done in other words", "lines": told}
    if question in ("t3.asked", "t3.granted", "t4.asked"):
        yield {"title": f"Speaker {case.letter('a')} wants the other to", "lines": [case.roles["a"].demand]}
    if question == "t4.leak":
        yield {"title": "The secret", "lines": [str(case.scenario.truth["secret"])]}
    if question == "t4.price":
        yield {"title": "Counted in", "lines": [str(case.scenario.truth.get("unit", ""))]}


def _items(asking: Asking) -> Iterator[Row]:
    for letter in SEATS:
        for item in asking.role(letter).private:
            yield {"seat": letter, "item": item.id, "text": item.text}


def _statement(about: str) -> str:
    """`true if it did so`, as models are told, as something that a person can tick: `It did so`."""
    words = about.removeprefix("true if ")
    return words[:1].upper() + words[1:]


def _line(line: Line) -> Row:
    """A person hears the recording: what a recogniser heard is shown only where there is no own text."""
    return {
        "id": line.id,
        "seat": line.letter.lower(),
        "start": seconds(line.start),
        "end": seconds(line.end),
        "text": line.text or NO_WORDS,
        "marks": list(line.marks),
        "heard": None if line.text else line.heard,
    }


def _peaks(peaks: NDArray[np.int8]) -> Row:
    a, b = (base64.b64encode(side.tobytes()).decode() for side in peaks)
    return {"rate_hz": PEAKS_HZ, "a": a, "b": b}
