"""Variance: what the differences between cells go with, without noise and raw, and as lift and edge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dyad.report.figures.bars import Bar, bars
from dyad.report.figures.forest import Line, around_zero, forest
from dyad.report.markup import Html, join, tag
from dyad.tables.claims.found import p_of
from dyad.tables.rows import Row
from dyad.tables.words import count, estimate, probability, share

from .part import Key, Part, about, card, cards, folded, stacked, tables

NAMES = {"interaction": "model × partner"}
LEVELS = ("archetype", "task")  # of turn-taking, which is split by all archetypes or tasks at once


def variance(parts: Sequence[Part]) -> Html:
    """Return bars of η² and of the diallel split, effects of each agent, and tables of the rest."""
    eta = [_eta(part, key) for part in parts for key in part.keys("eta") if _known(part, "eta", key)]
    diallel = [
        _diallel(part, key) for part in parts for key in part.keys("diallel") if _known(part, "diallel", key)
    ]
    made = [cards(eta, "")] if eta else []
    made += [tag("h3", "Lift and edge"), cards(diallel, "")] if diallel else []
    for part in parts:
        more = [
            *_claims(part, "eta_corrected", "srm"),
            *tables(part, "eta_corrected", "omega", "epsilon", "diallel_corrected", "srm"),
        ]
        made.append(folded(part.titled("Other estimates"), more))
    return stacked(made, "Too few agents and tasks to split the variance.")


def _claims(part: Part, *names: str) -> Iterator[Html]:
    for name in names:
        for key in part.keys(name):
            if text := part.claim(name, key=key):
                yield tag("div", tag("b", _title(key)), text)


def _known(part: Part, name: str, key: Key) -> bool:
    return any(row["value"] is not None for row in part.rows(name, key))


def _title(key: Key) -> str:
    return key[1] if key[0] in LEVELS else about(key)


def _eta(part: Part, key: Key) -> Html:
    corrected = _corrected(part, "eta_corrected", key)
    noise = corrected.pop("noise", None)
    small = f"share of the differences between {count(part.rows('eta', key)[0]['n'])} cells"
    noisy = "" if noise is None else f"; noise {share(noise['value'])}"
    told = [_bar(row, corrected.get(row["term"])) for row in part.rows("eta", key)]
    said, small = part.claim("eta", key=key), small + _drawn(corrected) + noisy
    return _card(part.titled(_title(key)), small, told, said)


def _corrected(part: Part, name: str, key: Key) -> dict[str, Row]:
    return {row["term"]: row for row in part.rows(name, key) if row["value"] is not None}


def _drawn(corrected: Mapping[str, Row]) -> str:
    return "; without sampling noise, dashed: raw" if corrected else "; raw: noise is in it"


def _bar(row: Row, corrected: Row | None) -> Bar:
    """The share without noise and its interval, and the raw one, which no interval of its own tells of."""
    p, term = p_of(row), str(row["term"])
    name, note, rest = NAMES.get(term, term), "" if p is None else f"p {probability(p)}", term == "residual"
    if corrected is None:
        return Bar(name, row["value"], note=note, rest=rest)
    return Bar(name, corrected["value"], corrected["low"], corrected["high"], row["value"], note, rest)


def _card(title: str, small: str, told: Sequence[Bar], *said: object) -> Html:
    head = tag("figcaption", tag("b", title), tag("small", small))
    return card(tag("figure", head, bars(told, title)), *said)


def _diallel(part: Part, key: Key) -> Html:
    corrected = _corrected(part, "diallel_corrected", key)
    told = [_bar(row, corrected.get(row["term"])) for row in part.rows("diallel", key)]
    small = f"share of the differences between cells{_drawn(corrected)}"
    effects = _effects(part, key)
    said = part.claim("diallel", key=key), part.claim("effects", key=key)
    return _card(part.titled(_title(key)), small, told, effects, *said)


def _effects(part: Part, key: Key) -> Html:
    rows = [row for row in part.rows("effects", key) if row["agent"] and row["value"] is not None]
    if not rows:
        return Html("")
    lines = [
        Line(f"{r['agent']} {r['term']}", r["value"], r["low"], r["high"], estimate(r), True) for r in rows
    ]
    return join(
        tag("small", "lift and edge of each agent"), forest(lines, around_zero(lines), "lift and edge")
    )
