"""The health gate: every problem is found on sound made for it, and speech-like sound passes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from dyad.audio import to_int16
from dyad.health import check, sound_is_valid
from dyad.spec import RATE, TICK, Piece, Seat
from dyad.spec.record import TextKind

Floats = NDArray[np.float64]
N = 125 * TICK  # ten seconds


def speech(seed: int, level: float = 0.08, share: float = 0.5) -> Floats:
    """Noise with the spectrum, the syllables and the pauses of speech; `level` is its RMS while it sounds."""
    rng = np.random.default_rng(seed)
    t = np.arange(N) / RATE
    noise = np.convolve(rng.standard_normal(N), np.ones(12) / 12, "same")
    syllables = (1 - np.cos(2 * np.pi * 4 * t)) / 2
    phrases = np.repeat(rng.random(N // (10 * TICK) + 1) < share, 10 * TICK)[:N]
    phrases[: 20 * TICK] = True
    sound = noise * syllables * phrases
    return sound * level / np.sqrt(np.mean(sound[phrases] ** 2))


def problems(a: Floats, b: Floats, pieces: tuple[Piece, ...] = ()) -> tuple[str, ...]:
    return check(to_int16(np.stack([a, b])), pieces).problems


def words(seat: Seat, count: int, kind: TextKind = "own", suppressed: bool = False) -> tuple[Piece, ...]:
    return tuple(
        Piece(seat=seat, at=i * TICK, s=f"word{i} ", kind=kind, suppressed=suppressed) for i in range(count)
    )


SILENCE = np.zeros(N)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("level", [0.02, 0.08, 0.2])
def test_speech_passes(seed: int, level: float) -> None:
    text = (*words("a", 20), *words("b", 3), *words("a", 20, "heard"))
    assert problems(speech(seed, level), speech(seed + 100, level), text) == ()


def test_one_silent_seat_is_behaviour_and_not_a_fault() -> None:
    assert problems(speech(1), SILENCE) == ()
    assert problems(speech(1), SILENCE, (*words("a", 20), *words("b", 20, "heard"))) == ()


def test_an_echo_one_tick_late_is_not_an_identical_channel() -> None:
    assert problems(speech(1), np.roll(speech(1), TICK)) == ()


@pytest.mark.parametrize("level", [0.0, 1e-4, 0.005])
def test_silence_on_both_seats(level: float) -> None:
    noise = np.random.default_rng(0).standard_normal((2, N)) * level
    assert problems(noise[0], noise[1]) == ("silence: neither seat ever spoke",)


def test_identical_channels() -> None:
    assert problems(speech(1), speech(1)) == ("identical channels",)


@pytest.mark.parametrize("seat", ["a", "b"])
def test_clipping_names_its_seat(seat: Seat) -> None:
    sides = {"a": speech(1), "b": speech(2), seat: speech(3) * 30}
    assert problems(sides["a"], sides["b"]) == (f"clipping on seat {seat}",)
    square = np.sign(np.sin(2 * np.pi * 200 * np.arange(N) / RATE))
    sides[seat] = np.where(square < 0, -1.0, 0.5)  # full scale on the negative side only
    assert f"clipping on seat {seat}" in problems(sides["a"], sides["b"])


def test_a_few_full_samples_are_not_clipping() -> None:
    loud = speech(1)
    loud[5000 : 5000 + N // 2000] = 1.0
    assert problems(loud, speech(2)) == ()


@pytest.mark.parametrize("offset", [-0.05, 0.02])
def test_dc_names_its_seat(offset: float) -> None:
    assert problems(speech(1), speech(2) + offset) == ("DC on seat b",)
    assert problems(speech(1), speech(2) + 0.2 * offset) == ()


def test_text_without_sound() -> None:
    assert problems(speech(1), SILENCE, words("b", 5)) == ("text without sound on seat b",)
    assert problems(speech(1), SILENCE, words("b", 4)) == ()
    assert problems(speech(1), SILENCE, words("b", 9, suppressed=True)) == ()  # never meant to sound


def test_sound_without_text() -> None:
    heard = words("b", 9, "heard")  # so seat b does keep a text stream
    assert problems(speech(1), speech(2), heard) == ("sound without text on seat b",)
    short = speech(2) * (np.arange(N) < 2 * RATE)
    assert problems(speech(1), short, heard) == ()
    assert problems(speech(1), speech(2)) == ()  # no text stream at all: nothing to compare


def test_segments_are_trusted_unless_the_sound_itself_is_at_fault() -> None:
    other, heard = speech(2), words("b", 9, "heard")
    trusted = [(speech(1), other, ()), (SILENCE, SILENCE, ()), (other, SILENCE, words("b", 9)),
               (speech(1), other, heard), (other * 30, speech(1), ())]  # fmt: skip
    broken = [(speech(1), other + 0.02, ()), (other, other, ())]
    for cases, wanted in ((trusted, True), (broken, False)):
        for a, b, pieces in cases:
            found = check(to_int16(np.stack([a, b])), pieces)
            assert sound_is_valid(found) == wanted, found.problems


def test_several_problems_are_all_named() -> None:
    found = problems(SILENCE + 0.5, SILENCE + 0.5)
    assert found == ("identical channels", "DC on seat a", "DC on seat b")


def test_levels_are_those_of_the_signal() -> None:
    t = np.arange(N) / RATE
    tone = 0.5 * np.sin(2 * np.pi * 1000 * t) * (np.arange(N) < N // 5)
    health = check(to_int16(np.stack([tone, SILENCE])), ())
    assert health.ok
    assert health.peak == (0.5, 0.0)
    assert health.rms[0] == pytest.approx(0.5 / np.sqrt(2 * 5), abs=1e-4)
    assert health.speech == (0.2, 0.0)
