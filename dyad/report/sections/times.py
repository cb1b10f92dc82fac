"""Time to event: curves per agent and with each partner, means, tests, time in role, who leaks first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyad.report.figures.curves import Curve, curves, small_curves
from dyad.report.markup import Html, join, tag
from dyad.tables.rows import Row
from dyad.tables.times import TIMES
from dyad.tables.words import estimate, named

from .part import Key, Part, card, cards, folded, stacked, tables

MARKS = 4  # numbers at risk are given at so many equal steps
TESTS = ("logrank", "rmst", "in_role", "incidence")


def times(parts: Sequence[Part]) -> Html:
    """Return a card per archetype and measure, then means, tests and all curves with each partner."""
    made = []
    for part in parts:
        keys = [key for key in part.keys("km") if _drawn(part, key, "")]
        made += [cards((_card(part, key) for key in keys), "")] if keys else []
        made.append(folded(part.titled("Curves with each partner"), [_grid(part, key) for key in keys]))
        made.append(folded(part.titled("Means, tests, time in role, incidence"), [*_tables(part)]))
    return stacked(made, "No time to an event was measured.")


def _tables(part: Part) -> Iterator[Html]:
    for name in TESTS:
        yield from (part.claim(name, key=key) for key in part.keys(name))
        yield from tables(part, name)


def _card(part: Part, key: Key) -> Html:
    title = part.titled(_title(key))
    drawn, end_s = _drawn(part, key, ""), _end_s(part, key)
    head = tag(
        "figcaption", tag("b", title), tag("small", "bands: 95 % pointwise, runs taken as independent")
    )
    figure = tag("figure", head, curves(drawn, end_s, f"{title}: share of runs by time in seconds"))
    return card(figure, part.claim("km", key=key))


def _title(key: Key) -> str:
    return f"{named(key[0])}: {TIMES.get(key[1], key[1])} (share still without it)"


def _grid(part: Part, key: Key) -> Html:
    """The same curves, one small plot for each partner."""
    end_s, made = _end_s(part, key), []
    for partner in sorted({row["partner"] for row in part.rows("km", key)} - {""}):
        if drawn := _drawn(part, key, partner):
            title = f"{_title(key)}, with {partner}"
            made.append(
                tag("figure", tag("figcaption", f"with {partner}"), small_curves(drawn, end_s, title))
            )
    return join(tag("h3", part.titled(_title(key))), tag("div", *made, class_="small")) if made else Html("")


def _drawn(part: Part, key: Key, partner: str) -> list[Curve]:
    rows, end_s = part.rows("km", key, partner=partner), _end_s(part, key)
    points = [
        row for row in rows if row["term"] == "survival" and None not in (row["at"], row["value"], row["n"])
    ]
    medians = [row for row in rows if row["term"] == "median" and row["n"]]
    return [_curve(row, [p for p in points if p["agent"] == row["agent"]], end_s) for row in medians]


def _end_s(part: Part, key: Key) -> float:
    """The end of the recording where a table names it, or the last event."""
    last = [row["at"] for row in part.rows("km", key) if row["at"] is not None]
    until = [row["at"] for row in part.rows("rmst") if row["at"] is not None]
    return max([*last, *until], default=0.0)


def _curve(median: Row, points: Sequence[Row], end_s: float) -> Curve:
    marks = [end_s * k / MARKS for k in range(MARKS + 1)]
    return Curve(
        median["agent"],
        [row["at"] for row in points],
        [row["value"] for row in points],
        [row["low"] for row in points],
        [row["high"] for row in points],
        [(mark, _at_risk(median, points, mark)) for mark in marks],
        estimate(median),
        median["hits"],
        median["n"],
    )


def _at_risk(median: Row, points: Sequence[Row], mark: float) -> float:
    """Runs at risk at the next event; after the last one those that it left."""
    later = [row for row in points if row["at"] >= mark]
    if later:
        return float(later[0]["n"])
    return float(median["n"] if not points else _left(points))


def _left(points: Sequence[Row]) -> int:
    """Runs that go on after the last step: of those at risk at it, the share that survives it."""
    before = points[-2]["value"] if len(points) > 1 else 1.0
    return round(points[-1]["n"] * points[-1]["value"] / before) if before else 0
