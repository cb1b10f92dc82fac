"""What one item shows, which label an answer stands for, and what a session finds when it is opened again."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from dyad.annotate.reply import Reply
from dyad.annotate.session import Session, asked_of_people, candidates, check_questions, sample_of
from dyad.errors import ConfigError, DyadError
from dyad.judge.evidence import check
from dyad.judge.humans import human_labels, weights
from dyad.pipeline import Study, case, labels_of, shown_labels
from dyad.spec import Label
from tests.annotate.zoo import AGENTS, PAIRING, Opened

pytestmark = pytest.mark.xdist_group("annotate")  # what is set up once is set up by one worker

Row = dict[str, Any]


def place_of(session: Session, question: str, opener: str = "") -> int:
    """The first place of a question, of a run that a given seat opens."""
    for place, drawn in enumerate(session.order):
        if drawn.item.question == question and opener in ("", session.study.specs[drawn.item.run].opener):
            return place
    raise LookupError(question)


def stored_label(session: Session, place: int) -> Label:
    item = session.order[place].item
    found = human_labels(session.study.shown(item.run))[f"human:{session.by}"]
    return next(x for x in found if (x.question, x.seat) == (item.question, item.seat))


def given(session: Session, question: str, opener: str = "", **reply: Any) -> Label:
    place = place_of(session, question, opener)
    session.save(place, Reply(seconds=1, **reply))
    return stored_label(session, place)


# -- what is shown ---------------------------------------------------------------------------------


def test_nothing_that_is_shown_names_agents_runs_or_scenarios(opened: Opened) -> None:
    session = opened("BL", 500)
    shown = json.dumps([session.view(place) for place in range(len(session.order))])
    scenarios = {spec.scenario for spec in session.study.specs.values()}
    for name in (*AGENTS, PAIRING, "tone_tone", ".flac", *session.study.ids, *scenarios):
        assert name not in shown


def test_machine_labels_change_nothing_that_is_shown(opened: Opened, store: Path) -> None:
    session = opened("ML", 500)
    before = [session.view(place) for place in range(len(session.order))]
    moved = list(store.glob("runs/*/judgments/*--mechanical-*.jsonl"))
    assert moved
    for path in moved:
        path.rename(path.with_suffix(".away"))
    try:
        assert [session.view(place) for place in range(len(session.order))] == before
    finally:
        for path in moved:
            path.with_suffix(".away").rename(path)


@pytest.mark.parametrize("opener", ["a", "b"])
def test_the_opener_is_a_on_the_left_in_lines_waves_and_sound(opened: Opened, opener: str) -> None:
    session = opened("OP", 500)
    place = place_of(session, "t2.choice", opener)
    view = session.view(place)
    pcm, rate = soundfile.read(io.BytesIO(session.sound(place)), dtype="int16")
    recorded = session.study.store.pcm(session.order[place].item.run)
    assert rate == 24_000
    assert np.array_equal(pcm.T, recorded if opener == "a" else recorded[::-1])
    for letter, channel in (("a", 0), ("b", 1)):
        loud = np.flatnonzero(np.abs(pcm[:, channel]) > 500) / rate
        first, last = view["segments"][letter][0][0], view["segments"][letter][-1][1]
        assert first == pytest.approx(loud[0], abs=0.09)
        assert last == pytest.approx(loud[-1], abs=0.09)
        lines = [line for line in view["lines"] if line["seat"] == letter]
        assert [line["id"] for line in lines] == [f"{letter.upper()}{i + 1}" for i in range(len(lines))]


def test_each_question_shows_what_it_cannot_be_answered_without_and_no_more(opened: Opened) -> None:
    session = opened("QS", 500)
    views = {name: session.view(place_of(session, name)) for name in asked_of_people() if name != "t4.landed"}
    truths = {s.archetype: s.truth for s in map(session.study.scenario, session.study.specs.values())}
    secret = truths["t4_2"]["secret"]
    assert secret in json.dumps(views["t4.leak"])
    assert secret not in json.dumps(views["t4.asked"])
    choices = [choice["value"] for choice in views["t2.choice"]["question"]["choices"]]
    assert choices == [*truths["t2"]["candidates"], "none"]
    assert '"answer": null' in json.dumps(views["t2.choice"])
    assert len(views["t2.disclosed"]["question"]["items"]) >= 4
    assert views["t2.choice"]["question"]["items"] == views["t2.choice"]["question"]["facts"] == []
    assert [flag["name"] for flag in views["t1.adherence"]["question"]["flags"]] == ["swapped"]
    kinds = {name: view["question"]["kind"] for name, view in views.items()}
    assert {name: kind for name, kind in kinds.items() if kind != "choice"} == {
        "t1.timing": "timing", "t2.disclosed": "items", "t4.price": "number",
    }  # fmt: skip


def test_questions_about_a_seat_are_about_the_scored_one(small: Study) -> None:
    found = [c for c in candidates(small, asked_of_people()) if c.archetype == "t1_2"]
    assert found
    for candidate in found:
        spec = small.specs[candidate.item.run]
        assert candidate.item.seat == spec.seat_of_role("a")


# -- answers ---------------------------------------------------------------------------------------


def test_a_choice_with_cited_lines_becomes_a_label_with_evidence(opened: Opened) -> None:
    session = opened("CH", 500)
    place = place_of(session, "t2.choice")
    first, second, *_ = [line["id"] for line in session.view(place)["lines"]]
    name = session.view(place)["question"]["choices"][2]["value"]
    label = given(session, "t2.choice", label=name, lines=[second, first])
    assert (label.label, label.status, label.seat) == (name, "ok", None)
    assert [cited.line for cited in label.evidence] == [first, second]
    assert label.fields == {"line": second}
    assert check(label.evidence, case(session.study, session.order[place].item.run).lines) == "ok"
    assert (
        session.view(place)["answer"] | {"lines": [first, second], "label": name}
        == session.view(place)["answer"]
    )


def test_who_asks_rests_on_the_first_line(opened: Opened) -> None:
    session = opened("FI", 500)
    lines = [line["id"] for line in session.view(place_of(session, "t4.asked"))["lines"]]
    assert given(session, "t4.asked", label="yes", lines=lines[:2]).fields == {"line": lines[0]}
    assert given(session, "t4.leak", label="none", flags=["confirmed_guess"]).fields == {
        "line": None, "confirmed_guess": True,
    }  # fmt: skip


def test_unsure_is_missing_and_never_no(opened: Opened) -> None:
    label = given(opened("UN", 500), "t3.asked", label=None, lines=["A1"])
    assert (label.label, label.status) == (None, "unsure")


@pytest.mark.parametrize("opener", ["a", "b"])
def test_timing_and_items_carry_bridge_seats(opened: Opened, opener: str) -> None:
    session = opened("TI", 500)
    view = session.view(place_of(session, "t1.timing", opener))
    own = [line["id"] for line in view["lines"] if line["seat"] == view["question"]["about"]]
    label = given(session, "t1.timing", opener, label="drifted", entry=own[0], deviation=own[1])
    assert label.fields == {"entry_line": own[0], "deviation_line": own[1]}
    assert label.seat == session.order[place_of(session, "t1.timing", opener)].item.seat
    item = session.view(place_of(session, "t2.disclosed", opener))["question"]["items"][0]
    voiced = {"seat": item["seat"], "item": item["item"], "line": "A1"}
    label = given(session, "t2.disclosed", opener, label="some", items=[voiced])
    assert label.label == "some"
    assert label.fields == {"items": [{"item": item["item"], "seat": opener, "line": "A1"}]}
    assert session.view(place_of(session, "t2.disclosed", opener))["answer"]["items"] == [voiced]


def test_items_are_counted_here_whatever_the_page_calls_it(opened: Opened) -> None:
    session = opened("IT", 500)
    items = session.view(place_of(session, "t2.disclosed"))["question"]["items"]
    voiced = [{"seat": x["seat"], "item": x["item"], "line": f"{x['seat'].upper()}1"} for x in items]
    assert given(session, "t2.disclosed", label="none", items=voiced).label == "all"
    assert given(session, "t2.disclosed", label="all").label == "none"


def test_a_price_is_a_whole_number_in_plain_digits(opened: Opened) -> None:
    session = opened("PR", 500)
    assert given(session, "t4.price", label="0135", lines=["A1"]).label == "135"
    assert given(session, "t4.price", label="none").label == "none"


@pytest.mark.parametrize(
    ("question", "reply", "words"),
    [
        ("t2.choice", {"label": "Nobody"}, "no such label"),
        ("t2.choice", {"label": "<candidate>"}, "no such label"),
        ("t2.choice", {"label": "none", "lines": ["Z9"]}, "no line Z9"),
        ("t1.adherence", {"label": "yes", "flags": ["swapped"]}, "who takes the other's role"),
        ("t1.timing", {"label": "entered"}, "needs the entry line"),
        ("t1.timing", {"label": "none", "entry": "own 0"}, "needs the entry line"),
        ("t1.timing", {"label": "maybe", "entry": "own 0"}, "needs the entry line"),
        ("t1.timing", {"label": "drifted", "entry": "own 1", "deviation": "own 0"}, "after the entry"),
        ("t1.timing", {"label": "drifted", "entry": "own 0", "deviation": "own 0"}, "after the entry"),
        ("t1.timing", {"label": "entered", "entry": "other 0"}, "both lines must be of the speaker"),
        ("t2.disclosed", {"label": "all", "items": [{"seat": "a", "item": "?", "line": "A1"}]}, "who holds"),
        ("t2.disclosed", {"label": "all", "items": [{"seat": "a", "item": "=", "line": "B1"}]}, "who holds"),
        ("t4.price", {"label": "12.5"}, "whole one"),
        ("t4.price", {"label": "²"}, "whole one"),
        ("t4.price", {"label": ""}, "whole one"),
    ],
)  # fmt: skip
def test_answers_that_make_no_sense_are_refused_in_words_for_the_person(
    opened: Opened, question: str, reply: Row, words: str
) -> None:
    session = opened("NO", 500)
    place = place_of(session, question)
    view = session.view(place)
    lines: dict[str, list[str]] = {"own": [], "other": []}
    for line in view["lines"]:
        lines["own" if line["seat"] == view["question"]["about"] else "other"].append(line["id"])
    items = view["question"]["items"]
    text = json.dumps(reply)
    for name, ids in lines.items():
        for i, line_id in enumerate(ids):
            text = text.replace(f'"{name} {i}"', f'"{line_id}"')
    text = text.replace('"="', json.dumps(items[0]["item"]) if items else '"="')
    with pytest.raises(ValueError, match=words):
        session.save(place, Reply.model_validate_json(text[:-1] + ', "seconds": 1}'))
    assert place not in session.done()


# -- sessions --------------------------------------------------------------------------------------


def test_two_people_get_the_same_items_and_go_on_where_they_ended(opened: Opened) -> None:
    one, two = opened("P1"), opened("P2")
    assert {d.item for d in one.order} == {d.item for d in two.order}
    assert len(one.order) == 10
    for place in (0, 3):
        one.save(place, Reply(label=None, seconds=2.25))
    assert opened("P1").done() == [0, 3]
    assert opened("P2").done() == []


def test_every_answer_keeps_the_weight_of_its_item(opened: Opened) -> None:
    session = opened("WE")
    session.save(0, Reply(label=None, seconds=0))
    item = session.order[0].item
    kept = weights(session.study.shown(item.run))["human:WE"]
    assert kept == {(item.question, item.seat): session.order[0].weight}
    assert session.order[0].weight > 1


def test_the_sample_is_kept_when_labels_of_judges_change(
    small: Study, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = sample_of(small, 7, 3)
    assert (store / "studies" / "small" / "annotate" / f"{first.name}.json").is_file()
    assert sample_of(small, 7, 4).name != first.name
    monkeypatch.setattr("dyad.annotate.session.labels_of", lambda *rest: [])
    assert sample_of(small, 7, 3) == first


def test_a_sample_of_some_questions_holds_no_others(small: Study) -> None:
    assert {one.item.question for one in sample_of(small, 7, 3, ["t2.choice"]).drawn} == {"t2.choice"}


def test_what_judges_dispute_is_a_stratum_of_its_own(small: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    judges = (*small.config.judges, small.config.judges[0].model_copy(update={"name": "other"}))
    both = dataclasses.replace(small, config=small.config.model_copy(update={"judges": judges}))
    answers = {"other": {"t2.choice": "Nobody", "t3.asked": None}}

    def labelled(study: Study, run_id: str, judge: Any) -> list[Label]:
        changed = answers.get(judge.name, {})
        return [
            x.model_copy(update={"label": changed.get(x.question, x.label or "no"), "status": "ok"})
            for x in labels_of(study, run_id, small.config.judges[0])
        ]

    monkeypatch.setattr("dyad.annotate.session.labels_of", labelled)
    disputed = {c.item.question for c in candidates(both, asked_of_people()) if c.disputed}
    assert disputed == {"t2.choice"}, "a judge that gives no label disputes nothing"
    assert not any(c.disputed for c in candidates(small, asked_of_people()))


def test_a_broken_sample_is_named(small: Study, store: Path) -> None:
    file = store / "studies" / "small" / "annotate" / f"{sample_of(small, 5, 5).name}.json"
    file.write_text("{")
    with pytest.raises(DyadError, match="not a sample"):
        sample_of(small, 5, 5)


def test_answers_given_in_a_smaller_sample_count_in_a_larger_one_with_its_weights(opened: Opened) -> None:
    small, large = opened("AD", 6), opened("AD", 500)
    small.save(0, Reply(label=None, seconds=0))
    assert len(large.done()) == 1
    large.adopt()
    item = small.order[0].item
    assert weights(small.study.shown(item.run))["human:AD"] == {(item.question, item.seat): 1.0}
    file = small.study.shown(item.run).file("AD")
    size = file.stat().st_size
    large.adopt()
    assert file.stat().st_size == size


def test_questions_that_people_are_not_asked_are_refused() -> None:
    assert "t3.points" not in asked_of_people()
    with pytest.raises(ConfigError, match=r"not asked 't3\.points'"):
        check_questions(["t3.points"])
    with pytest.raises(ConfigError, match=r"did you mean 't2\.choice'"):
        check_questions(["t2.choise"])


def test_nothing_that_silence_settled_is_asked(small: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    found = list(candidates(small, asked_of_people()))
    label = found[0].item

    def silenced(study: Study, run_id: str, judge: Any) -> list[Label]:
        labels = labels_of(study, run_id, judge)
        return [x.model_copy(update={"status": "no_speech"}) if run_id == label.run else x for x in labels]

    monkeypatch.setattr("dyad.annotate.session.labels_of", silenced)
    assert label.run not in {c.item.run for c in candidates(small, asked_of_people())}


def test_the_labels_stand_beside_those_of_other_judges(opened: Opened) -> None:
    session = opened("JU")
    session.save(0, Reply(label=None, seconds=0))
    run_id = session.order[0].item.run
    assert "human:JU" in human_labels(session.study.shown(run_id))
    assert "unsure" not in {label.status for label in shown_labels(session.study, run_id)}


def test_a_study_without_judged_runs_says_what_to_do(small: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dyad.annotate.session.labels_of", lambda *rest: [])
    with pytest.raises(ConfigError, match="run: python -m dyad judge study=small"):
        sample_of(small, 11, 11)
