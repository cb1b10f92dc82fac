"""Replies that fit a JSON Schema and rest on the transcript that was sent, without a model.

They know the form of the questions, so that labels come out that pass every check of a reply.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

MARKED = re.compile(r"^([AB]\d+) \[[\d.]+-[\d.]+\] ([AB]): (.*)$", re.MULTILINE)
PLAIN = re.compile(r"^Speaker (([AB]) \[[\d.]+\]) (.*)$", re.MULTILINE)
PASSAGE = re.compile(r"^(([a-z_]+)\d+): (.*)$", re.MULTILINE)
SUBJECT = re.compile(r"speaker that is asked about: speaker ([AB])")
DEMAND = re.compile(r"What speaker ([AB]) wants speaker ([AB])")
SECRET = re.compile(r"secret of speaker ([AB])")
ITEMS = re.compile(r"^Private items of speaker ([AB]):\n((?:- .*\n?)*)", re.MULTILINE)
NUMBER = re.compile(r"\b\d+\b")
UNSPACED = re.compile(r"[\u3040-\u9fff]")
NEGATIVE = ("none", "no", "open", "0", "C_UNKNOWN")
MOST_WORDS, MOST_CHARACTERS = 8, 16  # fewer than are allowed, however words are counted


class Seen(NamedTuple):
    """A line of a transcript."""

    id: str
    by: str
    text: str

    @property
    def cited(self) -> dict[str, str]:
        """The line and its first words, verbatim."""
        words = " ".join(self.text.split(" ")[:MOST_WORDS])
        return {"line": self.id, "quote": words[:MOST_CHARACTERS] if UNSPACED.search(words) else words}


class _Sheet(NamedTuple):
    """What can be answered from: the lines with words, and what the system part says of the scenario."""

    lines: Sequence[Seen]
    system: str
    defs: Mapping[str, Any]
    negative: bool


def answer_for(schema: Mapping[str, Any], system: str, user: str, negative: bool = False) -> dict[str, Any]:
    """Return a reply that the schema admits: found things with evidence, or that nothing was found."""
    sheet = _Sheet(_seen(user), system, schema.get("$defs", {}), negative)
    found = _value(schema, "", sheet)
    assert isinstance(found, dict), "the root of a schema must be an object"
    return found


def _seen(user: str) -> list[Seen]:
    rows = next((found for form in (MARKED, PLAIN, PASSAGE) if (found := form.findall(user))), [])
    seen = [Seen(name, by, text.split(" | ")[0]) for name, by, text in rows]
    return [line for line in seen if line.text and line.text != "(no words)"]


def _value(schema: Mapping[str, Any], name: str, sheet: _Sheet) -> Any:
    """A value for any schema; objects with evidence are questions."""
    if "$ref" in schema:
        return _value(sheet.defs[schema["$ref"].rpartition("/")[2]], name, sheet)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return _label(schema["enum"], sheet.negative)
    if "anyOf" in schema:
        branches = [branch for branch in schema["anyOf"] if branch.get("type") != "null"]
        nullable = len(branches) < len(schema["anyOf"])
        return None if nullable and sheet.negative else _value(branches[0], name, sheet)
    parts = schema.get("properties", {})
    if "evidence" in parts:
        return _question(parts, name, sheet)
    match schema.get("type"):
        case "object":
            return {key: _value(part, key, sheet) for key, part in parts.items()}
        case "array":
            return [_value(schema["items"], name, sheet)] if schema.get("minItems") else []
        case "string":
            return sheet.lines[0].cited.get(name, "") if sheet.lines else ""
        case "boolean":
            return False
    return 1


def _question(parts: Mapping[str, Any], name: str, sheet: _Sheet) -> dict[str, Any]:
    """The answer to one question: evidence, further fields, label."""
    items = _items(sheet) if "items" in parts and not sheet.negative else []
    lines = [line for _, line in items] or _cited(name, sheet)
    price = next((int(n) for line in sheet.lines for n in NUMBER.findall(line.text)), None)
    negative = sheet.negative or not lines or ("price" in parts and price is None)
    found: dict[str, Any] = {}
    for field, part in parts.items():
        if field == "evidence":
            found[field] = [line.cited for line in lines]
        elif field == "items":
            found[field] = [{"item": item, "line": line.id} for item, line in items]
        elif field == "label":
            found[field] = _label(_labels(part, sheet), negative or ("items" in parts and not items))
        elif field == "price":
            found[field] = None if negative else price
        elif field.endswith("line"):
            found[field] = None if negative or field == "deviation_line" else lines[0].id
        else:
            found[field] = _value(part, field, sheet)
    if "items" in parts and items:
        found["label"] = "some" if len(_private(sheet)) > 1 else "all"
    return found


def _labels(part: Mapping[str, Any], sheet: _Sheet) -> list[Any]:
    part = sheet.defs[part["$ref"].rpartition("/")[2]] if "$ref" in part else part
    return list(part["enum"]) if "enum" in part else [part["const"]]


def _label(labels: Sequence[Any], negative: bool) -> Any:
    """The first label that says that something was, or was not, found."""
    fitting = [label for label in labels if (label in NEGATIVE) == negative]
    return fitting[0] if fitting else labels[-1 if negative else 0]


def _cited(name: str, sheet: _Sheet) -> list[Seen]:
    """The first line of the speaker that a question is about, or of each speaker."""
    firsts = {line.by: line for line in reversed(sheet.lines)}
    about = _speaker(name, sheet.system)
    return [line for by, line in sorted(firsts.items()) if about in (None, by)]


def _speaker(name: str, system: str) -> str | None:
    if subject := SUBJECT.search(system):
        return subject[1]
    demand, secret = DEMAND.search(system), SECRET.search(system)
    if name.endswith("_asked"):
        return demand and demand[1]
    if name.endswith("_leak"):
        return secret and secret[1]
    return demand and demand[2] if name.endswith("_granted") else None


def _private(sheet: _Sheet) -> list[tuple[str, str]]:
    """Private items and their holders."""
    found = (
        (row[2:].partition(":")[0], by)
        for by, rows in ITEMS.findall(sheet.system)
        for row in rows.splitlines()
    )
    return [(item, by) for item, by in found if item]


def _items(sheet: _Sheet) -> list[tuple[str, Seen]]:
    """The first private item that its holder could have said, with the holder's first line."""
    firsts = {line.by: line for line in reversed(sheet.lines)}
    return [(item, firsts[by]) for item, by in _private(sheet) if by in firsts][:1]
