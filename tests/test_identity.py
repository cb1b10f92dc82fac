"""A run's identity knows what lies in a file, not where it lies."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile

from dyad.plan import Plan

Planned = Callable[..., Plan]


def stimulus(path: Path, level: float) -> str:
    path.parent.mkdir(exist_ok=True)
    soundfile.write(path, np.full(4800, level, np.float32), 24_000, subtype="PCM_16")
    return f"pairing.b.params.path={path}"


def test_a_moved_file_is_the_same_run_and_another_sound_is_not(planned: Planned, tmp_path: Path) -> None:
    def ids(path: str, level: float) -> list[str]:
        return [r.id for r in planned("agent@pairing.b=playback", stimulus(tmp_path / path, level)).runs]

    here = ids("one/a.wav", 0.1)
    assert ids("two/b.wav", 0.1) == here
    assert ids("one/c.wav", 0.2) != here


def test_spec_json_reads_back_to_the_same_id(planned: Planned) -> None:
    from dyad.spec import RunSpec, canonical_json

    for run in planned("task=all").runs:
        assert RunSpec.model_validate_json(canonical_json(run)).id == run.id
