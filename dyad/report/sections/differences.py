"""Differences: between agents, by factors of the design, by controls; what could be seen; what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyad.report.figures.forest import Line, around_zero, forest
from dyad.report.markup import Html, join, tag
from dyad.tables.claims.found import p_of, tested
from dyad.tables.frame import HEADLINE
from dyad.tables.rows import Row
from dyad.tables.words import estimate, number, probability

from .part import Key, Part, about, card, cards, folded, stacked, table, tables

GRIDS = {
    "factor": "Opener and role", "stance": "Engaging and digressing partners", "control": "Controls",
    "windows": "Longer windows",
}  # fmt: skip


def contrasts(parts: Sequence[Part]) -> Html:
    """Return a card per headline score with every pair of agents; other measures open on demand."""
    headline: list[Html] = []
    others: list[Html] = []
    for part, key in _keys(parts, "contrast"):
        if made := _card(part, "contrast", key):
            (headline if key in HEADLINE.items() else others).append(made)
    grids = [cards(headline, "")] if headline else []
    grids.append(folded("Turn-taking, times and other measures", [cards(others, "")] if others else []))
    return stacked(grids, "Too few agents, or too few scenarios, to compare any.")


def design(parts: Sequence[Part]) -> Html:
    """Return what opener and role change, what controls say, what could be seen, and what is missing."""
    grids = [_grid(parts, name, title) for name, title in GRIDS.items()]
    rest = [made for part in parts for made in _of_part(part)]
    return stacked([*grids, *rest], "No factor of the design was varied.")


def _of_part(part: Part) -> list[Html]:
    return [*tables(part, "telling"), *tables(part, "mde"), *_missing(part), _every(part)]


def _grid(parts: Sequence[Part], name: str, title: str) -> Html:
    made = [made for part, key in _keys(parts, name) if (made := _card(part, name, key))]
    return join(tag("h3", title), cards(made, "")) if made else Html("")


def _keys(parts: Sequence[Part], name: str) -> Iterator[tuple[Part, Key]]:
    for part in parts:
        for key in part.keys(name):
            yield part, key


def _card(part: Part, name: str, key: Key) -> Html:
    """The rows over all partners as lines around 0, with what this design cannot see as a band."""
    known = [row for row in part.rows(name, key, partner="") if row["value"] is not None]
    if not known:
        return Html("")
    lines = [
        Line(_name(row), row["value"], row["low"], row["high"], _text(row), tested(row)) for row in known
    ]
    blind = max((row["mde"] for row in known if row["mde"] is not None), default=None)
    title = part.titled(about(key))
    note = f"grey: below {number(blind)}, which is seen less than 4 times in 5" if blind else ""
    head = tag("figcaption", tag("b", title), tag("small", note))
    return card(
        tag("figure", head, forest(lines, around_zero(lines, blind), title)), part.claim(name, key=key)
    )


def _name(row: Row) -> str:
    return " ".join(filter(None, (row["agent"] if row["agent"] not in row["term"] else "", row["term"])))


def _text(row: Row) -> str:
    p = p_of(row)
    return estimate(row) + ("" if p is None else f" p {probability(p)}")


def _every(part: Part) -> Html:
    return folded(part.titled("Every measure by agent and partner"), [*tables(part, "measures")])


def _missing(part: Part) -> Iterator[Html]:
    rows = [row for row in part.rows("missing", agent="") if row["hits"]]
    if rows:
        body = [
            [f"{row['archetype']} {row['measure']}", f"{row['hits']:.0f} of {row['n']:.0f}", row["note"]]
            for row in rows
        ]
        yield table(part.titled("Values that nobody could give"), ["measure", "missing", "reasons"], body)
