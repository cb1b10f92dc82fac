import numpy as np
import pytest

from dyad.agents.cascade.mouth import FADE, MURMUR_GAIN, Breath, Mouth
from dyad.agents.cascade.types import Say
from dyad.speech.types import Speech, Spoken

WORD = 3000  # samples


def voice(text: str, seed: int = 0, pace: float = 1.0) -> Speech:
    """Speak every word as a constant of 0.5; note seed and pace in the first sample."""
    SEEDS.append(seed)
    words = text.split()
    pcm = np.full(WORD * len(words), 0.5, np.float32)
    pcm[0] = seed + pace / 10
    return Speech(pcm, tuple(Spoken(w, k * WORD, (k + 1) * WORD) for k, w in enumerate(words)))


def mouth(pause: int = 1000) -> Mouth:
    return Mouth(voice, 1.0, 0, lambda: pause)


def run(m: Mouth, ticks: int) -> list[Breath]:
    return [m.speak() for _ in range(ticks)]


def flat(breaths: list[Breath]) -> np.ndarray:
    return np.concatenate([b.pcm for b in breaths])


def test_sentences_follow_each_other_with_their_pause():
    m = mouth()
    m.say([Say("one two"), Say("three")])
    breaths = run(m, 8)
    loud = np.flatnonzero(flat(breaths))
    assert loud[0] == 0
    assert loud[-1] == 3 * WORD + 1000 - 1
    assert np.flatnonzero(np.diff(loud) > 1).tolist() == [2 * WORD - 1]
    assert all(len(b.pcm) == 1920 for b in breaths)
    assert not m.busy


def test_words_come_in_the_tick_in_which_they_start():
    m = mouth()
    m.say([Say("one two"), Say("three")])
    starts = [(t * 1920 + at, s) for t, b in enumerate(run(m, 8)) for at, s in b.words]
    assert starts == [(0, "one"), (WORD, "two"), (2 * WORD + 1000, "three")]


def test_it_tells_what_is_done():
    m = mouth()
    m.say([Say("one two"), Say("three")])
    assert [(t, say.text, share) for t, b in enumerate(run(m, 8)) for say, share in b.done] == [
        (3, "one two", 1.0),
        (5, "three", 1.0),
    ]


def test_a_stop_fades_within_20_ms_and_later_words_are_never_said():
    m = mouth()
    m.say([Say("one two three four"), Say("five")])
    before = run(m, 2)
    shares = m.stop()
    after = run(m, 3)
    assert shares == [(Say("one two three four"), pytest.approx(2 * 1920 / (4 * WORD))), (Say("five"), 0.0)]
    assert np.flatnonzero(flat(after)).max() < FADE
    assert np.abs(np.diff(flat(before + after))[1:]).max() < 0.01  # no click
    assert [s for b in before + after for _, s in b.words] == ["one", "two"]
    assert not m.busy


def test_a_repeated_sentence_sounds_otherwise():
    m = mouth()
    m.say([Say("one"), Say("one"), Say("one")])
    pcm = flat(run(m, 8))
    marks = pcm[[0, WORD + 1000, 2 * (WORD + 1000)]]
    assert marks == pytest.approx([0.1, 1.094, 2.088])


def test_a_murmur_is_half_as_loud_and_takes_no_turn():
    m = mouth()
    m.murmur(Say("mm"))
    assert not m.busy
    pcm = flat(run(m, 3))
    assert pcm[1:WORD] == pytest.approx(0.5 * MURMUR_GAIN)
    assert not pcm[WORD:].any()


def test_a_hold_delays_the_first_sample():
    m = mouth()
    m.say([Say("one")])
    m.prepare()
    m.hold(2)
    assert np.flatnonzero(flat(run(m, 5)))[0] == 2 * 1920
