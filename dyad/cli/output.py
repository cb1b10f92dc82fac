"""What verbs print of a plan, and the console that tables are printed on."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dyad.cli.compose import Composed
from dyad.pipeline import Account, Study
from dyad.pipeline.quoting import Quote
from dyad.plan import Estimate, Plan

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


FEW = 3  # runs that are named for each reason
WIDTH = 1000  # for a file or a pipe, where no window cuts a table; tables take only what they need


def wide_console() -> Console:
    """Return a console that prints data as it is, and cuts nothing off where it is no terminal."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDTH, markup=False, emoji=False)


def grid(title: str, heads: Sequence[str], body: Sequence[Sequence[str]], names: int = 1) -> Table:
    """Return a table for the console; its first `names` columns and notes are words, the others numbers."""
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold")
    for index, head in enumerate(heads):
        words = index < names or head == "note"
        table.add_column(head, justify="left" if words else "right", overflow="fold")
    for line in body:
        table.add_row(*line)
    return table


def yaml_of(composed: Composed) -> str:
    """Return the composed configuration of the first point as YAML."""
    from omegaconf import OmegaConf

    return str(OmegaConf.to_yaml(OmegaConf.create(composed.plain)))


def config(composed: Composed) -> int:
    """Print the composed configuration (`--cfg job`)."""
    from dyad.cli.help import commented

    print(commented(yaml_of(composed)), end="")
    return 0


def plan(
    plan: Plan, estimate: Estimate, quotes: Sequence[Quote], study: Study, lacks: Sequence[str], as_json: bool
) -> int:
    """Print what a run would do, and what it lacks on this machine."""
    if as_json:
        counting = {takes.first: takes.id for takes in study.takes.values()}
        ids = [None if i in plan.nameless else counting.get(i, i) for i in plan.ids]
        judges = {q.judge: {"runs": q.runs, **dataclasses.asdict(q.estimate)} for q in quotes}
        made = {"study": plan.name or None, **dataclasses.asdict(estimate), "judges": judges}
        print(json.dumps({**made, "ids": ids, "missing": lacks}))
        return 0
    print(f"study     {plan.name or 'named by what is played, which is not known here'}")
    again = f", {estimate.again} garbled and to record again" if estimate.again else ""
    print(f"runs      {len(plan.runs)}: {estimate.stored} stored, {estimate.runs} to play{again}")
    hours, minutes = estimate.audio_s / 3600, estimate.wall_s / 60
    size = f"{estimate.disk_bytes / 1e9:.2f} GB on disk"
    print(f"audio     {hours:.2f} h, about {minutes:.1f} min to play, {size}")
    if estimate.gpu_s:
        print(f"GPU       about {estimate.gpu_s / 3600:.2f} h")
    for quote in quotes:
        print(f"judge     {quoted(quote)}")
    print(f"store     {study.store.root}")
    agents = dict.fromkeys(a.name for s in plan.studies for a in (s.pairing.a, s.pairing.b))
    print(f"agents    {', '.join(agents)} (each loaded once per process)")
    if plan.nameless:
        print(f"ids       unknown of {len(plan.nameless)} runs: they name what is missing")
    for lack in lacks:
        print(f"missing   {lack}")
    return 0


def amiss(study: Study) -> str:
    """Count the conversations that went wrong, by what it means for them; "" when none did."""
    takes = study.takes.values()
    counts = {
        "unhealthy, not judged": sum(not manifest.health.ok for manifest in study.manifests.values()),
        "garbled after all takes": sum(found.failed for found in takes),
        "garbled and not recorded again yet": sum(found.again for found in takes),
    }
    told = "; ".join(f"{n} {what}" for what, n in counts.items() if n)
    return f"of {len(study.ids)} conversations: {told}" if told else ""


def accounted(found: Account) -> Iterator[str]:
    """Say what became of the planned runs, and of those that are not there why."""
    yield found.line
    for (status, reason), runs in found.reasons().items():
        more = f" and {len(runs) - FEW} more" if len(runs) > FEW else ""
        yield f"  {status}: {', '.join(runs[:FEW])}{more}: {reason}"


def quoted(quote: Quote) -> str:
    """Say in one line what a judge would take."""
    calls, sent, back, usd = dataclasses.astuple(quote.estimate)
    if not calls:
        return f"{quote.judge}: {quote.runs} conversations, no calls, $0.00"
    cost = "cost unknown (set judge.price)" if usd is None else f"about ${usd:.2f}"
    count = f"{quote.runs} conversations, {calls} calls"
    return f"{quote.judge}: {count}, about {sent / 1e3:.0f}k tokens in and {back / 1e3:.0f}k out, {cost}"
