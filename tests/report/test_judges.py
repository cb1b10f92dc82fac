"""What the page says of judges: true for any of them, and no more than the numbers allow."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dyad import pipeline
from dyad.judge.panel import pairs, panels
from dyad.judge.reliability import share
from dyad.pipeline import Study
from dyad.pipeline.trust import About, Standing, Trust, trust
from dyad.plan import Plan
from dyad.report.data import report_data
from dyad.report.html import render
from dyad.report.judges import conclusion, origin, section
from dyad.simulate import simulate
from dyad.store import Store

Planned = Callable[..., Plan]


def about(name: str, kind: str = "model m-1", shown: bool = True, **flags: str) -> About:
    questions = tuple(
        Standing(question=question.replace("_", "."), known=share(19, 20), flag=flag)
        for question, flag in flags.items()
    )
    rules = kind == "rules on words"
    known = {"rules": rules, "shown": shown, "checked": "2026-01-02", "questions": questions, "spent": None}
    return About(name=name, kind=kind, **known)


def known(*judges: About, said: dict[str, list[str | None]] | None = None, **more: Any) -> Trust:
    """What is known of judges whose labels to t2.choice are given run by run."""
    labels = {
        name: {(f"r{i}", "t2.choice", None): label for i, label in enumerate(given)}
        for name, given in (said or {}).items()
    }
    base: dict[str, Any] = {"shown": judges[0].name, "people": (), "corrected": (), "missing": ()}
    one = dict.fromkeys((run for given in labels.values() for run, *_ in given), "a scenario")
    agreed: dict[str, Any] = {"pairs": tuple(pairs(labels, one)), "panels": tuple(panels(labels, one))}
    return Trust(judges=judges, **base | agreed | more)


FEW = ("report.bootstrap=0", "report.permutations=0")
RULES = about("mechanical", "rules on words")


@pytest.mark.parametrize(
    ("judges", "sentence"),
    [
        ([RULES], "Labels come from rules on words (mechanical judge), not from a language model."),
        ([about("opus"), about("mine", shown=False)], "Labels come from the judge opus (model m-1)."),
        (
            [about("opus"), RULES],
            "Labels are what most judges of a panel say: opus (model m-1), mechanical (rules on words). "
            "Where none has a majority, they are missing.",
        ),
    ],
)
def test_the_origin_of_labels_is_named(judges: list[About], sentence: str) -> None:
    assert origin(known(*judges)) == sentence


def test_agreement_is_said_in_numbers() -> None:
    judges = about("opus", t2_choice=""), about("gpt", shown=False)
    said = {"opus": ["A", "A", "B", None], "gpt": ["A", "B", "B", "A"]}
    assert conclusion(known(*judges, said=said)) == (
        "opus and gpt agree on t2.choice in 67% of 3 labels (AC1 0.00). "
        "opus gives at least 95 % of known answers right on each question used here."
    )


def test_without_another_judge_nothing_is_said_of_agreement() -> None:
    flagged = about("opus", t2_choice="obeys the transcript", t4_leak="")
    assert conclusion(known(flagged)) == (
        "No second judge and no person has labelled these conversations. "
        "Take care with what rests on labels of opus about t2.choice "
        "(95.0% of known answers right, obeys the transcript)."
    )
    many = about("opus", a="below .95", b="below .95", c="below .95", d="below .95", e="")
    assert conclusion(known(many)).endswith(
        "Take care with labels of opus: 4 of 5 questions are flagged below."
    )
    unchecked = about("opus", t2_choice="not checked").model_copy(update={"checked": ""})
    assert conclusion(known(unchecked)).endswith("opus has not been checked against known answers.")


def test_people_put_headline_scores_right() -> None:
    row = {
        "condition": "", "archetype": "t2", "measure": "solved", "agent": "", "value": 0.4, "se": 0.1,
        "low": 0.2, "high": 0.6, "raw": 0.5, "n_human": 30,
    }  # fmt: skip
    others = [row | {"measure": "decided"}, row | {"agent": "X"}, row | {"value": None, "low": None}]
    others.append(row | {"se": None, "low": None, "high": None})  # few labels
    found = conclusion(known(about("opus"), corrected=(row, *others)))
    assert found.count("human labels") == 1
    assert found.endswith("By 30 human labels, t2 solved is 0.40 [0.20, 0.60], by the judge alone 0.50.")


def test_the_section_holds_every_table(data: dict[str, Any]) -> None:
    text = re.sub(r"<[^>]*>", " ", section(data["judges"]))
    words = " ".join(text.split())
    for part in (
        "0.65 [0.47, 0.79] · 20 / 31 below .95", "other model m-1 12 replies so far in this store",
        "cost unknown answered by m-1-2026", "not checked",
        "t3.kept mechanical – human:AB 8 0.75 0.47 0.61 0.49 –", "t3.kept all 3 8 0.40",
        "t3_1 kept all all 0.25 0.31 [0.11, 0.51] 8 8 PPI++", "other all not judged 3 8",
    ):  # fmt: skip
        assert part in words, part
    assert "Nothing was judged." in section(None)


def test_scores_carry_the_flag_of_their_judge(data: dict[str, Any]) -> None:
    (scores,) = re.findall(r'<section id="scores">.*?</section>', render(data), re.DOTALL)
    assert "mechanical on t4.leak: 64.5% of known answers right, below .95" in scores


def test_another_judge_changes_no_score_and_no_count(planned: Planned) -> None:
    alone = judged(planned("window_s=8", *FEW))
    both = judged(planned("window_s=8", *FEW, "+judge@judges.other=mechanical", "judges.other.name=other"))
    pages = [page_of(study) for study in (alone, both)]
    assert pages[0]["rows"] == pages[1]["rows"] != []
    assert pages[0]["study"]["notes"] == pages[1]["study"]["notes"]
    assert any("values are missing" in note for note in pages[0]["study"]["notes"])
    measures = [[run["measures"] for run in page["runs"]] for page in pages]
    assert measures[0] == measures[1]
    assert {label["judge"] for label in pages[1]["runs"][0]["judgments"]} == {"mechanical", "other"}
    assert [judge["name"] for judge in pages[1]["judges"]["judges"]] == ["mechanical", "other"]


def page_of(study: Study) -> dict[str, Any]:
    frame = pipeline.measure(study)
    return report_data(study, frame, trust(study, frame), pipeline.table_rows(study, frame), embed=False)


def judged(plan: Plan) -> Study:
    store = Store(Path(plan.config.store))
    assert all(played.error is None for played in simulate(store, plan.runs, plan.config.launcher))
    study = pipeline.of_plan(plan, store, "")
    assert not any(pipeline.hear(study, pipeline.unheard(study)))
    for judge in study.config.judges:
        assert not any(pipeline.judge(study, judge, pipeline.unjudged(study, judge)))
    return study
