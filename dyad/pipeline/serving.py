"""Which model answers for a judge: part of what its labels are, and kept beside the study that shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import TypeAdapter

from dyad import registry
from dyad.spec import canonical_json
from dyad.spec.study import JudgeSettings, StudyConfig
from dyad.store import write_atomic

SERVED = "served.json"  # a model by the identity of its judge
Say = Callable[[str], None]


def answering(folder: Path, config: StudyConfig, say: Say) -> StudyConfig:
    """Return the settings of judges with the model that answers for each of them now, which the folder keeps.

    Where another one answers than before, its labels are others. Where nobody answers, those kept stand.
    """
    judges = tuple(_answering(folder, judge, say) for judge in config.judges)
    return config.model_copy(update={"judges": judges})


def _answering(folder: Path, judge: JudgeSettings, say: Say) -> JudgeSettings:
    family, before = registry.load("judges", judge.backend), served(folder, judge)
    now = family.serves(family.params.model_validate(judge.params))
    if now is None:
        say(f"judge {judge.name}: nobody answers at its address; labels that are stored stand")
    elif now and now != before:
        if before:
            say(f"judge {judge.name}: answered by {now}, before by {before}: its labels are new ones")
        note_served(folder, judge, now)
    return judge.model_copy(update={"served": now or before})


def recalled(folder: Path, judges: Sequence[JudgeSettings]) -> tuple[JudgeSettings, ...]:
    """Return judges with the model that answered for each when it last worked in a folder; asks nobody."""
    return tuple(judge.model_copy(update={"served": served(folder, judge)}) for judge in judges)


def served(folder: Path, judge: JudgeSettings) -> str:
    """Return which model answered for a judge when it last worked in a folder; empty where unknown."""
    return _all_served(folder).get(judge.identity, "")


def note_served(folder: Path, judge: JudgeSettings, model: str) -> None:
    """Keep which model answers for a judge."""
    known = _all_served(folder) | {judge.identity: model}
    write_atomic(folder / SERVED, (canonical_json(known) + "\n").encode())


def _all_served(folder: Path) -> dict[str, str]:
    path = folder / SERVED
    return TypeAdapter(dict[str, str]).validate_json(path.read_bytes()) if path.is_file() else {}
