"""Folding of French, Japanese and Chinese; English keeps its own tests."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.text import find_numbers, fold, has_phrase, joined, met, number_words, stem, tokens, word_count

LANGUAGES = ("fr", "ja", "zh")


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("L’eau, d'accord ?", "l eau d accord"),
        ("Qu'est-ce qu'il n'a pas ?", "qu est ce qu il n a pas"),
        ("aujourd'hui jusqu'ici", "aujourdhui jusqu ici"),
        ("Élodie, à l'œuvre !", "elodie a l oeuvre"),
        ("quatre-vingt-dix-sept euros", "97 euros"),
        ("soixante et onze, cent vingt", "71 120"),
        ("septante-deux ou nonante", "72 ou 90"),
    ],
)
def test_french(text: str, folded: str) -> None:
    assert fold(text, "fr") == folded


def test_english_knows_neither_elisions_nor_french_numbers() -> None:
    assert fold("one cent, c'mon, seize the UN in Sept") == "1 cent cmon seize the un in sept"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("コスモスは、だめ！", "こ す も す は だ め"),
        ("ガラスとｶﾞﾗｽ", "が ら す と が ら す"),  # voicing marks are no accents
        ("１２０円、百二十円", "120 円 120 円"),
        ("八十か二百五", "80 か 205"),
        ("我们选A3，一百二十块。", "我 们 选 a 3 120 块"),
        ("两百零五，一百八", "205 180"),
        ("一千零二十", "1020"),
        ("3百円と2千5百円", "300 円 と 2500 円"),
        ("三万円、2万円", "30000 円 20000 円"),
    ],
)
def test_scripts_without_spaces(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_punctuation_keeps_numbers_apart() -> None:
    assert find_numbers("二十、三。五！百") == [20, 3, 5, 100]
    assert find_numbers("vingt, trois", "fr") == [20, 3]


def test_a_unit_left_out_is_read_as_the_language_means_it() -> None:
    assert find_numbers("三百二", "zh") == [320]
    assert find_numbers("三百二", "ja") == [302]
    assert find_numbers("两千五", "zh") == [2500]


def test_what_is_beyond_all_prices_is_no_price() -> None:
    assert find_numbers("一万二千円です", "ja") == []
    assert find_numbers("3万5千円か、五千円", "ja") == [5000]
    assert find_numbers("十万块，八十块", "zh") == [80]


@pytest.mark.parametrize("lang", LANGUAGES)
@given(n=st.integers(0, 9999))
def test_words_and_digits_are_the_same_number(lang: str, n: int) -> None:
    assert fold(number_words(n, lang), lang) == str(n)
    assert find_numbers(f"{number_words(n, lang)}.", lang) == [n]


@pytest.mark.parametrize(
    ("n", "fr", "ja", "zh"),
    [
        (71, "soixante et onze", "七十一", "七十一"),
        (80, "quatre-vingts", "八十", "八十"),
        (120, "cent vingt", "百二十", "一百二十"),
        (205, "deux cent cinq", "二百五", "两百零五"),
        (999, "neuf cent quatre-vingt-dix-neuf", "九百九十九", "九百九十九"),
    ],
)
def test_numbers_are_spelt_as_people_say_them(n: int, fr: str, ja: str, zh: str) -> None:
    assert [number_words(n, lang) for lang in LANGUAGES] == [fr, ja, zh]


def test_phrases_are_adjacent_characters() -> None:
    assert has_phrase("では、ひまわりにします", "ヒマワリ")
    assert not has_phrase("ひまとわり", "ヒマワリ")
    assert has_phrase("那就选海棠吧", "海棠")
    assert not has_phrase("海边的棠花", "海棠")
    assert met(("八人",), "定員は8人です")


def test_french_endings_that_nobody_hears_do_not_count() -> None:
    assert has_phrase("elles sont déjà réservées", "déjà réservé", "fr")
    assert stem("fermer", "fr") == stem("fermee", "fr")
    assert stem("port", "fr") != stem("pont", "fr")


def test_words_are_counted_in_every_script() -> None:
    assert word_count("one two, three") == 3
    assert word_count("好，我同意。") == 2
    assert word_count("") == 0


def test_joined_puts_no_space_between_characters() -> None:
    assert joined(["那", "就", "@0", "吧", "ok", "go"]) == "那就 @0 吧 ok go"


@given(st.text("あアがガ一十百海a1、。 ", max_size=12))
def test_folding_twice_changes_nothing_but_numbers_that_meet(text: str) -> None:
    once = tokens(text)
    assert all(word and not any(c.isspace() for c in word) for word in once)
    assert tokens("。".join(once)) == once


@given(st.text("海棠花春山水、。 ", min_size=1, max_size=12), st.text("海棠花春山", min_size=1, max_size=3))
def test_a_phrase_is_in_a_line_when_its_characters_stand_there_side_by_side(line: str, phrase: str) -> None:
    said = "".join(tokens(line))
    assert has_phrase(line, phrase) is (phrase in said)


@given(st.lists(st.sampled_from(["l'été", "déjà", "où", "ça", "Noël", "qu'il"]), min_size=1, max_size=6))
def test_accents_and_case_are_no_difference_in_french(words: list[str]) -> None:
    line = " ".join(words)
    bare = "".join(c for c in unicodedata.normalize("NFD", line) if not unicodedata.combining(c))
    assert fold(line, "fr") == fold(line.upper(), "fr") == fold(bare, "fr")
