"""Takeover and latency of Full-Duplex-Bench v1.0: the spec's numbers, as the authors count and strict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.spec import Label
from dyad.spec.suite import Kind, Span, Stimulus
from dyad.stats import kaplan_meier, rmst
from dyad.suites.fdb.family import V1
from dyad.suites.fdb.measures import MEASURES
from dyad.suites.fdb.turns import (
    after,
    cuts_in,
    interruption_scores,
    pause_scores,
    reply,
    took_turn,
    turn_taking_scores,
)
from dyad.suites.protocol import Chunk, Mode, Scored, Sound, Trial
from dyad.suites.words import Ipu

MODES: tuple[Mode, Mode] = ("compat", "strict")
Spans = Sequence[tuple[float, float | None]]


def chunks(*spans: tuple[float | None, float | None]) -> tuple[Chunk, ...]:
    return tuple(Chunk("w", start, end) for start, end in spans)


def even(count: int, start: float, end: float) -> tuple[Chunk, ...]:
    """`count` words without a gap between them."""
    edges = [*np.linspace(start, end, count + 1).tolist()[:-1], end]
    return chunks(*pairwise(edges))


def sound(words: Sequence[Chunk] | None, seconds: float = 20.0, speech: Spans | None = None) -> Sound:
    """A sound in which Silero hears speech in some spans; None: in all of it."""
    probs = np.zeros(round(seconds * 16_000 / 512), np.float32)
    for start, end in ((0.0, seconds),) if speech is None else speech:
        probs[round(start / 0.032) : round((end or 0.0) / 0.032)] = 1
    given = None if words is None else tuple(words)
    return Sound(np.zeros(round(seconds * 16_000), np.int16), 16_000, given, probs, probs)


def trial(kind: Kind, model: Sound, span: Span | None) -> Trial:
    stimulus = Stimulus(id="set.1", task="set", kind=kind, clip="1", folder="set/1", span=span)
    return Trial(stimulus, model, sound(None, speech=()))


def score(kind: Kind, mode: Mode, model: Sound, span: Span | None, **more: Any) -> dict[str, Scored]:
    one = trial(kind, model, span)
    if kind == "interruption":
        found = interruption_scores(one, more.pop("labels", ()), mode, more.pop("flags", {}), **more)
    else:
        found = (pause_scores if kind == "pause" else turn_taking_scores)(one, mode, {})
    assert all((x.value is None) == (x.reason != "") for x in found)
    assert {x.measure for x in found} <= set(MEASURES)
    assert len({x.measure for x in found}) == len(found)
    return {x.measure: x for x in found}


def pooled(scores: Sequence[Scored]) -> float:
    return sum(x.value or 0.0 for x in scores) / sum(x.n for x in scores)


# The worked table of suite_fdb.md §2


@pytest.mark.parametrize(
    ("words", "pause", "others"),
    [
        ((), False, False),
        (even(3, 1.0, 1.9), False, False),
        (even(4, 1.0, 1.9), True, True),
        (even(1, 1.0, 2.0), True, True),
        (chunks((1.0, 1.3), (11.0, 11.3)), True, True),
        (chunks((1.0, 1.4), (1.5, None)), False, None),
        (chunks((1.0, 1.4), (2.0, None)), True, None),
        (chunks((None, 1.4), (2.0, 2.1)), None, None),
        (chunks((1.0, 1.4), (None, None)), None, None),
        (chunks((3.1, 4.1)), False, False),  # 0.9999999999999996 s: doubles as they are
    ],
)
def test_took_turn(words: tuple[Chunk, ...], pause: bool | None, others: bool | None) -> None:
    assert took_turn(words, last_start=True) is pause
    assert took_turn(words) is others


@pytest.mark.parametrize(
    ("words", "compat", "strict"),
    [
        ((), 0, 0),
        (even(3, 1.0, 1.9), 0, 0),
        (even(4, 1.0, 1.9), 1, 1),
        (even(1, 1.0, 2.0), 1, 1),
        (chunks((1.0, 1.3), (11.0, 11.3)), 1, 0),  # two backchannels are no turn
        (chunks((3.1, 4.1)), 0, 1),  # 1.0 s within a microsecond
    ],
)
def test_a_turn_anywhere(words: tuple[Chunk, ...], compat: int, strict: int) -> None:
    model = sound(words, speech=[(c.start or 0.0, c.end) for c in words])
    assert score("pause", "compat", model, (5.0, 6.0))["tor"].value == compat
    assert score("pause", "strict", model, (5.0, 6.0))["tor_any_file"].value == strict


def test_fixture_of_the_pause() -> None:
    model = sound(even(12, 0.0, 4.68), 4.7)
    assert score("pause", "compat", model, (3.319999999999993, 4.0))["tor"] == Scored("tor", 1.0)
    strict = score("pause", "strict", model, (3.319999999999993, 4.0))
    assert (strict["tor"].value, strict["tor_any_file"].value) == (
        1.0,
        1.0,
    )  # it spoke long before, and goes on


def test_fixture_of_the_turn() -> None:
    model = sound(even(22, 3.36, 10.38), 10.4, [(3.36, 10.38)])
    for mode in MODES:
        found = score("turn_taking", mode, model, (2.0100000000000016, 2.400000000000002))
        assert (found["tor"].value, found["latency"].n) == (1.0, 1.0)
        assert found["latency"].value == pytest.approx(1.35, abs=1e-9)


def test_fixture_of_the_interruption() -> None:
    model = sound(even(32, 17.224, 28.124), 28.16, [(4.0, 11.2), (17.224, 28.124)])
    labels = [Label(question="fdb.rating", label="4")]
    for mode in MODES:
        found = score("interruption", mode, model, (10.530666666666667, 13.144), labels=labels)
        assert found["tor"] == Scored("tor", 1.0)
        assert found["latency"].value == pytest.approx(4.08, abs=1e-9)
        assert pooled([found["rating"]]) == 4


# Latency, §3


@pytest.mark.parametrize("kind", ["turn_taking", "interruption"])
def test_negative_latencies_count_as_none_in_the_mean(kind: Kind) -> None:
    def of(mode: Mode, measure: str) -> list[Scored]:
        models = [sound(even(6, 5.0 + raw, 8.0)) for raw in (-0.4, 0.3, 0.9)]
        span = (5.0, 5.0) if kind == "turn_taking" else (4.0, 5.0)
        return [score(kind, mode, model, span)[measure] for model in models]

    assert pooled(of("compat", "latency")) == pytest.approx(0.4)
    assert pooled(of("strict", "latency")) == pytest.approx(0.4)
    assert pooled(of("strict", "latency_raw")) == pytest.approx(0.8 / 3)
    assert round(pooled(of("strict", "latency_raw")), 3) == 0.267
    assert sum(x.value or 0 for x in of("strict", "early")) == 1


def test_nobody_takes_the_turn() -> None:
    silent = sound((), speech=())
    compat = [score("turn_taking", "compat", silent, (5.0, 5.0))["latency"] for _ in range(3)]
    assert compat == [Scored("latency", 0.0, 0.0)] * 3  # no chance to have one; the script divides by 0
    strict = score("turn_taking", "strict", silent, (5.0, 5.0))
    assert strict["latency"] == Scored("latency", 15.0, observed=False)
    assert (strict["latency_raw"].n, strict["early"].n, strict["tor"].value) == (0, 0, 0)


def test_strict_latencies_are_times_to_an_event() -> None:
    replies = (even(6, 5.5, 8.0), even(6, 6.0, 8.0), (), even(2, 6.0, 6.4), even(6, 3.0, 5.3))
    models = [sound(words, speech=[(w.start or 0.0, w.end) for w in words]) for words in replies]
    found = [score("turn_taking", "strict", model, (5.0, 5.0))["latency"] for model in models]
    assert [(x.value, x.observed) for x in found] == [
        (0.5, True), (1.0, True), (15.0, False), (15.0, False), (0.0, True),
    ]  # fmt: skip
    curve = kaplan_meier([x.value for x in found], [x.observed for x in found])
    mean = rmst(curve, 15.0)
    assert curve is not None
    assert mean is not None
    assert (curve.n, curve.n_missing, curve.median) == (5, 0, 1.0)
    assert mean.value == pytest.approx((0.0 + 0.5 + 1.0 + 15 + 15) / 5)


def test_the_first_word_may_be_a_backchannel() -> None:
    words = (*chunks((5.2, 5.5)), *even(8, 7.0, 9.0))
    model = sound(words, speech=[(5.2, 5.5), (7.0, 9.0)])
    assert score("turn_taking", "compat", model, (5.0, 5.0))["latency"].value == pytest.approx(0.2)
    assert score("turn_taking", "strict", model, (5.0, 5.0))["latency"].value == pytest.approx(2.0)


# Strict: which turn counts


@pytest.mark.parametrize(
    ("start", "cuts"),
    [
        (11.6, 1),
        (12.0 - 0.4 - 5e-7, 1),
        (12.5, 1),
        (12.999, 1),
        (13.0, 0),
        (13 - 5e-7, 0),
        (13.1, 0),
    ],
)
def test_a_turn_cuts_into_a_pause(start: float, cuts: int) -> None:
    assert cuts_in([Ipu(start, start + 3, ())], 12.0, 13.0) == cuts
    model = sound(even(8, start, 15.0), speech=[(start, 15.0)])
    assert score("pause", "strict", model, (12.0, 13.0))["tor"].value == cuts


@pytest.mark.parametrize(
    ("start", "end", "cuts"),
    [
        (3.0, 11.9, 0),  # ends before the pause
        (3.0, 12.0, 0),
        (3.0, 12.0 + 5e-7, 0),
        (3.0, 12.1, 1),  # goes on into it
        (3.0, 20.0, 1),
        (11.59, 11.99, 0),
        (11.6, 11.99, 1),
    ],
)
def test_a_turn_that_goes_on_into_a_pause_cuts_in(start: float, end: float, cuts: int) -> None:
    assert cuts_in([Ipu(start, end, ())], 12.0, 13.0) == cuts


def test_a_backchannel_in_a_pause_is_no_takeover() -> None:
    model = sound(even(2, 12.2, 12.8), speech=[(12.2, 12.8)])
    assert score("pause", "strict", model, (12.0, 13.0))["tor"].value == 0


def test_every_turn_of_the_pause_is_looked_at() -> None:
    words = (*even(8, 1.0, 4.0), *even(8, 12.1, 15.0))
    model = sound(words, speech=[(1.0, 4.0), (12.1, 15.0)])
    assert score("pause", "strict", model, (12.0, 13.0))["tor"].value == 1


@pytest.mark.parametrize(
    ("turns", "since", "start"),
    [
        ([(5.0, 8.0)], -inf, 5.0),
        ([(3.0, 4.9), (6.0, 8.0)], -inf, 6.0),  # ended before the user did
        ([(3.0, 5.0), (6.0, 8.0)], -inf, 6.0),
        ([(3.0, 5.2), (6.0, 8.0)], -inf, 3.0),  # took the turn early
        ([(3.0, 5.2), (6.0, 8.0)], 4.0, 6.0),  # an older answer that runs on
        ([(4.2, 8.0)], 4.0, 4.2),
        ([(4.0 - 5e-7, 8.0)], 4.0, 4.0 - 5e-7),
        ([(1.0, 3.0)], -inf, None),
        ([], -inf, None),
    ],
)
def test_the_reply(turns: list[tuple[float, float]], since: float, start: float | None) -> None:
    found = reply([Ipu(*turn, ()) for turn in turns], 5.0, since)
    assert (None if found is None else found.start) == start


def test_an_old_answer_is_no_reply_to_an_interruption() -> None:
    words = (*even(12, 1.0, 5.4), *even(8, 7.0, 9.0))
    model = sound(words, speech=[(1.0, 5.4), (7.0, 9.0)])
    strict = score("interruption", "strict", model, (4.0, 5.0))
    assert (strict["latency"].value, strict["early"].value) == (2.0, 0.0)
    assert score("interruption", "compat", model, (4.0, 5.0))["latency"].value == 0  # of the whole transcript
    cropped = score("interruption", "compat", model, (4.0, 5.0), crop=True)
    assert cropped["latency"].value == pytest.approx(0.033, abs=0.001)  # the rest of a word of the old answer


def test_a_reply_that_comes_during_the_interruption_is_early() -> None:
    found = score("interruption", "strict", sound(even(8, 4.5, 9.0)), (4.0, 5.0))
    assert (found["tor"].value, found["latency"].value, found["early"].value) == (1.0, 0.0, 1.0)
    assert found["latency_raw"].value == pytest.approx(-0.5)


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ((1.0, 2.0), None),
        ((4.5, 5.4), None),  # its middle is before 5.0
        ((4.5, 5.5), (5.0, 5.5)),
        ((4.9, 5.5), (5.0, 5.5)),
        ((5.0, 5.5), (5.0, 5.5)),
        ((6.0, 6.5), (6.0, 6.5)),
        ((4.9, None), None),
        ((5.0, None), (5.0, None)),
        ((None, 1.0), (None, 1.0)),
    ],
)
def test_words_after_a_time(word: tuple[float | None, float | None], kept: Any) -> None:
    assert [(c.start, c.end) for c in after(chunks(word), 5.0)] == ([] if kept is None else [kept])


# What cannot be had


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["pause", "turn_taking", "interruption"])
def test_without_a_transcript_nothing_is_known(kind: Kind, mode: Mode) -> None:
    found = score(kind, mode, sound(None), (4.0, 5.0))
    assert {(x.value, x.n, x.reason) for x in found.values()} == {(None, 0.0, "no transcript")}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["pause", "turn_taking", "interruption"])
def test_a_silent_recording_takes_no_turn(kind: Kind, mode: Mode) -> None:
    found = score(kind, mode, sound((), speech=()), (4.0, 5.0))
    assert found["tor"] == Scored("tor", 0.0)


@pytest.mark.parametrize("kind", ["pause", "turn_taking", "interruption"])
def test_words_on_silence_are_speech_in_compat_only(kind: Kind) -> None:
    model = sound(even(5, 4.2, 6.0), speech=())
    assert score(kind, "compat", model, (4.0, 5.0))["tor"].value == 1
    assert score(kind, "strict", model, (4.0, 5.0))["tor"].value == 0


@pytest.mark.parametrize(("seconds", "failed"), [(0.1, False), (0.28, False), (0.34, True), (3.0, True)])
def test_speech_without_a_word_is_a_failure_of_the_asr(seconds: float, failed: bool) -> None:
    model = sound((), speech=[(6.0, 6.0 + seconds)])
    for kind in ("pause", "turn_taking", "interruption"):
        assert score(kind, "compat", model, (4.0, 5.0))["tor"].value == 0
        assert score(kind, "strict", model, (4.0, 5.0))["tor"].reason == ("asr_failed" if failed else "")


def test_speech_before_an_interruption_is_not_in_a_transcript_of_the_authors() -> None:
    model = sound((), speech=[(1.0, 4.5)])
    assert score("interruption", "strict", model, (4.0, 5.0))["tor"] == Scored("tor", 0.0)
    for kind, other in (("interruption", replace(model, whole=True)), ("turn_taking", model)):
        assert score(kind, "strict", other, (4.0, 5.0))["tor"].reason == "asr_failed"


def test_words_without_times_are_missing_where_the_scripts_crash() -> None:
    words = chunks((5.0, 5.4), (6.5, None))
    assert score("pause", "compat", sound(words), (4.0, 5.0))["tor"].value == 1
    for kind in ("turn_taking", "interruption"):
        found = score(kind, "compat", sound(words), (4.0, 5.0))
        assert {(x.value, x.reason) for x in found.values()} == {(None, "words without times")}
        assert score(kind, "strict", sound(words), (4.0, 5.0))["tor"].value == 0  # two backchannels


def test_without_times_of_the_user_only_what_needs_them_is_missing() -> None:
    model = sound(even(8, 5.0, 9.0))
    assert score("pause", "compat", model, None)["tor"].value == 1
    pause = score("pause", "strict", model, None)
    assert (pause["tor"].value, pause["tor_any_file"].value) == (None, 1.0)
    for kind in ("turn_taking", "interruption"):
        compat, strict = (score(kind, mode, model, None) for mode in MODES)
        assert (compat["tor"].value, compat["latency"].value) == (1.0, None)
        assert (strict["tor"].value, strict["latency"].value, strict["tor_any_file"].value) == (
            None,
            None,
            1.0,
        )


def test_a_recording_that_ends_with_the_user_says_nothing_about_the_reply() -> None:
    found = score("turn_taking", "strict", sound((), 4.7, ()), (4.72, 4.72))
    assert found["latency"].reason == found["tor"].reason == "the recording ends before the user's turn"


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 19), st.floats(0, 3)), max_size=6),
    st.floats(0.5, 15),
    st.floats(0.1, 4),
)
def test_a_takeover_is_a_turn_somewhere(
    words: list[tuple[float, float]], start: float, length: float
) -> None:
    model = sound(chunks(*((at, at + d) for at, d in words)), speech=None if words else ())
    for kind in ("pause", "turn_taking", "interruption"):
        found = score(kind, "strict", model, (start, start + length))
        tor, anywhere = found["tor"].value, found["tor_any_file"].value
        assert tor is not None
        assert anywhere is not None
        assert tor <= anywhere
        if kind != "pause":
            assert found["latency"].observed is (tor == 1)
            assert found["latency"].value == max(found["latency_raw"].value or 0, 0) or not tor


# The README's table, §6: rates are takeovers over clips


@pytest.mark.parametrize(
    ("hits", "n", "printed"),
    [
        (80, 137, 0.584), (128, 137, 0.934), (135, 137, 0.985), (88, 137, 0.642), (35, 137, 0.255),
        (143, 216, 0.662), (202, 216, 0.935), (104, 216, 0.481), (67, 216, 0.310), (26, 216, 0.120),
        (118, 119, 0.992), (116, 119, 0.975), (112, 119, 0.941), (40, 119, 0.336), (78, 119, 0.655),
        (200, 200, 1.000), (194, 200, 0.970),
    ],
)  # fmt: skip
def test_printed_rates(hits: int, n: int, printed: float) -> None:
    took, not_taken = (
        score("turn_taking", "compat", sound(words), (1.0, 1.0))["tor"] for words in (even(4, 2.0, 3.0), ())
    )
    assert round(pooled([took] * hits + [not_taken] * (n - hits)), 3) == printed


@pytest.mark.parametrize(
    ("n", "printed"), [(216, 0.980), (137, 0.010), (200, 0.917), (200, 0.867), (200, 0.891)]
)
def test_printed_rates_that_no_count_of_clips_gives(n: int, printed: float) -> None:
    assert printed not in {round(hits / n, 3) for hits in range(n + 1)}


def test_a_takeover_is_wanted_after_the_user_only() -> None:
    better = {
        kind: [V1.measure_of(kind, name).better for name in ("tor", "tor_any_file", "latency")]
        for kind in ("pause", "backchannel", "turn_taking", "interruption")
    }
    wanted, unwanted = [1, 1, -1], [-1, -1, -1]
    expected = {"pause": unwanted, "backchannel": unwanted, "turn_taking": wanted, "interruption": wanted}
    assert better == expected
    assert V1.measure_of("overlap", "tor") == MEASURES["tor"]
    with pytest.raises(KeyError):
        V1.measure_of("pause", "torr")
