"""From a suite's study in the store to the plain data that its page is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dyad import __version__
from dyad.measure.conversation import seconds
from dyad.pipeline import Study
from dyad.pipeline.trials import listening, shown_trial
from dyad.report.data import (
    PEAKS_HZ,
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
from dyad.suites.plan import PLAYERS
from dyad.suites.protocol import Sound, Trial
from dyad.suites.published import names, published
from dyad.suites.words import ipus, speech_of, words_of
from dyad.tables.rows import Row
from dyad.text import joined

from .trials import event, trial_block

if TYPE_CHECKING:
    import pandas as pd

PARTS: dict[str, Seat] = {"output_noisy": "a", "reply": "a", "input_noisy": "b"}  # of an excerpt


def suite_data(
    study: Study, frame: pd.DataFrame, rows: Sequence[Row], embed: bool, warnings: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what `suite_page` needs: `frame` has the trials' rows of all modes, `rows` are the tables'.

    `warnings` say what the judges cannot be trusted with.
    """
    measured = dict[str, list[Row]]()
    for row in frame.to_dict("records"):
        measured.setdefault(row["run_id"], []).append(measure_row(row))
    return {
        "study": _about(study, frame, warnings),
        "rows": rows,
        "published": [published(name) for name in names()],
        "trials": [_trial(study, run_id, measured.get(run_id, []), embed) for run_id in study.ids],
    }


def _about(study: Study, frame: pd.DataFrame, warnings: Sequence[str]) -> Row:
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
        "notes": [*_notes(study, frame), *warnings],
    }


def _notes(study: Study, frame: pd.DataFrame) -> Iterator[str]:
    settings = study.config.suite
    assert settings is not None
    if told := stand_ins(study):
        yield told
    if settings.flags:
        switched = ", ".join(f"{name} {'on' if on else 'off'}" for name, on in sorted(settings.flags.items()))
        yield f"Faults of the authors' scripts in compat, switched by the command: {switched}."
    if settings.lead_s or settings.tail_s:
        around = f"{settings.lead_s:g} s before, {settings.tail_s:g} s after, which are scored"
        yield f"Silence around each stimulus: {around}."
    if missing := int(frame["value"].isna().sum()):
        yield f"{missing} of {len(frame)} values are missing; they are counted and left out, never 0."


def _trial(study: Study, run_id: str, measured: Sequence[Row], embed: bool) -> Row:
    spec, manifest, heard = study.specs[run_id], study.manifests[run_id], listening(study, run_id)
    made, start_s = shown_trial(study, run_id), heard.start / RATE
    sounds, end_s = sides(made), start_s + made.model.duration_s
    lines = lines_of(sounds, start_s)
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
        peaks=run_peaks(heard_peaks(study.store.peaks(run_id))),
        segments={seat: _spans(sounds[seat], start_s) for seat in SEATS},
        lines=lines,
        events=[event("a", end_s, "strict ends", text) for text in cut_off(made)],
        judgments=placed(run_judgments(study, run_id), lines),
        measures=measured,
        problems=() if study.fit(run_id) else manifest.health.problems,
        prompt=spec.a.prompt.text,
        lang=spec.lang,
        channel=spec.channel.phrase,
        timing_valid=manifest.timing_valid,
    )


def sides(made: Trial) -> dict[Seat, Sound]:
    """Return what both seats said."""
    return {"a": made.model, "b": made.user}


def cut_off(made: Trial) -> list[str]:
    """Say how much of a recorded answer lies beyond the scored time, if any does."""
    long = made.answer is not None and made.tail_cut_s > 0
    return [f"{made.tail_cut_s:.2f} s of the answer lie beyond what strict scores"] if long else []


def placed(judgments: Sequence[Row], lines: Sequence[Row]) -> list[Row]:
    """Return judgments whose evidence names a line of the trial, where what is cited was said in it.

    Judges cite parts of an excerpt: `reply2`, `output_noisy1` … What they cite of the twin stays as it is.
    """
    made = []
    for judgment in judgments:
        evidence = [cited | {"line": _line_of(cited, lines)} for cited in judgment["evidence"]]
        made.append({**judgment, "evidence": evidence})
    return made


def _line_of(cited: Row, lines: Sequence[Row]) -> str:
    seat = next((seat for part, seat in PARTS.items() if cited["line"].startswith(part)), None)
    said = (x["id"] for x in lines if x["seat"] == seat and cited["quote"].lower() in x["text"].lower())
    return str(next(said, cited["line"]))


def heard_peaks(raw: bytes) -> bytes:
    """Return the envelopes of a run with the stimulus, seat b, where the model hears it: one tick later."""
    late = round(TICK_S * PEAKS_HZ)
    peaks = np.frombuffer(raw, np.int8).reshape(2, -1, 2).copy()
    peaks[1, late:] = peaks[1, :-late]
    peaks[1, :late] = 0
    return peaks.tobytes()


def _spans(sound: Sound, zero: float) -> list[list[float]]:
    return [[round(start + zero, 3), round(end + zero, 3)] for start, end in speech_of(sound)]


def lines_of(sounds: Mapping[Seat, Sound], zero: float) -> list[Row]:
    """Return the words of both sides by time, a line per inter-pausal unit; `zero` is added to times."""
    made = list[Row]()
    for seat in SEATS:
        for number, unit in enumerate(ipus(words_of(sounds[seat])), start=1):
            start, end = round(unit.start + zero, 2), round(unit.end + zero, 2)
            text = joined([word.text for word in unit.words])
            line = {"id": f"{seat.upper()}{number}", "seat": seat, "start": start, "end": end, "text": text}
            made.append(line | {"marks": [], "heard": None})
    return sorted(made, key=lambda line: (line["start"], line["seat"]))
