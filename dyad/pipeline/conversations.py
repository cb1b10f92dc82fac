"""One recording as judges and measures read it: its lines, and all that is known about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyad.health import sound_is_valid
from dyad.hear.attach import attach, pieces_of_words
from dyad.judge.case import Case, case_of
from dyad.judge.transcript import Line
from dyad.judge.transcript import lines as transcript_lines
from dyad.measure.conversation import Conversation
from dyad.measure.rows import about, who
from dyad.measure.turns import seat_ticks
from dyad.spec import SEATS, Seat, Segment, Word, other
from dyad.store import read_jsonl
from dyad.tables.robustness import Talk

from .hearing import heard_ids
from .study import Study


def transcript(study: Study, run_id: str) -> list[Line]:
    """Return the lines of one run: each voice-activity segment with its own text and what was heard."""
    segments, words = _segments(study, run_id), _words(study, run_id)
    spans = {seat: seat_ticks(segments, seat) for seat in SEATS}
    texts = _by_seat(segments, attach(study.store.pieces(run_id), segments).texts)
    heard = None if words is None else _by_seat(segments, attach(pieces_of_words(words), segments).texts)
    spec, ticks = study.specs[run_id], study.manifests[run_id].ticks
    return transcript_lines(spec.opener, spans, texts, ticks, heard)


def conversation(study: Study, run_id: str) -> Conversation:
    """Assemble what measures read of one run."""
    spec, segments = study.specs[run_id], _segments(study, run_id)
    spans = {seat: seat_ticks(segments, seat) for seat in SEATS}
    ticks = study.manifests[run_id].ticks
    health = study.manifests[run_id].health
    lines = transcript(study, run_id)
    return Conversation(
        spec, study.scenario(spec), ticks, spans, lines, health.ok, sound=sound_is_valid(health)
    )


def talks(study: Study) -> Iterator[Talk]:
    """Yield the segments of every heard run, once for each seat against its partner.

    Runs whose segments cannot be right are left out, as they are missing in the tables of turn-taking.
    """
    for run_id in heard_ids(study):
        spec, manifest = study.specs[run_id], study.manifests[run_id]
        if sound_is_valid(manifest.health):
            found = _segments(study, run_id)
            spans, run = {seat: seat_ticks(found, seat) for seat in SEATS}, about(spec, study.name)
            for seat in SEATS:
                yield Talk(run | who(spec, seat), spans[seat], spans[other(seat)], manifest.ticks)


def case(study: Study, run_id: str) -> Case:
    """Assemble what judges read of one run.

    Raises ConfigError when a run's scenario is gone or changed: then no label could be right.
    """
    spec = study.specs[run_id]
    scenario = study.scenario(spec)
    ticks = study.manifests[run_id].ticks
    return case_of(spec, scenario, study.roles(scenario), transcript(study, run_id), ticks)


def _segments(study: Study, run_id: str) -> list[Segment]:
    """Return the stored segments; none for a run that could not be heard."""
    path = study.store.sidecar(run_id, study.segments_file)
    return read_jsonl(path, Segment) if path.exists() else []


def _words(study: Study, run_id: str) -> list[Word] | None:
    path = study.store.sidecar(run_id, study.words_files[run_id])
    return read_jsonl(path, Word) if path.exists() else None


def _by_seat(segments: Sequence[Segment], texts: Sequence[str]) -> dict[Seat, list[str]]:
    return {seat: [text for s, text in zip(segments, texts, strict=True) if s.seat == seat] for seat in SEATS}
