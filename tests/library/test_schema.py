"""The JSON Schemas that editors use: every shipped file fits, and what the loader refuses does not."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dyad.library import Library, schemas

SCHEMAS = {name: Draft202012Validator(schema) for name, schema in schemas().items()}


def faults(name: str, data: dict[str, Any]) -> list[str]:
    return [error.json_path for error in SCHEMAS[name].iter_errors(data)]


@pytest.mark.parametrize("name", SCHEMAS)
def test_it_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(schemas()[name])


def test_every_shipped_file_fits(library: Library) -> None:
    for id, source in library.sources.items():
        if source.data["id"] == id:
            name = "scenario" if id in library.scenarios else "role"
            assert not faults(name, source.data), source.path


PRICES = {"open": {"seller": 1000, "buyer": 9}, "limit": {"seller": 1, "buyer": 9}, "unit": "x", "zopa": True}
SPOILED = {
    "a misspelt field": ("t2_minibus", {"setings": "x"}, "$"),
    "an unknown split": ("t2_minibus", {"split": "tset"}, "$.split"),
    "four candidates": ("t2_minibus", {"truth": {"candidates": ["x"], "answer": "x"}}, "$.truth.candidates"),
    "the truth of another archetype": ("t2_minibus", {"truth": {"secret": "copper ladder"}}, "$.truth"),
    "a price beyond the range": ("t4_4_sewing", {"truth": PRICES}, "$.truth.open.seller"),
    "an anchor where each seat is scored": ("t2_minibus", {"anchor": "a"}, "$.anchor"),
    "questions of another archetype": ("t2_minibus", {"judge": ["t4.price"]}, "$.judge"),
    "a role without what its kind needs": ("t3_2_ladder_gerd", {"demand": ""}, "$.demand"),
    "an unknown kind": ("t3_2_ladder_gerd", {"kind": "pusher"}, "$.kind"),
}  # fmt: skip


@pytest.mark.parametrize(("id", "change", "at"), SPOILED.values(), ids=SPOILED)
def test_what_the_loader_refuses_is_underlined(
    library: Library, id: str, change: dict[str, Any], at: str
) -> None:
    name = "scenario" if id in library.scenarios else "role"
    assert at in faults(name, {**library.sources[id].data, **change})
