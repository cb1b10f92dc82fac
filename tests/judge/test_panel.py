"""The majority of several judges, and their agreement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.judge.panel import ORDERED, Labels, closed_labels, majority, order_of, pairs, panels, says_yes
from dyad.spec import Evidence, Label, Seat

A, B = (2, 2, 1, 0, 2, 1, 0, 2), (2, 1, 1, 0, 2, 2, 0, 1)  # no = 0, partly = 1, yes = 2
ADHERENCE = ORDERED["t1.adherence"]
votes = st.lists(st.none() | st.sampled_from(ADHERENCE), min_size=1, max_size=7)


def vote(label: str | None, question: str = "t2.choice", seat: Seat | None = None, **about: object) -> Label:
    return Label(question=question, seat=seat, label=label, status="ok" if label else "refusal").model_copy(
        update=about
    )


def elect(*labels: Label) -> Label:
    (found,) = majority({f"judge{i}": [label] for i, label in enumerate(labels)})
    return found


def of_adherence(*labels: str | None) -> Labels:
    return {(f"run{i}", "t1.adherence", "a"): label for i, label in enumerate(labels)}


# -- majority --------------------------------------------------------------------------------------


def test_more_than_half_of_the_labels_given() -> None:
    assert elect(vote("Amble"), vote("Benson"), vote("Amble")).label == "Amble"
    assert elect(vote("Amble"), vote(None), vote(None)).label == "Amble"
    assert elect(vote("none"), vote("none"), vote("Amble")).label == "none"


@pytest.mark.parametrize(
    "labels", [("Amble", "none"), ("Amble", "Benson", None), ("Amble", "Amble", "Benson", "none")]
)
def test_without_a_majority_the_label_is_missing(labels: tuple[str | None, ...]) -> None:
    found = elect(*map(vote, labels))
    assert (found.label, found.status, found.evidence, found.fields) == (None, "unstable", (), {})


def test_without_any_label_the_commonest_reason_stands() -> None:
    reasons = ("truncated", "refusal", "refusal")
    found = elect(*(vote(None, status=reason) for reason in reasons))
    assert (found.label, found.status) == (None, "refusal")


def test_fields_and_evidence_are_of_the_first_judge_in_the_majority() -> None:
    labels = [
        vote(name, fields={"line": line}, evidence=(Evidence(line=line, quote="yes"),))
        for name, line in (("Amble", "A1"), ("Benson", "A2"), ("Benson", "B2"))
    ]
    assert elect(*labels) == labels[1]


def timing(entry: str, deviation: str | None, label: str = "drifted") -> Label:
    lines = [line for line in (entry, deviation) if line]
    about: dict[str, object] = {"fields": {"entry_line": entry, "deviation_line": deviation}}
    about["evidence"] = tuple(Evidence(line=line, quote=f"of {line}") for line in lines)
    return vote(label, "t1.timing", "a", **about)


def test_times_are_the_median_of_the_judges_that_agree() -> None:
    found = elect(
        timing("A1", "A9"), timing("A10", "A12"), timing("A2", "A20"), timing("A30", None, "entered")
    )
    assert found.fields == {"entry_line": "A2", "deviation_line": "A12"}
    assert [item.line for item in found.evidence] == ["A12", "A2"]
    assert elect(timing("A10", "A12"), timing("A2", "A9")).fields["entry_line"] == "A2"  # the earlier of two
    assert elect(timing("A9", "A12"), timing("A1", "A3"), timing("A2", "A4")) == timing("A2", "A4")


def test_lines_of_two_speakers_have_no_median() -> None:
    votes = [vote("a", "t4.landed", fields={"line": line}) for line in ("B7", "A2", "A9")]
    assert elect(*votes) == votes[0]


def test_seats_and_questions_are_voted_on_apart() -> None:
    def judge(*labels: str) -> list[Label]:
        seats: tuple[Seat, Seat] = ("a", "b")
        seated = [vote(x, "t1.adherence", seat) for x, seat in zip(labels, seats, strict=False)]
        return [*seated, vote(labels[2], "t1.timing", "a")]

    found = majority({"x": judge("yes", "no", "none"), "y": judge("yes", "partly", "none")})
    assert [(x.question, x.seat, x.label) for x in found] == [
        ("t1.adherence", "a", "yes"),
        ("t1.adherence", "b", None),
        ("t1.timing", "a", "none"),
    ]


def test_judges_without_labels() -> None:
    assert majority({}) == majority({"x": [], "y": []}) == []


@given(votes, st.randoms())
def test_the_label_does_not_depend_on_the_order_of_judges(labels: list[str | None], random: object) -> None:
    mixed = list(labels)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert elect(*map(vote, mixed)).label == elect(*map(vote, labels)).label


@given(votes)
def test_who_agrees_with_itself_is_the_majority(labels: list[str | None]) -> None:
    found = elect(*map(vote, labels))
    given = [label for label in labels if label is not None]
    wanted = [label for label in given if 2 * given.count(label) > len(given)]
    assert found.label == (wanted[0] if wanted else None)


# -- agreement -------------------------------------------------------------------------------------


def test_the_worked_example_of_adherence() -> None:
    first, second = (of_adherence(*(ADHERENCE[x] for x in labels)) for labels in (A, B))
    (found,) = pairs({"opus": first, "human:AB": second})
    assert (found.question, found.judges, found.missing) == ("t1.adherence", ("opus", "human:AB"), (0, 0))
    assert found.agreement.exact == 0.625
    assert found.paper == 1.0  # in role or not
    assert found.agreement.rho == pytest.approx(0.653197, abs=5e-7)


def test_missing_labels_are_counted_for_each_judge() -> None:
    (found,) = pairs({"x": of_adherence("yes", None, None), "y": of_adherence("yes", "no", None)})
    assert (found.missing, found.agreement.n, found.agreement.n_missing) == ((2, 1), 1, 2)


def test_only_what_both_were_asked_is_compared() -> None:
    """People see a sample: runs beyond it are not missing."""
    (found,) = pairs({"x": of_adherence("yes", "no", "no"), "human:AB": of_adherence("yes", "no")})
    assert (found.agreement.n, found.agreement.exact, found.missing) == (2, 1.0, (0, 0))
    assert list(pairs({"x": of_adherence("yes"), "y": {}})) == []


def test_every_pair_on_every_question() -> None:
    labels: Labels = {("r", "t3.asked", None): "yes", ("r", "t3.granted", None): "open"}
    found = list(pairs({"x": labels, "y": labels, "z": labels}))
    assert [(p.question, *p.judges) for p in found] == [
        (question, *two)
        for question in ("t3.asked", "t3.granted")
        for two in (("x", "y"), ("x", "z"), ("y", "z"))
    ]
    assert {p.agreement.rho for p in found} == {None}  # no order among these labels


def test_labels_that_nobody_gave_are_possible_too() -> None:
    """Two judges who always say yes to a closed question agree beyond chance by AC1; kappa cannot tell."""
    (found,) = pairs({"x": of_adherence("yes", "yes"), "y": of_adherence("yes", "yes")})
    assert (found.agreement.ac1, found.agreement.kappa) == (1.0, None)


def test_candidates_agree_by_their_text() -> None:
    first: Labels = {("r1", "t2.choice", None): "Amble", ("r2", "t2.choice", None): "none"}
    (found,) = pairs({"x": first, "y": first | {("r1", "t2.choice", None): "Benson"}})
    assert (found.agreement.exact, found.paper) == (0.5, 1.0)  # both say that the pair decided


def names(scenario: int) -> list[str]:
    return [f"candidate {x} of {scenario}" for x in range(5)]


def prices(scenario: int) -> list[str]:
    return [str(100 + 10 * scenario + x) for x in range(8)]


def at_random(
    question: str, said: Callable[[int], list[str]], beyond: float, scenarios: int, runs: int, judges: int = 2
) -> tuple[dict[str, Labels], dict[str, str]]:
    """Judges that take one of a scenario's labels at random, or with a chance the first judge's."""
    rng = np.random.default_rng(17)
    drawn = rng.integers(len(said(0)), size=(judges, scenarios, runs))
    drawn = np.where(rng.random(drawn.shape) < beyond, drawn[0], drawn)
    of = {f"{i}-{run}": f"scenario {i}" for i in range(scenarios) for run in range(runs)}
    labels = [[said(i)[x] for i, row in enumerate(own) for x in row] for own in drawn.tolist()]
    given = ({(run, question, None): x for run, x in zip(of, own, strict=True)} for own in labels)
    return {f"judge {i}": own for i, own in enumerate(given)}, of


@pytest.mark.parametrize("beyond", [0.0, 0.6])
@pytest.mark.parametrize(("question", "said"), [("t2.choice", names), ("t4.price", prices)])
def test_chance_is_taken_within_what_can_be_said_of_a_scenario(
    question: str, said: Callable[[int], list[str]], beyond: float
) -> None:
    (found,) = pairs(*at_random(question, said, beyond, scenarios=20, runs=200))
    values = (found.agreement.kappa, found.agreement.ac1, found.agreement.alpha)
    assert values == pytest.approx((beyond,) * 3, abs=0.03)


@pytest.mark.parametrize("runs", [2, 12])
def test_few_runs_of_a_scenario_do_not_bias_what_is_beyond_chance(runs: int) -> None:
    (found,) = pairs(*at_random("t2.choice", names, 0.6, scenarios=12_000 // runs, runs=runs))
    assert (found.agreement.kappa, found.agreement.alpha) == pytest.approx((0.6, 0.6), abs=0.03)


def test_three_judges_at_random_agree_by_chance() -> None:
    (found,) = panels(*at_random("t2.choice", names, 0.0, scenarios=20, runs=200, judges=3))
    assert found.alpha == pytest.approx(0.0, abs=0.03)


def test_one_run_of_a_scenario_says_nothing_of_chance() -> None:
    labels: Labels = {(f"r{i}", "t2.choice", None): f"name {i}" for i in range(5)}
    (found,) = pairs({"x": labels, "y": labels}, {f"r{i}": f"s{i}" for i in range(5)})
    (panel,) = panels({"x": labels, "y": labels})
    assert (found.agreement.exact, found.agreement.n) == (1.0, 5)
    assert (found.agreement.kappa, found.agreement.ac1, found.agreement.alpha, panel.alpha) == (None,) * 4


def test_alpha_over_all_judges() -> None:
    labels = [
        of_adherence(*row) for row in (("yes", "no", None), ("yes", "no", "no"), ("yes", "partly", None))
    ]
    (found,) = panels(dict(zip("xyz", labels, strict=True)))
    assert (found.judges, found.n) == (("x", "y", "z"), 2)
    assert found.alpha is not None
    assert found.alpha_ordinal is not None
    assert found.alpha < found.alpha_ordinal < 1  # partly is nearer to no than yes is
    assert list(panels({"x": labels[0]})) == []


def test_order_of_labels() -> None:
    assert order_of("t1.adherence") == ("no", "partly", "yes")
    assert order_of("fdb.rating") == ("0", "1", "2", "3", "4", "5")
    assert order_of("t3.granted") == order_of("t2.choice") == order_of("of another rubric") == ()
    for name, order in ORDERED.items():
        assert sorted(order) == sorted(closed_labels(name))


def test_yes_is_what_the_paper_counts() -> None:
    assert [label for label in ADHERENCE if says_yes("t1.adherence", label)] == ["partly", "yes"]
    assert (says_yes("t2.choice", "Amble"), says_yes("t2.choice", "none")) == (True, False)
    assert (says_yes("t1.timing", "drifted"), says_yes("t1.timing", "none")) == (True, False)
    assert not says_yes("of another rubric", "yes")
