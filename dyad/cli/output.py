"""What verbs print: tables for people with rich, JSON for programs."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dyad.cli.compose import Composed
from dyad.library import INFO
from dyad.measure.study import HEADLINE, TURN_TAKING, UNINDEPENDENT, summary
from dyad.pipeline import Study
from dyad.pipeline.quoting import Quote
from dyad.plan import Estimate, Plan
from dyad.spec import Archetype
from dyad.store import Store

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console


WIDTH = 1000  # for a file or a pipe, where no window cuts a table; tables take only what they need


def wide_console() -> Console:
    """Return a console that prints data as it is, and cuts nothing off where it is no terminal."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDTH, markup=False, emoji=False)


def yaml_of(composed: Composed) -> str:
    """Return the composed configuration of the first point as YAML."""
    from omegaconf import OmegaConf

    return str(OmegaConf.to_yaml(OmegaConf.create(composed.plain)))


def config(composed: Composed) -> int:
    """Print the composed configuration (`--cfg job`)."""
    print(yaml_of(composed), end="")
    return 0


def plan(plan: Plan, estimate: Estimate, quotes: Sequence[Quote], store: Store, as_json: bool) -> int:
    """Print what a run would do."""
    if as_json:
        judges = {q.judge: {"runs": q.runs, **dataclasses.asdict(q.estimate)} for q in quotes}
        print(json.dumps({"study": plan.name, **dataclasses.asdict(estimate), "judges": judges, "ids": plan.ids}))
        return 0
    print(f"study     {plan.name}")
    print(f"runs      {len(plan.runs)}: {estimate.stored} stored, {estimate.runs} to play")
    print(f"audio     {estimate.audio_s / 60:.1f} min, about {estimate.wall_s / 60:.1f} min to play")
    for quote in quotes:
        print(f"judge     {quoted(quote)}")
    print(f"store     {store.root}")
    agents = dict.fromkeys(a.name for s in plan.studies for a in (s.pairing.a, s.pairing.b))
    print(f"agents    {', '.join(agents)} (each loaded once per process)")
    return 0


def quoted(quote: Quote) -> str:
    """Say in one line what a judge would take."""
    calls, sent, back, usd = dataclasses.astuple(quote.estimate)
    if not calls:
        return f"{quote.judge}: {quote.runs} conversations, no calls, $0.00"
    cost = "cost unknown (set judge.price)" if usd is None else f"about ${usd:.2f}"
    count = f"{quote.runs} conversations, {calls} calls"
    return f"{quote.judge}: {count}, about {sent / 1e3:.0f}k tokens in and {back / 1e3:.0f}k out, {cost}"


def tables(frame: pd.DataFrame, study: Study, as_json: bool) -> int:
    """Print score matrices and turn-taking cells, each with its n."""
    rows = summary(frame) if len(frame) else []
    if as_json:
        print(json.dumps({"study": study.name, "mode": study.config.mode, "rows": rows}))
        return 0
    console = wide_console()
    head = f"{study.name}: {len(study.ids)} conversations, definitions: {study.config.mode}"
    console.print(head, style="bold")
    for condition in dict.fromkeys(row["condition"] for row in rows):
        _print_condition(console, condition, [row for row in rows if row["condition"] == condition])
    return 0


def _print_condition(console: Console, condition: str, rows: list[dict[str, Any]]) -> None:
    if condition:
        console.print(condition, style="bold")
    for archetype in HEADLINE:
        own = [r for r in rows if r["table"] == "matrix" and r["archetype"] == archetype]
        _print_matrix(console, archetype, own)
    _print_turns(console, [r for r in rows if r["table"] == "turns"])


def _print_matrix(console: Console, archetype: Archetype, rows: list[dict[str, Any]]) -> None:
    if not rows:
        return
    info = INFO[archetype]
    agents = sorted({r["agent"] for r in rows})
    partners = sorted({r["partner"] for r in rows})
    title = f"{archetype} {info.name}: {HEADLINE[archetype]} (row acts, column: {info.column})"
    found = {(r["agent"], r["partner"]): _cell(r) for r in rows}
    body = [[a, *(found.get((a, p), "") for p in partners)] for a in agents]
    console.print(_table(title, ["", *partners], body))


def _print_turns(console: Console, rows: list[dict[str, Any]]) -> None:
    pairs = sorted({(r["agent"], r["partner"]) for r in rows})
    found = {(r["agent"], r["partner"], r["measure"]): _cell(r) for r in rows}
    body = [[a, p, *(found.get((a, p, m), "") for m in TURN_TAKING)] for a, p in pairs]
    if body:
        console.print(_table("turn-taking, all tasks", ["agent", "partner", *TURN_TAKING], body))


def _cell(row: dict[str, Any]) -> str:
    value = "–" if row["value"] is None else f"{row['value']:.2f}"
    # ticks of one run are alike: what a share of time rests on is how many seats were heard
    count = row["observations"] if row["measure"] in UNINDEPENDENT else row["n"]
    n = f"{row['n']:.1f} min" if row["unit"] == "per_min" else f"{count:.0f}"
    return f"{value}  (n={n})"


def _table(title: str, heads: list[str], body: list[list[str]]) -> Any:
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold")
    for index, head in enumerate(heads):
        table.add_column(head, justify="left" if index == 0 else "right", overflow="fold")
    for line in body:
        table.add_row(*line)
    return table
