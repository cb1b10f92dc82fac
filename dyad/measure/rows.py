"""The tidy rows of one run: one per measure, seat and mode.

A row's rate is value / n; rows are pooled by adding value and n (see `dyad.measure.catalogue`). Every mode is
a table of its own that holds all measures, so choose the mode before anything else. Rows about the pair
have seat "" and name the agents of seats a and b as agent and partner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from dyad.measure.catalogue import MEASURES
from dyad.measure.conversation import Conversation, seconds, words_found
from dyad.measure.occupancy import floor
from dyad.measure.scores import Score, judged, spoken
from dyad.measure.turns import LIMITS, MODES, Limits, Mode, response_times, turn_counts
from dyad.spec import SEATS, Label, RunSpec, Seat, other

Row = dict[str, Any]

COLUMNS = (
    "run_id", "study", "suite", "task", "archetype", "scenario", "twin", "lang", "pairing",
    "agent", "partner", "seat", "role", "kind", "opener", "repetition", "seed", "window", "channel",
    "judge", "mode", "measure", "value", "n", "unit", "better", "observed",
)  # fmt: skip


def run_rows(
    c: Conversation,
    judgments: Mapping[str, Sequence[Label]] | None = None,
    study: str = "",
    modes: Sequence[Mode] = MODES,
    limits: Limits = LIMITS,
) -> list[Row]:
    """Return all rows of one run, each with exactly `COLUMNS`.

    `judgments` maps a judge to its labels; a judge that failed on this run has an empty list, so that its
    scores are there as missing (value None).
    """
    run = _about(c.spec, study)
    rows: list[Row] = []
    for mode in modes:
        mechanical = (*turn_scores(c, mode, limits), *spoken(c, mode))
        rows += [run | _scored(c.spec, "", mode, score) for score in mechanical]
        for judge, labels in (judgments or {}).items():
            rows += [run | _scored(c.spec, judge, mode, score) for score in judged(c, labels, mode)]
    return [{column: row[column] for column in COLUMNS} for row in rows]


def turn_scores(c: Conversation, mode: Mode, limits: Limits = LIMITS) -> Iterator[Score]:
    """Yield what segments and words say about each seat, in any task."""
    for seat in SEATS:
        x, y = c.segments[seat], c.segments[other(seat)]
        minutes = seconds(c.ticks) / 60
        for measure, count in turn_counts(x, y, c.ticks, mode, limits).items():
            n = minutes if MEASURES[measure].unit == "per_min" else count.n
            yield Score(measure, seat, float(count.hits), float(n))
        if mode == "strict":
            yield from _responses(c, seat)
        share = floor(x, y, c.ticks).occupancy
        yield Score("occupancy", seat, float(share.hits), float(share.n))
        if heard := c.heard():
            theirs = " ".join(line.text for line in heard if line.seat == seat)
            found = words_found(c.text(seat), theirs, c.spec.lang)
            yield Score("text_heard", seat, float(found.hits), float(found.n))
    yield from _shared(c)


def _shared(c: Conversation) -> Iterator[Score]:
    shared = floor(c.segments["a"], c.segments["b"], c.ticks)
    yield Score("overlap", "", float(shared.both), float(c.ticks))
    yield Score("silence", "", float(shared.silence), float(c.ticks))


def _responses(c: Conversation, seat: Seat) -> Iterator[Score]:
    """One row per chance to respond: a survival time, censored where the partner resumes."""
    waits, observed = response_times(c.segments[seat], c.segments[other(seat)], c.ticks)
    for wait, seen in zip(waits.tolist(), observed.tolist(), strict=True):
        yield Score("response_time", seat, seconds(wait), observed=seen)


def _about(spec: RunSpec, study: str) -> Row:
    """What all rows of a run share; its id is a hash of everything, so it is taken once."""
    return {
        "run_id": spec.id,
        "study": study,
        "suite": spec.suite,
        "task": spec.task,
        "archetype": spec.archetype,
        "scenario": spec.scenario,
        "twin": spec.twin,
        "lang": spec.lang,
        "pairing": spec.pairing,
        "opener": spec.opener,
        "repetition": spec.repetition,
        "seed": spec.seed,
        "window": seconds(spec.ticks),
        "channel": spec.channel.phrase,
    }


def _scored(spec: RunSpec, judge: str, mode: Mode, score: Score) -> Row:
    measure = MEASURES[score.measure]
    who = dict(zip(("agent", "partner", "seat", "role", "kind"), _who(spec, score.seat), strict=True))
    return who | {
        "judge": judge,
        "mode": mode,
        "measure": score.measure,
        "value": score.value,
        "n": float(score.n),
        "unit": measure.unit,
        "better": measure.better,
        "observed": score.observed,
    }


def _who(spec: RunSpec, seat: Seat | Literal[""]) -> tuple[str, str, str, str, str]:
    """Agent, partner, seat, role letter and role kind."""
    if seat == "":
        return spec.a.agent.name, spec.b.agent.name, "", "", ""
    here, there = spec.seat(seat), spec.seat(other(seat))
    return here.agent.name, there.agent.name, seat, here.role, here.kind
