"""The page of a suite: one self-contained file, in the form of the report of studies and with its player."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dyad.report.html import agents_table, clean, facts, json_block, run_list, shell
from dyad.report.markup import Html, join, tag
from dyad.suites.published import Table
from dyad.suites.summary import STATUSES
from dyad.tables.paired import UNDISTINGUISHED
from dyad.tables.rows import Row
from dyad.tables.words import count, listed

from .results import compared, orientation, results, sheet_table, times
from .sheet import COLUMNS, EARLY, digits, modes, names_of, of, set_names, statuses, unscored
from .trials import index_entry, trial_block

__all__ = ["Data", "suite_page", "trial_block", "verdict"]

Data = Mapping[str, Any]
STYLE = """
.known td small, .known thead small, .known td:not(:last-child) { white-space: nowrap; }
.authors th[colspan], .authors th[rowspan] { vertical-align: top; }
.authors thead th { vertical-align: bottom; }
.authors tbody th { white-space: normal; }
.authors .between th { color: var(--dim); font-weight: 400; padding-top: 1rem; }
.authors sup { color: var(--dim); margin-left: .15rem; line-height: 0; }
main h3 { margin-top: 1.4rem; }
figure + figure, figcaption + figure { margin-top: .9rem; }
.more { margin-bottom: 1rem; }
.more > summary { margin-bottom: .6rem; }
@media (max-width: 760px) { .card figure > svg { min-width: 450px; } }
"""
ALARMING = ("invalid", "missing", "error")
ON_TAPE = (
    "Seat a is the model, seat b the stimulus, which is drawn, with its marks and times, when the model "
    "hears it: 80 ms after it sounds in the recording."
)
ABOUT = ' data-noun="trial" data-pairing="agent" data-task="kind" data-opener=""'
CONTENT = string.Template("""<a class="skip" href="#trials">Skip to the trials</a>
$nav
<main>
<header id="summary">$summary</header>
$sections
<section id="trials">
<h2>Trials</h2>
<p class="hint">$tape</p>
$list
</section>
</main>""")


def suite_page(data: Data) -> str:
    """Return the page of a suite's study.

    `data` has `study` (name, suite, command, created_utc, dyad, judge, asr, vad, agents, notes), `rows` of
    its tables (`dyad.suites.summary`), `published` (several `dyad.suites.published.Table`), and `trials`
    (`trial_block`). Numbers that are not finite count as missing; `judge` is "" where none was asked.
    """
    study, rows, trials = (clean(data[key]) for key in ("study", "rows", "trials"))
    tables: Sequence[Table] = data["published"]
    sections = _sections(rows, tables, study["suite"])
    content = CONTENT.substitute(
        nav=_nav([*((name, title) for name, title, *_ in sections), ("trials", "Trials")]),
        summary=_summary(study, rows),
        sections=join(*(_section(*section) for section in sections)),
        tape=ON_TAPE,
        list=run_list("trials", "clip", "Set or kind", "Agent"),
    )
    blocks = _blocks(trials, study["judge"] or "")
    return shell(f"{study['name']} · dyad suite report", content, blocks, ABOUT, STYLE)


def _sections(rows: Sequence[Row], tables: Sequence[Table], suite: str) -> list[tuple[str, str, str, Html]]:
    """Name, title, hint and content of every section but the trials."""
    return [
        (
            "results",
            "Results",
            "One part per mode; modes never share a column. Each number has its 95 % interval and n, the "
            "stimuli behind it: Wilson’s for shares, Student’s t for means. ↑ ↓: which way is better.",
            results(rows, tables, suite),
        ),
        (
            "times",
            "Times with censored trials",
            "Who never answers is missing from a mean of responders, which is then too low. Kaplan–Meier "
            "counts them up to the end of their trial.",
            times(rows),
        ),
        (
            "differences",
            "Differences",
            "Paired by stimulus, beside the smallest difference that could have been seen with 80 % power. "
            "Measures of which no stimulus has a number of both agents are left out.",
            compared(rows),
        ),
        (
            "published",
            "Published tables",
            "Other data, other ASR, other judge: numbers as their authors print them.",
            orientation(rows, tables, suite),
        ),
        ("status", "The plan", "Every planned trial ends in exactly one way.", _plan(rows)),
    ]


def _plan(rows: Sequence[Row]) -> Html:
    sheets = statuses(rows), unscored(rows)
    return join(*(sheet_table(sheet) for sheet in sheets if sheet.body))


def _section(name: str, title: str, hint: str, content: Html) -> Html:
    return tag("section", tag("h2", title), tag("p", hint, class_="hint"), content, id=name)


def _nav(places: Sequence[tuple[str, str]]) -> Html:
    links = (tag("a", title, href=f"#{name}") for name, title in [("summary", "Verdict"), *places])
    return tag("nav", *links, aria_label="Sections")


# -- the head --------------------------------------------------------------------------------------


def _summary(study: Data, rows: Sequence[Row]) -> Html:
    notes = [EARLY, *study["notes"]]
    told = tag("ul", *(tag("li", note) for note in notes), class_="notes")
    head = tag("p", "dyad suite report", class_="kicker"), tag("h1", study["name"])
    command = tag("pre", tag("code", study["command"]), tabindex=0, aria_label="the exact command")
    made = facts({**study, "mode": " and ".join(modes(rows))})
    run = tag("h2", "What was run"), command, made, agents_table(study["agents"])
    lead = tag("p", verdict(rows, study["suite"]), class_="lead")
    return join(*head, tag("div", lead, told, class_="verdict"), _tiles(rows), *run)


def planned(rows: Sequence[Row]) -> Counter[str]:
    """Return how many trials ended as each status says; they add up to the plan."""
    total: Counter[str] = Counter()
    for x in of(rows, "suite_status"):
        total[x["term"]] += int(x["value"])
    return total


def _tiles(rows: Sequence[Row]) -> Html:
    total = planned(rows)
    numbers = {"planned": sum(total.values())} | {status: total[status] for status in STATUSES}
    tiles = (
        tag("div", tag("b", count(number)), tag("span", word), class_=_alarm(word, number))
        for word, number in numbers.items()
    )
    return tag("div", *tiles, class_="tiles")


def _alarm(word: str, number: int) -> str | None:
    return "warn" if number and word in ALARMING else None


def verdict(rows: Sequence[Row], suite: str) -> str:
    """Say in a few sentences what was scored and which differences may be claimed."""
    total = planned(rows)
    agents = sorted({x["agent"] for x in rows if x["agent"]})
    sets = {x["condition"] for x in of(rows, "suite_status")}
    scored = f"{total['scored']} of {sum(total.values())} planned trials scored"
    parts = [f"{suite}: {listed(agents)} on {len(sets)} set{'s' if len(sets) != 1 else ''}, {scored}."]
    tested = of(rows, "suite_difference", term="strict") or of(rows, "suite_difference")
    tested = [x for x in tested if x["p_adjusted"] is not None]
    clear = [x for x in tested if not x["note"].startswith(UNDISTINGUISHED)]
    if tested:
        mode = tested[0]["term"]
        parts.append(
            f"In {mode}, {len(clear)} of {len(tested)} differences between agents can be told from 0"
        )
        names = names_of(rows)
        named = [f"{_measure(x)} on {names[x['condition']]} ({x['agent']} − {x['partner']})" for x in clear]
        more = f" and {len(named) - 3} more" if len(named) > 3 else ""
        parts[-1] += (": " + "; ".join(named[:3]) + more if named else "") + "."
    return " ".join([*parts, *(_alone(rows) if len(agents) == 1 else ())])


def _alone(rows: Sequence[Row]) -> Iterator[str]:
    """What one agent does, since it has no other to differ from."""
    for measure, what in (("tor", "Takeover rates"), ("respond", "Responses to overlaps")):
        own = [x for mode in modes(rows)[-1:] for x in of(rows, "suite", measure=measure, term=mode)]
        names = set_names(x["condition"] for x in own)
        known = [f"{names[x['condition']]} {digits(x['value'])}" for x in own if x["value"] is not None]
        if known:
            yield f"{what} in {own[0]['term']}: {', '.join(known)}."


def _measure(row: Row) -> str:
    return str(COLUMNS.get(row["archetype"], {}).get(row["measure"], row["measure"]))


def _blocks(trials: Sequence[Row], judge: str) -> Html:
    index = json_block("index", [index_entry(trial, judge) for trial in trials])
    return join(index, *(json_block(f"data-{i}", trial) for i, trial in enumerate(trials)))
