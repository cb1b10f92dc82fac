"""One recording as judges and measures read it: its lines, and all that is known about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyad.health import sound_is_valid
from dyad.judge.case import Case, case_of
from dyad.judge.transcript import Line
from dyad.judge.transcript import lines as transcript_lines
from dyad.measure.conversation import Conversation
from dyad.measure.rows import about, who
from dyad.measure.turns import Count, seat_ticks
from dyad.spec import SEATS, Seat, Segment, other
from dyad.tables.robustness import Talk

from .hearing import heard_ids
from .study import Study
from .takes import Texts, read_segments, read_texts


def transcript(study: Study, run_id: str) -> list[Line]:
    """Return the lines of one run: each voice-activity segment with its own text and what was heard."""
    return _lines(study, run_id, _texts(study, run_id))


def _lines(study: Study, run_id: str, found: Texts) -> list[Line]:
    spec, ticks = study.specs[run_id], study.manifests[run_id].ticks
    spans = {seat: seat_ticks(found.segments, seat) for seat in SEATS}
    own = _by_seat(found.segments, found.own.texts)
    heard = None if found.heard is None else _by_seat(found.segments, found.heard)
    return transcript_lines(spec.opener, spans, own, ticks, heard)


def conversation(study: Study, run_id: str) -> Conversation:
    """Assemble what measures read of one run."""
    found, spec = _texts(study, run_id), study.specs[run_id]
    manifest, takes = study.manifests[run_id], study.takes[run_id]
    return Conversation(
        spec,
        study.scenario(spec),
        manifest.ticks,
        {seat: seat_ticks(found.segments, seat) for seat in SEATS},
        _lines(study, run_id, found),
        healthy=manifest.health.ok,
        sound=sound_is_valid(manifest.health),
        orphans={seat: Count(found.own.orphans[seat], found.own.pieces[seat]) for seat in SEATS},
        takes=takes.garbled if study.config.asr.watch else (),
        garbled=takes.dropped,
    )


def talks(study: Study) -> Iterator[Talk]:
    """Yield the segments of every heard run, once for each seat against its partner.

    Runs whose segments cannot be right are left out, as they are missing in the tables of turn-taking.
    """
    for run_id in heard_ids(study):
        spec, manifest = study.specs[run_id], study.manifests[run_id]
        if sound_is_valid(manifest.health):
            found = read_segments(study.store, run_id, study.sidecars(spec))
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


def _texts(study: Study, run_id: str) -> Texts:
    return read_texts(study.store, run_id, study.sidecars(study.specs[run_id]))


def _by_seat(segments: Sequence[Segment], texts: Sequence[str]) -> dict[Seat, list[str]]:
    return {seat: [text for s, text in zip(segments, texts, strict=True) if s.seat == seat] for seat in SEATS}
