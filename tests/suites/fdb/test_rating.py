"""Ratings of replies to interruptions: what is read, and what the authors' script counts."""

from __future__ import annotations

import numpy as np
import pytest

from dyad.spec import Label
from dyad.spec.suite import Stimulus
from dyad.suites.fdb.rating import rating_score, read_rating, read_rating_compat, takeovers
from dyad.suites.fdb.turns import interruption_scores
from dyad.suites.protocol import Chunk, Mode, Scored, Sound, Trial

LINE = "I would rate the AI's response as "


def label(given: str | None, question: str = "fdb.rating", status: str = "ok") -> Label:
    return Label(question=question, label=given, status=status)


def mean(scores: list[Scored]) -> float:
    return sum(x.value or 0 for x in scores) / sum(x.n for x in scores)


@pytest.mark.parametrize(
    ("reply", "strict", "compat"),
    [
        (f"Analysis: it fits.\n{LINE}4.", 4, 4),
        (f"Analysis: it fits.\n{LINE}0", 0, 0),
        (f"Analysis:\nTwo lines\nof it.\n{LINE}5.", 5, 5),
        (f"Analysis: it fits.\n{LINE}10.", None, 10),
        (f"Analysis: it fits.\n{LINE}6.", None, 6),
        (f"Analysis: it fits.\n{LINE}4.5.", None, 4),
        (f"Analysis: it fits.\n{LINE}-1.", None, None),
        (f"Analysis: it fits.\n{LINE}[4].", 4, None),
        (f"Analysis: it fits.\n{LINE}**4**.", 4, None),
        (f"Analysis: it fits.\n{LINE}4/5.", 4, 4),
        (f"Analysis: it fits.\n{LINE}4 out of 5.", 4, 4),
        (f"Analysis: it fits.\n{LINE}3 or 4.", None, 3),
        (f"Analysis: it fits.\n{LINE}3-4.", None, 3),
        (f"Analysis: it fits.\n{LINE}four.", None, None),
        (f"Analysis: it fits.\n {LINE}4.", 4, None),  # the sentence must open its line
        (f"Analysis: it fits. {LINE}4.", 4, None),
        (f"it fits.\n{LINE}4.", 4, None),
        (f"Analysis: it fits.\n{LINE}3.\n{LINE}4.", 4, 3),  # two lines under one head: the first
        (f"Analysis: a.\n{LINE}3.\nAnalysis: b.\n{LINE}4.", 4, 4),  # each under its own: the last
        (f"Analysis:\n{LINE}2\n{LINE}3.", 3, 3),  # white space after the head takes a line with it
        ("Analysis: as good as 3 others, so as a whole 5", 5, None),
        ("Analysis: it was 3, I rate it AS 2.", 2, None),
        ("was 3", None, None),
        ("4", None, None),
        ("", None, None),
    ],
)
def test_what_a_reply_says(reply: str, strict: int | None, compat: int | None) -> None:
    assert read_rating(reply) == strict
    assert read_rating_compat(reply) == compat


def test_no_reply_at_all_says_nothing() -> None:
    assert read_rating_compat(None) is None


@pytest.mark.parametrize("twice", [False, True])
def test_ratings_counted_twice_have_the_same_mean(twice: bool) -> None:
    scores = [rating_score(True, [label(str(rating))], twice) for rating in (4, 1, 0)]
    assert mean(scores) == pytest.approx(5 / 3)
    assert sum(x.n for x in scores) == (6 if twice else 3)


@pytest.mark.parametrize(
    ("took", "labels", "score"),
    [
        (False, [label("4")], Scored("rating", 0.0, 0.0)),
        (False, [], Scored("rating", 0.0, 0.0)),
        (True, [label("4")], Scored("rating", 4.0)),
        (True, [label("C_RESUME", "fdb.behaviour"), label("0")], Scored("rating", 0.0)),
        (True, [], Scored("rating", None, 0.0, reason="not judged")),
        (True, [label(None, status="refused")], Scored("rating", None, 0.0, reason="refused")),
        (True, [label(None, status="refused"), label("2")], Scored("rating", 2.0)),
    ],
)
def test_only_takeovers_are_rated_and_a_failure_is_never_a_zero(
    took: bool, labels: list[Label], score: Scored
) -> None:
    assert rating_score(took, labels) == score


@pytest.mark.parametrize(("inflated", "hits", "n"), [(True, 4, 5), (False, 2, 3)])
def test_retries_inflate_takeovers(inflated: bool, hits: int, n: int) -> None:
    flags = {"tor_retry_inflation": inflated}
    scores = [takeovers(True, 0, flags), takeovers(True, 2, flags), takeovers(False, 0, flags)]
    assert (sum(x.value or 0 for x in scores), sum(x.n for x in scores)) == (hits, n)
    assert mean(scores) == pytest.approx(0.8 if inflated else 0.667, abs=5e-4)


def test_a_reply_is_only_asked_for_after_a_takeover() -> None:
    assert takeovers(False, 3, {}) == Scored("tor", 0.0)
    assert takeovers(True, 3, {}) == Scored("tor", 4.0, 4.0)


@pytest.mark.parametrize(
    ("mode", "twice", "inflated", "tor", "rating"),
    [
        ("compat", True, True, (3, 3), (8, 2)),
        ("compat", True, False, (1, 1), (8, 2)),
        ("compat", False, True, (3, 3), (4, 1)),
        ("compat", False, False, (1, 1), (4, 1)),
        ("strict", True, True, (1, 1), (4, 1)),
        ("strict", False, False, (1, 1), (4, 1)),
    ],
)
def test_of_a_trial(
    mode: Mode, twice: bool, inflated: bool, tor: tuple[int, int], rating: tuple[int, int]
) -> None:
    words = tuple(Chunk("w", 6 + k / 2, 6.5 + k / 2) for k in range(6))
    probs = np.ones(625, np.float32)
    model = Sound(np.zeros(320_000, np.int16), 16_000, words, probs, probs)
    stimulus = Stimulus(id="s.1", task="s", kind="interruption", clip="1", folder="s/1", span=(4.0, 5.0))
    flags = {"rating_counted_twice": twice, "tor_retry_inflation": inflated}
    found = interruption_scores(Trial(stimulus, model, model), [label("4")], mode, flags, retries=2)
    by = {x.measure: (x.value, x.n) for x in found}
    assert (by["tor"], by["rating"], by["latency"]) == (tor, rating, (1.0, 1.0))


@pytest.mark.parametrize("printed", [0.917, 0.867, 0.891])
def test_printed_rates_of_takeover_need_retries(printed: float) -> None:
    def rate(hits: int, retries: int) -> float:
        more = [takeovers(True, int(k < retries), {}) for k in range(hits)]
        return round(mean([*more, *[takeovers(False, 0, {})] * (200 - hits)]), 3)

    low = round(printed * 200) - 4
    assert all(rate(hits, 0) != printed for hits in range(low, low + 10))
    assert any(rate(hits, retries) == printed for hits in range(low, low + 5) for retries in range(1, 25))


FRENCH = [  # takeover rate, clips, rating: suite_fdb.md §8.8
    (0.565, 200, 3.354), (0.955, 200, 4.702), (0.380, 200, 3.211), (0.215, 200, 0.070),
    (0.593, 150, 0.348), (0.733, 150, 0.145), (0.400, 150, 0.833), (0.953, 150, 1.385), (0.860, 150, 1.930),
    (0.632, 38, 0.417), (0.868, 38, 0.151), (0.974, 38, 0.486), (0.895, 38, 3.471), (0.921, 38, 2.829),
]  # fmt: skip


def fits(printed: float, n: int) -> bool:
    """Whether some ratings 0 to 5 of n takeovers have the printed mean."""
    total = round(printed * n)
    ratings = [min(5, max(0, total - 5 * k)) for k in range(n)]
    scores = [rating_score(True, [label(str(rating))], twice=True) for rating in ratings]
    return round(mean(scores), 3) == printed


def test_printed_ratings_are_means_over_takeovers() -> None:
    assert [rating for tor, n, rating in FRENCH if not fits(rating, round(tor * n))] == [0.151]
    assert [rating for _, n, rating in FRENCH if fits(rating, n)] == [0.070, 0.833]  # over clips only two fit
    assert fits(1.385, 143)
    assert fits(3.354, 113)
