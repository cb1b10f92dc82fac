"""Turn-taking: one sortable table per condition, with what may be concluded from each column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dyad.report.markup import Html, join, tag
from dyad.tables.rows import Row
from dyad.tables.words import MISSING, count, interval, number, unit_words

from .part import Part, folded, stacked, tables


def turns(parts: Sequence[Part], mode: str) -> Html:
    """Return a table per condition; a table names its definitions and never mixes them."""
    made = (_of_part(part, part.titled(mode)) for part in parts if part.rows("turns"))
    return stacked(made, "No turn-taking was measured.")


def _of_part(part: Part, mode: str) -> Html:
    others = [*tables(part, "turns_mean")]
    return join(
        _table(mode, part.rows("turns")), _claims(part), folded("Every seat counting the same", others)
    )


def _claims(part: Part) -> Html:
    said = [(key[1], part.claim("turns", key=key)) for key in part.keys("turns")]
    return tag("ul", *(tag("li", tag("b", f"{name} "), text) for name, text in said if text), class_="claims")


def _table(mode: str, rows: Sequence[Row]) -> Html:
    measures = list(dict.fromkeys((row["measure"], row["unit"]) for row in rows))
    head = (_sort_head("agent"), _sort_head("with"), *(_sort_head(name, unit) for name, unit in measures))
    body = (
        tag("tr", tag("th", agent, scope="row"), tag("td", partner), *_cells(agent, partner, measures, rows))
        for agent, partner in dict.fromkeys((row["agent"], row["partner"]) for row in rows)
    )
    about = tag("b", f"Definitions: {mode}"), tag("small", "value, hits / opportunities, interval")
    made = tag(
        "table", tag("caption", *about), tag("thead", tag("tr", *head)), tag("tbody", *body),
        class_="turns sortable",
    )  # fmt: skip
    return tag(
        "div", made, class_="scroll card", tabindex=0, role="region", aria_label=f"turn-taking, {mode}"
    )


def _sort_head(name: str, unit: str | None = None) -> Html:
    button = tag("button", tag("span", name), tag("small", unit_words(unit)) if unit else None, type="button")
    return tag("th", button, scope="col")


def _cells(agent: str, partner: str, measures: Iterable[tuple[str, str]], rows: Sequence[Row]) -> list[Html]:
    own = {(r["measure"], r["unit"]): r for r in rows if (r["agent"], r["partner"]) == (agent, partner)}
    return [_cell(own.get(measure)) for measure in measures]


def _cell(row: Row | None) -> Html:
    if row is None or row["value"] is None:
        return tag("td", tag("b", MISSING), class_="missing")
    small = tag("small", _count(row)), tag("small", interval(row["low"], row["high"]))
    return tag("td", tag("b", number(row["value"])), *small, data_value=row["value"])


def _count(row: Row) -> str:
    if row["unit"] == "per_min":
        return f"{count(row['hits'])} in {number(row['n'])} min"
    return f"{count(row['hits'])} / {count(row['n'])}"
