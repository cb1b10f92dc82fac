"""What judging would take, before anything is sent: calls, tokens and US dollars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np

from dyad.judge.case import Case, Subject
from dyad.judge.models.cache import answered
from dyad.judge.models.cost import Estimate, estimate, price_of, total
from dyad.judge.models.prompt import Style, calls
from dyad.judge.models.purse import size_of
from dyad.judge.models.session import key_of
from dyad.judge.models.types import ModelSettings
from dyad.judge.transcript import lines
from dyad.spec import SEATS, RunSpec, Seat
from dyad.spec.study import JudgeSettings
from dyad.suites.trials import imagined

from .hearing import heard_ids
from .judging import asked_about, model_settings, subject, unjudged
from .study import Study

SAMPLE = 12  # conversations per archetype whose prompts are counted
FREE = Estimate(0, 0, 0, 0.0)
# Lines where nothing is recorded yet, as in the demo: 3 words a second, a long pause now and then
LINE_WORDS, LINE_TICKS, PAUSES_TICKS = 8, 32, (5, 5, 13)


class Quote(NamedTuple):
    """What one judge would take for the `runs` that lack its labels."""

    judge: str
    runs: int
    estimate: Estimate


def quote(study: Study, judge: JudgeSettings, planned: Sequence[RunSpec] = ()) -> Quote:
    """Return what a judge would take for the stored runs of a study and for `planned` ones.

    Rules ask nobody. Of a language model the prompts of up to twelve conversations per archetype are made and
    counted: recorded ones, else made-up ones of typical length. What the records of replies hold already is
    not deducted.
    """
    settings, lacking = model_settings(judge), unjudged(study, judge)
    silent = [study.specs[i] for i in sorted(set(study.ids) - set(heard_ids(study)))]
    wanted = [spec for spec in (*silent, *planned) if asked_about(study, spec)]
    there, missing = _grouped([study.specs[i] for i in lacking]), _grouped(wanted)
    runs = len(lacking) + len(wanted)
    if settings is None:
        return Quote(judge.name, runs, FREE)
    parts = []
    for archetype in there | missing:
        recorded, planned_ = there.get(archetype, []), missing.get(archetype, [])
        sample = [subject(study, spec.id) for spec in _spread(recorded)] or [
            _imagined(study, spec) for spec in _spread(planned_)
        ]
        parts.append(_estimate(settings, sample, len(recorded) + len(planned_)))
    return Quote(judge.name, runs, total(parts))


def _grouped(runs: Sequence[RunSpec]) -> dict[str, list[RunSpec]]:
    found: dict[str, list[RunSpec]] = {}
    for run in runs:
        found.setdefault(run.archetype, []).append(run)
    return found


def _spread(runs: Sequence[RunSpec]) -> list[RunSpec]:
    """Up to twelve runs, evenly over all: neighbours share their scenario."""
    size = min(SAMPLE, len(runs))
    return [runs[i * len(runs) // size] for i in range(size)]


def estimated(judge: JudgeSettings, draws: Mapping[int, Sequence[Subject]], records: Path) -> Estimate:
    """Return what a judge would take for exactly these subjects, by draw, beside what its records hold."""
    settings = model_settings(judge)
    if settings is None:
        return FREE
    style, known = Style(settings.transcript, settings.questions), answered(records / f"{judge.name}.jsonl")
    asked = [
        size_of(call)
        for first, subjects in draws.items()
        for call in (call for subject in subjects for call in calls(subject, style))
        for draw in range(first, first + settings.draws)
        if key_of(judge.key, call, call.user, settings.max_tokens, str(draw)) not in known
    ]
    price = settings.price or price_of(settings.model)
    return estimate(asked, price, settings.expected_output, batch=settings.in_batches)


def _estimate(settings: ModelSettings, sample: Sequence[Subject], runs: int) -> Estimate:
    asked = [calls(subject, Style(settings.transcript, settings.questions)) for subject in sample]
    sizes = [size_of(call) for sheet in asked for call in sheet]
    number = round(len(sizes) / len(sample) * runs) * settings.draws if sample else 0
    price = settings.price or price_of(settings.model)
    each = round(mean(sizes)) if sizes else 0
    return estimate([each] * number, price, settings.expected_output, batch=settings.in_batches)


def _imagined(study: Study, spec: RunSpec) -> Subject:
    """A conversation as long as a run, in words of its roles that stand for what will be said."""
    if study.suite is not None:
        return study.suite.excerpt(imagined(study.stimulus(spec)))
    scenario = study.scenario(spec)
    roles = study.roles(scenario)
    words = {seat: cycle(f"{roles[seat].brief} {scenario.setting}".split()) for seat in SEATS}
    spans: dict[Seat, list[tuple[int, int]]] = {seat: [] for seat in SEATS}
    texts: dict[Seat, list[str]] = {seat: [] for seat in SEATS}
    ticks = max(spec.ticks, len(SEATS) * LINE_TICKS)  # each is heard
    for number, start in enumerate(range(0, ticks - LINE_TICKS + 1, LINE_TICKS)):
        seat = SEATS[number % 2]
        spans[seat].append((start, start + LINE_TICKS - PAUSES_TICKS[number % len(PAUSES_TICKS)]))
        texts[seat].append(" ".join(islice(words[seat], LINE_WORDS)))
    segments = {seat: np.array(spans[seat], dtype=np.int64) for seat in SEATS}
    made = lines("a", segments, texts, ticks)
    return Case(scenario, roles, {"a": "a", "b": "b"}, tuple(made), "a", ticks)
