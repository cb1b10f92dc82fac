"""What is said of judges, from labels on disk whose agreement, gaps and errors are known."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from dyad import pipeline
from dyad.cli.args import parse
from dyad.cli.compose import compose
from dyad.cli.verbs import stored
from dyad.judge.case import Case
from dyad.judge.check import Check, flags, save, shipped_check
from dyad.judge.humans import Answer
from dyad.judge.humans import save as save_answer
from dyad.judge.known import known_answers
from dyad.judge.models.types import Reply
from dyad.judge.panel import says_yes
from dyad.judge.reliability import Accuracy, share
from dyad.library import load_library
from dyad.measure.catalogue import RESTS_ON
from dyad.measure.rows import run_rows
from dyad.pipeline import Study
from dyad.pipeline.judging import checked_as, checks_folder, records_folder
from dyad.pipeline.trust import Missing, Trust, trust
from dyad.spec import Label
from dyad.stats import ppi
from tests.judge.studies import made

pytestmark = pytest.mark.xdist_group("trust")  # what is set up once is set up by one worker

SECOND = ("+judge@judges.second=mechanical", "judges.second.name=second")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with up to four conversations of each archetype, judged by the rules."""
    folder = tmp_path_factory.mktemp("trust") / "store"
    made(folder, told(4))
    study = opened(folder)
    assert not any(pipeline.hear(study, study.ids))
    assert not any(pipeline.judge(study, study.config.judges[0], study.ids))
    return folder


@pytest.fixture
def folder(judged: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(judged, tmp_path / "store"))


def told(each: int) -> list[Case]:
    """Known conversations of every archetype, of each scenario the one in which most is said and done."""
    best: dict[str, tuple[int, Case]] = {}
    for item in known_answers(load_library()):
        case = item.subject
        if isinstance(case, Case) and item.kind == "plain" and case.lang == "en" and not case.scenario.twin:
            yes = sum(says_yes(question, label) for (question, _), label in item.expect.items())
            best[case.scenario.id] = max(
                best.get(case.scenario.id, (-1, case)), (yes, case), key=itemgetter(0)
            )
    found: dict[str, list[Case]] = {}
    for _, case in best.values():
        found.setdefault(case.scenario.archetype, []).append(case)
    return [case for own in found.values() for case in own[:each]]


def opened(folder: Path, *options: str) -> Study:
    return stored(parse(["measure", "study=made", f"store={folder}", *options]))


def of(study: Study, archetype: str) -> list[str]:
    return [i for i in study.ids if study.specs[i].archetype == archetype]


def label_of(study: Study, run_id: str, question: str) -> Label:
    return next(
        x for x in pipeline.labels_of(study, run_id, study.config.judges[0]) if x.question == question
    )


def known(study: Study) -> Trust:
    return trust(study, pipeline.measure(study))


def second_says(
    study: Study, changes: dict[tuple[str, str], dict[str, Any]], skip: Sequence[str] = ()
) -> None:
    """Store the first judge's labels as the second's, but for some that are changed and some runs."""
    first, second = study.config.judges
    for run_id in study.ids:
        labels = [
            x.model_copy(update=changes.get((run_id, x.question), {}))
            for x in pipeline.labels_of(study, run_id, first)
        ]
        if run_id not in skip:
            study.store.add_sidecar(run_id, study.labels_file(run_id, second), labels)


def person_says(study: Study, run_id: str, question: str, label: str, weight: float, by: str = "AB") -> None:
    about = {"by": by, "utc": "2026-11-30T09:00:00+00:00", "seconds": 1.0, "weight": weight}
    given = label_of(study, run_id, question).model_copy(update={"label": label, "status": "ok"})
    save_answer(study.shown(run_id), Answer(label=given, sample="s", seed=0, **about))


# -- measures and questions ------------------------------------------------------------------------


def test_measures_rest_on_the_questions_that_the_catalogue_names(judged: Path) -> None:
    """Without the answers to one question, just these scores are missing or gone."""
    study = opened(judged)
    touched: dict[str, set[str]] = {question: set() for question in RESTS_ON}
    for run_id in study.ids:
        talk = pipeline.conversation(study, run_id)
        right = {
            "label": study.scenario(study.specs[run_id]).truth.get("answer"),
            "fields": {"line": pipeline.transcript(study, run_id)[-1].id},
        }
        labels = [
            x.model_copy(update=right) if x.question == "t2.choice" else x  # only what is solved is grounded
            for x in pipeline.labels_of(study, run_id, study.config.judges[0])
        ]
        whole = scores(run_rows(talk, {"j": labels}, modes=("paper",)))
        for question in {x.question for x in labels} & set(RESTS_ON):
            rest = [x for x in labels if x.question != question]
            left = scores(run_rows(talk, {"j": rest}, modes=("paper",)))
            touched[question] |= {name for name, seat in whole if whole[name, seat] != left.get((name, seat))}
    assert touched == {question: set(names) for question, names in RESTS_ON.items()}


def scores(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, str], Any]:
    return {(row["measure"], row["seat"]): (row["value"], row["n"]) for row in rows if row["judge"]}


# -- known answers ---------------------------------------------------------------------------------


def test_the_rules_come_with_their_check_and_one_in_the_store_goes_before_it(folder: Path) -> None:
    study = opened(folder)
    (rules,) = study.config.judges
    shipped = shipped_check()
    assert shipped is not None
    assert shipped.judge == checked_as(rules)
    (about,) = known(study).judges
    assert (about.name, about.kind, about.rules, about.shown, about.checked, about.spent) == (
        "mechanical", "rules on words", True, True, shipped.date, None,
    )  # fmt: skip
    assert {on.question for on in about.questions} == {*RESTS_ON, "t3.points"}
    assert {on.question: on.flag for on in about.questions} == {
        on.question: flags(shipped, on.question) for on in about.questions
    }
    right = {"t2.choice": share(60, 60), "t4.landed": share(10, 20)}
    save(checks_folder(study.store), checked(checked_as(rules), right))
    found = known(study)
    assert found.judges[0].checked == "2026-01-02"
    assert found.flags("solved", "t2") == []
    assert found.flags("won", "t4_1") == ["mechanical on t4.landed: 50.0% of known answers right, below .95"]
    assert found.flags("adherence", "t1_1") == ["mechanical on t1.adherence: not checked"]
    assert found.flags("leak", "t4_2") == found.flags("occupancy", "t3_2") == []  # nobody judges these


def checked(name: str, right: dict[str, Any]) -> Check:
    questions = tuple(
        Accuracy(question=question, right=own, hard=share(0, 0), missing={}, obeyed=(), confusion={})
        for question, own in right.items()
    )
    return Check(judge=name, date="2026-01-02", items=80, right=share(0, 0), questions=questions, wrong=())


# -- agreement -------------------------------------------------------------------------------------


def test_what_follows_from_a_silence_is_no_agreement(folder: Path) -> None:
    study = opened(folder, *SECOND)
    ids = of(study, "t3_2")
    second_says(study, {(ids[0], "t3.asked"): {"status": "no_speech"}})
    (pair,) = (pair for pair in known(study).pairs if pair.question == "t3.asked")
    assert pair.agreement.n == len(ids) - 1


def test_two_judges_agree_over_what_both_were_asked(folder: Path) -> None:
    study = opened(folder, *SECOND)
    choices, wills = of(study, "t2"), of(study, "t4_1")
    second_says(study, {(choices[0], "t2.choice"): {"label": "elsewhere"}}, skip=wills[:1])
    found = known(study)
    by_question = {pair.question: pair for pair in found.pairs}
    assert all(pair.judges == ("mechanical", "second") for pair in found.pairs)
    assert by_question["t2.choice"].agreement.exact == 1 - 1 / len(choices)
    assert by_question["t2.choice"].agreement.n == len(choices)
    assert by_question["t4.landed"].agreement.n == len(wills) + len(of(study, "t4_3")) - 1
    assert by_question["t4.landed"].agreement.exact == 1.0
    assert found.missing[-1] == Missing(
        judge="second", question="", status="not judged", n=1, of=len(study.ids)
    )


def test_tables_rest_on_the_first_judge_or_on_all_of_a_panel(folder: Path) -> None:
    alone = opened(folder, *SECOND)
    second_says(alone, {(run_id, "t2.choice"): {"label": "elsewhere"} for run_id in of(alone, "t2")})
    person_says(alone, of(alone, "t2")[0], "t2.choice", "none", 1.0)
    panel = dataclasses.replace(alone, config=alone.config.model_copy(update={"panel": True}))
    first, both = known(alone), known(panel)
    assert (first.shown, [judge.shown for judge in first.judges]) == ("mechanical", [True, False])
    assert (both.shown, [judge.shown for judge in both.judges]) == ("panel", [True, True])
    assert first.people == both.people == ("human:AB",)
    added = {pair.judges for pair in both.pairs} - {pair.judges for pair in first.pairs}
    assert added == {("panel", "human:AB")}, "a panel is not held against its own members"
    assert first.panels == both.panels
    unstable = next(x for x in both.missing if (x.judge, x.question) == ("panel", "t2.choice"))
    assert (unstable.status, unstable.n) == ("unstable", len(of(panel, "t2")))


# -- people ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["ppi", "rogan_gladen"])
def test_shares_are_corrected_with_the_weights_of_the_question_behind_them(folder: Path, method: str) -> None:
    study = opened(folder, f"report.correction={method}")
    runs = of(study, "t2")
    own = [label_of(study, run_id, "t2.choice").label for run_id in runs]
    truth = [study.scenario(study.specs[run_id]).truth["answer"] for run_id in runs]
    assert len(runs) == 4
    for run_id, label, weight in zip(runs[:3], (truth[0], "none", own[2]), (1.0, 1.0, 2.0), strict=True):
        person_says(study, run_id, "t2.choice", str(label), weight)
        person_says(study, run_id, "t2.disclosed", "none", 50.0)  # another question, other chances
    found = {(x["archetype"], x["measure"]): x for x in known(study).corrected if not x["agent"]}
    row = found["t2", "solved"]
    judged = [float(x == y) for x, y in zip(own, truth, strict=True)]
    assert (row["method"], row["n"], row["n_human"], row["raw"]) == (method, 4, 3, sum(judged) / 4)
    if method == "ppi":
        expected = ppi([1.0, 0.0, judged[2]], judged[:3], judged[3:], [1.0, 1.0, 2.0])
        assert expected is not None
        assert row["value"] == pytest.approx(expected.value)
        assert row["se"] is None  # three people's labels say nothing of the error
    assert ("t2", "grounded") not in found


def test_without_people_nothing_is_corrected(judged: Path) -> None:
    found = known(opened(judged))
    assert (found.corrected, found.people, found.pairs, found.panels) == ((), (), (), ())


# -- what is missing, and what it cost -------------------------------------------------------------


def test_missing_labels_are_counted_by_judge_question_and_reason(folder: Path) -> None:
    study = opened(folder, *SECOND)
    runs = of(study, "t2")
    refused = {"label": None, "status": "refusal"}
    changes = {
        (runs[0], "t2.choice"): refused, (runs[1], "t2.choice"): refused,
        (runs[2], "t2.choice"): {"label": None, "status": "bad_quote"},
    }  # fmt: skip
    second_says(study, changes)
    lost = [x for x in known(study).missing if x.judge == "second" and x.question == "t2.choice"]
    assert {x.status: (x.n, x.of) for x in lost} == {"bad_quote": (1, len(runs)), "refusal": (2, len(runs))}


def test_records_of_a_model_say_what_it_cost_and_who_answered(folder: Path) -> None:
    study = opened(folder)
    model = compose(["judge=claude_opus"]).studies[0].judges[0]
    asked = dataclasses.replace(study, config=study.config.model_copy(update={"judges": (model,)}))
    path = records_folder(study.store) / "claude_opus.jsonl"
    path.parent.mkdir(parents=True)

    def write(*costs: float | None) -> None:
        replies = [
            Reply(key=str(i), requested="claude-opus-5", model=f"claude-opus-5-{i % 2}", usd=usd)
            for i, usd in enumerate(costs)
        ]
        path.write_text("".join(reply.model_dump_json() + "\n" for reply in replies) + '{"key": "cut')

    (about,) = known(asked).judges
    assert (about.kind, about.rules, about.spent) == ("model claude-opus-5", False, None)
    write(0.25, 0.5, 0.25)
    (about,) = known(asked).judges
    assert about.spent is not None
    assert dict(about.spent) == {"replies": 3, "usd": 1.0, "models": ("claude-opus-5-0", "claude-opus-5-1")}
    write(0.25, None)
    (about,) = known(asked).judges
    assert about.spent is not None
    assert about.spent.usd is None, "what is not known is not 0"
    (lost,) = known(asked).missing
    assert (lost.question, lost.status, lost.n) == ("", "not judged", len(study.ids))
