"""From what is drawn to the tidy frame of a study, and its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dyad.library import INFO
from dyad.measure.catalogue import MEASURES, RESTS_ON
from dyad.measure.rows import COLUMNS
from dyad.spec import SEATS, TICK_S, Archetype, Seat, digest, other, task_of

from .effects import EFFECTS, Condition, Effects
from .labels import JUDGES, labels
from .outcomes import Drawn, drawn
from .world import Runs, World

if TYPE_CHECKING:
    import pandas as pd

MAIN: tuple[Archetype, ...] = ("t1_1", "t1_2", "t2", "t3_1", "t3_2", "t4_1", "t4_2")
JUDGED = frozenset(measure for measures in RESTS_ON.values() for measure in measures)


def study(
    models: int = 3,
    scenarios: int = 20,
    repetitions: int = 3,
    archetypes: Sequence[Archetype] = MAIN,
    effects: Effects | Mapping[str, Effects] | None = None,
    seed: int = 0,
    conditions: Sequence[tuple[float, str]] = (Condition(),),
) -> pd.DataFrame:
    """Return the rows of a study as `measure` writes them in mode paper, with labels of one judge.

    Counterbalanced as DyaFDB §1.3 has it: role assignment × opener × repetition within each pairing, so 54
    runs per scenario of three models with three repetitions. `effects`: on the score of every archetype, or
    by archetype and turn-taking measure; what is not named has `EFFECTS`. All `conditions` have the same
    scenarios. Raises ValueError for effects with which a mean would leave (0, 1).
    """
    import pandas as pd

    own = {str(name): effects for name in INFO} if isinstance(effects, Effects) else dict(effects or {})
    chosen = dict(EFFECTS) | own
    runs = counterbalanced(models, scenarios, repetitions)
    worlds = [
        World(runs, archetype, Condition(*condition), chosen, models, seed)
        for archetype, condition in product(archetypes, conditions)
    ]
    return pd.concat([_frame(world) for world in worlds], ignore_index=True)


def model_names(models: int) -> list[str]:
    """Return the names of the models of a study."""
    return [f"model_{number + 1}" for number in range(models)]


def counterbalanced(models: int, scenarios: int, repetitions: int) -> Runs:
    """Return the runs of one archetype; in self-play an exchange of roles would change nothing."""
    of_scenario = [
        (a, b, role, opener, repetition)
        for a, b in combinations_with_replacement(range(models), 2)
        for role, opener, repetition in product("a" if a == b else SEATS, SEATS, range(repetitions))
    ]
    columns = [np.tile(np.array(column), scenarios) for column in zip(*of_scenario, strict=True)]
    return Runs(np.repeat(np.arange(scenarios), len(of_scenario)), *columns)


def write(folder: Path, frame: pd.DataFrame, mode: str = "paper") -> None:
    """Write `table.parquet` and `labels.parquet` of a study into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    given = labels(frame)
    frame = frame.copy(deep=False)
    frame.attrs["settings"] = given.attrs["settings"] = [mode, JUDGES[0], digest(len(frame))]
    frame.to_parquet(folder / "table.parquet", index=False)
    given.to_parquet(folder / "labels.parquet", index=False)


def _frame(world: World) -> pd.DataFrame:
    """Return the rows of one archetype under one condition, run by run."""
    import pandas as pd

    of_run = _of_runs(world)
    parts = [_rows(world, of_run, score) for score in drawn(world)]
    return pd.concat(parts).sort_index(kind="stable")[list(COLUMNS)]


def _of_runs(world: World) -> pd.DataFrame:
    """What all rows of a run share."""
    import pandas as pd

    runs, archetype = world.runs, world.archetype
    names = np.array(model_names(world.models), object)
    about: dict[str, Any] = {
        "study": "synthetic", "suite": "dyad", "task": task_of(archetype), "archetype": archetype, "twin": "",
        "lang": "en", "seed": world.seed, "window": world.ticks * TICK_S, "channel": world.condition.channel,
    }  # fmt: skip
    frame = pd.DataFrame({"a": names[runs.a], "b": names[runs.b], "opener": runs.opener.astype(object)})
    frame["repetition"] = runs.repetition
    frame["pairing"] = frame["a"] + "_" + frame["b"]
    frame["scenario"] = [f"{archetype}_made{number:03d}" for number in runs.scenario]
    roles = np.where(runs.role_of_a == "a", "ab", "ba").astype(object)
    drawn_as = f"-s{world.seed}-{digest(world.condition, 6)}"
    told = "-" + frame["opener"] + "-r" + frame["repetition"].astype(str).str.zfill(2) + drawn_as
    frame["run_id"] = frame["pairing"] + "__" + frame["scenario"] + "__" + roles + told
    return frame.assign(**about)


def _rows(world: World, of_run: pd.DataFrame, score: Drawn) -> pd.DataFrame:
    """One measure of one seat, one row per run."""
    measure = MEASURES[score.measure]
    rows = of_run.assign(
        **_who(world, of_run, score.seat),
        judge=JUDGES[0] if score.measure in JUDGED else "",
        mode="paper",
        measure=score.measure,
        value=np.asarray(score.value, float),
        n=np.asarray(score.n, float),
        unit=measure.unit,
        better=measure.better,
        observed=score.observed,
        reason="",
    )
    return rows if score.where is None else rows[score.where]


def _who(world: World, of_run: pd.DataFrame, seat: Seat | Literal[""]) -> dict[str, Any]:
    """Agent, partner, seat, role letter and role kind."""
    if seat == "":
        return {"agent": of_run["a"], "partner": of_run["b"], "seat": "", "role": "", "kind": ""}
    role = np.where(world.runs.in_role_a(seat), "a", "b").astype(object)
    kinds = {held: INFO[world.archetype].kind(held) for held in SEATS}
    kind = np.array([kinds[held] for held in role], object)
    return {"agent": of_run[seat], "partner": of_run[other(seat)], "seat": seat, "role": role, "kind": kind}
