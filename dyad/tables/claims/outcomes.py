"""Sentences on outcomes: acting and succeeding, fair games, rankings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dyad.tables.rows import Row
from dyad.tables.words import interval, listed, number, share

from .found import SHOWN, Found, Said, estimated, ground, percent, sentence, size, solid


def _hurdle(found: Found) -> Iterator[Said]:
    rows = found.rows("hurdle", partner="")
    for agent in list(dict.fromkeys(row["agent"] for row in rows))[:SHOWN]:
        own = {row["term"]: row for row in rows if row["agent"] == agent}
        if {"act", "score_if_act"} <= own.keys():
            acts = f"{agent} acts in {share(own['act']['value'])} of runs{size(own['act'])}"
            then = f"{acts} and then scores {estimated(own['score_if_act'])}"
            yield Said(sentence("; ".join((then, *_in_all(own)))))
    yield from _bounds(found)


def _in_all(own: Mapping[str, Row]) -> Iterator[str]:
    """What acting and scoring come to, and what is scored without the act, which is in the sum too."""
    if "unprompted" in own and own["unprompted"]["value"]:
        yield f"in {share(own['unprompted']['value'])} it scores without acting"
    if "score" in own:
        yield f"together {share(own['score']['value'])}"


def _bounds(found: Found) -> Iterator[Said]:
    rows = [row for row in found.tables.get("hurdle", ()) if row["term"] == "bounds" and not row["partner"]]
    wide = [
        row for row in rows if row["low"] is not None and row["high"] is not None and row["low"] < row["high"]
    ]
    if wide:
        told = listed([f"{row['agent']} {interval(row['low'], row['high'])}" for row in wide[:SHOWN]])
        yield Said(sentence(f"Runs without an outcome leave the score open: {told}"), False)


def _balance(found: Found) -> Iterator[Said]:
    for row in found.rows("balance"):
        told = f"The side that wants something gets {percent(row)}", ground(row)
        if solid(row, 0.5):
            side = "favours" if row["value"] > 0.5 else "is against"
            yield Said(sentence(*told, f": the game {side} it"), True)
        else:
            yield Said(sentence(*told, ": not distinguishable from a game that favours no side"), False)


def _game(found: Found) -> Iterator[Said]:
    value = found.one("game", agent="", term="value")
    if value is None:
        return
    rows = _mix(found.rows("game", term="row strategy"))
    columns = _mix(found.rows("game", term="column strategy"))
    against = f" against any mix of partners, who hold it there with {columns}" if columns else ""
    by = f" with {rows}" if rows else ""
    yield Said(sentence(f"The acting side can secure {estimated(value)}{by}{against}"))


def _mix(rows: Sequence[Row]) -> str:
    return listed([f"{row['agent']} ({number(row['value'])})" for row in rows if row["value"] > 0.005])


def _rank(found: Found) -> Iterator[Said]:
    """The first ranking of a pool, best first; the tables have the others."""
    alone = [row for row in found.rows("rank", partner="") if row["agent"]]
    if alone:
        term = alone[0]["term"]
        rows = sorted((row for row in alone if row["term"] == term), key=lambda row: -row["value"])
        order = ", ".join(f"{row['agent']} {estimated(row)}" for row in rows)
        yield Said(sentence(f"{term[:1].upper()}{term[1:]} in this pool: {order}"))
    if row := found.one("rank", term="transitive share"):
        part, rest = share(row["value"]), "; no order the rest"
        yield Said(
            sentence(
                f"An order of agents explains {part} of who beats whom", rest if part != share(1) else ""
            )
        )


WRITERS = {"hurdle": _hurdle, "balance": _balance, "game": _game, "rank": _rank}
