"""Several judges of the same conversations: what most of them say, and how far they agree.

The draws of one judge are several judges, and so are people.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from dyad.library import INFO
from dyad.spec import Label, Seat
from dyad.stats import (
    Agreement,
    agreement,
    agreement_within,
    alpha_within,
    exact_match,
    krippendorff_alpha,
)

from .questions import SUITES, Question, rubric

Answer = tuple[str, Seat | None]  # a question and the bridge seat that it is about; None: the pair
Unit = tuple[str, str, Seat | None]  # a run, and an answer about it
Labels = Mapping[Unit, str | None]  # of one judge; None where it gave no label
Scenarios = Mapping[str, str]  # the scenario of each run

UNSTABLE = "unstable"
_LINE = re.compile(r"([AB])(\d+)")
# Labels that have an order, from the lowest. Others are ordered where all of them are numbers.
ORDERED: Mapping[str, tuple[str, ...]] = {
    "t1.adherence": ("no", "partly", "yes"),
    "t4.leak": ("none", "hint", "partial", "full"),
}


@dataclass(frozen=True)
class Pair:
    """Two judges on one question. `missing` are the units for which the first and the second gave no label.

    `paper` is the exact match of the yes or no that DyaFDB reports, e.g. in role or not; None without one.
    """

    question: str
    judges: tuple[str, str]
    missing: tuple[int, int]
    agreement: Agreement
    paper: float | None


@dataclass(frozen=True)
class Panel:
    """All judges on one question: Krippendorff's alpha over the `n` units that at least two labelled."""

    question: str
    judges: tuple[str, ...]
    n: int
    alpha: float | None
    alpha_ordinal: float | None


def majority(by_judge: Mapping[str, Sequence[Label]]) -> list[Label]:
    """Return one label per question and seat: what more than half of the judges say that gave a label.

    Lines that it rests on in time (`entry_line` and the like) are the median of those that these judges name,
    the earlier one of two; other fields are those of the first such judge. Without a majority the label is
    missing with status `unstable`; where nobody gave one, the status is the commonest reason.
    """
    ballots: dict[Answer, list[Label]] = {}
    for labels in by_judge.values():
        for label in labels:
            ballots.setdefault((label.question, label.seat), []).append(label)
    return [_elected(ballot) for ballot in ballots.values()]


def _elected(ballot: Sequence[Label]) -> Label:
    given = [label for label in ballot if label.label is not None]
    if not given:
        status, _ = Counter(label.status for label in ballot).most_common(1)[0]
        return _missing(ballot[0], status)
    label, votes = Counter(label.label for label in given).most_common(1)[0]
    if 2 * votes <= len(given):
        return _missing(ballot[0], UNSTABLE)
    return _timed([vote for vote in given if vote.label == label])


def _timed(votes: Sequence[Label]) -> Label:
    """The first of the votes at the median lines of all, or its answer with these lines where none is."""
    first, asked = votes[0], known_question(votes[0].question)
    names = [name for name, extra in asked.fields.items() if extra.type == "line"] if asked else []
    found = {name: _median_line([vote.fields.get(name) for vote in votes]) for name in names}
    lines = {name: line for name, line in found.items() if line is not None}
    whole = (vote for vote in votes if all(vote.fields.get(name) == line for name, line in lines.items()))
    if (vote := next(whole, None)) is not None:
        return vote
    cited = {item.line: item for vote in votes for item in vote.evidence if item.line in lines.values()}
    evidence = tuple(cited.values()) or first.evidence
    return first.model_copy(update={"fields": first.fields | lines, "evidence": evidence})


def _median_line(lines: Sequence[str | None]) -> str | None:
    """The median of lines such as `A3` and `A12`; None where two speakers' ids do not tell the order."""
    known = [found for line in lines if (found := _LINE.fullmatch(line or ""))]
    if len({found[1] for found in known}) != 1:
        return None
    return sorted(known, key=lambda found: int(found[2]))[(len(known) - 1) // 2][0]


def _missing(about: Label, status: str) -> Label:
    return Label(question=about.question, seat=about.seat, label=None, status=status)


def pairs(by_judge: Mapping[str, Labels], scenarios: Scenarios | None = None) -> Iterator[Pair]:
    """Yield the agreement of every two judges on every question, over what both were asked.

    What can be said in answer to an open question differs by scenario, so chance is taken within each of
    `scenarios`, and is not known of a run whose scenario is not.
    """
    for name in _questions(by_judge):
        for judges in combinations(by_judge, 2):
            first, second = (by_judge[judge] for judge in judges)
            units = [unit for unit in first if unit[1] == name and unit in second]
            if units:
                subjects = _subjects(units, scenarios)
                yield _pair(name, judges, [first[u] for u in units], [second[u] for u in units], subjects)


def panels(by_judge: Mapping[str, Labels], scenarios: Scenarios | None = None) -> Iterator[Panel]:
    """Yield the agreement of all judges together on every question that at least two were asked.

    For `scenarios` see `pairs`.
    """
    for name in _questions(by_judge):
        asked = {judge: labels for judge, labels in by_judge.items() if any(u[1] == name for u in labels)}
        if len(asked) < 2:
            continue
        units = dict.fromkeys(unit for labels in asked.values() for unit in labels if unit[1] == name)
        ratings = [[labels.get(unit) for unit in units] for labels in asked.values()]
        n = sum(sum(x is not None for x in unit) > 1 for unit in zip(*ratings, strict=True))
        order = order_of(name)
        ordinal = krippendorff_alpha(ratings, "ordinal", order) if order else None
        subjects = _subjects(units, scenarios)
        alpha = alpha_within(ratings, subjects) if _is_open(name) else krippendorff_alpha(ratings)
        yield Panel(name, tuple(asked), n, alpha, ordinal)


def order_of(name: str) -> tuple[str, ...]:
    """Return the labels of a question from the lowest, or nothing where they have no order."""
    if name in ORDERED:
        return ORDERED[name]
    labels = closed_labels(name)
    return tuple(sorted(labels, key=int)) if labels and all(x.isdecimal() for x in labels) else ()


def closed_labels(name: str) -> tuple[str, ...]:
    """Return all labels that a question can have; nothing for an open set or a question not known here."""
    asked = known_question(name)
    return () if asked is None or asked.open else tuple(asked.labels)


def _is_open(name: str) -> bool:
    asked = known_question(name)
    return asked is not None and asked.open is not None


def _subjects(units: Iterable[Unit], scenarios: Scenarios | None) -> list[str]:
    """The scenario of each unit; a run of which it is not known stands for itself."""
    return [(scenarios or {}).get(run, run) for run, *_ in units]


def known_question(name: str) -> Question | None:
    """Return a question by its id, None for one that no rubric here holds."""
    return _all_questions().get(name)


@cache
def _all_questions() -> dict[str, Question]:
    return {asked.id: asked for of in (*INFO, *SUITES) for asked in rubric(of).questions}


def says_yes(name: str, label: str) -> bool:
    """Return whether DyaFDB reports a label as a yes; where it reports none, whether it is no negative."""
    asked = known_question(name)
    if asked is None:
        return False
    if not asked.paper:
        return label not in asked.negative
    return any(asked.listed(label) in yes for yes in asked.paper.values())


def _questions(by_judge: Mapping[str, Labels]) -> list[str]:
    return sorted({unit[1] for labels in by_judge.values() for unit in labels})


def _pair(
    name: str,
    judges: tuple[str, str],
    first: Sequence[str | None],
    second: Sequence[str | None],
    subjects: Sequence[str],
) -> Pair:
    order = order_of(name)
    if _is_open(name):
        found = agreement_within(first, second, subjects)
    else:
        found = agreement(first, second, order or closed_labels(name), ordered=bool(order))
    missing = (list(first).count(None), list(second).count(None))
    return Pair(name, judges, missing, found, _paper_match(name, first, second))


def _paper_match(name: str, first: Sequence[str | None], second: Sequence[str | None]) -> float | None:
    asked = known_question(name)
    if asked is None or not asked.paper:
        return None
    both = [(x, y) for x, y in zip(first, second, strict=True) if x is not None and y is not None]
    return exact_match([says_yes(name, x) for x, _ in both], [says_yes(name, y) for _, y in both])
