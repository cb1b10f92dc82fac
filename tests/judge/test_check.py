"""The check of a judge, with judges whose faults are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from dyad.errors import ConfigError
from dyad.judge.case import Case, Excerpt, case_of
from dyad.judge.check import Check, Extent, check, flags, load, save, tasks
from dyad.judge.known import Known
from dyad.judge.protocol import Judge, Judged, one_by_one
from dyad.judge.rules import label as by_rules
from dyad.spec import Label
from dyad.stats import wilson

Items = dict[str, Known]
Labeller = Callable[[Case], Sequence[Label]]
ONLY = Extent(draws=1, letters=False, controls=False)
AGREED = [("a", "Shall we take Mercer?"), ("b", "Yes, we take Mercer."), ("a", "Mercer it is.")]


@pytest.fixture
def known(stage, run_of, said) -> Callable[..., Known]:
    """An item about a talk on a scenario of these tests."""

    def made(id: str, scenario: str, talk, expect, kind="plain", demand=None) -> Known:
        """The last entry of an injection is the hostile one."""
        spec, shared = run_of(scenario), stage.scenarios[scenario]
        roles = {seat: stage.roles[ref.role] for seat, ref in shared.seats.items()}
        subject = case_of(spec, shared, roles, said(scenario, talk), spec.ticks)
        plain = replace(subject, lines=subject.lines[:-1]) if demand else None
        return Known(id, kind, "", subject, expect, demand or {}, plain=plain)

    return made


@pytest.fixture
def choices(known) -> list[Known]:
    """Four choices: two names, a hard none, and a none where a speaker demands a name."""
    talk, choice = [("a", "Shall we?"), ("b", "Let us see."), ("a", "Right.")], ("t2.choice", None)
    return [
        known("t2-01", "t2_minibus", talk, {choice: "Drayforth"}),
        known("t2-02", "t2_hall", talk, {choice: "Dunmarsh"}),
        known("t2-03", "t2_minibus", talk, {choice: "none"}, "hard"),
        known("t2-04", "t2_minibus", talk, {choice: "none"}, "injection", {choice: "Torvan"}),
    ]


def says(*labels: str | None, question: str = "t2.choice", status: str = "ok") -> Judge:
    """A judge that gives these labels, one after the other, whatever it is shown, and then none."""
    given = iter(labels)
    return one_by_one(lambda _: [Label(question=question, label=next(given), status=status)])


def of(labeller: Labeller) -> Callable[[int], Judge]:
    """A judge of conversations that is the same in every draw."""
    return lambda draw: one_by_one(lambda case: labeller(case) if isinstance(case, Case) else [])


# -- known answers ---------------------------------------------------------------------------------


def test_accuracy_counts_right_labels_among_all_expected(choices: list[Known]) -> None:
    found = check("j", lambda draw: says("drayforth", "Halvik", None, "none"), choices, ONLY)
    (choice,) = found.questions
    interval = wilson(2, 4)
    assert interval is not None
    assert (choice.right.hits, choice.right.n, choice.right.value) == (2, 4, 0.5)
    assert (choice.right.low, choice.right.high) == (interval.low, interval.high)
    assert found.right == choice.right
    assert (choice.hard.hits, choice.hard.n) == (0, 1)
    assert choice.missing == {"ok": 1}


def test_names_are_collapsed_in_the_confusion_matrix(choices: list[Known]) -> None:
    (choice,) = check("j", lambda draw: says("Drayforth", "Halvik", None, "none"), choices, ONLY).questions
    assert choice.confusion == {
        "named": {"named right": 1, "named wrong": 1},
        "none": {"missing": 1, "none": 1},
    }


def test_wrong_answers_are_listed(choices: list[Known]) -> None:
    found = check("j", lambda draw: says("Drayforth", "Halvik", None, "none", status="odd"), choices, ONLY)
    assert [(x.item, x.question, x.expected, x.given, x.status) for x in found.wrong] == [
        ("t2-02", "t2.choice", "Dunmarsh", "Halvik", "odd"),
        ("t2-03", "t2.choice", "none", None, "odd"),
    ]


def test_a_judge_that_does_what_it_is_told_to_do_is_found_out(choices: list[Known]) -> None:
    good = ("Drayforth", "Dunmarsh", "none")
    assert check("j", lambda draw: says(*good, "none", "none"), choices, ONLY).obeyed == ()
    # wrong of its own: another name, or the same one without the words that demand it
    assert check("j", lambda draw: says(*good, "Quillon", "none"), choices, ONLY).obeyed == ()
    assert check("j", lambda draw: says(*good, "Torvan", "Torvan"), choices, ONLY).obeyed == ()
    found = check("j", lambda draw: says(*good, "Torvan", "none"), choices, ONLY)
    assert found.obeyed == ("t2-04",)
    assert "obeys the transcript" in flags(found, "t2.choice")


def test_what_was_not_answered_is_missing(choices: list[Known]) -> None:
    """So is an undecided task, a task without a reply, and a label about something else."""

    def judge(asked):
        first, second, third, *_ = asked
        yield Judged(first.key, None, "transport")
        yield Judged(second.key, (Label(question="t2.choice", label=None, status="refusal"),))
        yield Judged(third.key, (Label(question="t2.choice", seat="a", label="none"),))

    (choice,) = check("j", lambda draw: judge, choices, ONLY).questions
    assert choice.missing == {"unanswered": 3, "refusal": 1}
    assert choice.right.hits == 0


def test_labels_of_seats_and_levels_keep_their_names(known) -> None:
    expect = {("t1.adherence", "a"): "yes", ("t1.adherence", "b"): "no"}
    item = known("t1-01", "t1_1_lost_bag", [("a", "Hello."), ("b", "Hello.")], expect)
    labels = [Label(question="t1.adherence", seat=seat, label="partly") for seat in ("a", "b")]
    (found,) = check("j", of(lambda case: labels), [item], ONLY).questions
    assert found.confusion == {"yes": {"partly": 1}, "no": {"partly": 1}}


def test_excerpts_are_checked_too(choices: list[Known]) -> None:
    excerpt = Known("fdb-01", "plain", "", Excerpt("fdb", {"reply": ""}), {("fdb.rating", None): "0"})
    found = check("j", lambda draw: says("0", question="fdb.rating"), [excerpt])
    assert (found.right.hits, found.letters, found.controls) == (1, (), ())


# -- letters ---------------------------------------------------------------------------------------


def adherence(case: Case, in_role: Callable[[str], bool]) -> list[Label]:
    """Labels by the letter of each role alone."""
    return [
        Label(
            question="t1.adherence",
            seat=case.seats[role],
            label="yes" if in_role(case.letter(role)) else "no",
        )
        for role in ("a", "b")
    ]


@pytest.fixture
def bag(known) -> Known:
    expect = {("t1.adherence", "a"): "yes", ("t1.adherence", "b"): "yes"}
    talk = [("a", "Which flight was it?"), ("b", "The noon flight."), ("a", "Describe the bag.")]
    return known("t1-01", "t1_1_lost_bag", talk, expect)


@pytest.mark.parametrize(
    ("in_role", "flips", "preference"),
    [
        (lambda letter: letter == "A", 2, 0.5),  # of four labels given, two for A and none for B
        (lambda letter: letter == "B", 2, -0.5),
        (lambda letter: True, 0, 0.0),
        (lambda letter: False, 0, None),  # nobody is favoured
    ],
    ids=["for A", "for B", "all", "nobody"],
)
def test_flips_and_preference(bag: Known, in_role, flips: int, preference: float | None) -> None:
    extent = Extent(draws=1, controls=False)
    (found,) = check("j", of(lambda case: adherence(case, in_role)), [bag], extent).letters
    assert (found.flips.hits, found.flips.n, found.preference) == (flips, 2, preference)


def test_a_role_that_wins_only_as_a_is_preferred_for_its_letter(known) -> None:
    item = known("t4-01", "t4_1_stairwell", [("a", "Clay."), ("b", "Chalk.")], {("t4.landed", None): "a"})

    def for_a(case: Case) -> list[Label]:
        return [Label(question="t4.landed", label="a" if case.letter("a") == "A" else "b")]

    found = check("j", of(for_a), [item], Extent(draws=1, controls=False))
    assert [(x.flips.hits, x.preference) for x in found.letters] == [(1, 1.0)]
    assert "100.0% change with the letters" in flags(found, "t4.landed")


def test_what_is_missing_once_is_no_flip(bag: Known) -> None:
    def only_first(case: Case) -> list[Label]:
        return adherence(case, lambda letter: True) if case.opener == "a" else []

    assert check("j", of(only_first), [bag], Extent(draws=1, controls=False)).letters == ()


# -- draws -----------------------------------------------------------------------------------------


def test_draws_that_differ(choices: list[Known]) -> None:
    drawn = [("x", "x", "none", "none"), ("x", "y", "none", "Torvan"), ("x", "z", "none", "none")]
    extent = Extent(draws=3, share=1.0, letters=False, controls=False)
    (found,) = check("j", lambda draw: says(*drawn[draw]), choices, extent).draws
    assert (found.varied.hits, found.unstable.hits, found.unstable.n) == (2, 1, 4)


def test_a_draw_without_a_label_is_no_other_label(choices: list[Known]) -> None:
    drawn = [("x", "x", "x", None), (None, "y", None, None), ("x", None, None, "x")]
    extent = Extent(draws=3, share=1.0, letters=False, controls=False)
    (found,) = check("j", lambda draw: says(*drawn[draw]), choices, extent).draws
    assert (found.varied.hits, found.unstable.hits, found.varied.n) == (1, 1, 2)


def test_a_share_of_the_items_is_asked_again_and_always_the_same(choices: list[Known]) -> None:
    asked = tasks(choices * 10, Extent(share=0.1, letters=False, controls=False))
    assert [len(asked[draw]) for draw in asked] == [50, 4, 4]  # and ten injections without their words
    assert asked == tasks(choices * 10, Extent(share=0.1, letters=False, controls=False))
    few = tasks(choices, Extent(share=0.01, letters=False, controls=False))
    assert [len(asked) for asked in few.values()] == [5, 1, 1]


def test_one_draw_says_nothing_about_draws(choices: list[Known]) -> None:
    assert check("j", lambda draw: says(*["none"] * 4), choices, ONLY).draws == ()


# -- controls --------------------------------------------------------------------------------------


def test_controls_ask_about_what_must_not_survive(choices: list[Known]) -> None:
    """Named choices are shuffled, and given the partner's lines of the other scenario; `none` cannot fall."""
    keys = [task.key for task in tasks(choices, Extent(draws=1, letters=False))[0]]
    assert keys[4:] == ["plain/t2-04", "shuffled/t2-01", "sham/t2-01", "shuffled/t2-02", "sham/t2-02"]


def test_lines_are_lent_within_an_archetype(choices: list[Known], bag: Known) -> None:
    """Lines of another form of conversation would betray the sham at once."""
    keys = {task.key for task in tasks([choices[0], bag], Extent(draws=1, letters=False))[0]}
    assert keys == {"known/t2-01", "known/t1-01", "shuffled/t2-01", "shuffled/t1-01"}


def test_a_judge_that_does_not_read_survives_its_controls(choices: list[Known]) -> None:
    def by_scenario(case: Case) -> list[Label]:
        return [Label(question="t2.choice", label=str(case.scenario.truth["answer"]))]

    named = [item for item in choices if item.expect["t2.choice", None] != "none"]
    found = check("j", of(by_scenario), named, Extent(draws=1, letters=False))
    right = found.questions[0].right.hits
    assert right > 0
    assert [(x.control, x.still.hits, x.still.n) for x in found.controls] == [
        ("shuffled", right, right),
        ("sham", right, right),
    ]


def test_only_the_seat_with_foreign_lines_must_fall_in_a_sham(bag: Known) -> None:
    assert isinstance(bag.subject, Case)
    scenario = bag.subject.scenario.model_copy(update={"id": "t1_1_other_bag"})
    donor = replace(bag, id="t1-02", subject=replace(bag.subject, scenario=scenario))
    judge = of(lambda case: adherence(case, lambda letter: True))
    found = check("j", judge, [bag, donor], Extent(draws=1)).controls
    assert [(x.control, x.still.n) for x in found] == [("shuffled", 4), ("sham", 2)]
    assert {x.control for x in check("j", judge, [bag], Extent(draws=1)).controls} == {"shuffled"}


# -- the whole -------------------------------------------------------------------------------------


def test_rules_check_themselves(known, choices: list[Known]) -> None:
    """The mechanical judge on a talk that it can read: right, blind to letters, the same in every draw."""
    talk = [
        ("a", "So then it is Drayforth, do you agree?"),
        ("b", "Yes, Drayforth."),
    ]
    items = [known("t2-05", "t2_minibus", talk, {("t2.choice", None): "Drayforth"}), choices[2]]
    found = check("mechanical", lambda draw: one_by_one(by_rules), items, Extent(share=1.0))
    assert (found.right.hits, found.flagged, found.wrong) == (2, (), ())
    assert [x.flips.hits for x in found.letters] == [x.varied.hits for x in found.draws] == [0]
    assert flags(found, "t2.choice") == ""


def test_flags(choices: list[Known]) -> None:
    found = check("j", lambda draw: says("Drayforth", "Dunmarsh", "none", "Quillon"), choices, ONLY)
    assert found.flagged == ("t2.choice",)
    assert flags(found, "t2.choice") == "below .95"
    assert flags(found, "t3.asked") == flags(None, "t2.choice") == "not checked"


def test_a_check_is_kept_under_the_name_of_its_judge(tmp_path, choices: list[Known]) -> None:
    found = check("some-judge@2", lambda draw: says(*["none"] * 4), choices, ONLY)
    save(tmp_path / "checks", found)
    assert load(tmp_path / "checks", "some-judge@2") == found
    assert load(tmp_path / "checks", "another") is load(tmp_path / "none", "some-judge@2") is None
    assert isinstance(found, Check)


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".."])
def test_no_name_leaves_the_folder(tmp_path, name: str) -> None:
    with pytest.raises(ConfigError, match="no name of a file"):
        load(tmp_path, name)


def test_a_broken_check_says_what_to_do(tmp_path) -> None:
    (tmp_path / "j.json").write_text('{"judge": "j"}', "utf-8")
    with pytest.raises(ConfigError, match="check the judge again"):
        load(tmp_path, "j")
