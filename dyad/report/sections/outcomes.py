"""Outcomes: how often agents act and what they achieve then, whether games are fair, and rankings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyad.measure.catalogue import MEASURES
from dyad.report.figures.bars import Bar, bars
from dyad.report.figures.success import Point, success
from dyad.report.markup import Html, join, tag
from dyad.tables.rows import Row
from dyad.tables.words import count, estimate, interval, named, number

from .part import Key, Part, about, card, cards, folded, stacked, table, tables

HEADS = {
    "act": "acts", "score_if_act": "score, given the act", "score": "score", "unprompted": "without the act",
    "bounds": "undecided lost or won",
}  # fmt: skip


def outcomes(parts: Sequence[Part]) -> Html:
    """Return act × success plots with their tables, balance and value of games, and rankings."""
    plots = [_hurdle(part, key) for part in parts for key in part.keys("hurdle") if _has_act(part, key)]
    fair = [_balance(part) for part in parts if part.rows("balance")]
    games = [_game(part, key) for part in parts for key in part.keys("game")]
    made = [cards(plots, "")] if plots else []
    made += [cards([*fair, *(game for game in games if game)], "")] if fair or games else []
    made += [folded(part.titled("Rankings over the pool"), [*_ranks(part)]) for part in parts]
    made += [
        folded(part.titled("Act and success with every partner"), [*tables(part, "hurdle")]) for part in parts
    ]
    return stacked(made, "No outcome was judged.")


def _has_act(part: Part, key: Key) -> bool:
    return any(row["value"] is not None for row in part.rows("hurdle", key, term="act"))


def _hurdle(part: Part, key: Key) -> Html:
    points = list(_points(part, key))
    title = part.titled(about(key))
    head = tag("figcaption", tag("b", title), tag("small", "dots: over all partners; small ones: with one"))
    drawing = success(points, f"{title}: act against success") if points else Html("")
    return card(tag("figure", head, drawing), _legend(part, key), part.claim("hurdle", key=key))


def _points(part: Part, key: Key) -> Iterator[Point]:
    agents = sorted({row["agent"] for row in part.rows("hurdle", key)})
    acts = {(row["agent"], row["partner"]): row for row in part.rows("hurdle", key, term="act")}
    for then in part.rows("hurdle", key, term="score_if_act"):
        agent, partner = then["agent"], then["partner"]
        act = acts.get((agent, partner))
        if act is not None and act["value"] is not None and then["value"] is not None:
            ends = (None, None) if partner else (_ends(act), _ends(then))
            name = f"{agent} with {partner}" if partner else agent
            yield Point(name, act["value"], then["value"], *ends, agents.index(agent), bool(partner))


def _ends(row: Row) -> tuple[float, float] | None:
    return None if row["low"] is None or row["high"] is None else (row["low"], row["high"])


def _legend(part: Part, key: Key) -> Html:
    """The numbers of the plot: never a score given the act without the act."""
    rows = part.rows("hurdle", key, partner="")
    terms = [term for term in HEADS if any(row["term"] == term for row in rows)]
    agents = sorted({row["agent"] for row in rows})
    found = {(row["agent"], row["term"]): row for row in rows}
    body = [
        [join(_spot(i), agent), *(_told(found.get((agent, term))) for term in terms)]
        for i, agent in enumerate(agents)
    ]
    return table("", ["agent", *(HEADS[term] for term in terms)], body)


def _spot(index: int) -> Html:
    dot = tag("circle", cx=5, cy=5, r=5, class_=f"spot k{index % 8}")
    return tag("svg", dot, viewBox="0 0 10 10", class_="sample", aria_hidden="true")


def _told(row: Row | None) -> object:
    if row is None:
        return ""
    if row["value"] is None and row["low"] is None:
        return row["note"]
    value = "" if row["value"] is None else number(row["value"])
    n = "" if row["n"] is None else f"n {count(row['n'])}"
    return join(value, *(tag("small", text) for text in (interval(row["low"], row["high"]), n) if text))


def _balance(part: Part) -> Html:
    rows = part.rows("balance")
    told = [
        Bar(
            row["archetype"],
            row["value"],
            row["low"],
            row["high"],
            note=f"n {count(row['n'])} · {row['measure']}",
        )
        for row in rows
    ]
    title = part.titled("What the side that wants something gets")
    head = tag("figcaption", tag("b", title), tag("small", "over all cells; 0.50 favours neither side"))
    said = (
        tag("div", tag("b", named(key[0])), part.claim("balance", key=key)) for key in part.keys("balance")
    )
    return card(tag("figure", head, bars(told, title)), *said)


def _game(part: Part, key: Key) -> Html:
    """The value against the best reply, with the mix of agents that secures it for either side."""
    value = next(iter(part.rows("game", key, term="value")), None)
    if value is None or value["value"] is None:
        return Html("")
    title = part.titled(f"{named(key[0])}: value of the game {estimate(value)}")
    strategies = {term: part.rows("game", key, term=f"{term} strategy") for term in ("row", "column")}
    told = [
        Bar(f"{'acts' if term == 'row' else 'resists'}: {row['agent']}", row["value"])
        for term, rows in strategies.items()
        for row in rows
        if row["value"]
    ]
    head = tag("figcaption", tag("b", title), tag("small", MEASURES[key[1]].about))
    return card(tag("figure", head, bars(told, title)), part.claim("game", key=key))


def _ranks(part: Part) -> Iterator[Html]:
    for key in part.keys("rank"):
        yield part.claim("rank", key=key)
    yield from tables(part, "rank")
