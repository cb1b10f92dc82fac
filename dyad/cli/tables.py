"""The tables of a study: scores, turn-taking, and how far the judge behind the scores can be trusted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dyad.cli.output import accounted, amiss, grid, wide_console
from dyad.library import INFO
from dyad.pipeline import Study, account
from dyad.pipeline.account import TABLES
from dyad.pipeline.trust import Missing, Trust
from dyad.spec import Archetype
from dyad.tables import HEADLINE, Row
from dyad.tables.cells import UNINDEPENDENT
from dyad.tables.claims import claims, conclusions
from dyad.tables.scores import TURN_TAKING
from dyad.tables.sheets import sheets

if TYPE_CHECKING:
    from rich.console import Console

SHORT = ("contrast", "eta", "mde")  # printed after the scores, over all partners; files and the page have all
AGREEMENT = ("question", "judges", "n", "exact", "kappa", "AC1", "alpha", "rho")
CORRECTION = ("measure", "agent", "partner", "raw", "corrected", "95 %", "n", "n human")
FEW = 3  # judges whose every pair is shown
MISSING = ("judge", "question", "labels", "reasons")


class Tables(NamedTuple):
    """What is printed of a study: the rows of its tables, and what is known of its judges."""

    study: Study
    rows: Sequence[Row]
    known: Trust


def tables(made: Tables, as_json: bool) -> int:
    """Print scores, turn-taking and differences, each with its n, what may be concluded, and the judges."""
    study, rows, known = made
    if as_json:
        said = [claim._asdict() for claim in claims(rows)]
        head: Row = {"study": study.name, "mode": study.config.mode, "judge": known.shown}
        head |= {"account": account(study).counts}
        print(json.dumps(head | {"rows": rows, "claims": said} | plain(known), ensure_ascii=False))
        return 0
    console = wide_console()
    head_line = f"{study.name}: {len(study.ids)} conversations, definitions: {study.config.mode}"
    console.print(head_line, style="bold")
    console.print("\n".join(judge_lines(known)))
    numbers = [row for row in rows if row["table"] not in TABLES]
    for condition in dict.fromkeys(row["condition"] for row in numbers):
        _print_condition(console, condition, [x for x in numbers if x["condition"] == condition], known)
    _print_trust(console, known)
    console.print("\n".join(accounted(account(study))))
    if told := amiss(study):
        console.print(told, style="bold")
    console.print("\n".join(conclusions(rows)))
    return 0


def plain(known: Trust) -> Row:
    """Return what is known of the judges as JSON."""
    data = known.model_dump(mode="json", exclude={"shown"})
    return data | {"agreement": {"pairs": data.pop("pairs"), "panels": data.pop("panels")}}


def judge_lines(known: Trust) -> Iterator[str]:
    """Say whose labels the tables show, who else has judged, and what asking models has cost."""
    named = {judge.name: f"{judge.name} ({judge.kind})" for judge in known.judges}
    shown = [named[judge.name] for judge in known.judges if judge.shown]
    others = [named[judge.name] for judge in known.judges if not judge.shown] + list(known.people)
    yield f"judge: {', '.join(shown)}" if len(shown) == 1 else f"judge: the majority of {', '.join(shown)}"
    if others:
        yield f"also judged by: {', '.join(others)}"
    for judge in known.judges:
        if judge.spent:
            cost = "cost unknown" if judge.spent.usd is None else f"${judge.spent.usd:.2f}"
            models = ", ".join(judge.spent.models) or "no model named"
            yield f"{judge.name}: {judge.spent.replies} replies so far in this store, {cost}, from {models}"


def _print_condition(console: Console, condition: str, rows: Sequence[Row], known: Trust) -> None:
    if condition:
        console.print(condition, style="bold")
    for archetype in HEADLINE:
        own = [r for r in rows if r["table"] == "matrix" and r["archetype"] == archetype]
        if own:
            console.print(_matrix(archetype, own))
            for flag in known.flags(HEADLINE[archetype], archetype):
                console.print(f"  {flag}")
    _print_turns(console, [r for r in rows if r["table"] == "turns"])
    for name in SHORT:
        own = [r for r in rows if r["table"] == name and not r["partner"] and r["value"] is not None]
        for sheet in sheets(name, own):
            console.print(grid(sheet.title, sheet.heads, sheet.body))


def _matrix(archetype: Archetype, rows: Sequence[Row]) -> Any:
    info = INFO[archetype]
    agents = sorted({r["agent"] for r in rows})
    partners = sorted({r["partner"] for r in rows})
    title = f"{archetype} {info.name}: {HEADLINE[archetype]} (row acts, column: {info.column})"
    found = {(r["agent"], r["partner"]): _cell(r) for r in rows}
    return grid(title, ["", *partners], [[a, *(found.get((a, p), "") for p in partners)] for a in agents])


def _print_turns(console: Console, rows: Sequence[Row]) -> None:
    pairs = sorted({(r["agent"], r["partner"]) for r in rows})
    found = {(r["agent"], r["partner"], r["measure"]): _cell(r) for r in rows}
    body = [[a, p, *(found.get((a, p, m), "") for m in TURN_TAKING)] for a, p in pairs]
    if body:
        console.print(grid("turn-taking, all tasks", ["agent", "partner", *TURN_TAKING], body))


def _cell(row: Row) -> str:
    # ticks of one run are alike: what a share of time rests on is how many seats were heard
    count = row["observations"] if row["measure"] in UNINDEPENDENT else row["n"]
    n = f"{row['n']:.1f} min" if row["unit"] == "per_min" else f"{count:.0f}"
    return f"{_number(row['value'])}  (n={n})"


# -- judges ----------------------------------------------------------------------------------------


def _print_trust(console: Console, known: Trust) -> None:
    for title, heads, body in (
        ("agreement of judges", AGREEMENT, list(_agreement(known))),
        (f"shares of {known.shown} without its errors, by human labels", CORRECTION, list(_corrected(known))),
        ("missing labels", MISSING, list(_missing(known.missing))),
    ):
        if body:
            console.print(grid(title, heads, body))


def _agreement(known: Trust) -> Iterator[list[str]]:
    """The rows of two judges, and of all of them where there are more, by question."""
    for panel in known.panels:
        for pair in known.pairs:
            told = len(panel.judges) <= FEW or known.shown in pair.judges  # of many the page tells the rest
            if told and pair.question == panel.question:
                found = pair.agreement
                values = (found.exact, found.kappa, found.ac1, found.alpha, found.rho)
                yield [pair.question, " – ".join(pair.judges), str(found.n), *map(_number, values)]
        if len(panel.judges) > 2:
            everyone = f"all {len(panel.judges)}"
            yield [panel.question, everyone, str(panel.n), "", "", "", _number(panel.alpha), ""]


def _corrected(known: Trust) -> Iterator[list[str]]:
    for row in known.corrected:
        where = f" · {row['condition']}" if row["condition"] else ""
        value, low, high = row["value"], row["low"], row["high"]
        ends = "" if low is None else f"{_number(low)} to {_number(high)}"
        yield [
            f"{row['archetype']} {row['measure']}{where}", row["agent"] or "all", row["partner"] or "all",
            _number(row["raw"]), _number(value), ends, str(row["n"]), str(row["n_human"]),
        ]  # fmt: skip


def _missing(missing: Sequence[Missing]) -> Iterator[list[str]]:
    """One row per judge and question, with all reasons."""
    for judge, question in dict.fromkeys((lost.judge, lost.question) for lost in missing):
        own = [lost for lost in missing if (lost.judge, lost.question) == (judge, question)]
        reasons = ", ".join(f"{lost.status} {lost.n}" for lost in own)
        yield [judge, question or "all", f"{sum(lost.n for lost in own)} of {own[0].of}", reasons]


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
