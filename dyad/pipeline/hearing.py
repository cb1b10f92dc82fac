"""Hear: the segments and words of recordings, written beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dyad.hear.asr import transcribe
from dyad.hear.vad import segments as find_segments
from dyad.launch import GO, Stop, launch, processes
from dyad.spec.study import AsrSettings, VadSettings
from dyad.store import Store
from dyad.suites.listen import batches, find_speech, is_heard, listen

from .study import Study, vad_name
from .trials import listening


@dataclass(frozen=True)
class Hearing:
    """One recording to be heard."""

    store: Store
    run_id: str
    vad: VadSettings
    asr: AsrSettings
    hotwords: tuple[str, ...]
    words_file: str
    lang: str


def unheard(study: Study, today: bool = False) -> list[str]:
    """Return the runs that lack segments or words of the study's settings.

    With `today` also trials whose speech an earlier version found, which reading makes do with.
    """
    lacking = [i for i, spec in study.specs.items() if not study.sidecars(spec).there(study.store, i)]
    if study.suite is None or not today:
        return lacking
    return [i for i in study.ids if i in lacking or not is_heard(listening(study, i))]


def hear(study: Study, ids: Sequence[str], stop: Stop = lambda: GO) -> Iterator[str | None]:
    """Write the missing segments and words; yield an error, or None, as each run is done.

    Once `stop` says so, no run is begun.
    """
    if study.suite is not None:
        yield from _hear_trials(study, ids, stop)
        return
    workers = study.config.launcher.workers
    vad, asr = study.config.vad, study.config.asr
    specs = {i: study.specs[i] for i in ids}
    tasks = [
        Hearing(study.store, i, vad, asr, study.hotwords(spec), study.words_files[i], spec.lang)
        for i, spec in specs.items()
    ]
    for outcome in launch(tasks, hear_one, workers, stop=stop):
        yield outcome.error and f"{outcome.task.run_id}: {outcome.error}"


def _hear_trials(study: Study, ids: Sequence[str], stop: Stop) -> Iterator[str | None]:
    """Find the speech of many runs at once, then run by run what is lacking: words, what cannot be read."""
    workers = study.config.launcher.workers
    tasks = [listening(study, i) for i in ids]
    groups = batches(tasks, processes(workers, len(tasks)))
    for batch in launch(groups, find_speech, workers, stop=stop):
        yield from (None for task in batch.task if is_heard(task))
    for heard in launch([task for task in tasks if not is_heard(task)], listen, workers, stop=stop):
        yield heard.error and f"{heard.task.run_id}: {heard.error}"


def hear_one(task: Hearing) -> None:
    """Write the sidecars of one recording."""
    pcm = task.store.pcm(task.run_id)
    task.store.add_sidecar(task.run_id, vad_name(task.vad), find_segments(pcm, task.vad))
    if task.asr.engine != "none":
        asr = task.asr
        words = transcribe(pcm, asr.engine, task.hotwords, asr.model_dir, task.lang, asr.params)
        task.store.add_sidecar(task.run_id, task.words_file, words)


def heard_ids(study: Study) -> list[str]:
    """Return the runs whose segments and words are there: labels of half of them would stay wrong."""
    lacking = set(unheard(study))
    return [i for i in study.ids if i not in lacking]
