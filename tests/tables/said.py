"""Made-up rows of every table of a study, as its functions would write them, for what shows tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from dyad.tables.rows import Row, row

NUMBERS = (
    "value", "sd", "low", "high", "p", "p_adjusted", "mde", "hits", "n", "observations", "scenarios", "at",
)  # fmt: skip
AGENTS = ("moss", "pine", "rush")
SCORES = {"t1_1": "adherence", "t2": "solved", "t4_2": "leak"}
MATRICES = {
    "t1_1": ((0.62, 0.58, 0.70), (0.41, 0.45, 0.52), (0.80, 0.77, 0.91)),
    "t2": ((0.20, 0.28, 0.46), (0.28, 0.56, 0.60), (0.46, 0.60, 0.70)),
    "t4_2": ((0.46, 0.30, 0.62), (0.38, 0.30, 0.37), (0.29, 0.34, 0.31)),
}


def study_rows(agents: Sequence[str] = AGENTS, condition: str = "") -> list[Row]:
    """Every table of three archetypes: t1_1 has clear differences, t2 is ruled by algebra, t4_2 has none."""
    found = (
        *_matrices(agents), *_turns(agents), *_contrasts(agents), *_shares(), *_diallel(agents),
        *_times(agents), *_outcomes(agents), *_design(),
    )  # fmt: skip
    return [one | {"condition": condition} for one in found]


def around(value: float, half: float = 0.08, **more: Any) -> dict[str, Any]:
    return {"value": value, "low": value - half, "high": value + half} | more


def _scored() -> Iterator[dict[str, str]]:
    for archetype, measure in SCORES.items():
        yield {"archetype": archetype, "measure": measure}


def _matrices(agents: Sequence[str]) -> Iterator[Row]:
    counts = {"hits": 60.0, "n": 120.0, "observations": 120, "scenarios": 20, "missing": 2}
    for about in _scored():
        matrix = MATRICES[about["archetype"]]
        for (i, agent), (j, partner) in product(enumerate(agents), repeat=2):
            who = {"agent": agent, "partner": partner, "interval": "scenarios"}
            yield row("matrix", **about, **who, **around(matrix[i][j]), **counts)
        for agent, cells in zip(agents, matrix, strict=True):
            yield row("profile", **about, agent=agent, **around(sum(cells) / 3), n=360.0, scenarios=20)


def _turns(agents: Sequence[str]) -> Iterator[Row]:
    counts = {"hits": 70.0, "n": 140.0, "observations": 120, "scenarios": 60, "missing": 0}
    for measure, agent, partner in product(("tor_pause", "tor_end", "backchannels"), agents, agents):
        yield row("turns", measure=measure, agent=agent, partner=partner, **around(0.5, 0.1), **counts)


def _contrasts(agents: Sequence[str]) -> Iterator[Row]:
    one, two, three = agents
    for about, values in zip(
        _scored(), ((0.17, -0.19, -0.36), (-0.1, -0.2, -0.1), (0.1, 0.14, 0.04)), strict=True
    ):
        clear = about["archetype"] == "t1_1"
        for (x, y), value in zip(((one, two), (one, three), (two, three)), values, strict=True):
            known = around(value, 0.05 if clear else 0.2, p=0.001 if clear else 0.2)
            yield row(
                "contrast", **about, agent=x, term=f"{x} − {y}", **known, p_adjusted=0.003 if clear else 0.6,
                mde=0.19, scenarios=20, note="" if clear else "not distinguishable",
            )  # fmt: skip


def _shares() -> Iterator[Row]:
    for about, (model, partner) in zip(_scored(), ((0.78, 0.04), (0.47, 0.47), (0.32, 0.51)), strict=True):
        terms = {"model": model, "partner": partner, "interaction": 1 - model - partner}
        p = {"model": 0.001, "partner": 0.2, "interaction": 0.03}
        share = about | {"unit": "share of variance", "better": 0}
        for term, value in terms.items():
            tests = {"p": p[term], "p_adjusted": min(1.0, 3 * p[term])}
            yield row("eta", **share, term=term, **around(value, 0.1, sd=0.05), n=9.0, scenarios=20, **tests)
            yield row("eta_corrected", **share, term=term, **around(value - 0.05, 0.1), n=9.0, scenarios=20)
            yield row("omega", **share, term=term, value=value / 30, n=1080.0)
        yield row("eta_corrected", **share, term="noise", value=0.14, n=9.0, scenarios=20)


def _diallel(agents: Sequence[str]) -> Iterator[Row]:
    for about, lift in zip(_scored(), (0.57, 0.95, 0.31), strict=True):
        share = about | {"unit": "share of variance", "better": 0}
        rest = {
            "edge": 0.9 - lift if lift < 0.9 else 0.0,
            "chemistry": 0.05,
            "cycle": 0.05 if lift < 0.9 else 0.0,
        }
        for term, value in {"lift": lift, **rest}.items():
            yield row("diallel", **share, term=term, **around(value, 0.1, sd=0.05), n=9.0, scenarios=20)
            yield row("diallel_corrected", **share, term=term, **around(value - 0.03), n=9.0, scenarios=20)
        for agent, value in zip(agents, (0.04, -0.06, 0.02), strict=True):
            yield row("effects", **about, agent=agent, term="lift", **around(value, 0.03), scenarios=20)
            yield row("effects", **about, agent=agent, term="edge", **around(-value, 0.03), scenarios=20)
        yield row("effects", **about, term="self premium", **around(-0.02, 0.05), scenarios=20)
        yield row("srm", **about, term="actor variance", value=0.02, sd=0.01, scenarios=20)


def _times(agents: Sequence[str]) -> Iterator[Row]:
    for measure, agent, partner in product(("entry", "deviation"), agents, ("", *agents)):
        about = {"archetype": "t1_1", "measure": measure, "agent": agent, "partner": partner}
        yield from _curve(about, never=measure == "deviation" and agent == agents[0])
        yield row("rmst", **about, at=60.0, **around(30.0, 4.0, sd=2.0), n=120.0)
    for term, p in (("agents", 0.002), (f"{agents[0]} − {agents[1]}", 0.4)):
        yield row(
            "logrank", archetype="t1_1", measure="entry", term=term, value=9.0, p=p, p_adjusted=2 * p, unit=""
        )
    for agent in agents:
        about = {"archetype": "t1_1", "measure": "entry", "agent": agent}
        for at in (15.0, 30.0, 45.0):
            yield row("in_role", **about, term="share", at=at, **around(0.5), unit="share")
        yield row("in_role", **about, term="mean time", **around(27.8, 3.0), n=120.0)
    for term, at in product(("leak", "ended"), (12.0, 20.0, 41.0)):
        about = {"archetype": "t4_2", "measure": "time_to_leak", "agent": agents[0], "unit": "share"}
        yield row("incidence", **about, term=term, at=at, value=at / 100, n=10.0)


def _curve(about: dict[str, str], never: bool) -> Iterator[Row]:
    note, median = ("n.r.", None) if never else ("", 20.0)
    yield row("km", **about, term="median", value=median, hits=60.0, n=120, note=note)
    for k in range(1, 25):
        share = 1 - k / (100 if never else 40)
        yield row("km", **about, term="survival", at=2.0 * k, **around(share, 0.05), n=120 - 4 * k)


def _outcomes(agents: Sequence[str]) -> Iterator[Row]:
    about = {"archetype": "t4_2", "measure": "leak"}
    for i, agent in enumerate(agents):
        for partner in ("", *agents):
            act, then = 0.9 - 0.1 * i, 0.3 + 0.2 * i
            terms = {"act": act, "score_if_act": then, "score": act * then + 0.02, "unprompted": 0.02}
            for term, value in terms.items():
                who = {"agent": agent, "partner": partner, "term": term}
                yield row("hurdle", **about, **who, **around(value, 0.06), hits=60.0, n=120.0)
            yield row("hurdle", **about, agent=agent, partner=partner, term="bounds", low=0.2, high=0.5)
        yield row("game", **about, agent=agent, term="row strategy", value=(0.5, 0.5, 0.0)[i])
        yield row("game", **about, agent=agent, term="column strategy", value=(0.0, 1.0, 0.0)[i])
        yield row("rank", **about, agent=agent, term="Bradley-Terry", value=(0.3, -0.1, -0.2)[i])
    yield row("game", **about, term="value", **around(0.3))
    yield row("balance", **about, **around(0.37, 0.06), hits=400.0, n=1080.0)
    yield row("rank", **about, term="transitive share", value=0.89)


def _design() -> Iterator[Row]:
    for about in _scored():
        for term, value, p in (("opener", 0.02, 0.7), ("role", 0.15, 0.001)):
            yield row(
                "factor",
                **about,
                term=term,
                **around(value, 0.06, p=p),
                p_adjusted=2 * p,
                mde=0.19,
                scenarios=20,
            )
        terms = (("between variance", 0.02), ("run variance", 0.21), ("mde", 0.19))
        for term, value in terms:
            yield row("mde", **about, term=term, value=value, scenarios=20)
        yield row(
            "control", **about, term="sham gain", **around(0.3, 0.08, p=0.001), p_adjusted=0.001, scenarios=20
        )
