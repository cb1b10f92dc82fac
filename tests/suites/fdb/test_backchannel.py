"""Backchannels of Full-Duplex-Bench v1.0: the spec's numbers, each fault of the script on and off, strict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.spec.suite import Stimulus
from dyad.suites.fdb.backchannel import (
    Found,
    Segment,
    backchannel_scores,
    find_compat,
    find_strict,
    jsd,
    jsd_score,
    segments_as_authors,
)
from dyad.suites.fdb.flags import FLAGS, V1, is_on
from dyad.suites.fdb.measures import MEASURES
from dyad.suites.protocol import Chunk, Mode, Scored, Sound, Trial
from dyad.suites.words import Timed

MODES: tuple[Mode, Mode] = ("compat", "strict")
REFERENCE = (0.1, 0.2, 0.4, 0.2, 0.1)
MOST = sqrt(log(2))  # 0.83255


def words(*spans: tuple[float | None, float | None]) -> tuple[Chunk, ...]:
    return tuple(Chunk("w", start, end) for start, end in spans)


def probs(seconds: float, speech: Sequence[Segment]) -> np.ndarray:
    found = np.zeros(-(-round(seconds * 16_000) // 512), np.float32)
    for start, end in speech:
        found[round(start / 0.032) : round(end / 0.032)] = 1
    return found


def sound(
    given: Sequence[Chunk] | None, seconds: float, speech: Sequence[Segment], rate: int = 16_000
) -> Sound:
    """A sound with speech in some spans; read as 16 kHz, all of its times are rate / 16000 as long."""
    slow = rate / 16_000
    as_read = probs(seconds * slow, [(start * slow, end * slow) for start, end in speech])
    pcm = np.zeros(round(seconds * rate), np.int16)
    return Sound(pcm, rate, None if given is None else tuple(given), probs(seconds, speech), as_read)


def score(
    model: Sound,
    mode: Mode,
    flags: Mapping[str, bool] | None = None,
    reference: tuple[float, ...] = REFERENCE,
) -> dict[str, Scored]:
    stimulus = Stimulus(
        id="set.0", task="set", kind="backchannel", clip="0", folder="set/0", reference=reference
    )
    found = backchannel_scores(Trial(stimulus, model, model), mode, flags or {})
    assert {x.measure for x in found} <= set(MEASURES)
    return {x.measure: x for x in found}


# Takeover: the worked example of §4 and each of its faults

TURN_THEN_ONE = ((1.0, 2.5), (5.0, 5.4))
SIX_WORDS = words((1.0, 1.3), (1.3, 1.6), (1.6, 1.9), (1.9, 2.2), (2.2, 2.5), (5.0, 5.4))


@pytest.mark.parametrize(
    ("last_wins", "counts_turns", "took", "count"),
    [(True, True, 0, 2), (False, True, 1, 2), (True, False, 0, 1), (False, False, 1, 1)],
)
def test_a_turn_and_then_one_word(last_wins: bool, counts_turns: bool, took: int, count: int) -> None:
    found = find_compat(TURN_THEN_ONE, SIX_WORDS, last_wins, counts_turns)
    assert (found.took, len(found.backchannels)) == (took, count)
    flags = {"bc_tor_last_wins": last_wins, "bc_counts_turns": counts_turns}
    scores = score(sound(SIX_WORDS, 20.0, TURN_THEN_ONE), "compat", flags)
    assert (scores["tor"].value, scores["bc_count"].value) == (took, count)
    assert scores["bc_freq"].value == {2: 0.1, 1: 0.05}[count]


def test_faults_are_on_unless_switched_off_and_never_in_strict() -> None:
    model = sound(SIX_WORDS, 20.0, TURN_THEN_ONE)
    compat = score(model, "compat")
    assert [compat[name].value for name in ("tor", "bc_count", "bc_freq")] == [0, 2, 0.1]
    for flags in ({}, dict.fromkeys(V1, True), dict.fromkeys(V1, False)):
        strict = score(model, "strict", flags)
        assert [strict[name].value for name in ("tor", "bc_count", "bc_freq")] == [1, 1, 0.05]


def test_flags_have_known_names() -> None:
    assert set(V1) <= set(FLAGS)
    assert is_on({}, "vad_sr_16k")
    assert not is_on({"vad_sr_16k": False}, "vad_sr_16k")
    with pytest.raises(KeyError):
        is_on({}, "vad_16k")


@pytest.mark.parametrize(
    ("segments", "took", "count"),
    [
        ([], False, 0),
        ([(1.0, 1.5)], False, 1),
        ([(1.0, 2.0)], True, 1),
        ([(3.1, 4.1)], False, 1),  # rounded ends: 0.9999999999999996 s
        ([(1.0, 4.0)], True, 1),  # 3 s
        ([(5.3, 8.3)], True, 0),  # 3.000000000000001 s: the script stops listening
        ([(1.0, 1.4), (5.3, 8.3), (10.0, 10.3)], True, 1),
        ([(1.0, 2.5), (5.0, 5.4), (6.0, 7.1)], True, 3),
    ],
)
def test_lengths_without_words(segments: list[Segment], took: bool, count: int) -> None:
    found = find_compat(segments, ())
    assert (found.took, len(found.backchannels)) == (took, count)


@pytest.mark.parametrize(
    ("word", "counts"),
    [
        ((1.0, 1.5), True),
        ((1.1, 1.2), True),
        ((0.8, 1.1), True),
        ((1.4, 1.9), True),
        ((0.5, 2.0), True),
        ((1.5, 1.9), True),  # starts where the segment ends
        ((1.5, 1.5), True),
        ((0.8, 1.0), False),
        ((1.6, 1.9), False),
        ((None, 1.2), False),
        ((1.2, None), False),
        ((1.5, None), True),
        ((1.6, None), False),
    ],
)
def test_words_of_a_segment(word: tuple[float | None, float | None], counts: bool) -> None:
    assert (
        find_compat([(1.0, 1.5)], words(*[word] * 3)).took is counts
    )  # three words are a turn, none are not
    assert not find_compat([(1.0, 1.5)], words(*[word] * 2)).took


# Distance


@pytest.mark.parametrize(
    ("duration_s", "segment", "distance"),
    [(0.9, (0.4, 0.55), 0.523792), (0.9, (0.0, 0.1), 0.724981), (1.0, (0.4, 0.5), 0.605970)],
)
def test_worked_distances(duration_s: float, segment: Segment, distance: float) -> None:
    for mode in MODES:
        found = jsd_score([segment], REFERENCE, duration_s, mode)
        assert found.value == pytest.approx(distance, abs=5e-7)
        assert found.n == 1


def test_a_second_has_six_bins_and_the_reference_is_stretched_to_them() -> None:
    stretched = np.interp(np.linspace(0, 1, 6), np.linspace(0, 1, 5), REFERENCE)
    assert stretched.sum() == pytest.approx(1.2)
    assert jsd([(0.4, 0.5)], REFERENCE, 1.0) == pytest.approx(jsd([(0.4, 0.5)], stretched.tolist(), 1.0))


def test_bins_are_as_the_script_has_them_or_right() -> None:
    assert int(0.6 / 0.2) == 2
    reference = (0.0, 0.0, 0.0, 1.0, 0.0)
    compat, strict = (jsd_score([(0.6, 0.7)], reference, 0.9, mode).value for mode in MODES)
    assert compat is not None
    assert compat > 0.4
    assert strict == pytest.approx(0, abs=1e-4)


def test_the_largest_distance() -> None:
    reference = tuple([1.0] + [0.0] * 100)
    assert jsd([(15.0, 15.1)], reference, 20.0) == pytest.approx(0.83255, abs=1e-5)


def test_no_backchannel_is_worse_than_any_in_compat_and_says_nothing_in_strict() -> None:
    for reference in (REFERENCE, ()):
        assert jsd_score((), reference, 10.0, "compat") == Scored("jsd", 1.0)
        assert jsd_score((), reference, 10.0, "strict") == Scored("jsd", 0.0, 0.0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("reference", [(), (1.0,), (0.0, 0.0, 0.0)])
def test_a_reference_that_is_none_matters_only_if_something_was_counted(
    mode: Mode, reference: tuple[float, ...]
) -> None:
    found = score(sound((), 10.0, [(2.0, 2.5)]), mode, reference=reference)
    assert (found["tor"].value, found["bc_count"].value, found["bc_freq"].value) == (0.0, 1.0, 0.1)
    assert (found["jsd"].value, found["jsd"].n) == (None, 0.0)
    assert found["jsd"].reason
    silent = score(sound((), 10.0, ()), mode, reference=reference)["jsd"]
    assert silent.value == (1.0 if mode == "compat" else 0.0)


def test_segments_beyond_the_recording_leave_the_histogram() -> None:
    even = jsd((), REFERENCE, 1.0)
    assert jsd([(1.6, 1.9)], REFERENCE, 1.0) == even
    assert jsd([(0.8, 1.9)], REFERENCE, 1.0) == jsd([(0.8, 1.0)], REFERENCE, 1.0)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 20), st.floats(0.1, 3)), max_size=5),
    st.lists(st.floats(0, 1), min_size=2, max_size=40).filter(lambda shares: sum(shares) > 0.01),
    st.floats(0.1, 20),
)
def test_a_distance_has_bounds(segments: list[Segment], reference: list[float], duration_s: float) -> None:
    found = jsd_score([(s, s + d) for s, d in segments], reference, duration_s, "compat").value
    assert found is None or 0 <= found <= MOST + 1e-12 or (found == 1 and not segments)


# The rate of the file


def test_a_file_at_24_khz_is_read_slow() -> None:
    model = sound(words((4.0, 4.5)), 20.0, [(4.0, 4.5)], rate=24_000)
    assert segments_as_authors(model, vad_sr_16k=True) == [(6.0, 6.8)]  # 6.0–6.75, padded and rounded to 0.1
    assert segments_as_authors(model, vad_sr_16k=False) == [(4.0, 4.5)]
    late = sound((), 20.0, [(18.0, 20.0)], rate=24_000)
    assert segments_as_authors(late, vad_sr_16k=True) == [(27.0, 30.0)]
    on, off = (score(model, "compat", {"vad_sr_16k": flag}) for flag in (True, False))
    assert (on["bc_freq"].value, off["bc_freq"].value) == (0.05, 0.05)  # the length is right all the same
    assert on["jsd"].value != off["jsd"].value


def test_a_file_at_16_khz_is_read_right() -> None:
    model = sound((), 20.0, [(4.0, 4.5)])
    assert segments_as_authors(model, vad_sr_16k=True) == segments_as_authors(model, vad_sr_16k=False)


def test_read_slow_two_seconds_are_more_than_three() -> None:
    model = sound((), 20.0, [(4.0, 6.1), (10.0, 10.4)], rate=24_000)
    on, off = (score(model, "compat", {"vad_sr_16k": flag}) for flag in (True, False))
    assert (on["tor"].value, on["bc_count"].value) == (1, 0)
    assert (off["tor"].value, off["bc_count"].value) == (0, 2)
    assert score(model, "strict")["bc_count"].value == 1


# Strict


@pytest.mark.parametrize(
    ("segments", "spoken", "found"),
    [
        ([], 0, Found(False, ())),
        ([(1.0, 1.5)], 0, Found(False, ((1.0, 1.5),))),
        ([(1.0, 1.5)], 2, Found(False, ((1.0, 1.5),))),
        ([(1.0, 1.5)], 3, Found(True, ())),
        ([(1.0, 2.0)], 0, Found(True, ())),
        ([(3.1, 4.1)], 0, Found(True, ())),  # 1 s within a microsecond
        ([(5.3, 8.3), (10.0, 10.3)], 0, Found(True, ((10.0, 10.3),))),  # goes on listening
    ],
)
def test_strict(segments: list[Segment], spoken: int, found: Found) -> None:
    assert find_strict(np.array(segments).reshape(-1, 2), [Timed("w", 1.1, 1.4)] * spoken) == found


@pytest.mark.parametrize(
    ("pieces", "found"),
    [
        ([(1.0, 1.6), (1.8, 2.4), (2.6, 3.2)], Found(True, ())),  # one turn that the VAD cut
        ([(1.0, 1.3), (1.8, 1.9)], Found(False, ((1.0, 1.9),))),  # 0.5 s: one backchannel, "mm-hm"
        ([(1.0, 1.3), (1.801, 1.9)], Found(False, ((1.0, 1.3), (1.801, 1.9)))),
        ([(11.1, 11.3), (11.8, 11.9)], Found(False, ((11.1, 11.9),))),  # 0.5 s within a microsecond
        ([(1.0, 1.3), (1.6, 2.0)], Found(True, ())),
        ([(1.0, 1.3), (11.0, 11.3)], Found(False, ((1.0, 1.3), (11.0, 11.3)))),
    ],
)
def test_strict_joins_what_is_at_most_half_a_second_apart(pieces: list[Segment], found: Found) -> None:
    assert find_strict(np.array(pieces), []) == found


def test_strict_counts_words_over_joined_pieces() -> None:
    pieces = np.array([[1.0, 1.3], [1.5, 1.8]])
    three = [Timed("w", start, start + 0.1) for start in (1.0, 1.2, 1.6)]
    assert find_strict(pieces, three) == Found(True, ())
    assert find_strict(pieces, three[1:]) == Found(False, ((1.0, 1.8),))


def test_strict_counts_a_word_once_where_most_of_it_lies() -> None:
    segments = np.array([[1.0, 1.5], [2.2, 2.7]])
    both = find_compat([(1.0, 1.5), (2.2, 2.7)], words(*[(1.3, 2.5)] * 3), False, False)
    assert both == Found(True, ())
    assert find_strict(segments, [Timed("w", 1.3, 2.5)] * 3) == Found(True, ((1.0, 1.5),))
    assert find_strict(segments, [Timed("w", 1.9, 1.95)] * 3) == Found(True, ((1.0, 1.5),))  # the nearest
    assert find_strict(segments, [Timed("w", 1.7, 1.75)] * 3) == Found(True, ((2.2, 2.7),))
    assert find_strict(segments, [Timed("w", 1.5, 1.5)] * 3) == Found(True, ((2.2, 2.7),))


@pytest.mark.parametrize("mode", MODES)
def test_a_silent_recording_has_no_backchannels(mode: Mode) -> None:
    found = score(sound(words((1.0, 1.2)), 20.0, ()), mode)  # the word is invented
    assert [found[name].value for name in ("tor", "bc_count", "bc_freq")] == [0, 0, 0]
    assert found["jsd"].n == (1 if mode == "compat" else 0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("model", "reason"), [(sound(None, 5.0, ()), "no transcript"), (sound((), 0.0, ()), "empty recording")]
)
def test_what_cannot_be_had(model: Sound, reason: str, mode: Mode) -> None:
    found = score(model, mode)
    assert {(x.value, x.n, x.reason) for x in found.values()} == {(None, 0.0, reason)}
    assert len(found) == 4


# The README's table, §6, and that of the French suite, §8.8


@pytest.mark.parametrize(
    ("hits", "n", "printed"),
    [(18, 55, 0.327), (38, 55, 0.691), (55, 55, 1.0), (35, 55, 0.636), (5, 55, 0.091), (0, 55, 0.0),
     (14, 55, 0.255), (10, 55, 0.182), (9, 37, 0.243), (18, 37, 0.486), (24, 37, 0.649), (10, 37, 0.270)],
)  # fmt: skip
def test_printed_rates(hits: int, n: int, printed: float) -> None:
    took, not_taken = (
        score(sound((), 10.0, [(2.0, 2.0 + seconds)]), "compat")["tor"] for seconds in (2.0, 0.5)
    )
    scores = [took] * hits + [not_taken] * (n - hits)
    assert round(sum(x.value or 0 for x in scores) / sum(x.n for x in scores), 3) == printed
