"""Writes a study's `report.html`, with the sound inside it where that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dyad.launch import launch
from dyad.pipeline import Study
from dyad.pipeline.trust import Trust
from dyad.report.data import COMPRESSED, audio_minutes, report_data
from dyad.report.html import render
from dyad.report.sound import encode
from dyad.report.suite import suite_page
from dyad.report.suite.data import suite_data
from dyad.store import Store, write_atomic
from dyad.tables import Row

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class _Sound:
    store: Store
    run_id: str


def write_report(study: Study, frame: pd.DataFrame, known: Trust, rows: Sequence[Row]) -> Path:
    """Write `studies/<name>/report.html`, with its tables and what is known of the judges."""
    embed = embeds(study)
    if embed:
        _compress(study)
    path = study.folder / "report.html"
    write_atomic(path, render(report_data(study, frame, known, rows, embed)).encode())
    return path


def write_suite_report(study: Study, frame: pd.DataFrame, rows: Sequence[Row], known: Trust) -> Path:
    """Write `studies/<name>/report.html` of a suite, from the rows of its trials and of its tables."""
    if embed := embeds(study):
        _compress(study)
    path = study.folder / "report.html"
    write_atomic(path, suite_page(suite_data(study, frame, rows, embed, known.warnings)).encode())
    return path


def embeds(study: Study) -> bool:
    """Whether the page carries the sound: by setting, or when it is short enough."""
    wish = study.config.report
    if wish.embed_audio == "auto":
        return audio_minutes(study) <= wish.embed_limit_min
    return wish.embed_audio == "always"


def _compress(study: Study) -> None:
    """Make the missing compressed copies; a recording that has none is linked by the page."""
    todo = [_Sound(study.store, i) for i in study.ids if not study.store.sidecar(i, COMPRESSED).exists()]
    for _ in launch(todo, _compress_one, study.config.launcher.workers):
        pass


def _compress_one(sound: _Sound) -> None:
    write_atomic(sound.store.sidecar(sound.run_id, COMPRESSED), encode(sound.store.pcm(sound.run_id)))
