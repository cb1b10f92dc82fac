"""Agreement against worked examples, scipy and what holds for any labels."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.stats import (
    agreement,
    agreement_within,
    alpha_within,
    bennett,
    cohen_kappa,
    contingency,
    exact_match,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    scott_pi,
    spearman,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "statistics.json").read_text("utf-8"))["vectors"]
VECTORS, EXAMPLE = GOLDEN["agreement"], GOLDEN["adherence_agreement"]
A, B = EXAMPLE["A"], EXAMPLE["B"]  # no = 0, partly = 1, yes = 2
NAMES = {"em": "exact", "bp": "bennett", "spearman": "rho"}  # of the vectors, where the fields differ
COEFFICIENTS = (cohen_kappa, scott_pi, gwet_ac1, bennett)
LABELS = ("no", "partly", "yes")
label = st.sampled_from(LABELS)
PAIRS = st.lists(st.tuples(st.none() | label, st.none() | label), max_size=30)


def raters(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """Labels of two raters whose table this is."""
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in cells], [j for _, j in cells]


def close(found: Any, wanted: Any) -> None:
    for name, value in vars(wanted).items():
        assert vars(found)[name] == (value if value is None else pytest.approx(value, abs=1e-9)), name


@pytest.mark.parametrize(("name", "digits"), [("t1", 6), ("t2", 4), ("t3", 4)])
def test_every_coefficient_of_the_printed_tables(name: str, digits: int) -> None:
    printed = dict(VECTORS[name])
    first, second = raters(printed.pop("table"))
    found = agreement(first, second, range(3 if name != "t2" else 2), ordered=True)
    for key, value in printed.items():
        decimals = 6 if key in ("spearman", "alpha_ordinal") else digits
        assert vars(found)[NAMES.get(key, key)] == pytest.approx(value, abs=0.51 * 10**-decimals), key


def test_the_worked_example() -> None:
    assert exact_match(A, B) == EXAMPLE["exact_three_level"]
    assert exact_match([x >= 1 for x in A], [x >= 1 for x in B]) == EXAMPLE["em_in_role"]
    assert spearman(A, B) == pytest.approx(EXAMPLE["spearman"], abs=5e-7)


def test_alpha_of_three_raters_with_missing_labels() -> None:
    example = VECTORS["krippendorff_missing"]
    assert krippendorff_alpha(example["data"]) == pytest.approx(example["nominal"], abs=5.1e-7)
    assert krippendorff_alpha(example["data"], "interval") == pytest.approx(example["interval"], abs=5.1e-7)


def test_fleiss() -> None:
    assert fleiss_kappa(VECTORS["fleiss"]["table"]) == pytest.approx(VECTORS["fleiss"]["kappa"], abs=5e-7)
    assert fleiss_kappa([[3, 0], [0, 3]]) == 1
    assert fleiss_kappa([[3, 0], [3, 0]]) is fleiss_kappa([]) is None
    for counts in ([[1, 0], [1, 0]], [[2, 0], [1, 0]]):
        with pytest.raises(ValueError, match="at least two"):
            fleiss_kappa(counts)


def test_possible_labels_that_nobody_gave_count_for_chance() -> None:
    """AC1 and S depend on how many labels there are; one that is only possible makes neither undefined."""
    only_yes = ["yes"] * 4
    assert agreement(only_yes, only_yes).ac1 is agreement(only_yes, only_yes).bennett is None
    found = agreement(only_yes, only_yes, LABELS)
    assert (found.ac1, found.bennett, found.kappa, found.alpha) == (1, 1, None, None)


def test_a_label_beside_the_possible_ones_counts() -> None:
    assert contingency(["yes", "?"], ["yes", "no"], ("no", "yes")).tolist() == [
        [0, 0, 0],
        [0, 1, 0],
        [1, 0, 0],
    ]


def test_within_subjects_chance_is_counted_from_pairs_of_different_items() -> None:
    """In s half of the pairs are equal, between raters too; in t none are; u has one item."""
    first, second = ["A", "A", "C", "D", "E", None], ["A", "B", "C", "D", "E", "E"]
    found = agreement_within(first, second, ["s", "s", "t", "t", "u", "s"])
    assert (found.n, found.n_missing, found.exact) == (5, 1, 0.8)
    assert found.kappa == found.alpha == pytest.approx(1 - 0.25 / 0.75)  # chance .5 and 0, observed .75
    assert found.ac1 == pytest.approx(1 - 0.25 / 0.25)  # chance .5 and 1 of two labels
    assert alpha_within([first, second], ["s", "s", "t", "t", "u", "s"]) == found.alpha


def test_nothing_to_compare() -> None:
    assert exact_match([], []) is None
    assert spearman([1, 1], [0, 2]) is None
    found = agreement(["yes", None], [None, None], LABELS, ordered=True)
    assert (found.n, found.n_missing) == (0, 2)
    assert {value for name, value in vars(found).items() if name not in ("n", "n_missing")} == {None}
    for measure in (exact_match, spearman, agreement):
        with pytest.raises(ValueError, match=r"."):
            measure([1], [1, 2])


@given(PAIRS)
def test_raters_can_be_exchanged(pairs: list[tuple[str | None, str | None]]) -> None:
    first, second = [x for x, _ in pairs], [y for _, y in pairs]
    found = agreement(first, second, LABELS, ordered=True)
    close(agreement(second, first, LABELS, ordered=True), found)


@given(PAIRS, st.permutations(LABELS))
def test_names_of_labels_do_not_matter(pairs: list[tuple[str | None, str | None]], names: list[str]) -> None:
    new = dict(zip(LABELS, names, strict=True)) | {None: None}
    first, second = [x for x, _ in pairs], [y for _, y in pairs]
    renamed = agreement([new[x] for x in first], [new[y] for y in second], LABELS)
    close(renamed, agreement(first, second, LABELS))


@given(PAIRS, st.integers(1, 5))
def test_items_that_nobody_labelled_change_no_coefficient(
    pairs: list[tuple[str | None, str | None]], more: int
) -> None:
    first, second = [x for x, _ in pairs], [y for _, y in pairs]
    found = agreement(first, second, LABELS, ordered=True)
    gap = [None] * more
    assert agreement(first + gap, second + gap, LABELS, ordered=True) == replace(
        found, n_missing=found.n_missing + more
    )
    assert krippendorff_alpha([first + gap, second + gap]) == krippendorff_alpha([first, second])


@given(st.lists(label, min_size=1))
def test_full_agreement_is_one_where_it_is_defined(labels: list[str]) -> None:
    found = agreement(labels, labels, LABELS, ordered=True)
    assert (found.exact, found.ac1, found.bennett) == (1, 1, 1)
    rest = (found.kappa, found.pi, found.alpha, found.kappa_linear, found.kappa_quadratic, found.rho)
    wanted = [pytest.approx(1)] * 6 if len(set(labels)) > 1 else [None] * 6
    assert list(rest) == wanted


@given(st.lists(st.tuples(label, label), min_size=1))
def test_alpha_of_two_raters_is_pi_with_its_small_sample_term(pairs: list[tuple[str, str]]) -> None:
    table = contingency([x for x, _ in pairs], [y for _, y in pairs], LABELS)
    pi, alpha = scott_pi(table), krippendorff_alpha(list(zip(*pairs, strict=True)))
    if pi is None:
        assert alpha is None
    else:
        assert alpha == pytest.approx(1 - (1 - pi) * (1 - 1 / (2 * len(pairs))))


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_order_says_nothing_about_two_labels(pairs: list[tuple[bool, bool]]) -> None:
    found = agreement([x for x, _ in pairs], [y for _, y in pairs], (False, True), ordered=True)
    for value in (found.kappa_linear, found.kappa_quadratic):
        assert value == (None if found.kappa is None else pytest.approx(found.kappa))
    assert found.alpha_ordinal == (None if found.alpha is None else pytest.approx(found.alpha))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2))
def test_quadratic_kappa_knows_no_scale(pairs: list[tuple[int, int]]) -> None:
    """Of numbers it is their covariance against all that could differ: 1 − E(x−y)² over chance's."""
    import numpy as np

    x, y = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    chance = x.var() + y.var() + (x.mean() - y.mean()) ** 2
    found = cohen_kappa(contingency(x.tolist(), y.tolist(), range(5)), "quadratic")
    wanted = None if chance == 0 else pytest.approx(1 - ((x - y) ** 2).mean() / chance)
    assert found == wanted


@given(PAIRS.filter(lambda pairs: len(pairs) > 1))
def test_nothing_exceeds_one(pairs: list[tuple[str | None, str | None]]) -> None:
    table = contingency([x for x, _ in pairs], [y for _, y in pairs], LABELS)
    for coefficient in COEFFICIENTS:
        value = coefficient(table)
        assert value is None or -1 - 1e-9 <= value <= 1 + 1e-9


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=30))
def test_spearman_is_scipys_and_symmetric(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import spearmanr

    first, second = zip(*pairs, strict=True)
    found = spearman(first, second)
    if found is not None:
        assert found == pytest.approx(spearman(second, first))
        assert found == pytest.approx(spearmanr(first, second).statistic)


def test_ordinal_labels_are_ordered_as_listed() -> None:
    """Only the order of `order` counts, not that of the alphabet."""
    ratings = [["no", "partly", "yes", "yes"], ["no", "yes", "yes", "partly"]]
    ranked = [[LABELS.index(x) for x in rater] for rater in ratings]
    found = krippendorff_alpha(ratings, "ordinal", LABELS)
    assert found == pytest.approx(krippendorff_alpha(ranked, "ordinal"))
    assert found != pytest.approx(krippendorff_alpha(ratings, "ordinal", ("partly", "no", "yes")))
