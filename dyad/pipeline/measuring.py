"""Measure: the tidy rows of a study, computed from its recordings, words and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from dyad.errors import ConfigError
from dyad.measure.rows import COLUMNS, Row, run_rows
from dyad.spec import Label, canonical_json, digest
from dyad.store import write_atomic

from .conversations import conversation
from .hearing import heard_ids
from .judging import judgments
from .kept import READ
from .study import Study
from .trials import trial_rows

if TYPE_CHECKING:
    import pandas as pd

LABELS = ("run_id", "judge", "question", "seat", "label", "status", "lines")


def measure(study: Study) -> pd.DataFrame:
    """Compute the tidy rows of all heard runs, write them to `table.parquet`, and return them.

    Their labels go to `labels.parquet`. Both files name the settings behind them (`attrs`), so that they are
    never read as those of others.
    """
    import pandas as pd

    if not study.known:
        study.data_there()  # numbers are made of the data, not of what the store has kept of them
    labels = {run_id: judgments(study, run_id) for run_id in heard_ids(study)}
    rows = _rows(study, labels) if study.suite is None else trial_rows(study, list(labels), labels)
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"value": float})
    given = labels_frame(labels)
    frame.attrs["settings"] = given.attrs["settings"] = _settings(study)
    write_atomic(study.folder / "labels.parquet", _parquet(given))
    write_atomic(study.folder / "table.parquet", _parquet(frame))
    write_atomic(study.folder / READ, (canonical_json(study.keep_read()) + "\n").encode())
    return frame


def measured(study: Study) -> pd.DataFrame:
    """Return the rows of a study: those that are stored, where they are of these settings and runs."""
    try:
        return read_table(study)
    except ConfigError:
        return measure(study)


def _rows(study: Study, labels: Mapping[str, Mapping[str, Sequence[Label]]]) -> list[Row]:
    modes = (study.config.mode,)
    found = (run_rows(conversation(study, i), given, study.name, modes=modes) for i, given in labels.items())
    return list(chain.from_iterable(found))


def labels_frame(labels: Mapping[str, Mapping[str, Sequence[Label]]]) -> pd.DataFrame:
    """Return one row per run, judge, question and seat, from labels by run and judge."""
    import pandas as pd

    rows = [
        (run_id, judge, x.question, x.seat or "", x.label, x.status, " ".join(e.line for e in x.evidence))
        for run_id, by_judge in labels.items()
        for judge, own in by_judge.items()
        for x in own
    ]
    return pd.DataFrame(rows, columns=list(LABELS))


def read_table(study: Study) -> pd.DataFrame:
    """Read the rows that `measure` wrote; raise ConfigError when there are none of the study's settings."""
    return _read(study, "table.parquet")


def read_labels(study: Study) -> pd.DataFrame:
    """Read the labels that `measure` wrote; raise ConfigError when there are none of the study's settings."""
    return _read(study, "labels.parquet")


def _read(study: Study, name: str) -> pd.DataFrame:
    import pandas as pd

    path = study.folder / name
    try:
        frame = pd.read_parquet(path)
    except (OSError, ValueError):  # not there, or no Parquet
        frame = None
    if frame is None or frame.attrs.get("settings") != _settings(study):
        what = (
            "missing or broken" if frame is None else f"made with other settings or of other runs{_by(frame)}"
        )
        raise ConfigError(
            f"{path} is {what}; run: python -m dyad measure study={study.name} with these options"
        )
    return frame


def _by(frame: pd.DataFrame) -> str:
    """Say which definitions and whose labels a file has, so that the option that is missing can be given."""
    mode, judge, *_ = frame.attrs.get("settings") or ("", "")
    return f" (mode {mode}, labels of {judge})" if mode else ""


def _settings(study: Study) -> list[str]:
    """Return everything that decides the rows: what they hold, which runs were heard, what labels rest on."""
    config = study.config
    files = {
        run_id: [
            *(study.labels_file(run_id, judge) for judge in config.judges),
            *(f"{path.name} {path.stat().st_size}" for path in study.shown(run_id).files()),
        ]
        for run_id in heard_ids(study)
    }
    rule: list[object] = [config.asr.watch] if config.asr.watch else []
    if config.suite is not None:
        rule += [config.suite.flags, {run_id: study.read_by_judges(run_id) for run_id in files}]
    return [config.mode, config.judge, digest([COLUMNS, files, *rule])]


def _parquet(frame: pd.DataFrame) -> bytes:
    import io

    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()
