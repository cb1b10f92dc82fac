"""The texts of the stimuli: counts, shapes, originality within the set."""

from __future__ import annotations

from collections import Counter

import pytest
from pydantic import ValidationError

from dyad.suites.mini.texts import SETS, Item, TextSet, load_set
from dyad.text import tokens

ITEM = {"id": 0, "voice": "heart", "gaps": [1.0], "turns": ["Once upon,", "a time."]}


@pytest.mark.parametrize("name", SETS)
def test_each_set_has_ten_stimuli_by_several_voices(name: str) -> None:
    texts = load_set(name)
    assert [item.id for item in texts.items] == list(range(10))
    assert len({item.voice for item in texts.items}) >= 5
    assert (texts.version == "v1_5") == (texts.kind == "overlap") == name.startswith("mini_overlap_")


def test_no_turn_is_said_twice() -> None:
    said = Counter(turn for name in SETS for item in load_set(name).items for turn in item.turns)
    assert [turn for turn, times in said.items() if times > 1] == []
    assert len(said) == 20 + 40 + 10 + 20 + 80


@pytest.mark.parametrize(
    "name", [n for n in SETS if load_set(n).kind in ("turn_taking", "interruption", "overlap")]
)
def test_what_asks_for_an_answer_leaves_time_for_it(name: str) -> None:
    assert load_set(name).tail_s >= 6


@pytest.mark.parametrize("name", [n for n in SETS if load_set(n).kind in ("interruption", "overlap")])
def test_the_second_turn_comes_when_an_answer_is_under_way(name: str) -> None:
    assert all(2.8 <= item.gaps[0] <= 3.8 for item in load_set(name).items)


def test_pauses_are_longer_than_breaths() -> None:
    assert all(1.2 <= item.gaps[0] <= 2.4 for item in load_set("mini_pause_handling").items)
    breaths = [gap for item in load_set("mini_backchannel").items for gap in item.gaps]
    assert max(breaths) <= 0.45


def test_an_interruption_is_long_and_a_backchannel_short() -> None:
    for item in load_set("mini_overlap_user_backchannel").items:
        assert len(tokens(item.turns[1])) <= 2
    for name in (
        "mini_user_interruption",
        "mini_overlap_user_interruption",
        "mini_overlap_background_speech",
    ):
        assert all(len(tokens(item.turns[1])) >= 6 for item in load_set(name).items)


def test_only_background_speech_has_another_voice() -> None:
    for name in SETS:
        others = [item.other not in (None, item.voice) for item in load_set(name).items]
        assert set(others) == {name == "mini_overlap_background_speech"}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"gaps": []}, "a gap between each two"),
        ({"turns": ["Once upon a time."], "gaps": []}, "must have 2 turns"),
        ({"turns": ["Once upon,", "a time in 1820."]}, "pattern"),
        ({"turns": ["Once upon,", "a café."]}, "pattern"),
        ({"id": 1}, "ids 0, 1, 2"),
        ({"voice": "nobody"}, "heart"),
    ],
)
def test_a_faulty_item_is_refused(change: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        TextSet.model_validate({"kind": "pause", "version": "v1_0", "tail_s": 0, "items": [ITEM | change]})


def test_the_other_voice_speaks_from_the_second_turn_on() -> None:
    item = Item.model_validate(ITEM | {"other": "deep"})
    assert [item.voice_of(k) for k in range(2)] == ["heart", "deep"]
