"""What a suite's tables say, as texts: the same words on the terminal and on the page.

One sheet per mode and version of the benchmark, with the columns that its authors print.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dyad.suites.summary import RESPONDED, STATUSES
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


def set_name(task: str) -> str:
    """Return the name of a set as people read it."""
    return task.replace("_", " ")


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


def cell(row: Row | None) -> str:
    """Return a number, its interval and what it rests on, one below the other."""
    if row is None:
        return ""
    n = f"n {count(row['n'])}" + (f", {row['missing']} missing" if row["missing"] else "")
    shown = mean(row)
    if row["sd"] is not None and row["measure"] == "jsd" and row["term"] == "compat":
        shown += f"\n± {digits(row['sd'])}"
    return "\n".join(filter(None, (shown, ends(row), n)))


def sheets(rows: Sequence[Row], mode: str) -> Iterator[Sheet]:
    """Yield the tables of one mode with the authors' columns: v1.0 by agent, v1.5 by agent and set."""
    own = of(rows, "suite", term=mode)
    first = [x for x in own if x["archetype"] != OVERLAP and x["measure"] in COLUMNS.get(x["archetype"], ())]
    second = [x for x in own if x["archetype"] == OVERLAP and x["measure"] in COLUMNS[OVERLAP]]
    if first:
        yield _by_agent(first, f"v1.0 · {mode}")
    if second:
        yield _by_set(second, f"v1.5 · {mode}")


def columns(rows: Sequence[Row]) -> list[tuple[str, str, str]]:
    """Return kind, set and measure of every column of v1.0, sets in their order, measures in the authors'."""
    sets = list(dict.fromkeys(x["condition"] for x in rows))
    keys = dict.fromkeys((x["archetype"], x["condition"], x["measure"]) for x in rows)
    place = {key: (sets.index(key[1]), list(COLUMNS[key[0]]).index(key[2])) for key in keys}
    return sorted(keys, key=lambda key: place[key])


def _by_agent(rows: Sequence[Row], title: str) -> Sheet:
    found = {(x["agent"], x["condition"], x["measure"]): x for x in rows}
    keys = columns(rows)
    better = {(x["condition"], x["measure"]): x["better"] for x in rows}
    heads = [
        f"{set_name(task)}\n{COLUMNS[kind][name]}{ARROWS[better[task, name]]}" for kind, task, name in keys
    ]
    agents = sorted({x["agent"] for x in rows})
    body = [[agent, *(cell(found.get((agent, task, name))) for _, task, name in keys)] for agent in agents]
    return Sheet(title, ["agent", *heads], body, note=_marked(rows))


def _by_set(rows: Sequence[Row], title: str) -> Sheet:
    found = {(x["agent"], x["condition"], x["measure"]): x for x in rows}
    units = {x["measure"]: UNITS.get(x["unit"], "") for x in rows}
    names = [name for name in COLUMNS[OVERLAP] if name in units]
    lines = dict.fromkeys((x["condition"], x["agent"]) for x in rows)
    body = [[set_name(t), a, *(cell(found.get((a, t, name))) for name in names)] for t, a in lines]
    return Sheet(
        title,
        ["set", "agent", *(COLUMNS[OVERLAP][name] + units[name] for name in names)],
        body,
        2,
        _marked(rows),
    )


def _marked(rows: Sequence[Row]) -> str:
    return MARKED if any(x["note"].startswith(RESPONDED) for x in rows) else ""


def statuses(rows: Sequence[Row]) -> Sheet:
    """Return how the planned trials of each agent and set ended."""
    found = {(x["agent"], x["condition"], x["term"]): x for x in of(rows, "suite_status")}
    lines = dict.fromkeys((agent, task) for agent, task, _ in found)
    body = [
        [agent, set_name(task), count(found[agent, task, "scored"]["n"]),
         *(count(found[agent, task, status]["value"]) for status in STATUSES)]
        for agent, task in lines
    ]  # fmt: skip
    return Sheet("trials of the plan", ["agent", "set", "planned", *STATUSES], body, 2)


def censored(rows: Sequence[Row]) -> Sheet:
    """Return times that can be censored: the mean of responders, which is too low, and what counts all."""
    keys = ("condition", "measure", "agent", "term")
    means = {tuple(x[k] for k in keys): x for x in of(rows, "suite")}
    areas = {tuple(x[k] for k in keys): x for x in of(rows, "suite_rmst")}
    body = []
    for x in of(rows, "suite_median"):
        key = tuple(x[k] for k in keys)
        area = areas.get(key)
        body.append([
            set_name(x["condition"]), x["measure"], x["agent"], x["term"],
            _with_ends(means.get(key)), _median(x), _with_ends(area),
            "" if area is None else number(area["at"]),
            f"{count((x['n'] or 0) - (x['hits'] or 0))} of {count(x['n'])}", count(x["missing"] or 0),
        ])  # fmt: skip
    heads = ["set", "time", "agent", "mode", "mean of responders", "median", "restricted mean", "up to",
             "censored", "missing"]  # fmt: skip
    note = "seconds; a trial without an answer counts up to its end instead of being left out"
    return Sheet("times with censored trials", heads, body, 4, note)


def differences(rows: Sequence[Row], mode: str) -> Sheet:
    """Return the differences of every two agents, each beside the smallest that could have been seen."""
    body = [
        [
            set_name(x["condition"]), x["measure"], f"{x['agent']} − {x['partner']}", _with_ends(x),
            digits(x["mde"]), probability(x["p"]), probability(x["p_adjusted"]), count(x["n"]), x["note"],
        ]
        for x in of(rows, "suite_difference", term=mode)
    ]  # fmt: skip
    heads = ["set", "measure", "agents", "difference", "smallest visible", "p", "p (Holm)", "stimuli", "note"]
    note = "paired by stimulus; smallest visible: what 80 % power would see; Holm over a set"
    return Sheet(f"differences · {mode}", heads, body, 3, note)


def significance(rows: Sequence[Row], mode: str) -> Sheet:
    """Return how an agent's voice changes over an overlap."""
    body = [
        [set_name(x["condition"]), x["agent"], x["measure"], f"post − {x['partner']}", _with_ends(x),
         probability(x["p"]), probability(x["p_adjusted"]), count(x["n"]), x["note"]]
        for x in of(rows, "suite_significance", term=mode)
    ]  # fmt: skip
    heads = ["set", "agent", "measure", "parts", "difference", "p", "p (Holm)", "n", "note"]
    return Sheet(f"change of voice · {mode}", heads, body, 4)


def everything(rows: Sequence[Row], mode: str) -> Sheet:
    """Return all measures of a mode, those that no column of the authors' tables has included."""
    body = [
        [set_name(x["condition"]), x["measure"], x["agent"], digits(x["value"]), ends(x), x["interval"],
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
