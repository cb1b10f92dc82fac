"""What a suite's tables say, as texts: the same words on the terminal and on the page.

One sheet per mode and version of the benchmark, with the measures that its authors print.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from dyad.suites.means import DDOF_0, RESPONDED
from dyad.suites.summary import STATUSES
from dyad.tables.rows import Row
from dyad.tables.words import MISSING, NOT_REACHED, count, number, probability, unit_words

EARLY = (
    "The stimulus is played one tick (80 ms) early, so that the model hears it on the stimulus clock: "
    "no latency contains the delay of the bridge."
)
# The columns that the authors print, by kind of set; what else was measured is in the table of all measures.
COLUMNS: dict[str, dict[str, str]] = {
    "pause": {"tor": "TOR"},
    "backchannel": {"tor": "TOR", "bc_freq": "freq", "jsd": "JSD"},
    "turn_taking": {"tor": "TOR", "latency": "latency"},
    "interruption": {"tor": "TOR", "rating": "rating", "latency": "latency"},
    "overlap": {
        "respond": "respond", "resume": "resume", "uncertain": "uncertain", "unknown": "unknown",
        "stop_latency": "stop", "resp_latency": "response",
    },
}  # fmt: skip
BEHAVIOURS = ("respond", "resume", "uncertain", "unknown")
OVERLAP = "overlap"
ARROWS = {1: " ↑", -1: " ↓", 0: ""}
UNITS = {"s": " s", "per_s": " per s"}
AT_ONCE = 4  # agents side by side
FEW = 8  # clips that are named
MARK = "*"
MARKED = f"{MARK} of those that responded: see the times with censored trials"


class Sheet(NamedTuple):
    """A table of texts; the first `names` columns name its lines."""

    title: str
    heads: list[str]
    body: list[list[str]]
    names: int = 1
    note: str = ""


def of(rows: Sequence[Row], table: str, **where: str) -> list[Row]:
    """Return the rows of a table whose columns are as given."""
    return [x for x in rows if x["table"] == table and all(x[k] == v for k, v in where.items())]


def modes(rows: Sequence[Row]) -> list[str]:
    """Return the modes of which there are numbers."""
    return sorted({x["term"] for x in rows if x["table"] == "suite"})


def set_names(tasks: Iterable[str]) -> dict[str, str]:
    """Return sets as people read them, without the words with which the names of all begin."""
    split = {task: task.split("_") for task in tasks}
    same = takewhile(lambda words: len(set(words)) == 1, zip(*(x[:-1] for x in split.values()), strict=False))
    shared = len(list(same)) if len(split) > 1 else 0
    return {task: " ".join(parts[shared:]) for task, parts in split.items()}


def names_of(rows: Sequence[Row]) -> dict[str, str]:
    """Return the names of all sets of a study, for tables in which sets of every kind stand."""
    return set_names(dict.fromkeys(x["condition"] for x in rows if x["condition"]))


def digits(value: float | None) -> str:
    """Return a number with three decimals, as the authors print them."""
    if value is None:
        return MISSING
    text = f"{value:.3f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")


def ends(row: Row) -> str:
    """Return the interval of a row with three decimals; nothing where there is none."""
    return "" if row["low"] is None else f"[{digits(row['low'])}, {digits(row['high'])}]"


def mean(row: Row) -> str:
    """Return the mean of a row, marked where it is only that of the trials that responded."""
    return digits(row["value"]) + (MARK if row["note"].startswith(RESPONDED) else "")


def cell(row: Row | None) -> list[str]:
    """Return a number, its interval and what it rests on."""
    if row is None:
        return []
    missing = f"{row['missing']} missing" if row["missing"] else ""
    if row["value"] is None:
        return [MISSING, missing or row["note"]]
    sd = row["sd"] if DDOF_0 in row["note"] else None
    n = ", ".join(filter(None, (f"n {count(row['n'])}", missing)))
    return [mean(row), *filter(None, ("" if sd is None else f"± {digits(sd)}", ends(row))), n]


def authors(rows: Sequence[Row], mode: str) -> Iterator[tuple[str, list[Row]]]:
    """Yield each version of the benchmark and its rows in the columns that its authors print."""
    own = list(filter(is_authors, of(rows, "suite", term=mode)))
    first, second = ([x for x in own if (x["archetype"] == OVERLAP) is late] for late in (False, True))
    yield from ((title, found) for title, found in (("v1.0", first), ("v1.5", second)) if found)


def is_authors(row: Row) -> bool:
    """Whether a row is of a measure that the authors print for its kind of set."""
    return row["measure"] in COLUMNS.get(row["archetype"], ())


def sheets(rows: Sequence[Row], mode: str) -> Iterator[Sheet]:
    """Yield the tables of one mode, the authors' columns as lines and a column for each agent."""
    for version, own in authors(rows, mode):
        names = set_names(dict.fromkeys(x["condition"] for x in own))
        found = {(x["agent"], x["condition"], x["measure"]): x for x in own}
        of_any = {(x["condition"], x["measure"]): x for x in own}
        everybody = sorted({x["agent"] for x in own})
        for first in range(0, len(everybody), AT_ONCE):
            agents = everybody[first : first + AT_ONCE]
            body = [
                [names[task], head(kind, of_any[task, name]),
                 *(" ".join(cell(found.get((a, task, name)))) for a in agents)]
                for kind, task, name in columns(own)
            ]  # fmt: skip
            yield Sheet(f"{version} · {mode}", ["set", "measure", *agents], body, 2, marked(own))


def head(kind: str, row: Row) -> str:
    """Return the head of a measure's column: its name, its unit and which way it is better."""
    return f"{COLUMNS[kind][row['measure']]}{UNITS.get(row['unit'], '')}{ARROWS[row['better']]}"


def columns(rows: Sequence[Row]) -> list[tuple[str, str, str]]:
    """Return kind, set and measure of every column, sets in their order, measures in the authors'."""
    sets = list(dict.fromkeys(x["condition"] for x in rows))
    keys = dict.fromkeys((x["archetype"], x["condition"], x["measure"]) for x in rows)
    place = {key: (sets.index(key[1]), list(COLUMNS[key[0]]).index(key[2])) for key in keys}
    return sorted(keys, key=lambda key: place[key])


def marked(rows: Sequence[Row]) -> str:
    """Return what the mark on means means, where one of them has it."""
    return MARKED if any(x["note"].startswith(RESPONDED) for x in rows) else ""


def statuses(rows: Sequence[Row]) -> Sheet:
    """Return how the planned trials of each agent and set ended."""
    tables, names = {"suite_status": "", "suite_status_compat": " (compat)"}, names_of(rows)
    found = {(x["agent"], x["condition"], table, x["term"]): x for table in tables for x in of(rows, table)}
    lines = dict.fromkeys(key[:2] for key in found)
    body = [
        [agent, names[task] + tables[table], count(found[agent, task, table, "scored"]["n"]),
         *(count(found[agent, task, table, status]["value"]) for status in STATUSES)]
        for agent, task in lines for table in tables if (agent, task, table, "scored") in found
    ]  # fmt: skip
    return Sheet("trials of the plan", ["agent", "set", "planned", *STATUSES], body, 2)


def unscored(rows: Sequence[Row]) -> Sheet:
    """Return why planned trials have no score: for each reason how many, and which clips."""
    names, groups = names_of(rows), dict[tuple[str, str, str, str], list[str]]()
    for x in of(rows, "suite_unscored"):
        clip = x["partner"].removeprefix(f"{x['condition']}.")
        groups.setdefault((x["agent"], x["condition"], x["term"], x["note"]), []).append(clip)
    body = [
        [agent, names[task], status, why, listed_few(dict.fromkeys(clips)), count(len(clips))]
        for (agent, task, status, why), clips in groups.items()
    ]
    return Sheet("trials without a score", ["agent", "set", "status", "why", "clips", "trials"], body, 5)


def listed_few(names: Iterable[str]) -> str:
    """Return names, the first eight of many."""
    all_ = list(names)
    more = len(all_) - FEW
    return ", ".join(all_[:FEW]) + (f" and {more} more" if more > 0 else "")


def censored(rows: Sequence[Row], mode: str) -> Sheet:
    """Return times that can be censored: the mean of responders, which is too low, and what counts all."""
    keys, names = ("condition", "measure", "agent"), names_of(rows)
    means = {tuple(x[k] for k in keys): x for x in of(rows, "suite", term=mode)}
    areas = {tuple(x[k] for k in keys): x for x in of(rows, "suite_rmst", term=mode)}
    body = []
    for x in of(rows, "suite_median", term=mode):
        key = tuple(x[k] for k in keys)
        area = areas.get(key)
        body.append([
            names[x["condition"]], x["measure"], x["agent"],
            _with_ends(means.get(key)), _median(x), _with_ends(area),
            "" if area is None else number(area["at"]),
            f"{count((x['n'] or 0) - (x['hits'] or 0))} of {count(x['n'])}", count(x["missing"] or 0),
        ])  # fmt: skip
    heads = ["set", "time", "agent", "mean of responders", "median", "restricted mean", "up to",
             "censored", "missing"]  # fmt: skip
    note = f"seconds; a trial without an answer counts up to its end; {NOT_REACHED}: half never did"
    return Sheet(f"times with censored trials · {mode}", heads, body, 3, note)


def differences(rows: Sequence[Row], mode: str) -> Sheet:
    """Return the differences of every two agents, each beside the smallest that could have been seen."""
    names, all_ = names_of(rows), of(rows, "suite_difference", term=mode)
    had = [x for x in all_ if x["value"] is not None]
    body = [
        [
            names[x["condition"]], x["measure"], f"{x['agent']} − {x['partner']}", _with_ends(x),
            digits(x["mde"]), probability(x["p"]), probability(x["p_adjusted"]), count(x["n"]), x["note"],
        ]
        for x in had
    ]  # fmt: skip
    heads = ["set", "measure", "agents", "difference", "smallest visible", "p", "p (Holm)", "stimuli", "note"]
    note = "paired by stimulus; smallest visible: what 80 % power would see; Holm over a set"
    rest = f"; left out: {len(all_) - len(had)} without a number of both" if len(all_) > len(had) else ""
    return Sheet(f"differences · {mode}", heads, body, 3, note + rest)


def significance(rows: Sequence[Row], mode: str) -> Sheet:
    """Return how an agent's voice changes over an overlap."""
    names = names_of(rows)
    body = [
        [names[x["condition"]], x["agent"], x["measure"], f"post − {x['partner']}", _with_ends(x),
         probability(x["p"]), probability(x["p_adjusted"]), count(x["n"]), x["note"]]
        for x in of(rows, "suite_significance", term=mode)
    ]  # fmt: skip
    heads = ["set", "agent", "measure", "parts", "difference", "p", "p (Holm)", "n", "note"]
    return Sheet(f"change of voice · {mode}", heads, body, 4)


def everything(rows: Sequence[Row], mode: str) -> Sheet:
    """Return all measures of a mode, those that no column of the authors' tables has included."""
    names = names_of(rows)
    body = [
        [names[x["condition"]], x["measure"], x["agent"], digits(x["value"]), ends(x), x["interval"],
         digits(x["sd"]), count(x["n"]), count(x["missing"]), unit_words(x["unit"]), x["note"]]
        for x in of(rows, "suite", term=mode)
    ]  # fmt: skip
    heads = ["set", "measure", "agent", "mean", "95 %", "by", "sd", "n", "missing", "unit", "note"]
    return Sheet(f"all measures · {mode}", heads, body, 3)


def _with_ends(row: Row | None) -> str:
    return "" if row is None else f"{digits(row['value'])} {ends(row)}".strip()


def _median(row: Row) -> str:
    unreached = row["value"] is None and row["note"].startswith(NOT_REACHED)
    return f"{NOT_REACHED} {ends(row)}".strip() if unreached else _with_ends(row)
