"""What two speakers do that a model can be asked about: pauses, backchannels, turn changes, interruptions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from dyad.suites.words import EPSILON, Timed

from .backchannels import Backchannels
from .quality import CONTEXT_S, backchannel_quality, interruption_quality, pause_quality, smooth_quality
from .turns import Span, Turn, pauses, sentences, speech_s, units

Task = Literal["pause_handling", "backchannel", "turn_taking", "user_interruption"]
TASKS: tuple[Task, ...] = ("pause_handling", "backchannel", "turn_taking", "user_interruption")

LONG_TURN_S = 2.0  # in which a backchannel is looked for
GAP_S = 1.0  # longest of a smooth turn change, itself left out
TAIL_S = 5.0  # of zeros, in which a model may answer
SHORTEST_BACKCHANNEL_INPUT_S = 15.0


@dataclass(frozen=True)
class Voices:
    """What both channels of a dialogue say: words and turns, in the order of time."""

    words: tuple[tuple[Timed, ...], tuple[Timed, ...]]
    turns: tuple[tuple[Turn, ...], tuple[Turn, ...]]


@dataclass(frozen=True)
class Sample:
    """A stretch of the user's channel as a stimulus. Times are seconds of the dialogue.

    `span` is the event that the task asks about, `tail_s` the zeros that follow the stretch. `fault` says why
    a hard filter drops it. `context` and `interrupt` belong to interruptions, `units` to backchannels: those
    of the other speaker.
    """

    task: Task
    dialogue: str
    channel: int  # of the user
    start: float
    end: float
    span: Span
    quality: float
    tail_s: float = 0.0
    fault: str = ""
    context: Turn | None = None
    interrupt: Turn | None = None
    units: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Side:
    """A dialogue as one of its speakers, the user, sees it."""

    dialogue: str
    channel: int
    turns: tuple[Turn, ...]
    other_turns: tuple[Turn, ...]
    other_words: tuple[Timed, ...]
    listed: Backchannels


def samples(dialogue: str, voices: Voices, user: int, listed: Backchannels) -> list[Sample]:
    """Return all events of a dialogue in which one channel takes the user's part, filtered ones included."""
    other = 1 - user
    side = Side(dialogue, user, voices.turns[user], voices.turns[other], voices.words[other], listed)
    return [*in_pauses(side), *with_backchannels(side), *before_changes(side), *interruptions(side)]


def in_pauses(side: Side) -> Iterator[Sample]:
    """A turn for each gap above 0.7 s between its words; the gap must lie inside of the turn."""
    for turn in side.turns:
        for start, end in pauses(turn.words):
            before = speech_s(w for w in turn.words if w.end <= start + EPSILON)
            after = speech_s(w for w in turn.words if w.start >= end - EPSILON)
            inside = turn.start - EPSILON <= start < end <= turn.end + EPSILON
            yield _sample(
                side, "pause_handling", (turn.start, turn.end), (start, end),
                pause_quality(end - start, before, after),
                fault="" if inside else "pause outside of the turn",
            )  # fmt: skip


def with_backchannels(side: Side) -> Iterator[Sample]:
    """A turn of 2.0 s or more in which the other speaker utters isolated backchannels."""
    found = [unit for unit in units(side.other_words) if side.listed.has(unit)]
    for turn in side.turns:
        inside = [u for u in found if turn.start - EPSILON <= u.start and u.end <= turn.end + EPSILON]
        if turn.duration_s < LONG_TURN_S - EPSILON or not inside:
            continue
        spans = tuple((u.start, u.end) for u in inside)
        long = turn.duration_s >= SHORTEST_BACKCHANNEL_INPUT_S - EPSILON
        yield _sample(
            side, "backchannel", (turn.start, turn.end), spans[0],
            backchannel_quality(len(spans), turn.duration_s),
            fault="" if long else "input shorter than 15 s", units=spans,
        )  # fmt: skip


def before_changes(side: Side) -> Iterator[Sample]:
    """The last sentence of a turn that the other speaker takes over from within 1.0 s, without overlap."""
    for turn, following in zip_longest(side.turns, side.turns[1:]):
        taker = next((o for o in side.other_turns if o.end > turn.end + EPSILON), None)
        if taker is None or (following and following.start < taker.start - EPSILON):
            continue
        gap = taker.start - turn.end
        if -EPSILON <= gap < GAP_S - EPSILON:
            last = sentences(turn.words)[-1]
            yield _sample(
                side, "turn_taking", (last.start, turn.end), (turn.end, max(turn.end, taker.start)),
                smooth_quality(max(0.0, gap)), tail_s=TAIL_S,
            )  # fmt: skip


def interruptions(side: Side) -> Iterator[Sample]:
    """The first sentence of a turn that begins while the other speaker's turn goes on, unless a backchannel.

    The context is the user's last sentence before it that is no backchannel.
    """
    context: Turn | None = None
    for turn in side.turns:
        said = sentences(turn.words)
        first = said[0]
        held = next((o for o in reversed(side.other_turns) if o.start < turn.start - EPSILON), None)
        if held and turn.start < held.end - EPSILON and not side.listed.has(first):
            yield _interruption(side, context, first, held)
        context = next((s for s in reversed(said) if not side.listed.has(s)), context)


def _interruption(side: Side, context: Turn | None, first: Turn, held: Turn) -> Sample:
    seconds = context.duration_s if context else 0.0
    quality = interruption_quality(min(first.end, held.end) - first.start, seconds)
    span = (context.start if context else first.start, first.end)
    return _sample(
        side, "user_interruption", span, (first.start, first.end), quality,
        tail_s=TAIL_S, fault=_context_fault(context), context=context, interrupt=first,
    )  # fmt: skip


def _context_fault(context: Turn | None) -> str:
    if context is None:
        return "no context"
    low, high = CONTEXT_S
    if context.duration_s < low - EPSILON:
        return f"context shorter than {low} s"
    return f"context longer than {high} s" if context.duration_s > high + EPSILON else ""


def _sample(
    side: Side,
    task: Task,
    stretch: Span,
    span: Span,
    quality: float,
    *,
    tail_s: float = 0.0,
    fault: str = "",
    context: Turn | None = None,
    interrupt: Turn | None = None,
    units: tuple[Span, ...] = (),
) -> Sample:
    """Round to whole µs, so that what is written down cuts the same samples again, and ties are ties."""
    start, end, first, last, good = (round(x, 6) for x in (*stretch, *span, quality))
    if not (start < end and start <= first <= min(last, end)):  # an aligner may leave the turn it was given
        fault = fault or "words outside of their turn"
    at = (task, side.dialogue, side.channel, start, end, (first, last), good)
    return Sample(*at, tail_s, fault, context, interrupt, units)
