"""Events of a dialogue, the hard filters, and the cap."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.suites.prepare.backchannels import backchannels
from dyad.suites.prepare.choose import choose, shares
from dyad.suites.prepare.events import Sample, Voices, samples
from dyad.suites.prepare.turns import Turn, turns
from dyad.suites.words import Timed

FRENCH = backchannels("fr")


def speech(*spans: tuple[float, float], text: str = "mot") -> list[Timed]:
    return [Timed(text, *span) for span in spans]


def found(user: list[Timed], other: list[Timed], task: str) -> list[Sample]:
    words = (tuple(user), tuple(other))
    voices = Voices(words, (tuple(turns(user)), tuple(turns(other))))
    return [sample for sample in samples("d", voices, 0, FRENCH) if sample.task == task]


def test_the_worked_example_has_two_pauses_in_one_turn():
    words = speech((0, 0.3), (0.35, 0.7), (0.95, 1.2), (2.1, 2.5), (4.5, 4.9), (6.95, 7.3))
    first, second = found(words, [], "pause_handling")
    assert (first.start, first.end, first.span) == (0, 4.9, (1.2, 2.1))
    assert (second.start, second.end, second.span) == (0, 4.9, (2.5, 4.5))
    assert first.quality == pytest.approx(0.852144 * 0.9 * 0.8, abs=1e-5)  # speech before .9 s, after .8 s
    assert not first.fault


def test_a_pause_outside_of_its_turn_is_dropped():
    """In a corpus with turns of its own, an aligner may place words elsewhere."""
    turn = Turn(10.0, 12.0, tuple(speech((8.0, 8.5), (9.5, 10.5))))
    voices = Voices((turn.words, ()), ((turn,), ()))
    (sample,) = samples("d", voices, 0, FRENCH)
    assert sample.fault == "pause outside of the turn"


@pytest.mark.parametrize(
    ("answer", "gaps"),
    [
        (2.25, [0.25]),
        (2.0, [0]),  # at once
        (2.999, [0.999]),
        (3.0, []),  # 1.0 s is not below 1.0 s
        (1.9, []),  # an overlap
    ],
)
def test_smooth_changes(answer: float, gaps: list[float]):
    user = speech((0, 0.5), (0.8, 1.4), (1.45, 2.0))
    smooth = found(user, speech((answer, answer + 1)), "turn_taking")
    assert [s.span[1] - s.span[0] for s in smooth] == pytest.approx(gaps)
    assert [1 - s.quality for s in smooth] == pytest.approx(gaps)
    assert all((s.start, s.end, s.tail_s) == (0.8, 2.0, 5.0) for s in smooth)  # the last sentence


def test_no_change_where_the_user_goes_on_first():
    """In a corpus with turns of its own, a speaker may have two in a row."""
    mine = tuple(Turn(s, e, tuple(speech((s, e)))) for s, e in ((0, 2), (2.2, 4)))
    other = (Turn(2.5, 3, tuple(speech((2.5, 3)))),)
    words = (tuple(w for t in mine for w in t.words), other[0].words)
    tasks = [s.task for s in samples("d", Voices(words, (mine, other)), 0, FRENCH)]
    assert "turn_taking" not in tasks


@pytest.mark.parametrize(
    ("context", "fault"),
    [
        ((0, 1.0), ""),
        ((0, 0.5), ""),
        ((0, 0.4), "context shorter than 0.5 s"),
        ((0, 5.0), ""),
        ((0, 5.1), "context longer than 5.0 s"),
        (None, "no context"),
    ],
)
def test_interruptions(context: tuple[float, float] | None, fault: str):
    before = speech(context) if context else []
    user = [*before, *speech((10.0, 10.4), (10.45, 11.0), (11.5, 12.0))]
    (one,) = found(user, speech((6, 8), (8.5, 10.3)), "user_interruption")
    assert one.fault == fault
    assert one.span == (10.0, 11.0)  # its first sentence
    assert (one.start, one.end, one.tail_s) == (0 if context else 10, 11.0, 5.0)
    assert one.quality == pytest.approx(0 if fault else 0.3 / 0.5)


@pytest.mark.parametrize("text", ["oui", "Ah,", "d'accord"])
def test_a_backchannel_is_no_interruption_and_no_context(text: str):
    talk = speech((6, 8), (8.5, 10.3))
    said = [*speech((0, 1), text="quoi"), *speech((3, 3.4), text=text), *speech((9, 9.4), text=text)]
    assert found(said, talk, "user_interruption") == []
    (one,) = found([*said[:2], *speech((9, 9.8))], talk, "user_interruption")
    assert one.context is not None
    assert one.context.text == "quoi"


def long_turn(until: float) -> list[Timed]:
    return speech(*[(0.5 * i, 0.5 * i + 0.45) for i in range(round(until / 0.5))])


@pytest.mark.parametrize(
    ("other", "units"),
    [
        ([("oui", 5, 5.3)], 1),
        ([("oui", 5, 5.3), ("mhm", 9, 9.4)], 2),
        ([("ah", 5, 5.3), ("bon", 5.4, 5.8)], 1),  # two words, one unit
        ([("oui", 5, 5.3), ("oui", 5.4, 5.6), ("oui", 5.7, 5.9)], 0),  # three words
        ([("oui", 5, 6.1)], 0),  # 1.1 s
        ([("oui", 5, 5.3), ("mais", 5.4, 5.6)], 0),  # not isolated
        ([("mais", 5, 5.3)], 0),
        ([("oui", 19.5, 20.2)], 0),  # not inside of the turn
    ],
)
def test_backchannels(other: list[tuple[str, float, float]], units: int):
    heard = found(long_turn(20), [Timed(*word) for word in other], "backchannel")
    assert [len(sample.units) for sample in heard] == ([units] if units else [])
    for sample in heard:
        assert sample.quality == pytest.approx(units / 3 * 19.95 / 30, abs=1e-6)
        assert not sample.fault


def test_backchannels_want_a_turn_of_two_seconds_and_an_input_of_fifteen():
    nod = [Timed("oui", 0.5, 0.8)]
    assert found(speech((0, 1.9)), nod, "backchannel") == []
    assert found(speech((0, 2.0)), nod, "backchannel")[0].fault == "input shorter than 15 s"
    assert found(speech((0, 15.0)), nod, "backchannel")[0].fault == ""


def sample(quality: float, dialogue: str = "a", start: float = 0.0, fault: str = "") -> Sample:
    return Sample("pause_handling", dialogue, 0, start, start + 1, (start, start), quality, fault=fault)


def test_the_cap_keeps_the_best_and_ties_go_by_dialogue_then_start():
    best = sample(0.9, "z", 9)
    ties = [sample(0.5, "b", 1), sample(0.5, "a", 2), sample(0.5, "a", 1)]
    chosen = choose([*ties, best, sample(1.0, fault="bad")], 3)[0]
    assert chosen.samples == (best, ties[2], ties[1])
    assert chosen.record() == {
        "candidates": 5, "dropped": {"bad": 1}, "after_filters": 4, "over_cap": 1, "exported": 3,
    }  # fmt: skip


def test_shares_are_of_all_candidates():
    found = [sample(0.5), replace(sample(0.5), task="backchannel", fault="bad"), sample(0.4), sample(0.3)]
    assert shares(choose(found, 2)) == {
        "candidates": 4, "after_filters": 3, "exported": 2,
        "share_after_filters": 0.75, "share_exported": 0.5,
    }  # fmt: skip
    assert shares(choose([], 2))["share_exported"] is None


TIMES = st.tuples(st.floats(0, 60), st.floats(0, 3)).map(lambda at: (round(at[0], 3), round(sum(at), 3)))
SPOKEN = st.lists(st.tuples(TIMES, st.sampled_from(("oui", "mot"))), max_size=12)


@settings(max_examples=60)
@given(SPOKEN, SPOKEN, st.booleans())
def test_any_two_speakers_give_samples_that_can_be_cut(
    mine: list[tuple[tuple[float, float], str]],
    theirs: list[tuple[tuple[float, float], str]],
    own_turns: bool,
):
    """Also where turns come with the corpus and words lie outside of them."""
    words = tuple(
        tuple(sorted((Timed(text, *span) for span, text in said), key=lambda w: (w.start, w.end)))
        for said in (mine, theirs)
    )
    spans = tuple(
        tuple(Turn(5.0 * i, 5.0 * i + 3, said[i : i + 2]) for i in range(len(said) - 1)) for said in words
    )
    joined = (tuple(turns(words[0])), tuple(turns(words[1])))
    voices = Voices((words[0], words[1]), (spans[0], spans[1]) if own_turns else joined)
    for user in (0, 1):
        for one in samples("d", voices, user, FRENCH):
            assert 0 <= one.quality <= 1
            assert one.fault or (one.start < one.end and one.start <= one.span[0] <= one.span[1])
            assert own_turns or one.fault in (
                "", "input shorter than 15 s", "no context", "context shorter than 0.5 s",
                "context longer than 5.0 s", "words outside of their turn",
            )  # fmt: skip
