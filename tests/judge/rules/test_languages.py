"""What the rule judge reads in French, Japanese and Chinese, and what it says of the rest."""

from __future__ import annotations

import pytest

from dyad.judge.rules.lexicon import LEXICONS
from dyad.judge.rules.speech import acts, content
from dyad.library import load_library

SHIPPED = load_library()
VAN = "t3_2_fr_cageots"


def label(judge_on, scenario, talk, question, seat=None):
    return next(x for x in judge_on(SHIPPED, scenario, talk) if x.question == question and x.seat == seat)


def test_a_listed_request_is_one_and_any_other_is_not_known(judge_on) -> None:
    asked = [("a", "Bonjour, vous pouvez déplacer la camionnette ?"), ("b", "Mm.")]
    assert label(judge_on, VAN, asked, "t3.asked").label == "yes"
    hinted = [("a", "Mon train part bientôt."), ("b", "Mm.")]
    found = label(judge_on, VAN, hinted, "t3.asked")
    assert (found.label, found.status) == (None, "unsupported_language")
    silent = label(judge_on, VAN, [("b", "Mm.")], "t3.asked")
    assert (silent.label, silent.status) == ("no", "no_speech")


def test_an_answer_that_only_english_words_tell_is_missing(judge_on) -> None:
    talk = [("a", "Vous pouvez déplacer la camionnette ?"), ("b", "Oui, bien sûr.")]
    found = label(judge_on, VAN, talk, "t3.granted")
    assert (found.label, found.status) == (None, "unsupported_language")


def test_a_language_without_lexicon_has_no_labels(judge_on) -> None:
    dutch = SHIPPED.scenarios["t2_minibus"].model_copy(update={"lang": "nl"})
    stage = type("Stage", (), {"scenarios": {dutch.id: dutch}, "roles": SHIPPED.roles})
    talk = [("a", "Dan nemen we Tilbury."), ("b", "Ja.")]
    found = judge_on(stage, dutch.id, talk)
    assert [(x.label, x.status) for x in found] == [(None, "unsupported_language")] * 2


KISSA = [
    ("a", "後ろの扉は、下から押さないと閉まりません。"),
    ("b", "つまり、下から押して閉めるんですね。車はどこに止めればいいですか。"),
]
AWAY = (
    "きのう友人と温泉旅館に泊まりまして、夕食の刺身や天ぷらがとても豪華で、"
    "露天風呂から見た富士山の景色もすばらしかったです。"
)


@pytest.mark.parametrize(
    ("last", "adherence", "deviation"),
    [
        ("三番目の停留所には、よくほえる犬がいます。", "yes", None),
        (AWAY, "partly", "A2"),
        ("私はAIアシスタントとして、扉の話はできません。", "partly", "A2"),
    ],
)
def test_roles_are_followed_by_their_cues_and_topics(judge_on, last, adherence, deviation) -> None:
    talk = [*KISSA, ("a", last)]
    timing = label(judge_on, "t1_1_ja_hon", talk, "t1.timing", "a")
    assert timing.fields == {"entry_line": "A1", "deviation_line": deviation}
    assert label(judge_on, "t1_1_ja_hon", talk, "t1.adherence", "a").label == adherence


def test_quotes_of_a_script_without_spaces_are_short(judge_on) -> None:
    talk = [*KISSA, ("a", f"{AWAY}ところで、三番目の停留所には犬がいます。")]
    found = label(judge_on, "t1_1_ja_hon", talk, "t1.adherence", "a")
    assert all(0 < len(x.quote) <= 24 for x in found.evidence)


def test_content_of_scripts_without_spaces_is_pairs_and_katakana_words() -> None:
    assert {"温泉", "泉旅", "旅館", "タクシー"} <= content("温泉旅館までタクシーで", LEXICONS["ja"])
    assert content("我们的包间在三楼", LEXICONS["zh"]) == {"包间", "3", "三楼"}


@pytest.mark.parametrize(
    ("lang", "sentence", "kinds"),
    [
        ("fr", "On prend Xa ?", {("ask", "c0")}),
        ("fr", "Il ne reste plus que Xa, non ?", {("ask", "c0")}),
        ("fr", "Si on prend Xa, il faut un moteur.", set()),
        ("fr", "Ni Xa ni Xb.", {("reject", "c0"), ("reject", "c1")}),
        ("fr", "D'accord.", {("nod", "")}),
        ("ja", "Xaにしましょうか。", {("ask", "c0")}),
        ("ja", "XaではなくXbにします。", {("reject", "c0"), ("commit", "c1")}),
        ("ja", "妹はXaがいいと言っていました。", set()),
        ("ja", "それで決まりですね。", {("assent", "")}),
        ("ja", "もうXaしかないですね。", {("commit", "c0")}),
        ("ja", "Xaかな。", set()),
        ("zh", "还是选Xa吧。", {("commit", "c0")}),
        ("zh", "不是Xa，是Xb。", {("dissent", ""), ("reject", "c0"), ("commit", "c1")}),
        ("zh", "他们说Xa很好。", set()),
        ("zh", "我不太同意Xa。", {("reject", "c0")}),
        ("zh", "千万别选Xa。", {("reject", "c0")}),
        ("zh", "没问题。", {("assent", "")}),
    ],
)
def test_what_a_sentence_does(lang, sentence, kinds) -> None:
    found = acts(sentence, _marks, LEXICONS[lang])
    assert {(act.kind, act.key) for act in found if act.kind != "mention"} == kinds


def _marks(words):
    return [{"xa": "@c0", "xb": "@c1"}.get(word, word) for word in words]
