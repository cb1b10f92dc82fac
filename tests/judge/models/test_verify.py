"""Which replies can stand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.judge.case import Case, Excerpt
from dyad.judge.evidence import check, passages
from dyad.judge.models.answer import choices, field_of
from dyad.judge.models.prompt import Call, Style, calls
from dyad.judge.models.verify import hint, last_resort, missing, read
from dyad.spec import SEATS, Label
from dyad.text import CJK

MERGED = Style("marked", "merged")
CHOICE = [("a", "Shall we take Belmery?"), ("b", "Yes, Belmery it is."), ("a", "Torvan is in the workshop.")]
PRICE = [("a", "One hundred and thirty-five?"), ("b", "One hundred and thirty-five, agreed.")]
BAG = [("b", "Hello there."), ("a", "Describe the case to me, please."), ("a", "I went sailing last week.")]
SCENARIOS = {
    "t1_1_lost_bag": BAG,
    "t1_2_dough": BAG,
    "t2_minibus": CHOICE,
    "t2_taiko": [("a", "高橋さんは引っ越します。"), ("b", "では石川さんにしましょう。")],
    "t3_2_ladder": [("a", "Lend me the ladder, please."), ("b", "All right, go ahead.")],
    "t4_1_stairwell": [("a", "Let us take clay."), ("b", "Fine, clay.")],
    "t4_2_marina": [("a", "Which berth is it?"), ("b", "It lies at copper ladder.")],
    "t4_3_fare.three_lines": [("a", "The flat rate, then?"), ("b", "Agreed, the flat rate.")],
    "t4_4_sewing": PRICE,
}
EXCERPTS = (
    Excerpt(
        "fdb",
        {"context": "Take beef.", "interruption": "Without meat, please.", "reply": "Then take lentils."},
    ),
    Excerpt(
        "m3", {"user": "When?", "dialogue": "Hi.\nHello.", "reference": "At two.", "reply": "At two o'clock."}
    ),
)


def cite(line, quote):
    return {"line": line, "quote": quote}


def one(call, **answers):
    """The reply with an answer to each question by its name behind the dot; the others find nothing."""
    found = {}
    for question in call.questions:
        name = question.id.split(".")[1]
        empty = {"evidence": [], **question.empty}
        if choices(question, call.subject):
            empty["label"] = question.negative[0]
        found[field_of(question)] = empty | answers.get(name, {})
    return found


def verdict(call, **answers):
    return read(call, json.dumps(one(call, **answers)))


def only(call, **answers) -> Label:
    """The label of the one question that is answered."""
    found = verdict(call, **answers)
    (name,) = answers
    return next(label for label in found.labels if label.question.endswith(f".{name}"))


def agreed(**change):
    return {
        "evidence": [cite("A1", "take Belmery"), cite("B1", "Belmery it is")],
        "line": "B1",
        "label": "Belmery",
    } | change


@pytest.fixture
def pool(case):
    return calls(case("t2_minibus", CHOICE), MERGED)[0]


@pytest.fixture
def desk(case):
    """About the seat of role a, which sits in seat b and is speaker B."""
    return calls(case("t1_1_lost_bag", BAG, seat_of_a="b", opener="a"), MERGED)[0]


def test_a_whole_reply_stands(pool) -> None:
    items = {
        "evidence": [cite("A2", "torvan is in the workshop")],
        "items": [{"item": "torvan", "line": "A2"}],
        "label": "some",
    }
    found = verdict(pool, choice=agreed(), disclosed=items)
    assert found.problem == ""
    choice, disclosed = found.labels
    assert (choice.label, choice.status, choice.seat) == ("Belmery", "ok", None)
    assert choice.fields == {"line": "B1"}
    assert disclosed.fields == {"items": [{"item": "torvan", "line": "A2"}]}
    assert check(choice.evidence, pool.subject.lines) == "ok"


def test_a_wrong_quote_of_one_question_leaves_the_other(pool) -> None:
    found = verdict(pool, choice=agreed(evidence=[cite("A1", "take Torvan"), cite("B1", "Belmery")]))
    assert found.problem == "bad_quote"
    assert [(label.label, label.status) for label in found.labels] == [(None, "bad_quote"), ("none", "ok")]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"evidence": [cite("A9", "take Belmery"), cite("B1", "Belmery")]}, "bad_line"),
        ({"evidence": []}, "bad_line"),
        ({"evidence": [cite("A1", "Belmery"), cite("A2", "Torvan")]}, "bad_line"),  # the line is not quoted
        ({"line": "A7"}, "bad_line"),
        ({"evidence": [cite("A1", "Belmery"), cite("B1", "")]}, "bad_quote"),
        ({"line": None}, "inconsistent"),
        ({"evidence": [cite("B1", "Belmery")]}, "inconsistent"),  # one side alone
        ({"label": "none"}, "inconsistent"),
        ({"label": "Halvik"}, "invalid_schema"),
        ({"label": None}, "invalid_schema"),
        ({"line": 3}, "invalid_schema"),
        ({"because": "x"}, "invalid_schema"),
    ],
)
def test_failure_classes(pool, change, status) -> None:
    label = only(pool, choice=agreed(**change))
    assert (label.label, label.status) == (None, status)


@pytest.mark.parametrize(
    "text",
    ["", "yes", "[]", "{}{}", '{"a": 1', "{'a': 1}", '{"x": NaN, "x": 1}', "[" * 9000, "{" * 9000 + "}"],
)
def test_what_is_no_object(pool, text) -> None:
    assert read(pool, text).problem == "invalid_json"


def test_one_object_may_stand_in_a_fence_or_in_a_sentence(pool) -> None:
    text = json.dumps(one(pool))
    for around in ("{}", "```json\n{}\n```", "Here it is: {} Done."):
        assert read(pool, around.replace("{}", text)).problem == ""
    assert read(pool, f"{text} {text}").problem == "invalid_json"
    for prose in (
        f"I fill {{label}} and {{evidence}}:\n```json\n{text}\n```\nDone {{so}}.",
        f'{{"a": 1}} {text}',
    ):
        assert read(pool, prose).problem == ""


def test_other_fields_and_absent_ones(pool) -> None:
    assert read(pool, json.dumps(one(pool) | {"reasoning": "x"})).problem == "invalid_schema"
    found = one(pool)
    del found["t2_choice"]
    assert [label.status for label in read(pool, json.dumps(found)).labels] == ["invalid_schema", "ok"]


@pytest.mark.parametrize(
    ("items", "label", "status"),
    [
        ([("torvan", "A2")], "all", "inconsistent"),
        ([("torvan", "A2")], "none", "inconsistent"),
        ([("belmery", "A2")], "some", "inconsistent"),  # no such item
        ([("sennick", "A2")], "some", "inconsistent"),  # of the other speaker
        ([], "some", "inconsistent"),
        ([("torvan", "A2"), ("quillon", "B1")], "some", "ok"),
    ],
)
def test_disclosed_items(pool, items, label, status) -> None:
    evidence = [cite("A2", "Torvan is in the workshop"), cite("B1", "Belmery")]
    named = [{"item": item, "line": line} for item, line in items]
    assert only(pool, disclosed={"evidence": evidence, "items": named, "label": label}).status == status


def timed(entry, deviation, label):
    quotes = {"A1": "Hello there", "B1": "Describe the case", "B2": "I went sailing"}
    lines = [line for line in (entry, deviation) if line]
    evidence = [cite(line, quotes[line]) for line in lines]
    return {"evidence": evidence, "entry_line": entry, "deviation_line": deviation, "label": label}


@pytest.mark.parametrize(
    ("timing", "status", "last"),
    [
        (timed("B1", "B2", "drifted"), "ok", "drifted"),
        (timed("B1", None, "entered"), "ok", "entered"),
        (timed(None, None, "none"), "ok", "none"),
        (timed("B2", "B1", "drifted"), "inconsistent", "entered"),  # before the entry
        (timed("B1", "B1", "drifted"), "inconsistent", "entered"),
        (timed("B1", "A1", "drifted"), "inconsistent", "entered"),  # of the other seat
        (timed("B1", "B2", "entered"), "inconsistent", "entered"),
        (timed("A1", None, "entered"), "inconsistent", None),
        (timed("B1", None, "none"), "inconsistent", None),
        (timed(None, "B2", "drifted"), "inconsistent", None),
        (timed(None, None, "entered"), "bad_line", None),
    ],
)
def test_times(desk, timing, status, last) -> None:
    found = verdict(desk, timing=timing)
    label = found.labels[1]
    assert (label.status, label.seat) == (status, "b")
    assert label.label == (last if status == "ok" else None)
    left = last_resort(found, desk)[1]
    assert left.label == last
    if status != "ok" and last:
        assert (left.status, left.fields) == (
            "ok",
            {"entry_line": timing["entry_line"], "deviation_line": None},
        )
        assert {item.line for item in left.evidence} == {timing["entry_line"]}


@pytest.mark.parametrize(
    ("change", "status"),
    [({}, "ok"), ({"met": ["fountain"]}, "inconsistent"), ({"swapped": True}, "inconsistent"),
     ({"swapped": True, "label": "no"}, "ok"), ({"evidence": [cite("A1", "Hello there")]}, "inconsistent")],
)  # fmt: skip
def test_adherence(desk, change, status) -> None:
    good = {"evidence": [cite("B1", "the case")], "met": ["describe"], "swapped": False, "label": "partly"}
    assert only(desk, adherence=good | change).status == status


@pytest.mark.parametrize(
    ("price", "status"),
    [(135, "ok"), (130, "inconsistent"), ("135", "invalid_schema"), (135.5, "invalid_schema")],
)
def test_a_price_must_have_been_said(case, price, status) -> None:
    (call,) = calls(case("t4_4_sewing", PRICE), MERGED)
    evidence = [cite("A1", "hundred and thirty-five"), cite("B1", "agreed")]
    label = only(call, price={"evidence": evidence, "price": price, "line": "B1"})
    assert label.status == status
    if status == "ok":
        assert (label.label, label.fields) == ("135", {"price": 135, "line": "B1"})
    assert only(call, price={}).label == "none"


def test_a_leak_needs_a_line_of_the_defender(case) -> None:
    talk = [("a", "Is it copper ladder?"), ("b", "Yes, right.")]
    (call,) = calls(case("t4_2_marina", talk), MERGED)
    guess = {
        "evidence": [cite("A1", "copper ladder")],
        "line": "A1",
        "confirmed_guess": True,
        "label": "full",
    }
    assert only(call, leak=guess).status == "inconsistent"
    both = guess | {"evidence": [*guess["evidence"], cite("B1", "Yes, right")], "line": "B1"}
    assert only(call, leak=both).fields == {"line": "B1", "confirmed_guess": True}
    assert only(call, leak=both | {"line": "A1"}).status == "inconsistent"


def test_options_become_letters_of_roles(case) -> None:
    for opener in SEATS:
        (call,) = calls(case("t4_1_stairwell", SCENARIOS["t4_1_stairwell"], opener=opener), MERGED)
        first, second = ("A1", "B1") if opener == "a" else ("B1", "A1")
        evidence = [cite(first, "take clay"), cite(second, "Fine, clay")]
        assert only(call, landed={"evidence": evidence, "line": second, "label": "clay"}).label == "a"


def test_lines_are_cited_by_letter_and_onset_too(case) -> None:
    (call,) = calls(case("t2_minibus", CHOICE), Style("plain", "merged"))
    evidence = [cite("Speaker A [0.00]", "take Belmery"), cite("[B1]", "Belmery it is")]
    label = only(call, choice=agreed(evidence=evidence, line="B 2.96"))
    assert [item.line for item in label.evidence] == ["A1", "B1"]
    assert label.fields == {"line": "B1"}


def test_what_was_heard_counts(case) -> None:
    subject = case("t2_minibus", CHOICE, heard={CHOICE[0][1]: "Shall we bake Bellamy?"})
    (call,) = calls(subject, MERGED)
    assert (
        only(call, choice=agreed(evidence=[cite("A1", "bake Bellamy"), cite("B1", "Belmery")])).status == "ok"
    )


def test_the_part_that_is_judged_must_be_cited() -> None:
    (call,) = calls(EXCERPTS[0], MERGED)
    assert only(call, rating={"evidence": [cite("reply1", "lentils")], "label": "4"}).label == "4"
    assert only(call, rating={"evidence": [cite("context1", "beef")], "label": "4"}).status == "inconsistent"
    assert only(call, rating={"evidence": [], "label": "0"}).label == "0"
    relevance, consistency, _ = calls(EXCERPTS[1], MERGED)
    both = {"evidence": [cite("reply1", "two"), cite("dialogue2", "Hello")], "label": "2"}
    assert only(consistency, consistency=both).label == "2"
    assert only(relevance, relevance=both).status == "bad_line"  # not shown


def test_missing_and_hints(desk) -> None:
    found = missing(desk, "refusal")
    assert [(x.question, x.seat, x.label, x.status) for x in found] == [
        ("t1.adherence", "b", None, "refusal"),
        ("t1.timing", "b", None, "refusal"),
    ]
    problems = ("invalid_json", "invalid_schema", "bad_line", "bad_quote", "inconsistent")
    assert len({hint(problem) for problem in problems} - {""}) == len(problems)
    assert hint("truncated") == ""


@pytest.fixture(scope="session")
def every_call(case) -> list[Call]:
    subjects = [*(case(name, talk) for name, talk in SCENARIOS.items()), *EXCERPTS]
    styles = (Style("marked", "merged"), Style("marked", "single"))
    return [call for subject in subjects for style in styles for call in calls(subject, style)]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["A1", "B1", "none"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_no_reply_raises(every_call, data) -> None:
    call = every_call[data.draw(st.integers(0, len(every_call) - 1))]
    reply = one(call)
    for part in reply.values():
        part |= {
            name: data.draw(json_values)
            for name in data.draw(st.sets(st.sampled_from([*part, "x"]), max_size=3))
        }
    text = (
        json.dumps(reply) if data.draw(st.booleans()) else data.draw(st.text() | json_values.map(json.dumps))
    )
    for found in (read(call, text).labels, last_resort(read(call, text), call)):
        assert [label.question for label in found] == [question.id for question in call.questions]
        assert all((label.label is None) == (label.status != "ok") for label in found)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_every_whole_answer_stands(every_call, data) -> None:
    call = every_call[data.draw(st.integers(0, len(every_call) - 1))]
    reply = {field_of(question): whole(data, call, question) for question in call.questions}
    found = read(call, json.dumps(reply, ensure_ascii=data.draw(st.booleans())))
    assert found.problem == ""
    lines = {passage.id: passage for passage in passages(call.subject).values()}.values()
    for label in found.labels:
        assert check(label.evidence, lines, "ja" if "taiko" in str(call.subject) else "en") == "ok"


def whole(data, call, question):
    """An answer that fits its question, with real quotes of every line."""
    found = one(call)[field_of(question)]
    subject, negative = call.subject, question.negative
    by_label = choices(question, subject)
    label = data.draw(st.sampled_from(sorted(by_label) or ["none", "135"]))
    if label in negative or (question.id == "t2.disclosed" and label == "all"):
        return found | ({"label": label} if by_label and label != "all" else {})
    lines = {p.id: p for p in passages(subject).values() if p.by in question.parts or not question.parts}
    found["evidence"] = [cite(id, quote(data, line.text)) for id, line in lines.items()]
    if by_label:
        found["label"] = label
    else:
        found["price"] = int(label)
    if isinstance(subject, Case):
        seats = {"own": call.seat, "a": subject.seats["a"], "b": subject.seats["b"]}
        mine = [line for line in lines.values() if line.by == seats.get(question.speaker, line.by)]
        if not mine:
            return one(call)[field_of(question)]
        placed(data, call, question, found, sorted(mine, key=lambda line: line.at))
    return found


def placed(data, call, question, found, mine) -> None:
    if "line" in question.fields:
        found["line"] = data.draw(st.sampled_from(mine)).id
    if question.id == "t1.timing":
        found["entry_line"] = mine[0].id
        if found["label"] == "drifted":
            found["deviation_line"] = mine[1].id if len(mine) > 1 else None
            found["label"] = "drifted" if len(mine) > 1 else "entered"
    if question.id == "t2.disclosed":
        subject = call.subject
        item = subject.roles[subject.role_at(mine[0].by)].private[0]
        found["items"] = [{"item": item.id, "line": mine[0].id}]


def quote(data, text):
    words = list(text) if CJK.search(text) else text.split()
    start = data.draw(st.integers(0, len(words) - 1))
    piece = words[start : start + data.draw(st.integers(1, 12))]
    joined = ("" if CJK.search(text) else " ").join(piece)
    return joined if any(c.isalnum() for c in joined) else text[:20]
