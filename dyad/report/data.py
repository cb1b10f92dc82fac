"""From a study in the store to the plain data that the page is made of. Seconds begin here."""

from __future__ import annotations

import base64
import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dyad import __version__
from dyad.bridge.protocol import caps_of, family_of
from dyad.judge.transcript import Line
from dyad.library import info_of
from dyad.measure.conversation import seconds
from dyad.pipeline import Account, Study, account, heard_ids, judgments, transcript
from dyad.pipeline.trust import Trust
from dyad.report.judges import conclusion, origin
from dyad.report.takes import garble_notes, garble_problems
from dyad.spec import RATE, SEATS, TICK_S, AgentSpec, Piece, digest
from dyad.stats import mde
from dyad.tables import HEADLINE, of_judge
from dyad.tables.claims import conclusions
from dyad.tables.frame import with_draws
from dyad.tables.paired import too_few
from dyad.tables.words import number

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, Any]
PEAKS_HZ = 50
TABLES_ALONE = "This page was made from tables alone: it has neither judges nor conversations."
COMPRESSED = "report/audio.mp3"  # compressed copy of a recording, made for pages that carry their sound


def report_data(study: Study, frame: pd.DataFrame, known: Trust, rows: Sequence[Row], embed: bool) -> Row:
    """Return what `render` needs. `rows` are those of the tables, see `dyad.pipeline.table_rows`.

    `embed` puts the sound into the page instead of linking the FLAC files.
    """
    frame = of_judge(frame, known.shown)
    measured = {str(run_id): own for run_id, own in frame.groupby("run_id")}
    runs = [_run(study, run_id, measured.get(run_id), embed) for run_id in study.ids]
    unhealthy = sum(not run["health"]["ok"] for run in runs)
    return {
        "study": _study(study, frame, rows, unhealthy, known),
        "verdict": _verdict(rows, runs, unhealthy),
        "judges": _judges(known),
        "rows": list(rows),
        "flags": {archetype: known.flags(measure, archetype) for archetype, measure in HEADLINE.items()},
        "runs": runs,
    }


def rows_data(rows: Sequence[Row], name: str, mode: str = "paper") -> Row:
    """Return what `render` needs of a study that is known by the rows of its tables alone."""
    about: Row = {
        "name": name, "command": "", "created_utc": now(), "dyad": __version__, "mode": mode, "agents": [],
        "notes": [TABLES_ALONE], "mdd": _floor(rows, None), "n_runs": 0, "n_failed": 0, "n_missing": 0,
        "n_unhealthy": 0,
    }  # fmt: skip
    about |= dict.fromkeys(("judge", "asr", "vad"))
    tables: Row = {"verdict": " ".join(conclusions(rows)), "judges": None, "rows": list(rows), "flags": {}}
    return {"study": about, "runs": []} | tables


def _judges(known: Trust) -> Row | None:
    if not any(judge.questions for judge in known.judges) and not known.missing:
        return None
    return {"conclusion": conclusion(known), **known.model_dump(mode="json")}


def now() -> str:
    """Return the time of day in UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _study(study: Study, frame: pd.DataFrame, rows: Sequence[Row], n_unhealthy: int, known: Trust) -> Row:
    planned = account(study)
    return {
        "name": study.name,
        "command": study.command,
        "created_utc": now(),
        "dyad": __version__,
        "mode": study.config.mode,
        "judge": study.config.judge,
        "asr": study.config.asr.name,
        "vad": study.config.vad.name,
        "agents": [agent_row(study, agent) for agent in agents_of(study)],
        "n_runs": len(study.ids),
        "n_failed": planned.counts["failed"],
        "n_missing": planned.counts["missing"],
        "n_unhealthy": n_unhealthy,
        "notes": [*_absent(planned), *_notes(study, frame, known)],
        "mdd": _floor(rows, frame),
    }


def agent_row(study: Study, agent: AgentSpec) -> Row:
    """Return what a page says of an agent."""
    return {
        "name": agent.name,
        "adapter": agent.adapter,
        "about": family_of(agent.adapter).about,
        "licence": caps_of(agent).licence,
        # where things lie on one machine is nobody else's business
        "params": {k: v for k, v in agent.params.items() if k not in agent.local},
        "numerics": _numerics(study, agent.name),
    }


def agents_of(study: Study) -> list[AgentSpec]:
    """Every agent with its settings, by name; a sweep over its settings makes several of one name."""
    specs = study.specs.values()
    found = {digest(agent): agent for spec in specs for agent in (spec.a.agent, spec.b.agent)}
    return sorted(found.values(), key=lambda agent: (agent.name, digest(agent)))


def _numerics(study: Study, name: str) -> list[str]:
    """What could change the last bits of an agent's sound, by its manifests; several where runs differ."""
    seats = [
        study.manifests[run_id].seats[seat]
        for run_id, spec in study.specs.items()
        for seat in SEATS
        if spec.seat(seat).agent.name == name and run_id in study.manifests
    ]
    return sorted({", ".join(f"{k} {v}" for k, v in sorted(seat.numerics.items())) for seat in seats} - {""})


def stand_ins(study: Study) -> str:
    """Name the agents that are none of the models that they are called after."""
    doubles = {a.name for a in agents_of(study) if a.params.get("upstream") == "double"}
    drawn = {a.name for a in agents_of(study) if str(a.params.get("weights", "")).startswith("random:")}
    kinds = ((doubles, "a stand-in for the model"), (drawn, "random weights"))
    told = [f"{', '.join(sorted(names))}: {what}" for names, what in kinds if names]
    return f"{'; '.join(told)}. What they say and do tells nothing about those models." if told else ""


def _absent(planned: Account) -> Iterator[str]:
    """Say why planned runs are not there, the most frequent reason first."""
    for (status, reason), runs in planned.reasons().items():
        more = f" and {len(runs) - 1} more" if len(runs) > 1 else ""
        yield f"{len(runs)} of {planned.planned} planned conversations {status}: {runs[0]}{more}: {reason}"


def _notes(study: Study, frame: pd.DataFrame, known: Trust) -> Iterator[str]:
    """Everything that a reader of the tables must know about this study."""
    if told := stand_ins(study):
        yield told
    free = [spec.scenario for spec in study.specs.values() if info_of(spec.archetype).free]
    if len(free) < len(study.specs):
        yield origin(known)
    if free:
        yield (
            "Free conversations have no content: nothing is judged, and where tables count scenarios, each "
            "draw (seed, opener, repetition) counts as one."
        )
    yield from garble_notes(study, frame)
    if missing := int(frame["value"].isna().sum()):
        yield f"{missing} of {len(frame)} values are missing; they are counted and left out, never 0."
    languages = sorted({spec.lang for spec in study.specs.values()} - {"en"})
    if languages and any(judge.shown and judge.rules for judge in known.judges):
        yield (
            f"In {', '.join(languages)} the rules judge the choice of T2 and what phrases of a role decide; "
            "offers, grants and prices are missing there, never no."
        )
    if unheard := len(study.ids) - len(heard_ids(study)):
        yield f"{unheard} recordings could not be heard; they are in no table."
    if len(frame) and with_draws(frame).groupby("archetype")["scenario"].nunique().min() < 2:
        yield (
            "One scenario per archetype: intervals are Wilson's, which take runs, and opportunities inside "
            "them, as independent. Claims about agents need more scenarios."
        )


def _floor(rows: Sequence[Row], frame: pd.DataFrame | None) -> str | None:
    """The smallest difference that would be seen: from the variance seen here, else from a typical one."""
    known = [row for row in rows if row["table"] == "mde" and row["term"] == "mde"]
    seen = [row for row in known if row["value"] is not None]
    if not seen:
        return _typical(frame)
    size = _range([number(value) for value in sorted(row["value"] for row in seen)])
    scenarios = _range([str(count) for count in sorted(filter(None, (row["scenarios"] for row in seen)))])
    return (
        f"{size} between two agents with one partner, with {scenarios} scenarios per archetype (80 % power, "
        "paired by scenario, variance seen here)"
    )


def _range(ordered: Sequence[str]) -> str:
    """The first and the last, or the one that is both."""
    return " to ".join(dict.fromkeys((ordered[0], ordered[-1]))) if ordered else "–"


def _typical(frame: pd.DataFrame | None) -> str | None:
    if frame is None or not len(frame):
        return None
    frame = with_draws(frame)
    scenarios = int(frame.groupby("archetype")["scenario"].nunique().min())
    runs = frame[frame["seat"] != ""].groupby(["scenario", "agent", "partner"])["run_id"].nunique().median()
    smallest = mde(scenarios, float(runs))
    if mde(scenarios, 1.0) is None:
        return f"none, however large: {too_few(1)} ({scenarios} per archetype; six can give a p below .05)"
    if smallest is None:
        return None
    return (
        f"{min(smallest, 1.0):.2f} for a share, with {scenarios} scenario(s) per archetype and "
        f"{runs:g} run(s) per cell and scenario (80 % power, paired by scenario, typical variances)"
    )


def _verdict(rows: Sequence[Row], runs: Sequence[Row], unhealthy: int) -> str:
    minutes = sum(run["duration_s"] for run in runs) / 60
    pairings = sorted({run["pairing"] for run in runs})
    parts = [f"{len(runs)} conversations, {minutes:.0f} min, pairings {', '.join(pairings)}."]
    if unhealthy:
        parts.append(f"{unhealthy} did not pass the health gate and were not judged.")
    return " ".join([*parts, *conclusions(rows)])


# -- one conversation ------------------------------------------------------------------------------


def _run(study: Study, run_id: str, measured: pd.DataFrame | None, embed: bool) -> Row:
    store = study.store
    spec, manifest, takes = study.specs[run_id], study.manifests[run_id], study.takes[run_id]
    lines = transcript(study, run_id)  # one per segment
    return {
        "id": run_id,
        "pairing": spec.pairing,
        "archetype": spec.archetype,
        "task": spec.task,
        "scenario": spec.scenario,
        "lang": spec.lang,
        "title": f"{info_of(spec.archetype).name}: {spec.scenario}",
        "setting": study.scenario(spec).setting,
        "opener": spec.opener,
        "repetition": spec.repetition,
        "seed": spec.seed,
        "window_s": seconds(spec.ticks),
        "duration_s": seconds(manifest.ticks),
        "channel": spec.channel.phrase,
        "agents": {seat: spec.seat(seat).agent.name for seat in SEATS},
        "roles": {seat: spec.seat(seat).kind for seat in SEATS},
        "prompts": {seat: spec.seat(seat).prompt.text for seat in SEATS},
        "audio": run_audio(study, run_id, embed),
        "peaks": run_peaks(store.peaks(run_id)),
        "segments": {
            seat: [[seconds(x.start), seconds(x.end)] for x in lines if x.seat == seat] for seat in SEATS
        },
        "lines": [line_row(line) for line in lines],
        "events": [_event(p) for p in store.pieces(run_id) if p.kind == "event"],
        "judgments": run_judgments(study, run_id),
        "measures": [] if measured is None else [measure_row(row) for row in measured.to_dict("records")],
        "health": {
            "ok": manifest.health.ok and not takes.dropped,
            "problems": [*manifest.health.problems, *garble_problems(takes)],
        },
        "timing_valid": manifest.timing_valid,
    }


def run_judgments(study: Study, run_id: str) -> list[Row]:
    """Every label of a run: what was said to one question side by side, the judge behind the scores first."""
    given = [
        {
            "judge": judge,
            "question": label.question,
            "seat": label.seat,
            "label": label.label,
            "status": label.status,
            "evidence": [e.model_dump() for e in label.evidence],
            "fields": label.fields,
        }
        for judge, labels in judgments(study, run_id).items()
        for label in labels
    ]
    return sorted(given, key=lambda x: (x["question"], x["seat"] or "", x["judge"] != study.config.judge))


def line_row(line: Line) -> Row:
    """Return a transcript line as plain data, times in seconds."""
    return {
        "id": line.id,
        "seat": line.seat,
        "start": seconds(line.start),
        "end": seconds(line.end),
        "text": line.text,
        "marks": list(line.marks),
        "heard": line.heard,
    }


def _event(piece: Piece) -> Row:
    kind, _, text = piece.s.strip().partition(":")
    return {"seat": piece.seat, "t": round(piece.at / RATE, 2), "kind": kind.strip(), "text": text.strip()}


def measure_row(row: Mapping[Any, Any]) -> Row:
    """Return a row of measures as the page of a run shows it."""
    n = float(row["n"])
    value = None if np.isnan(row["value"]) or n == 0 else float(row["value"]) / n
    return {
        "measure": row["measure"],
        "seat": row["seat"] or None,  # None: about the pair
        "value": value,
        "n": n,
        "unit": row["unit"],
        "mode": row["mode"],
    }


def run_audio(study: Study, run_id: str, embed: bool) -> str:
    """Return where the page finds a run's sound: in itself, else in the run's folder."""
    compressed = study.store.sidecar(run_id, COMPRESSED)
    if not embed or not compressed.exists():
        return f"../../runs/{run_id}/audio.flac"
    sound = base64.b64encode(compressed.read_bytes()).decode()
    return f"data:audio/mpeg;base64,{sound}"


def run_peaks(raw: bytes) -> Row:
    """Return the envelopes of a run as the player draws them."""
    peaks = np.frombuffer(raw, np.int8).reshape(2, -1, 2)
    sides = [base64.b64encode(side.tobytes()).decode() for side in peaks]
    return {"rate_hz": PEAKS_HZ, "a": sides[0], "b": sides[1]}


def audio_minutes(study: Study) -> float:
    """Return the length of all recordings of a study."""
    return sum(manifest.ticks for manifest in study.manifests.values()) * TICK_S / 60
