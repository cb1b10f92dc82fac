"""The page's section on judges: whose labels they are, how far they hold, and what may be concluded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from dyad.judge.panel import Pair
from dyad.pipeline.trust import Trust
from dyad.tables import HEADLINE
from dyad.tables.words import MISSING, count, interval, number

from .markup import Html, join, tag

Data = Mapping[str, Any]
FEW = 3  # flagged questions that a sentence can hold

# -- in words --------------------------------------------------------------------------------------


def origin(known: Trust) -> str:
    """Say whose labels the tables show."""
    shown = [judge for judge in known.judges if judge.shown]
    if len(shown) == 1 and shown[0].rules:
        return f"Labels come from rules on words ({shown[0].name} judge), not from a language model."
    named = ", ".join(f"{judge.name} ({judge.kind})" for judge in shown)
    if len(shown) == 1:
        return f"Labels come from the judge {named}."
    return (
        f"Labels are what most judges of a panel say: {named}. Where none has a majority, they are missing."
    )


def conclusion(known: Trust) -> str:
    """Say in a few sentences what the numbers allow to conclude."""
    return " ".join([*_agreement_words(known), *_answer_words(known), *_people_words(known)])


def _agreement_words(known: Trust) -> Iterator[str]:
    shown = {known.shown, *(judge.name for judge in known.judges if judge.shown)}
    pairs = [pair for pair in known.pairs if pair.agreement.n and shown & {*pair.judges}]
    if not pairs:
        yield "No second judge and no person has labelled these conversations."
        return
    least = min(pairs, key=_strength)
    found, questions = least.agreement, {pair.question for pair in pairs}
    worst = f"Agreement is least on one of {len(questions)} questions: " if len(questions) > 1 else ""
    beyond = "" if found.ac1 is None else f" (AC1 {number(found.ac1)})"
    same = f"agree on {least.question} in {_share(found.exact)} of {found.n} labels{beyond}"
    yield f"{worst}{least.judges[0]} and {least.judges[1]} {same}."


def _strength(pair: Pair) -> float:
    found = pair.agreement
    return (found.exact or 0.0) if found.ac1 is None else found.ac1


def _answer_words(known: Trust) -> Iterator[str]:
    for judge in known.judges:
        if not judge.shown or not judge.questions:
            continue
        flagged = [f"{on.question} ({on.warning})" for on in judge.questions if on.flag]
        if not judge.checked:
            yield f"{judge.name} has not been checked against known answers."
        elif len(flagged) > FEW:
            share = f"{len(flagged)} of {len(judge.questions)} questions"
            yield f"Take care with labels of {judge.name}: {share} are flagged below."
        elif flagged:
            yield f"Take care with what rests on labels of {judge.name} about {', '.join(flagged)}."
        else:
            yield f"{judge.name} gives at least 95 % of known answers right on each question used here."


def _people_words(known: Trust) -> Iterator[str]:
    for row in known.corrected:
        headline = HEADLINE.get(row["archetype"]) == row["measure"] and not row["agent"]
        value, low, high = row["value"], row["low"], row["high"]
        if headline and low is not None:  # few labels, or all alike, do not say how far off a share may be
            where = f" ({row['condition']})" if row["condition"] else ""
            yield (
                f"By {row['n_human']} human labels, {row['archetype']} {row['measure']}{where} is "
                f"{' '.join(filter(None, (number(value), interval(low, high))))}, "
                f"by the judge alone {number(row['raw'])}."
            )


def _share(value: float | None) -> str:
    return MISSING if value is None else f"{value:.0%}"


# -- in tables -------------------------------------------------------------------------------------


def section(data: Data | None) -> Html:
    """Return the tables of a study's judges; None where nothing was judged."""
    if data is None:
        return tag("p", "Nothing was judged.", class_="empty")
    return join(
        tag("div", tag("p", data["conclusion"], class_="lead"), class_="verdict judges"),
        _known_answers(data["judges"]),
        _agreement(data),
        _table(
            "Without the judge’s errors", CORRECTED, _corrected(data["corrected"]), "No human labels yet."
        ),
        _table("What is missing", LOST, _missing(data["missing"]), "No label is missing."),
    )


AGREEMENT = ("question", "judges", "n", "exact", "κ", "AC1", "α", "ρ")
TOGETHER = ("question", "judges", "n", "α")
CORRECTED = ("score", "agent", "with", "raw", "corrected", "n", "n human", "by")
METHODS = {"ppi": "PPI++", "rogan_gladen": "Rogan–Gladen"}
LOST = ("judge", "question", "reason", "missing", "of")


def _known_answers(judges: Sequence[Data]) -> Html:
    """One row per question, one column per judge."""
    heads = [join(judge["name"], *_about(judge)) for judge in judges]
    standing = [{on["question"]: on for on in judge["questions"]} for judge in judges]
    rows = ([name, *(_standing(own.get(name)) for own in standing)] for name in sorted({*chain(*standing)}))
    return _table("Known answers", ["question", *heads], rows, "No judge was asked anything.")


def _about(judge: Data) -> Iterator[Html]:
    yield tag("small", judge["kind"] + (", in the scores" if judge["shown"] else ""))
    if spent := judge["spent"]:
        cost = "cost unknown" if spent["usd"] is None else f"${spent['usd']:.2f}"
        yield tag("small", f"{count(spent['replies'])} replies so far in this store, {cost}")
        yield tag("small", f"answered by {', '.join(spent['models']) or MISSING}")


def _standing(on: Data | None) -> Html:
    if on is None:
        return Html("")
    known, flag = on["known"], tag("span", on["flag"], class_="chip bad") if on["flag"] else ""
    if not known or not known["n"]:
        return join(flag)
    right = f"{interval(known['low'], known['high'])} · {count(known['hits'])} / {count(known['n'])}"
    return join(tag("b", number(known["value"])), tag("small", right), flag)


def _agreement(data: Data) -> Html:
    """Every two judges; of more than two there are so many that all together stand above them."""
    pairs = _table("Agreement", AGREEMENT, _pairs(data), "Nobody else has labelled these conversations.")
    together = [
        [of["question"], f"all {len(of['judges'])}", count(of["n"]), number(of["alpha"])]
        for of in data["panels"]
        if len(of["judges"]) > 2
    ]
    if not together:
        return pairs
    folded = tag("details", tag("summary", "Agreement of every two"), pairs, class_="pairs")
    return join(_table("Agreement", TOGETHER, together, ""), folded)


def _pairs(data: Data) -> Iterator[list[object]]:
    for pair in data["pairs"]:
        found = pair["agreement"]
        values = (found[key] for key in ("exact", "kappa", "ac1", "alpha", "rho"))
        yield [pair["question"], " – ".join(pair["judges"]), count(found["n"]), *map(number, values)]


def _corrected(rows: Sequence[Data]) -> Iterator[list[object]]:
    for row in rows:
        score = join(f"{row['archetype']} {row['measure']}", tag("small", row["condition"]))
        yield [
            score, row["agent"] or "all", row["partner"] or "all", number(row["raw"]),
            join(number(row["value"]), tag("small", interval(row["low"], row["high"]))),
            count(row["n"]), count(row["n_human"]), METHODS.get(row["method"], row["method"]),
        ]  # fmt: skip


def _missing(rows: Sequence[Data]) -> Iterator[list[object]]:
    for row in rows:
        yield [row["judge"], row["question"] or "all", row["status"], count(row["n"]), count(row["of"])]


def _table(title: str, heads: Sequence[object], body: Iterable[list[object]], empty: str) -> Html:
    rows = [
        tag("tr", tag("th", first, scope="row"), *(tag("td", cell) for cell in rest)) for first, *rest in body
    ]
    if not rows:
        return tag("p", tag("b", f"{title}: "), empty, class_="empty")
    head = tag("thead", tag("tr", *(tag("th", word, scope="col") for word in heads)))
    table = tag("table", tag("caption", tag("b", title)), head, tag("tbody", *rows), class_="known")
    return tag("div", table, class_="scroll card", tabindex=0, role="region", aria_label=title.lower())
