import numpy as np
import pytest

from dyad.agents.cascade.mouth import FADE, MURMUR_GAIN, Breath, Mouth
from dyad.agents.cascade.types import Say
from dyad.speech.types import Speech, Spoken, Voice

WORD = 3000  # samples


def voice(text: str, seed: int = 0, pace: float = 1.0) -> Speech:
    """Speak every word as a constant."""
    words = text.split()
    pcm = np.full(WORD * len(words), 0.5, np.float32)
    return Speech(pcm, tuple(Spoken(w, k * WORD, (k + 1) * WORD) for k, w in enumerate(words)))


def mouth(voice: Voice = voice) -> Mouth:
    return Mouth(voice, 1.0, 50.0, np.random.default_rng(0))


def run(m: Mouth, ticks: int) -> list[Breath]:
    return [m.speak() for _ in range(ticks)]


def flat(breaths: list[Breath]) -> np.ndarray:
    return np.concatenate([b.pcm for b in breaths])


def test_sentences_follow_each_other_with_their_pause():
    m = mouth()
    m.say([Say("one two"), Say("three")])
    breaths = run(m, 8)
    loud = np.flatnonzero(flat(breaths))
    ((gap,),) = np.nonzero(np.diff(loud) > 1)
    pause = loud[gap + 1] - loud[gap] - 1
    assert (loud[0], loud[gap]) == (0, 2 * WORD - 1)
    assert loud[-1] == 3 * WORD + pause - 1
    assert 400 <= pause <= 3600
    assert all(len(b.pcm) == 1920 for b in breaths)
    assert not m.busy


def test_pauses_spread_around_the_given_one_and_never_end_the_turn():
    m = mouth()
    m.say([Say("word")] * 300)
    loud = np.flatnonzero(flat(run(m, 2000)))
    gaps = np.diff(loud) - 1
    pauses_ms = gaps[gaps > 0] / 24
    assert 40 < np.median(pauses_ms) < 60
    assert np.quantile(pauses_ms, 0.95) > 2 * np.median(pauses_ms)
    assert pauses_ms.max() <= 900


def test_words_come_in_the_tick_in_which_they_start():
    m = mouth()
    m.say([Say("one two"), Say("three")])
    breaths = run(m, 8)
    starts = [(t * 1920 + at, s) for t, b in enumerate(breaths) for at, s in b.words]
    assert starts[:2] == [(0, "one"), (WORD, "two")]
    third, word = starts[2]
    assert word == "three"
    assert not flat(breaths)[third - 1]
    assert flat(breaths)[third]


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


def test_a_repeated_sentence_gets_another_seed_and_is_slower():
    calls = []

    def noted(text: str, seed: int = 0, pace: float = 1.0) -> Speech:
        calls.append((seed, pace))
        return voice(text, seed, pace)

    m = mouth(noted)
    m.say([Say("one"), Say("one"), Say("two"), Say("one")])
    run(m, 12)
    first = calls[0][0]
    assert calls == [(first, 1.0), (first + 1, 0.94), (first, 1.0), (first + 2, 0.88)]


def test_a_murmur_is_half_as_loud_and_takes_no_turn():
    m = mouth()
    m.murmur(Say("mm"))
    assert not m.busy
    pcm = flat(run(m, 3))
    assert pcm[1:WORD] == pytest.approx(0.5 * MURMUR_GAIN)
    assert not pcm[WORD:].any()


def test_a_turn_lets_a_murmur_end():
    m = mouth()
    m.murmur(Say("mm"))
    run(m, 1)
    m.say([Say("one")])
    breaths = run(m, 4)
    assert [(t * 1920 + at, s) for t, b in enumerate(breaths) for at, s in b.words] == [(WORD - 1920, "one")]
    assert flat(breaths).max() == pytest.approx(0.5)


def test_a_hold_delays_the_first_sample():
    m = mouth()
    m.say([Say("one")])
    m.prepare()
    m.hold(2)
    assert np.flatnonzero(flat(run(m, 5)))[0] == 2 * 1920
