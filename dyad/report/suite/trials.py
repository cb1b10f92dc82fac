"""One trial as the player of the report gets it: the stimulus and what a model made of it, with marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dyad.report.html import clean
from dyad.spec.suite import Stimulus
from dyad.tables.rows import Row

MARKS: dict[str, tuple[str, ...]] = {  # what starts and ends with the span of a stimulus
    "pause": ("pause starts", "pause ends"),
    "backchannel": (),
    "turn_taking": ("user ends",),
    "interruption": ("interruption starts", "interruption ends"),
    "overlap": ("overlap starts", "overlap ends"),
}
SPAN = ("event starts", "event ends")  # of a kind that is not known here
KEPT = ("id", "pairing", "archetype", "task", "title", "repetition", "seed", "duration_s", "agents")
LISTED = ("tor",)  # measures by which the list of trials can be filtered, beside labels


def trial_block(
    stimulus: Stimulus,
    agent: str,
    *,
    run_id: str,
    repetition: int,
    seed: int,
    duration_s: float,
    start_s: float,
    audio: str,
    peaks: Mapping[str, Any],
    segments: Mapping[str, Sequence[Sequence[float]]],
    lines: Sequence[Row] = (),
    judgments: Sequence[Row] = (),
    measures: Sequence[Row] = (),
    problems: Sequence[str] = (),
    events: Sequence[Row] = (),
    prompt: str = "",
    lang: str = "en",
    channel: str = "",
    timing_valid: bool = True,
) -> Row:
    """Return a trial as a conversation of the report: seat a is the model, seat b the stimulus.

    All times are seconds of the recording, `start_s` being when the model hears the first sample of the
    stimulus; times and peaks of seat b are those at which the model hears it.
    `audio` is a path or a data URI and `peaks` the envelopes, as in `dyad.report.data`; `segments` are spans
    of speech by seat, `lines` are those of its `line_row`. `judgments` have judge, question, seat, label,
    status, evidence and fields; `measures` have measure, seat, value (of one trial), n, unit, mode.
    `problems` make a trial unhealthy. `events` stand beside the marks of the stimulus.
    """
    return {
        "id": run_id,
        "pairing": agent,
        "archetype": stimulus.kind,
        "task": stimulus.task,
        "scenario": stimulus.id,
        "lang": lang,
        "title": f"{stimulus.task}: {stimulus.clip}" + (" (without the overlap)" if stimulus.clean else ""),
        "setting": " · ".join(
            f"{name.replace('_', ' ')}: {text}" for name, text in stimulus.texts.items() if text
        ),
        "repetition": repetition,
        "seed": seed,
        "window_s": duration_s,
        "duration_s": duration_s,
        "channel": channel,
        "agents": {"a": agent, "b": "stimulus"},
        "roles": {"a": "model", "b": stimulus.clip},
        "prompts": {"a": prompt, "b": ""},
        "audio": audio,
        "peaks": dict(peaks),
        "segments": {seat: [list(span) for span in segments.get(seat, ())] for seat in ("a", "b")},
        "lines": list(lines),
        "events": [*_marks(stimulus, start_s, segments.get("a", ())), *events],
        "judgments": list(judgments),
        "measures": list(measures),
        "health": {"ok": not problems, "problems": list(problems)},
        "timing_valid": timing_valid,
    }


def _marks(stimulus: Stimulus, start_s: float, spoken: Sequence[Sequence[float]]) -> list[Row]:
    """Where the stimulus starts, its span, and where the model first starts to speak after that begins."""
    found = [event("b", start_s, "stimulus starts")]
    if stimulus.span is None or stimulus.clean:
        return found
    named = zip(MARKS.get(stimulus.kind, SPAN), stimulus.span, strict=False)
    found += [event("b", start_s + at, what) for what, at in named]
    onset = next((begin for begin, _ in spoken if begin >= start_s + stimulus.span[0]), None)
    return found if onset is None else [*found, event("a", onset, "model starts")]


def event(seat: str, t: float, kind: str, text: str = "") -> Row:
    """Return a mark beside a trial's sound, at `t` seconds of the recording."""
    return {"seat": seat, "t": round(t, 2), "kind": kind, "text": text}


def index_entry(trial: Row, judge: str) -> Row:
    """Return what the list of trials sorts, filters and searches: labels of one judge, takeovers by mode."""
    labels = [
        {key: x[key] for key in ("question", "seat", "label", "judge")}
        for x in trial["judgments"]
        if x["judge"] == judge
    ]
    labels += [
        {
            "question": f"{x['measure']} {x['mode']}",
            "seat": "a",
            "label": _label(x["value"]),
            "judge": "rules",
        }
        for x in trial["measures"]
        if x["measure"] in LISTED
    ]
    spoken = [line["text"] for line in trial["lines"]]
    words = (trial["id"], trial["title"], trial["scenario"], trial["setting"], trial["pairing"], *spoken)
    return {key: trial[key] for key in KEPT} | {
        "labels": labels,
        "problems": trial["health"]["problems"],
        "healthy": trial["health"]["ok"],
        "words": " ".join(filter(None, words)).lower(),
    }


def _label(value: float | None) -> str | None:
    return None if clean(value) is None else f"{value:g}"
