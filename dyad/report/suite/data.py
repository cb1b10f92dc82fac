"""From a suite's study in the store to the plain data that its page is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dyad import __version__
from dyad.measure.conversation import seconds
from dyad.pipeline import Study
from dyad.pipeline.trials import listening, shown_trial
from dyad.report.data import (
    agent_row,
    agents_of,
    measure_row,
    now,
    run_audio,
    run_judgments,
    run_peaks,
    stand_ins,
)
from dyad.spec import RATE, SEATS, TICK_S, Seat, digest
from dyad.suites.fdb.behaviour import words_of
from dyad.suites.plan import PLAYERS
from dyad.suites.protocol import Sound
from dyad.suites.published import names, published
from dyad.suites.words import ipus, speech_of
from dyad.tables.rows import Row
from dyad.text import joined

from .trials import trial_block

if TYPE_CHECKING:
    import pandas as pd


def suite_data(study: Study, frame: pd.DataFrame, rows: Sequence[Row], embed: bool) -> dict[str, Any]:
    """Return what `suite_page` needs: `frame` has the trials' rows of all modes, `rows` are the tables'."""
    measured = {str(run_id): own for run_id, own in frame.groupby("run_id")}
    return {
        "study": _about(study, frame),
        "rows": rows,
        "published": [published(name) for name in names()],
        "trials": [_trial(study, run_id, measured.get(run_id), embed) for run_id in study.ids],
    }


def _about(study: Study, frame: pd.DataFrame) -> Row:
    config = study.config
    assert config.suite is not None
    # what plays sounds has another one in each run
    agents = {digest([a.name, a.adapter, a.params]): a for a in agents_of(study)}
    return {
        "name": study.name,
        "suite": config.suite.name,
        "command": study.command,
        "created_utc": now(),
        "dyad": __version__,
        "judge": config.judge,
        "asr": config.asr.name,
        "vad": "silero",
        "agents": [agent_row(study, agent) for agent in agents.values() if agent.adapter != PLAYERS[1]],
        "notes": list(_notes(study, frame)),
    }


def _notes(study: Study, frame: pd.DataFrame) -> Iterator[str]:
    settings = study.config.suite
    assert settings is not None
    if told := stand_ins(study):
        yield told
    if off := sorted(name for name, on in settings.flags.items() if not on):
        yield f"compat without {', '.join(off)}: these faults of the authors' scripts are switched off."
    if settings.lead_s or settings.tail_s:
        around = f"{settings.lead_s:g} s before, {settings.tail_s:g} s after, which are scored"
        yield f"Silence around each stimulus: {around}."
    if missing := int(frame["value"].isna().sum()):
        yield f"{missing} of {len(frame)} values are missing; they are counted and left out, never 0."


def _trial(study: Study, run_id: str, measured: pd.DataFrame | None, embed: bool) -> Row:
    spec, manifest, heard = study.specs[run_id], study.manifests[run_id], listening(study, run_id)
    sounds, start_s = shown_trial(study, run_id), heard.start / RATE
    # what is played is said one tick before the model hears it
    zero: dict[Seat, float] = {"a": start_s, "b": start_s - TICK_S}
    assert study.config.suite is not None
    return trial_block(
        heard.stimulus,
        spec.a.agent.name,
        run_id=run_id,
        repetition=spec.repetition,
        seed=spec.seed,
        duration_s=seconds(manifest.ticks),
        start_s=start_s,
        audio=run_audio(study, run_id, embed),
        peaks=run_peaks(study.store.peaks(run_id)),
        segments={seat: _spans(sounds[seat], zero[seat]) for seat in SEATS},
        lines=_lines(sounds, zero),
        judgments=run_judgments(study, run_id),
        measures=[] if measured is None else [measure_row(row) for row in measured.to_dict("records")],
        problems=() if study.fit(run_id) else manifest.health.problems,
        prompt=spec.a.prompt.text,
        lang=spec.lang,
        channel=spec.channel.phrase,
        timing_valid=manifest.timing_valid,
    )


def _spans(sound: Sound, zero: float) -> list[list[float]]:
    return [[round(start + zero, 3), round(end + zero, 3)] for start, end in speech_of(sound)]


def _lines(sounds: Mapping[Seat, Sound], zero: Mapping[Seat, float]) -> list[Row]:
    """The words of both sides as lines, one per inter-pausal unit, by time."""
    made = list[Row]()
    for seat in SEATS:
        for number, unit in enumerate(ipus(words_of(sounds[seat])), start=1):
            start, end = round(unit.start + zero[seat], 2), round(unit.end + zero[seat], 2)
            text = joined([word.text for word in unit.words])
            line = {"id": f"{seat.upper()}{number}", "seat": seat, "start": start, "end": end, "text": text}
            made.append(line | {"marks": [], "heard": None})
    return sorted(made, key=lambda line: (line["start"], line["seat"]))
