"""Small studies of suites, played and heard in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import soundfile
from numpy.typing import NDArray

from dyad import pipeline
from dyad.cli.compose import compose
from dyad.pipeline import Study
from dyad.pipeline.trials import listening
from dyad.plan import Plan, make_plan
from dyad.simulate import simulate
from dyad.store import Store
from dyad.suites.protocol import Trial
from dyad.suites.trials import trial

ALWAYS = ("launcher=serial", "asr=none", "report.bootstrap=0", "report.permutations=0")


def planned(suite: str, store: Path, *overrides: str) -> Plan:
    """Plan a suite; an agent is given as Hydra knows it, `agent@pairing.a=NAME`."""
    return make_plan(compose([f"suite={suite}", f"store={store}", *ALWAYS, *overrides]).studies)


def studied(plan: Plan) -> tuple[Study, list[str]]:
    """Play what the store lacks of a plan, hear it and judge it; also return what failed."""
    store = Store(Path(plan.config.store))
    store.prepare()
    ended = list(simulate(store, plan.todo(store), plan.config.launcher))
    study = pipeline.of_plan(plan, store, "")
    errors = [*(played.error for played in ended), *pipeline.hear(study, pipeline.unheard(study))]
    for judge in study.config.judges:
        errors += pipeline.judge(study, judge, pipeline.unjudged(study, judge))
    return study, [error for error in errors if error]


def run_of(study: Study, stimulus: str) -> str:
    """The run of a stimulus that was played once."""
    (run_id,) = [i for i, spec in study.specs.items() if spec.scenario == stimulus]
    return run_id


def trial_of(study: Study, stimulus: str, **given: Any) -> Trial:
    """The trial of a stimulus that was played once."""
    return trial(listening(study, run_of(study, stimulus)), **given)


def wav(path: Path, pcm: NDArray[Any], rate: int) -> Path:
    """Write PCM16: [N], or [N, channels]."""
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, pcm, rate, subtype="PCM_16")
    return path
