import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dyad.agents.cascade.ears import MAX_TICKS, MIN_VOICED_TICKS, PRE_ROLL_TICKS, Ears, Utterance


def hear(probs: list[float], endpoint: int = 6) -> list[tuple[int, Utterance]]:
    ears = Ears(0.5, endpoint)
    heard = [(t, ears.hear(t, np.full(1280, t, np.float32), p)) for t, p in enumerate(probs)]
    return [(t, done) for t, done in heard if done is not None]


def test_an_utterance_ends_after_the_endpoint_and_keeps_a_pre_roll():
    ((tick, done),) = hear([0] * 10 + [1] * 5 + [0] * 10)
    assert (done.start, tick, done.voiced) == (10, 20, 5)
    assert len(done.sound) == (PRE_ROLL_TICKS + 5 + 6) * 1280
    assert done.sound[0] == 10 - PRE_ROLL_TICKS
    assert done.sound[-1] == 20


def test_a_pause_shorter_than_the_endpoint_does_not_split():
    ((_, done),) = hear([1] * 5 + [0] * 5 + [1] * 5 + [0] * 6)
    assert done.voiced == 10


def test_a_click_is_not_an_utterance():
    assert hear([0, 0, 1, 0, 0, 0, 0, 0, 0, 0]) == []


def test_endless_speech_is_cut():
    assert [tick for tick, _ in hear([1] * (2 * MAX_TICKS))] == [
        MAX_TICKS - 1,
        2 * MAX_TICKS - PRE_ROLL_TICKS - 1,
    ]


def groups(voices: list[bool], endpoint: int) -> list[int]:
    """Count the voiced ticks of each run of speech that is free of `endpoint` quiet ticks in a row."""
    at = [t for t, voiced in enumerate(voices) if voiced]
    sizes: list[int] = []
    for before, now in zip([None, *at], at, strict=False):
        if before is None or now - before > endpoint:
            sizes.append(0)
        sizes[-1] += 1
    return sizes


@given(st.lists(st.booleans(), max_size=200), st.integers(1, 12))
def test_utterances_are_the_runs_of_speech_without_the_clicks(voices, endpoint):
    done = [u.voiced for _, u in hear([float(v) for v in voices] + [0.0] * endpoint, endpoint)]
    assert done == [size for size in groups(voices, endpoint) if size >= MIN_VOICED_TICKS]
