"""Sentences on time to event: medians that are reached or not, means up to a time, and who gets there."""

from __future__ import annotations

from collections.abc import Iterator

from dyad.tables.rows import Row
from dyad.tables.words import count, interval, listed, number, probability

from .found import Found, Said, estimated, p_of, percent, plural, rejects, sentence, size, tested, with_p

EVENT = {"entry": "entry", "deviation": "deviation"}


def _survival(found: Found) -> Iterator[Said]:
    own = [row for row in found.tables.get("km", ()) if row["term"] == "median" and not row["partner"]]
    rows = [row for row in own if row["n"]]
    if not rows:
        return
    event = EVENT.get(found.measure, found.measure)
    yield Said(sentence(f"Median time to {event}: {listed([_median(row) for row in rows])}"))
    yield from _alike(found)


def _median(row: Row) -> str:
    of = (
        f"{count(row['hits'])} of {count(row['n'])} runs"
        if row["hits"] is not None
        else f"n {count(row['n'])}"
    )
    if row["value"] is None:
        return f"{row['agent']} not reached ({of})"
    ends = interval(row["low"], row["high"])
    return f"{row['agent']} {' '.join(filter(None, (number(row['value']) + ' s', ends)))} ({of})"


def _alike(found: Found) -> Iterator[Said]:
    """Whether the times of agents differ: by scenario, where means were compared, and as whole curves."""
    means = found.rows("contrast", partner="")
    if clear := [row["term"] for row in means if tested(row)]:
        yield Said(sentence(f"Paired by scenario, mean times differ: {listed(clear)}"), True)
    elif means:
        yield Said("No two mean times are distinguishable when they are paired by scenario.", False)
    row = found.one("logrank", term="agents")
    if row is not None and p_of(row) is not None:
        yield Said(sentence(f"Log-rank test, which takes runs as independent: {with_p(row)}"))


def _logrank(found: Found) -> Iterator[Said]:
    """Whole curves, of which the test takes runs of a scenario as independent: so it claims nothing."""
    rows = [row for row in found.rows("logrank") if row["term"] != "agents" and p_of(row) is not None]
    if clear := [f"{row['term']} (p {probability(p_of(row))})" for row in rows if rejects(row)]:
        yield Said(sentence(f"Taking runs as independent, the curves of these differ: {listed(clear)}"))
    elif rows:
        yield Said(f"No two curves are distinguishable ({plural(len(rows), 'pair')}).", False)


def _mean(found: Found) -> Iterator[Said]:
    rows = found.rows("rmst", partner="")
    if rows:
        until = f" within {number(rows[0]['at'])} s" if rows[0]["at"] is not None else ""
        told = listed([f"{row['agent']} {estimated(row)}{size(row)}" for row in rows])
        yield Said(sentence(f"Mean time to {EVENT.get(found.measure, found.measure)}{until}: {told}"))


def _in_role(found: Found) -> Iterator[Said]:
    rows = found.rows("in_role", term="mean time", partner="")
    if rows:
        told = listed([f"{row['agent']} {estimated(row)}{size(row)}" for row in rows])
        yield Said(sentence(f"Mean time in role: {told}"))


def _incidence(found: Found) -> Iterator[Said]:
    rows = found.rows("incidence", partner="")
    last = {(row["agent"], row["term"]): row for row in rows}  # the last point of each curve
    for agent in dict.fromkeys(agent for agent, _ in last):
        if answered := last.get((agent, "answered")):
            share_of = f"{percent(answered)} of silences before its partner goes on"
            yield Said(sentence(f"{agent} answers {share_of}"))
            continue
        told = [f"{term} {percent(row)}{size(row)}" for (of, term), row in last.items() if of == agent]
        yield Said(sentence(f"By the end, where {agent} attacks: {listed(told)}"))


WRITERS = {"km": _survival, "logrank": _logrank, "rmst": _mean, "in_role": _in_role, "incidence": _incidence}
