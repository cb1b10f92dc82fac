"""How names sound, in kana as in Latin letters."""

from __future__ import annotations

import pytest

from dyad.library.names import edit_distance, plain, romaji, sound_key


@pytest.mark.parametrize(
    ("kana", "latin"),
    [("コスモス", "kosumosu"), ("きょうと", "kyouto"), ("しゃしん", "shashin"), ("かっぱ", "kappa"),
     ("まっちゃ", "maccha"), ("ファーム", "famu"), ("ティム", "timu"), ("ｶﾞﾗｽ", "garasu"),
     ("O'Neil", "O'Neil")],
)  # fmt: skip
def test_kana_is_romanised(kana: str, latin: str) -> None:
    assert romaji(kana) == latin


def test_both_kana_sound_alike_and_other_names_do_not() -> None:
    assert plain("ひまわり") == plain("ヒマワリ") == "himawari"
    assert sound_key("すみれ") == sound_key("スミレ") == sound_key("sumire") != sound_key("コスモス")
    assert edit_distance("タンポポ", "tanpopo") == 0
    assert edit_distance("コスモス", "スミレ") >= 3
