"""The tidy rows of one run: one per measure, seat and mode.

A row's rate is value / n; rows are pooled by adding value and n (see `dyad.measure.catalogue`). Every mode is
a table of its own that holds all measures, so choose the mode before anything else. Rows about the pair
have seat "" and name the agents of seats a and b as agent and partner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from dyad.measure.catalogue import MEASURES, questions_behind
from dyad.measure.conversation import Conversation, seconds
from dyad.measure.garble import watch
from dyad.measure.occupancy import floor
from dyad.measure.scores import Score, judged, spoken
from dyad.measure.turns import LIMITS, MODES, Limits, Mode, response_times, turn_counts
from dyad.spec import SEATS, Label, RunSpec, Seat, other

Row = dict[str, Any]

COLUMNS = (
    "run_id", "study", "suite", "task", "archetype", "scenario", "twin", "lang", "pairing",
    "agent", "partner", "seat", "role", "kind", "opener", "repetition", "seed", "window", "channel",
    "judge", "mode", "measure", "value", "n", "unit", "better", "observed", "reason",
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
    scores are there as missing (value None). `reason` says why a value is missing, see `_reason`.
    """
    run = about(c.spec, study)
    rows: list[Row] = []
    for mode in modes:
        mechanical = (*turn_scores(c, mode, limits), *spoken(c, mode))
        rows += [run | _scored(c, "", mode, score) for score in mechanical]
        for judge, given in (judgments or {}).items():
            labels = given if c.scored else ()
            rows += [run | _scored(c, judge, mode, score, labels) for score in judged(c, labels, mode)]
    return [{column: row[column] for column in COLUMNS} for row in rows]


def turn_scores(c: Conversation, mode: Mode, limits: Limits = LIMITS) -> Iterator[Score]:
    """Yield what segments and words say about each seat, in any task.

    All of it is missing where the recording's segments cannot be right (`dyad.health.sound_is_valid`). It
    stands where the recording is unhealthy for another reason, as for text that was never spoken.
    """
    found = _turn_scores(c, mode, limits)
    yield from found if c.sound else (score._replace(value=None, n=0.0) for score in found)


def _turn_scores(c: Conversation, mode: Mode, limits: Limits) -> Iterator[Score]:
    for seat in SEATS:
        x, y = c.segments[seat], c.segments[other(seat)]
        minutes = seconds(c.ticks) / 60
        for measure, count in turn_counts(x, y, c.ticks, mode, limits).items():
            n = minutes if MEASURES[measure].unit == "per_min" else count.n
            yield Score(measure, seat, float(count.hits), float(n))
        if mode == "strict":  # of a recording at fault there is no telling how many there were
            yield from _responses(c, seat) if c.sound else (Score("response_time", seat, None, 0.0),)
        share = floor(x, y, c.ticks).occupancy
        yield Score("occupancy", seat, float(share.hits), float(share.n))
        if seat in c.orphans:
            yield Score("orphans", seat, float(c.orphans[seat].hits), float(c.orphans[seat].n))
        if any(line.heard is not None for line in c.lines):
            yield from _heard(c, seat)
    yield from _shared(c)


def _heard(c: Conversation, seat: Seat) -> Iterator[Score]:
    """How much of a seat's text an ASR hears, and whether that is so little that it must be garbled."""
    found = watch(c.lines, seat, c.spec.lang)
    yield Score("text_heard", seat, float(found.whole.hits), float(found.whole.n))
    for name, failed in (("garbled", 2), ("suspect", 1)):
        yield Score(name, seat, float(found.failed == failed), float(found.failed is not None))
    if c.takes:
        yield Score("retaken", seat, float(any(seat in garbled for garbled in c.takes[:-1])))


def _shared(c: Conversation) -> Iterator[Score]:
    shared = floor(c.segments["a"], c.segments["b"], c.ticks)
    yield Score("overlap", "", float(shared.both), float(c.ticks))
    yield Score("silence", "", float(shared.silence), float(c.ticks))
    if c.takes:
        yield Score("takes", "", float(len(c.takes)))


def _responses(c: Conversation, seat: Seat) -> Iterator[Score]:
    """One row per chance to respond: the wait, not observed to its end where the partner resumes first."""
    waits, observed = response_times(c.segments[seat], c.segments[other(seat)], c.ticks)
    for wait, seen in zip(waits.tolist(), observed.tolist(), strict=True):
        yield Score("response_time", seat, seconds(wait), observed=seen)


def about(spec: RunSpec, study: str = "") -> Row:
    """Return what all rows of a run share; its id is a hash of everything, so take it once."""
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


def _scored(c: Conversation, judge: str, mode: Mode, score: Score, labels: Sequence[Label] = ()) -> Row:
    measure = MEASURES[score.measure]
    return who(c.spec, score.seat) | {
        "judge": judge,
        "mode": mode,
        "measure": score.measure,
        "value": score.value,
        "n": float(score.n),
        "unit": measure.unit,
        "better": measure.better,
        "observed": score.observed,
        "reason": "" if score.value is not None else _reason(c, judge, score, labels),
    }


def _reason(c: Conversation, judge: str, score: Score, labels: Sequence[Label]) -> str:
    """Why a value is missing.

    `recording`: it is at fault. `garbled`: its words cannot be made out. `no label`: the judge gave none;
    else the status of the missing labels, as `no_words`. `incomplete`: the labels are there, and lack what
    the measure needs. `undefined`: no rule for this language.
    """
    if not c.healthy:
        return "recording"
    if c.garbled:
        return "garbled"
    if not judge:
        return "undefined"
    questions = questions_behind(score.measure, c.spec.archetype)
    asked = [x for x in labels if x.question in questions and x.seat in (score.seat, None)]
    lost = {x.status for x in asked if x.label is None}
    return " ".join(sorted(lost)) or ("incomplete" if asked else "no label")


def who(spec: RunSpec, seat: Seat | Literal[""]) -> Row:
    """Return agent, partner, seat, role letter and role kind; agents of seats a and b for the pair ("")."""
    if seat == "":
        return {"agent": spec.a.agent.name, "partner": spec.b.agent.name, "seat": "", "role": "", "kind": ""}
    here, there = spec.seat(seat), spec.seat(other(seat))
    people = {"agent": here.agent.name, "partner": there.agent.name}
    return people | {"seat": seat, "role": here.role, "kind": here.kind}
