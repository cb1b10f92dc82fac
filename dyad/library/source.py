"""Reading one YAML file into a closed record, with errors that name file, line and field."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError

from dyad.errors import ConfigError, near

# The C loader constructs the same safe types, ten times faster.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Loc = tuple[int | str, ...]
M = TypeVar("M", bound=BaseModel)
_TO_DO = {  # kinds of error that authors meet, in their words
    "string_type": "must be text; put it in quotes",
    "tuple_type": "must be a list: [one, two]",
    "dict_type": "must hold fields: {name: value}",
    "model_type": "must hold fields: {name: value}",
}
_CURES = {  # of broken YAML, by what its parser says
    "cannot start any token": "quote what begins with a sign",
    "tab": "indent with spaces",
    "',' or '": "close the bracket",
    "mapping values": "quote what holds ': '",
}


@dataclass(frozen=True)
class Source:
    """A parsed YAML mapping: its file, plain data and the node tree that knows the lines."""

    path: Path
    data: dict[str, Any]
    node: yaml.MappingNode

    def line(self, loc: Loc = ()) -> int:
        """Return the line (from 1) of the deepest part of a field path that the file holds."""
        return _line(self.node, loc)

    def error(self, loc: Loc, problem: str) -> ConfigError:
        """Return a one-line error that names the file, the line and the field."""
        field = ".".join(str(step) for step in loc)
        return ConfigError(f"{self.path}:{self.line(loc)}: {field + ': ' if field else ''}{problem}")


def read_yaml(path: Path, anchors: bool = False) -> Source:
    """Parse a YAML file that holds one mapping.

    Raises ConfigError for an unreadable file, broken YAML, a repeated key or anything but a mapping, and for
    `anchors` unless they are allowed.
    """
    content = b""
    try:
        content = path.read_bytes()
        text = content.decode("utf-8")
    except OSError as fault:
        raise ConfigError(f"{path}: cannot be read ({fault})") from None
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        odd = content[fault.start]
        problem = f"cannot be read as UTF-8 text (byte 0x{odd:02x}); save the file as UTF-8"
        raise ConfigError(f"{path}:{line}: {problem}") from None
    return _parse(path, text, anchors)


@lru_cache(maxsize=2048)  # a process may load the library many times; parsing is most of it
def _parse(path: Path, text: str, anchors: bool = False) -> Source:
    loader = LOADER(text)
    try:
        node = loader.get_single_node()
        data = loader.construct_document(node) if node is not None else None
    except yaml.YAMLError as fault:
        raise ConfigError(_yaml_problem(path, fault)) from None
    finally:
        loader.dispose()
    if not isinstance(node, yaml.MappingNode) or not isinstance(data, dict):
        raise ConfigError(f"{path}:1: must hold one mapping of fields, 'name: value'")
    if not anchors:
        _refuse_anchors(path, node)
    _refuse_repeats(path, node)
    return Source(path, data, node)


def validate(source: Source, model: type[M], at: Loc = ()) -> M:
    """Return the record that a file, or the part of it at a field path, describes.

    Raises ConfigError that names the first field at fault, an unknown one before others.
    """
    data: Any = source.data
    for step in at:
        data = data.get(step, {})
    try:
        return model.model_validate(data)
    except ValidationError as fault:
        # A misspelt field is also a missing one; the misspelling says more.
        first = min(fault.errors(), key=lambda error: error["type"] != "extra_forbidden")
        loc = tuple(step for step in first["loc"] if step != "[key]")
        raise source.error(at + loc, _problem(model, first["type"], loc, first["msg"])) from None


def _problem(model: type[BaseModel], kind: str, loc: Loc, message: str) -> str:
    if kind == "extra_forbidden":
        return f"unknown field{near(str(loc[-1]), _fields_at(model, loc[:-1]))}"
    if kind == "missing":
        return "field is missing; add it"
    if kind in _TO_DO:
        return _TO_DO[kind]
    text = message.removeprefix("Value error, ")
    return text[0].lower() + text[1:]


def _fields_at(model: type[BaseModel], loc: Loc) -> list[str]:
    kind: Any = model
    for step in loc:
        if inspect.isclass(kind) and issubclass(kind, BaseModel):
            kind = kind.model_fields[str(step)].annotation
        else:
            kind = get_args(kind)[1 if get_origin(kind) is dict else 0]
    return list(kind.model_fields) if inspect.isclass(kind) and issubclass(kind, BaseModel) else []


def _line(node: yaml.Node, loc: Loc) -> int:
    line: int = node.start_mark.line + 1
    if not loc:
        return line
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(loc[0]):
                # A field is where its key stands, though its block may start on the next line.
                return int(key.start_mark.line) + 1 if len(loc) == 1 else _line(value, loc[1:])
    if isinstance(node, yaml.SequenceNode) and isinstance(loc[0], int) and loc[0] < len(node.value):
        return _line(node.value[loc[0]], loc[1:])
    return line


def _yaml_problem(path: Path, fault: yaml.YAMLError) -> str:
    mark = getattr(fault, "problem_mark", None) or getattr(fault, "context_mark", None)
    line = f":{mark.line + 1}" if mark else ""
    problem = getattr(fault, "problem", None) or str(fault).splitlines()[0]
    cure = next(
        (cure for sign, cure in _CURES.items() if sign in problem), "correct that line, or the one above"
    )
    return f"{path}{line}: broken YAML: {problem}; {cure}"


def _refuse_anchors(path: Path, root: yaml.Node) -> None:
    """Refuse a part that stands in two places: few lines could stand for endlessly many."""
    seen: set[int] = set()
    todo: list[Any] = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, yaml.CollectionNode):
            if id(node) in seen:
                line = node.start_mark.line + 1
                raise ConfigError(f"{path}:{line}: anchors ('&', '*') are not read; write the text out")
            seen.add(id(node))
            todo += (
                [x for pair in node.value for x in pair] if isinstance(node, yaml.MappingNode) else node.value
            )


def _mappings(node: yaml.Node) -> Iterator[yaml.MappingNode]:
    if isinstance(node, yaml.MappingNode):
        yield node
        for _, value in node.value:
            yield from _mappings(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _mappings(value)


def _refuse_repeats(path: Path, root: yaml.MappingNode) -> None:
    for node in _mappings(root):
        seen: set[str] = set()
        for key, _ in node.value:
            if str(key.value) in seen:
                line = key.start_mark.line + 1
                raise ConfigError(f"{path}:{line}: {key.value}: field stands twice; remove one")
            seen.add(str(key.value))
