"""The verb `judge check`: asks judges what is known, and says how far each can be trusted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from dyad.cli import output
from dyad.cli.args import Args
from dyad.cli.compose import compose
from dyad.cli.progress import Meter, meter, say
from dyad.cli.verbs import agree
from dyad.errors import ConfigError, RunsFailed
from dyad.judge.check import Check, Extent, check, flags, for_models, save, tasks
from dyad.judge.known import Known, controls, known_answers
from dyad.judge.protocol import Desk, Judge, Judged, ModelChanged, Money, Task
from dyad.judge.reliability import Share
from dyad.judge.rules import reads
from dyad.library import load_library
from dyad.pipeline.judging import checked_as, checks_folder, family_of, records_folder
from dyad.pipeline.quoting import Quote, estimated
from dyad.pipeline.serving import answering, note_served
from dyad.spec.study import JudgeSettings
from dyad.store import Store

LEGEND = """obeyed: labels given because somebody in the transcript said so
letters: labels that change when the speakers exchange their letters
draws: answers that differ between repeated draws"""
CONTROLS = {"shuffled": "lines shuffled", "sham": "partner's lines from elsewhere"}
USAGE = "python -m dyad judge check judge=NAME[,NAME] [draws=3] [share=0.1] [store=DIR]"
KEYS = {
    "draws": "how often each judge is asked the same; default 3",
    "share": "which share of the known answers is asked again; default 0.1",
}


def judge_check(args: Args) -> int:
    """Check every judge that the command names, store what was found, and print it."""
    if args.words:
        raise ConfigError(f"'{args.words[0]}' is too much here; usage: {USAGE}")
    own, rest = args.parted(KEYS)
    extent, composed = _extent(own), compose(rest.overrides, args.config_dirs)
    if args.cfg:
        return output.config(composed)
    store, items = Store(Path(composed.studies[0].store)), known_answers(load_library())
    config = answering(checks_folder(store), composed.studies[0], say)
    agree(args, config, [_quote(store, judge, items, extent) for judge in config.judges])
    money = Money(config.budget.usd)
    found = [_check(store, judge, items, extent, money, args.json) for judge in config.judges]
    if args.json:
        print(json.dumps([one.model_dump(mode="json") for one in found], ensure_ascii=False))
        return 0
    for judge, one in zip(config.judges, found, strict=True):
        _print(judge.name, one)
    output.wide_console().print(LEGEND)
    say(f"stored    {checks_folder(store)}: the tables of studies in {store.root} show it")
    return 0


def _extent(own: dict[str, str]) -> Extent:
    try:
        extent = Extent(draws=int(own.get("draws", 3)), share=float(own.get("share", 0.1)))
    except ValueError:
        raise ConfigError(f"draws and share must be numbers; usage: {USAGE}") from None
    if not (1 <= extent.draws <= 99 and 0 < extent.share <= 1):
        raise ConfigError("draws must be 1 to 99, and share above 0 and at most 1")
    return extent


def _asked(judge: JudgeSettings, items: Sequence[Known]) -> list[Known]:
    """What a judge can be asked: rules do not read every suite, and models are not asked what rules count."""
    if family_of(judge).model:
        return list(for_models(items))
    return [item for item in items if reads(item.subject)]


def _quote(store: Store, judge: JudgeSettings, items: Sequence[Known], extent: Extent) -> Quote:
    draws = {draw: [t.subject for t in own] for draw, own in tasks(_asked(judge, items), extent).items()}
    found = estimated(judge, draws, records_folder(store))
    return Quote(judge.name, sum(map(len, draws.values())), found)


def _check(
    store: Store, judge: JudgeSettings, items: Sequence[Known], extent: Extent, money: Money, quiet: bool
) -> Check:
    family, asked = family_of(judge), _asked(judge, items)
    size = sum(map(len, tasks(asked, extent).values()))
    desk = Desk(
        judge.name, records_folder(store), money, controls(items) if family.model else (), say, judge.served
    )
    failed: list[Judged] = []
    with meter(f"check {judge.name}", size, 0, quiet=quiet) as shown:

        def opened(draw: int) -> Judge:
            made = family.open(family.params.model_validate(judge.params), replace(desk, draw=draw))
            return partial(_noting, made, failed, shown)

        try:
            found = check(checked_as(judge), opened, asked, extent)
        except ModelChanged as changed:
            note_served(checks_folder(store), judge, changed.now)
            raise
    if failed:
        raise RunsFailed(
            f"judge '{judge.name}': {len(failed)} item(s) got no labels, so nothing was stored; run again to "
            f"go on; first: {failed[0].key}: {failed[0].error}"
        )
    save(checks_folder(store), found)
    return found


def _noting(judge: Judge, failed: list[Judged], shown: Meter, tasks: Iterable[Task]) -> Iterator[Judged]:
    """Pass on what a judge says, and note what it gave no labels: that says nothing about its accuracy."""
    for judged in judge(tasks):
        shown.done(judged.labels is None)
        if judged.labels is None:
            failed.append(judged)
        yield judged


def _print(name: str, found: Check) -> None:
    from rich.table import Table

    console = output.wide_console()
    console.print(f"{name}: {_share(found.right)} known answers are right", style="bold")
    table = Table("question", "right", "95 %", "hard ones", "missing", "obeyed", "letters", "draws", "")
    letters = {x.question: x.flips for x in found.letters}
    drawn = {x.question: x.varied for x in found.draws}
    for one in found.questions:
        low, high = one.right.low or 0.0, one.right.high or 0.0
        table.add_row(
            one.question, _share(one.right), f"{low:.2f}–{high:.2f}", _share(one.hard),
            str(sum(one.missing.values())), str(len(one.obeyed)), _share(letters.get(one.question)),
            _share(drawn.get(one.question)), flags(found, one.question),
        )  # fmt: skip
    console.print(table)
    for kind, about in CONTROLS.items():
        still = [f"{x.question} {_share(x.still)}" for x in found.controls if x.control == kind]
        if still:
            console.print(f"{about}, still a yes (none should be): {', '.join(still)}")


def _share(found: Share | None) -> str:
    return "–" if found is None or not found.n else f"{found.hits}/{found.n}"
