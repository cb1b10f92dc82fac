"""Agreement of raters on the same items: share of equal labels, and what is left of it beyond chance.

A label is any hashable value; None is missing. A coefficient is None where it is undefined: without items
that both labelled, or where chance alone would give full agreement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dyad.stats.values import Floats

Level = Literal["nominal", "ordinal", "interval"]
Weighting = Literal["linear", "quadratic"]
Label = Hashable | None
Ranks = list[list[int]]


@dataclass(frozen=True)
class Agreement:
    """Two raters on the `n` items that both labelled; `n_missing` items lack the label of one or of both.

    `alpha` is nominal. The last four are of ordered labels only: weighted kappas, ordinal alpha, Spearman.
    """

    n: int
    n_missing: int
    exact: float | None
    kappa: float | None
    pi: float | None
    ac1: float | None
    bennett: float | None
    alpha: float | None
    kappa_linear: float | None = None
    kappa_quadratic: float | None = None
    alpha_ordinal: float | None = None
    rho: float | None = None


def agreement(
    first: Sequence[Label],
    second: Sequence[Label],
    labels: Sequence[Hashable] = (),
    ordered: bool = False,
) -> Agreement:
    """Return every coefficient of two raters' labels, item by item.

    `labels` are the possible ones, from the lowest where they are `ordered`. Others that were given count as
    well, after them; without `labels` there are no others. Raises ValueError for unequal lengths.
    """
    ranks, size = _ranks(first, second, labels)
    table = _table(ranks, size)
    found = Agreement(
        n=len(ranks[0]),
        n_missing=len(first) - len(ranks[0]),
        exact=exact_match(*ranks),
        kappa=cohen_kappa(table),
        pi=scott_pi(table),
        ac1=gwet_ac1(table),
        bennett=bennett(table),
        alpha=krippendorff_alpha(ranks),
    )
    return _with_order(found, ranks, table) if ordered else found


def _with_order(found: Agreement, ranks: Ranks, table: NDArray[np.int64]) -> Agreement:
    return replace(
        found,
        kappa_linear=cohen_kappa(table, "linear"),
        kappa_quadratic=cohen_kappa(table, "quadratic"),
        alpha_ordinal=krippendorff_alpha(ranks, "ordinal"),
        rho=spearman(*ranks),
    )


def agreement_within(
    first: Sequence[Label], second: Sequence[Label], subjects: Sequence[Hashable]
) -> Agreement:
    """Return the coefficients of two raters where each subject has labels of its own, such as names.

    Chance is how often labels of two different items of one subject are equal, averaged over items. A subject
    of which there is one item says nothing of chance: it counts in `exact` alone. Raises ValueError for
    unequal lengths.
    """
    both = _by_subject([first, second], subjects)
    known = [item for items in both for item in items]
    groups = [items for items in both if len(items) > 1]
    alpha, kinds = _beyond_within(groups, _equal_across), _kinds(groups)
    return Agreement(
        n=len(known),
        n_missing=len(first) - len(known),
        exact=exact_match([x for x, _ in known], [y for _, y in known]),
        kappa=_beyond_within(groups, _equal_between),
        pi=alpha,
        ac1=_beyond_within(groups, lambda items: (1 - _equal_across(items)) / (kinds - 1)),
        bennett=_beyond_within(groups, lambda items: 1 / kinds),
        alpha=alpha,
    )


def alpha_within(ratings: Sequence[Sequence[Label]], subjects: Sequence[Hashable]) -> float | None:
    """Return Krippendorff's nominal alpha of any number of raters, with chance as in `agreement_within`."""
    groups = [items for items in _by_subject(ratings, subjects) if len(items) > 1]
    return _beyond_within(groups, _equal_across)


def contingency(
    first: Sequence[Label], second: Sequence[Label], labels: Sequence[Hashable] = ()
) -> NDArray[np.int64]:
    """Return the counts [q, q] of each pair of labels, rows of the first rater, without missing ones.

    For `labels` see `agreement`. Raises ValueError for unequal lengths.
    """
    return _table(*_ranks(first, second, labels))


def exact_match(first: Sequence[Any], second: Sequence[Any]) -> float | None:
    """Return the share of items with equal labels; None without items.

    Raises ValueError for unequal lengths.
    """
    pairs = list(zip(first, second, strict=True))
    return sum(x == y for x, y in pairs) / len(pairs) if pairs else None


def cohen_kappa(table: Any, weighting: Weighting | None = None) -> float | None:
    """Return Cohen's kappa of a table of counts [q, q].

    Weighted: a disagreement costs its distance in the order of the labels, or the square of it (Cohen 1968).
    """
    counts = np.asarray(table, dtype=np.float64)
    n = float(counts.sum())
    if not n:
        return None
    weights = _weights(len(counts), weighting)
    chance = counts.sum(axis=1) @ weights @ counts.sum(axis=0)
    return _beyond(float((weights * counts).sum()) / n, float(chance) / n**2)


def scott_pi(table: Any) -> float | None:
    """Return Scott's pi of a table of counts [q, q]: chance from the pooled labels of both raters."""
    return _chance_corrected(table, lambda pooled: float(pooled @ pooled))


def gwet_ac1(table: Any) -> float | None:
    """Return Gwet's AC1 of a table of counts [q, q], which stays near the exact match where a label is rare.

    None for fewer than two possible labels. Source: Gwet, Br. J. Math. Stat. Psychol. 61 (2008).
    """
    return _chance_corrected(
        table, lambda pooled: float(pooled @ (1 - pooled)) / (len(pooled) - 1) if len(pooled) > 1 else 1.0
    )


def bennett(table: Any) -> float | None:
    """Return the S of Bennett, Alpert and Goldstein of a table of counts [q, q]: chance is 1 / q."""
    return _chance_corrected(table, lambda pooled: 1 / len(pooled))


def fleiss_kappa(counts: Any) -> float | None:
    """Return Fleiss' kappa of the counts [items, labels] that a fixed number of raters gave.

    Raises ValueError unless all items have the same number of labels, at least two.
    """
    table = np.asarray(counts, dtype=np.float64)
    if not table.size:
        return None
    raters = float(table[0].sum())
    if raters < 2 or (table.sum(axis=1) != raters).any():
        raise ValueError("each item needs the same number of labels, at least two")
    pooled = table.sum(axis=0) / table.sum()
    agreeing = (table * (table - 1)).sum(axis=1) / (raters * (raters - 1))
    return _beyond(float(agreeing.mean()), float(pooled @ pooled))


def krippendorff_alpha(
    ratings: Sequence[Sequence[Label]], level: Level = "nominal", order: Sequence[Hashable] = ()
) -> float | None:
    """Return Krippendorff's alpha of any number of raters; items with fewer than two labels do not count.

    `ratings` has one sequence of labels per rater. Where they are ordinal, `order` lists them from the
    lowest; without it they are sorted. Interval labels are numbers. None where all labels are the same.
    Raises ValueError for raters with unequal numbers of items.
    Source: Krippendorff, Content Analysis, 3rd ed., ch. 11.
    """
    units = [[x for x in unit if x is not None] for unit in zip(*ratings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    given: Iterable[Any] = dict.fromkeys(x for unit in units for x in unit)
    scale = _scale(given if level == "nominal" or order else sorted(given), order)
    counts = np.array([[unit.count(x) for x in scale] for unit in units], dtype=np.float64)
    counts = counts.reshape(len(units), len(scale))
    observed, totals = _coincidences(counts), counts.sum(axis=0)
    distance = _distance(scale, totals, level)
    expected = float(totals @ distance @ totals)
    if expected == 0:
        return None
    return 1 - (float(totals.sum()) - 1) * float((observed * distance).sum()) / expected


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Spearman's rank correlation with average ranks for ties.

    None where a rater gives one label only, or for fewer than two items. Raises ValueError for unequal
    lengths.
    """
    from scipy.stats import rankdata

    if len(first) != len(second):
        raise ValueError(f"{len(first)} labels of one rater, {len(second)} of the other")
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(np.corrcoef(rankdata(first), rankdata(second))[0, 1])


def _scale(given: Iterable[Hashable], labels: Sequence[Hashable]) -> list[Hashable]:
    """The possible labels: those listed, then what was given beside them."""
    return list(dict.fromkeys((*labels, *given)))


def _ranks(first: Sequence[Label], second: Sequence[Label], labels: Sequence[Hashable]) -> tuple[Ranks, int]:
    """Both raters' labels of the items that both labelled, as places on the scale, and its size."""
    both = [(x, y) for x, y in zip(first, second, strict=True) if x is not None and y is not None]
    scale = _scale((label for pair in both for label in pair), labels)
    place = {label: i for i, label in enumerate(scale)}
    return [[place[pair[rater]] for pair in both] for rater in (0, 1)], len(scale)


def _table(ranks: Ranks, size: int) -> NDArray[np.int64]:
    table = np.zeros((size, size), dtype=np.int64)
    np.add.at(table, (np.array(ranks[0], dtype=np.intp), np.array(ranks[1], dtype=np.intp)), 1)
    return table


def _weights(size: int, weighting: Weighting | None) -> Floats:
    """Credit for each pair of labels: 1 on the diagonal, less with distance, 0 from one end to the other."""
    if weighting is None or size < 2:
        return np.eye(size)
    away: Floats = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / (size - 1)
    return 1 - away if weighting == "linear" else 1 - np.square(away)


def _chance_corrected(table: Any, chance: Callable[[Floats], float]) -> float | None:
    """Agreement beyond a chance that depends on the mean of both raters' shares of each label."""
    counts = np.asarray(table, dtype=np.float64)
    n = float(counts.sum())
    if not n:
        return None
    pooled = (counts.sum(axis=0) + counts.sum(axis=1)) / (2 * n)
    return _beyond(float(np.trace(counts)) / n, chance(pooled))


def _beyond(observed: float, chance: float) -> float | None:
    return None if 1 - chance < 1e-12 else 1 - (1 - observed) / (1 - chance)


def _by_subject(
    ratings: Sequence[Sequence[Label]], subjects: Sequence[Hashable]
) -> list[list[list[Hashable]]]:
    """The labels of each item with two or more, by subject."""
    found: dict[Hashable, list[list[Hashable]]] = {}
    for subject, *labels in zip(subjects, *ratings, strict=True):
        given = [label for label in labels if label is not None]
        if len(given) > 1:
            found.setdefault(subject, []).append(given)
    return list(found.values())


def _beyond_within(
    groups: Sequence[Sequence[list[Hashable]]], chance: Callable[[Sequence[list[Hashable]]], float]
) -> float | None:
    """Agreement within items beyond the mean chance of their subjects; an item weighs as its labels do."""
    sizes = [sum(map(len, items)) for items in groups]
    if not groups:
        return None
    equal = sum(_pairs_equal(item) / (len(item) - 1) for item in chain.from_iterable(groups))
    expected = sum(size * chance(items) for size, items in zip(sizes, groups, strict=True))
    return _beyond(equal / sum(sizes), expected / sum(sizes))


def _pairs_equal(labels: Iterable[Hashable]) -> int:
    """How many ordered pairs of two labels are equal."""
    return sum(n * (n - 1) for n in Counter(labels).values())


def _equal_across(items: Sequence[list[Hashable]]) -> float:
    """The share of equal labels among those of different items, whoever gave them."""
    labels = list(chain.from_iterable(items))
    equal = _pairs_equal(labels) - sum(map(_pairs_equal, items))
    return equal / (len(labels) ** 2 - sum(len(item) ** 2 for item in items))


def _equal_between(items: Sequence[list[Hashable]]) -> float:
    """The same of one label by the first rater and one by the second."""
    first, second = (Counter(side) for side in zip(*items, strict=True))
    equal = sum(n * second[label] for label, n in first.items()) - sum(x == y for x, y in items)
    return equal / (len(items) * (len(items) - 1))


def _kinds(groups: Iterable[Sequence[list[Hashable]]]) -> int:
    """How many labels a subject has: the most that were given to one, and never fewer than two."""
    return max(2, *(len(set(chain.from_iterable(items))) for items in groups), 0)


def _coincidences(counts: Floats) -> Floats:
    """How often two raters of one item gave each pair of labels; an item of m labels weighs m."""
    per_pair = counts / (counts.sum(axis=1, keepdims=True) - 1)
    found: Floats = per_pair.T @ counts - np.diag(per_pair.sum(axis=0))
    return found


def _distance(scale: Sequence[Any], totals: Floats, level: Level) -> Floats:
    """Squared distance of each pair of labels; of ordinal ones, by how many labels lie between them."""
    if level == "nominal":
        return 1 - np.eye(len(scale))
    at = np.array(scale, dtype=np.float64) if level == "interval" else np.cumsum(totals) - totals / 2
    return np.square(np.subtract.outer(at, at), dtype=np.float64)
