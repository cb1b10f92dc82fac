"""The resamples and permutations of a study as a notebook would make them, one at a time.

Cells by pandas, shares of variance by statsmodels' `anova_lm`, times by lifelines' `KaplanMeierFitter` and
`AalenJohansenFitter`, games by scipy's `linprog`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from dyad.tables import HEADLINE
from dyad.tables.frame import scored
from dyad.tables.synthetic import MAIN

TURNS = ("tor_pause", "tor_end", "backchannels", "barge_in", "occupancy")
GAMES = ("t3_2", "t4_2")
TWO_WAY = "x ~ C(agent) + C(partner)"
THREE_WAY = "x ~ C(archetype) + C(agent) * C(partner)"
TERMS = {
    "C(agent)": "model",
    "C(partner)": "partner",
    "C(archetype)": "task",
    "C(agent):C(partner)": "interaction",
}
Rates = dict[tuple[str, ...], float]


def resampled(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return the rows of scenarios that are drawn, with replacement, within their archetype."""
    groups = frame.groupby(["archetype", "scenario"]).indices
    rows = []
    for archetype in MAIN:
        names = [key for key in groups if key[0] == archetype]
        rows += [groups[names[i]] for i in rng.integers(len(names), size=len(names))]
    return frame.iloc[np.concatenate(rows)].reset_index(drop=True)


def eta(frame: pd.DataFrame) -> Rates:
    """Return the shares of variance of every score matrix and of turn-taking."""
    found = {}
    for archetype in MAIN:
        cells = pooled(scored(frame, archetype), ["agent", "partner"])
        for term, share in anova(cells, TWO_WAY).items():
            found["eta", archetype, HEADLINE[archetype], term] = share
    for measure in TURNS:
        cells = pooled(frame[frame["measure"] == measure], ["archetype", "agent", "partner"])
        for term, share in anova(cells, THREE_WAY).items():
            found["eta", "archetype", measure, term] = share
    return found


def anova(cells: pd.DataFrame, formula: str) -> dict[str, float]:
    """Return η² by term, from one row per cell; of two factors, what is left over is the interaction."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    table = anova_lm(ols(formula, cells).fit())["sum_sq"]
    left = "residual" if ":" in " ".join(table.index) else "interaction"
    return {TERMS.get(term, left): float(ss / table.sum()) for term, ss in table.items()}


def pooled(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the rate of each cell."""
    sums = rows.groupby(keys)[["value", "n"]].sum()
    return (sums["value"] / sums["n"]).rename("x").reset_index()


def hurdles(frame: pd.DataFrame) -> pd.Series:
    """Return acts, and scores given the act, of every cell."""
    acts = (
        "entered",
        "asked",
        "decided",
        "solved_if_decided",
        "leak_if_asked",
        "won_if_decided",
        "granted_if_asked",
    )
    sums = (
        frame[frame["measure"].isin(acts)]
        .groupby(["archetype", "measure", "agent", "partner"])[["value", "n"]]
        .sum()
    )
    return sums["value"] / sums["n"]


def _groups(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """Each agent with all partners, and with each."""
    for keys in (["agent"], ["agent", "partner"]):
        yield from frame.groupby(keys)


def times(frame: pd.DataFrame) -> Rates:
    """Return the median and the restricted mean of times to entry and deviation."""
    from lifelines import KaplanMeierFitter
    from lifelines.utils import restricted_mean_survival_time

    found: Rates = {}
    for archetype in ("t1_1", "t1_2"):
        for measure in ("entry", "deviation"):
            own = frame[(frame["archetype"] == archetype) & (frame["measure"] == measure)]
            for key, rows in _groups(own):
                fit = KaplanMeierFitter().fit(rows["value"], rows["observed"])
                found["km", archetype, measure, *key] = float(fit.median_survival_time_)
                found["rmst", archetype, measure, *key] = float(restricted_mean_survival_time(fit, 60.0))
    return found


def leaks(frame: pd.DataFrame) -> Rates:
    """Return the incidence of leaks at the end, runs that end early competing."""
    from lifelines import AalenJohansenFitter

    own = frame[frame["measure"] == "time_to_leak"]
    cause = np.where(own["observed"], 1, np.where(own["value"] < 60, 2, 0))
    found: Rates = {}
    for key, rows in _groups(own.assign(cause=cause)):
        fit = AalenJohansenFitter(calculate_variance=False, seed=0).fit(rows["value"], rows["cause"], 1)
        found["incidence", *key] = float(fit.cumulative_density_.iloc[-1, 0])
    return found


def games(frame: pd.DataFrame) -> Rates:
    """Return the value of each zero-sum game."""
    from scipy.optimize import linprog

    found: Rates = {}
    for archetype in GAMES:
        cells = pooled(scored(frame, archetype), ["agent", "partner"])
        table = cells.pivot(index="agent", columns="partner", values="x").to_numpy()
        at_least = np.hstack([-table.T, np.ones((table.shape[1], 1))])
        one = np.r_[np.ones(len(table)), 0.0][None]
        cost, limits = np.r_[np.zeros(len(table)), -1.0], [(0, None)] * len(table) + [(None, None)]
        solved = linprog(cost, at_least, np.zeros(table.shape[1]), one, [1.0], limits)
        found["game", archetype] = -float(solved.fun)
    return found


def by_scenario(frame: pd.DataFrame, archetype: str) -> pd.DataFrame:
    """Return the rates of the cells of each scenario."""
    return pooled(scored(frame, archetype), ["scenario", "agent", "partner"])


def permuted(cells: list[pd.DataFrame], rng: np.random.Generator) -> None:
    """Exchange labels inside scenarios, or signs of scenarios, and compute the share that is tested anew."""
    for table in cells:
        for of, label in (("agent", "partner"), ("partner", "agent")):
            exchanged = table.groupby(["scenario", of])[label].transform(rng.permutation)
            anova(_means(table.assign(**{label: exchanged})), TWO_WAY)
        signs = rng.choice((-1.0, 1.0), table["scenario"].nunique())
        anova(_means(table.assign(x=table["x"] * signs[table["scenario"].factorize()[0]])), TWO_WAY)


def _means(table: pd.DataFrame) -> pd.DataFrame:
    return table.groupby(["agent", "partner"], as_index=False)["x"].mean()
