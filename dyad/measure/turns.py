"""Turn-taking of one seat against the other, from voice-activity segments only.

Source: Appendix C of DyaFDB (arXiv 2610.08125) and, where it is open, dyad's reading of it. X is the
measured seat, Y its partner. Segments are int64 [n, 2] ticks [start, end), sorted and disjoint; `ticks` is
the length of the recording. A gap of Y runs from the end of one of its segments to the start of the next, or
to the end of the recording; the silence before Y first speaks is no gap. No outcome is "correct".

Two modes, never mixed in one table:
`paper`  takes the definitions literally.
`strict` drops what the literal rules count for or against a seat without cause:
         a seat that already speaks when a pause begins has no chance to cut in (`clean`);
         a turn is taken by holding the floor in the gap, be the onset a moment before it (`floor`);
         a short utterance after which the other stops is a barge-in that succeeded (`short_stop_wins`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.spec import Seat, Segment

Ticks = NDArray[np.int64]
Mode = Literal["paper", "strict"]
MODES: tuple[Mode, ...] = ("paper", "strict")
EndRule = Literal["paper", "clean", "floor"]
OnsetKind = Literal["backchannel", "won", "lost", "short_stop", "unresolved"]


class Count(NamedTuple):
    """Hits among opportunities; divided last."""

    hits: int
    n: int

    @property
    def rate(self) -> float | None:
        """Hits per opportunity, or None without any."""
        return self.hits / self.n if self.n else None


@dataclass(frozen=True)
class Limits:
    """The limits behind the measures, in ticks; vary them to see whether a result hangs on them."""

    turn_ticks: int = 13  # ≥ 1 s: a gap is a turn end, speech takes a turn
    backchannel_ticks: int = 12  # < 1 s: an utterance can be a backchannel (swept over 6 … 18)
    hold_ticks: int = 7  # ≥ 0.5 s: goes on while the other has stopped (swept over 4 … 13)


LIMITS = Limits()


class Gaps(NamedTuple):
    """Gaps of one seat, each int64 [k, 2], and how many at the end were too short to tell (0 or 1)."""

    pauses: Ticks
    ends: Ticks
    censored: int


class Onset(NamedTuple):
    """What became of segment `x` of the measured seat that started over segment `y` of the other."""

    x: int
    y: int
    kind: OnsetKind


class Overlaps(NamedTuple):
    """Every segment of X that starts strictly inside one of Y, by which their kinds can be told: arrays [k].

    `length` is how long X speaks, `left` what Y still speaks when X has stopped (negative where X goes on),
    both in ticks; `stops` says whether Y stops before the recording ends.
    """

    x: Ticks
    y: Ticks
    length: Ticks
    left: Ticks
    stops: NDArray[np.bool_]


def seat_ticks(segments: Iterable[Segment], seat: Seat) -> Ticks:
    """Return the segments of one seat as int64 [n, 2], sorted by start."""
    pairs = sorted((s.start, s.end) for s in segments if s.seat == seat)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def gaps(y: Ticks, ticks: int, limits: Limits = LIMITS) -> Gaps:
    """Return the pauses (shorter than a turn end) and the turn ends of Y.

    The gap after the last segment is a turn end if it is long enough, else it is censored: nobody knows
    how long it would have become.
    """
    inner = np.column_stack((y[:-1, 1], y[1:, 0]))
    is_end = np.diff(inner)[:, 0] >= limits.turn_ticks
    tail = np.array([[y[-1, 1], ticks]], dtype=np.int64) if len(y) and y[-1, 1] < ticks else y[:0]
    closed = len(tail) > 0 and ticks - tail[0, 0] >= limits.turn_ticks
    ends = np.concatenate((inner[is_end], tail)) if closed else inner[is_end]
    return Gaps(inner[~is_end], ends, int(len(tail) > 0 and not closed))


def tor_pause(x: Ticks, y: Ticks, ticks: int, limits: Limits = LIMITS, clean: bool = False) -> Count:
    """Return in how many of Y's pauses X cut in with a turn's worth of speech.

    A hit is a segment of X that starts in the gap [s, r) and lasts ≥ `turn_ticks`, perhaps past r.
    `clean` leaves out pauses at whose start X was already speaking.
    """
    pauses = gaps(y, ticks, limits).pauses
    chances = pauses[~_speaking_at(x, pauses[:, 0])] if clean else pauses
    return _count(_starts_turn(x, chances, limits))


def tor_end(x: Ticks, y: Ticks, ticks: int, limits: Limits = LIMITS, rule: EndRule = "paper") -> Count:
    """Return at how many of Y's turn ends X took the turn before Y resumed.

    `paper`: as in `tor_pause`. `clean`: without the gaps at whose start X was already speaking.
    `floor`: X speaks for ≥ `turn_ticks` inside the gap, whenever it started.
    """
    ends = gaps(y, ticks, limits).ends
    if rule == "floor":
        return _count(_speech_inside(x, ends) >= limits.turn_ticks)
    chances = ends[~_speaking_at(x, ends[:, 0])] if rule == "clean" else ends
    return _count(_starts_turn(x, chances, limits))


def onsets(x: Ticks, y: Ticks, ticks: int, limits: Limits = LIMITS) -> list[Onset]:
    """Return the kind of every segment of X that starts strictly inside a segment of Y, see `kinds`."""
    found = overlaps(x, y, ticks)
    named = zip(found.x.tolist(), found.y.tolist(), kinds(found, limits).tolist(), strict=True)
    return [Onset(*one) for one in named]


def overlaps(x: Ticks, y: Ticks, ticks: int) -> Overlaps:
    """Return the segments of X that start strictly inside one of Y. Simultaneous starts are no events."""
    over = np.searchsorted(y[:, 0], x[:, 0], side="left") - 1
    at = np.flatnonzero((over >= 0) & (x[:, 0] < y[over, 1])) if len(y) else over[:0]
    ends = y[over[at], 1]
    return Overlaps(at, over[at], x[at, 1] - x[at, 0], ends - x[at, 1], ends < ticks)


def kinds(found: Overlaps, limits: Limits = LIMITS) -> NDArray[np.str_]:
    """Return what became of each overlap, [k].

    The first that fits: `backchannel` (short, and Y holds on after it), `won` (Y stops first and X holds on),
    `lost` (X stops first and Y holds on), `short_stop` (short, and Y stops soon after it), `unresolved`
    (both stop together, nobody holds on, or the recording ends).
    """
    short, y_holds = found.length <= limits.backchannel_ticks, found.left >= limits.hold_ticks
    x_holds, soon = -found.left >= limits.hold_ticks, (found.left > 0) & found.stops
    return np.select(
        [short & y_holds, x_holds, y_holds, short & soon],
        ["backchannel", "won", "lost", "short_stop"],
        "unresolved",
    )


def barge_in(found: Iterable[Onset], short_stop_wins: bool = False) -> Count:
    """Return the success of X's barge-ins: cases in which Y yields among those in which one of them does.

    By the literal rule nobody goes on after a `short_stop`, so it counts for nobody; `short_stop_wins`
    counts it as success.
    """
    kinds = [onset.kind for onset in found]
    short = kinds.count("short_stop") if short_stop_wins else 0
    won = kinds.count("won") + short
    return Count(won, won + kinds.count("lost"))


def turns(x: Ticks, backchannels: Iterable[int], limits: Limits = LIMITS) -> int:
    """Return the number of turns: segments less backchannels, merged over gaps shorter than a turn end."""
    rest = np.delete(x, list(backchannels), axis=0)
    breaks = sum(int(b[0] - a[1]) >= limits.turn_ticks for a, b in pairwise(rest))
    return breaks + 1 if len(rest) else 0


def response_times(x: Ticks, y: Ticks, ticks: int) -> tuple[Ticks, NDArray[np.bool_]]:
    """Return how long X waited after each segment of Y: int64 [k] ticks, and whether X did start, bool [k].

    Waiting ends without an answer where Y resumes or the recording ends. Gaps at whose start X is already
    speaking are left out: there is nothing to wait for.
    """
    resumes = np.append(y[1:, 0], ticks)[: len(y)]
    waits = np.column_stack((y[:, 1], resumes))
    waits = waits[(waits[:, 1] > waits[:, 0]) & ~_speaking_at(x, waits[:, 0])]
    first = np.append(x[:, 0], np.iinfo(np.int64).max)[np.searchsorted(x[:, 0], waits[:, 0])]
    return np.minimum(first, waits[:, 1]) - waits[:, 0], first < waits[:, 1]


def turn_counts(x: Ticks, y: Ticks, ticks: int, mode: Mode, limits: Limits = LIMITS) -> dict[str, Count]:
    """Return every count of X against Y in one mode.

    Rates: `tor_pause`, `tor_end`, `barge_in`, and `undecided_onsets` among X's onsets over Y, which the rate
    of barge-ins leaves out; `tor_end_clean` in `strict` only. Numbers per recording, with n = 1:
    `backchannels`, `turns`, `segments`, and `censored_gaps` of Y, which are in no rate.
    """
    strict = mode == "strict"
    found = onsets(x, y, ticks, limits)
    backchannels = [onset.x for onset in found if onset.kind == "backchannel"]
    won = barge_in(found, short_stop_wins=strict)
    clean = {"tor_end_clean": tor_end(x, y, ticks, limits, rule="clean")} if strict else {}
    return {
        "tor_pause": tor_pause(x, y, ticks, limits, clean=strict),
        "tor_end": tor_end(x, y, ticks, limits, rule="floor" if strict else "paper"),
        **clean,
        "barge_in": won,
        "undecided_onsets": Count(len(found) - len(backchannels) - won.n, len(found)),
        "backchannels": Count(len(backchannels), 1),
        "turns": Count(turns(x, backchannels, limits), 1),
        "segments": Count(len(x), 1),
        "censored_gaps": Count(gaps(y, ticks, limits).censored, 1),
    }


def _speaking_at(x: Ticks, moments: Ticks) -> NDArray[np.bool_]:
    """Whether X started before each moment and still speaks then."""
    inside = (x[:, :1] < moments) & (moments < x[:, 1:])
    return np.asarray(inside.any(axis=0))


def _starts_turn(x: Ticks, intervals: Ticks, limits: Limits) -> NDArray[np.bool_]:
    long = x[x[:, 1] - x[:, 0] >= limits.turn_ticks, :1]
    inside = (intervals[:, 0] <= long) & (long < intervals[:, 1])
    return np.asarray(inside.any(axis=0))


def _speech_inside(x: Ticks, intervals: Ticks) -> Ticks:
    shared = np.minimum(x[:, 1:], intervals[:, 1]) - np.maximum(x[:, :1], intervals[:, 0])
    return np.asarray(shared.clip(min=0).sum(axis=0), dtype=np.int64)


def _count(hits: NDArray[np.bool_]) -> Count:
    return Count(int(hits.sum()), len(hits))
