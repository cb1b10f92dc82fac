"""JSON Schemas of scenario and role files, for editors that complete and underline YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel

from dyad.spec.scenario import Kind, Role, Scenario

from .archetypes import INFO, NEEDS, ArchetypeInfo
from .truth import TRUTHS, Asr

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]


def schemas() -> dict[str, Schema]:
    """Return the schemas by name, `scenario` and `role`.

    What depends on the archetype (truth, seats, judge) or on the kind of role is a condition of its own.
    """
    return {"scenario": _scenario(), "role": _role()}


def _scenario() -> Schema:
    schema = _of(Scenario, "A scenario: the shared situation, its truth and its references")
    for archetype, model in TRUTHS.items():
        truth = model.model_json_schema(ref_template=f"#/$defs/{{model}}_{archetype}")
        for name, nested in truth.pop("$defs", {}).items():
            schema["$defs"][f"{name}_{archetype}"] = nested
        schema["$defs"][f"truth_{archetype}"] = truth
    schema["properties"]["asr"] = Asr.model_json_schema()
    schema["allOf"] = [_if("archetype", info.id, _fixed(info)) for info in INFO.values()]
    return schema


def _fixed(info: ArchetypeInfo) -> Schema:
    """What the archetype settles."""
    fields: Schema = {
        "truth": {"$ref": f"#/$defs/truth_{info.id}"},
        "symmetric": {"const": info.symmetric},
        "anchor": {"const": info.anchor},
        "judge": {"const": list(info.judge)},
        "seats": {"required": [] if info.free else ["a", "b"]},
    }
    return {"properties": fields}


def _role() -> Schema:
    schema = _of(Role, "A role: what one seat is told in private, and what it is scored on")
    schema["allOf"] = [_if("kind", kind, _filled(NEEDS[kind])) for kind in get_args(Kind)]
    return schema


def _filled(names: tuple[str, ...]) -> Schema:
    model: Mapping[str, Any] = Role.model_json_schema()["properties"]
    least = {name: {"minItems": 1} if model[name]["type"] == "array" else {"minLength": 1} for name in names}
    return {"required": list(names), "properties": least}


def _of(model: type[BaseModel], title: str) -> Schema:
    schema = model.model_json_schema()
    return {"$schema": DIALECT, **schema, "title": title, "$defs": dict(schema.get("$defs", {}))}


def _if(field: str, value: str, then: Schema) -> Schema:
    return {"if": {"properties": {field: {"const": value}}, "required": [field]}, "then": then}
