"""How much of the differences between cells goes with the agent, with its partner, and with both.

η² as published, without sampling noise, and ω² and ε² on the level of single runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from dyad.spec import task_of
from dyad.stats import (
    Test,
    anova,
    component_test,
    corrected_shares,
    corrected_squares,
    eta_squared,
    model_test,
    partner_test,
    two_way_parts,
)
from dyad.stats.values import Floats
from dyad.stats.variance import ROUNDING, Parts

from .designs import CONSTANT, NO_BLOCK, Block, Complete, Content, Design, blocks, design_of, estimates, noted
from .draws import NONE, Draws
from .frame import HEADLINE, scored
from .rows import Row, row
from .scores import TURN_TAKING

if TYPE_CHECKING:
    import pandas as pd

SHARE = {"unit": "share of variance", "better": 0}
NO_TESTS: Mapping[str, Test | None] = MappingProxyType({})
TIED = ("model", "partner")
BY_ALGEBRA = "model = partner by algebra"
OUTSIDE = "outside its interval: every resample adds noise, see the corrected share"
TOO_FEW = "fewer than two scenarios without an empty cell"
TWICE = "every run of two agents counts in two cells"


def variance(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """η², the same without noise, ω² and ε²: three-way for turn-taking, two-way for each score matrix.

    Turn-taking is split by archetype × model × partner: by task where some archetype leaves a cell without
    opportunities, two-way where there is one level only. Each is of the square of agents who all met each
    other, and of every block of agents with the same partners, which `agent` and `partner` then name.
    `eta` is of pooled cells; `eta_corrected` and p are of scenario means, without the `missing` scenarios
    that have an empty cell. Intervals are over scenarios, drawn within their archetype. p of model and of
    partner are by exchanging labels or, where recordings count twice, by flipping signs; see `_tests`.
    """
    for measure in TURN_TAKING:
        own = part[part["measure"] == measure]
        found = blocks(own)
        yield from _without_block(own, found, archetype="archetype", measure=measure)
        for block in found:
            yield from shares(_by_factor(own, block, measure), draws)
    for archetype, measure in HEADLINE.items():
        own = scored(part, archetype)
        found = blocks(own)
        yield from _without_block(own, found, archetype=archetype, measure=measure)
        for block in found:
            design = design_of(own, block, archetype=archetype, measure=measure)
            yield from shares(design, draws)
            yield from replicates(own, design)


def _without_block(own: pd.DataFrame, found: Sequence[Block], **about: str) -> Iterator[Row]:
    """A row that says so where several agents have a measure but no block."""
    if not found and own["agent"].nunique() > 1:
        yield row("eta", **about, **SHARE, note=NO_BLOCK)


def _by_factor(own: pd.DataFrame, block: Block, measure: str) -> Design:
    by_archetype = design_of(own, block, archetype="archetype", measure=measure)
    if not by_archetype.holes:
        return by_archetype
    tasks = tuple(map(task_of, by_archetype.levels))
    return replace(by_archetype, levels=tasks, about=by_archetype.about | {"archetype": "task"})


def shares(design: Design, draws: Draws) -> Iterator[Row]:
    """Rows of `eta` and `eta_corrected` of one design."""
    if design.holes:
        yield row("eta", **design.about, **SHARE, note=noted(design.note, design.holes))
        return
    yield from raw_shares("eta", design, design.parts, draws, _tests(design, draws))
    yield from corrected("eta_corrected", design, design.parts, draws)


def raw_shares(
    table: str, design: Design, parts: Parts, draws: Draws, tests: Mapping[str, Test | None] = NO_TESTS
) -> Iterator[Row]:
    """Rows of the shares of each part in what the pooled cells of a design differ by."""

    def statistic(weights: Floats) -> dict[str, Floats]:
        return eta_squared(design.pooled(weights), parts)

    archetypes, rng = design.cells.archetypes, design.rng(table, draws)
    about = design.about | SHARE | {"n": design.table.size}
    found = estimates(statistic, archetypes, draws.bootstrap, rng)
    if all(content["value"] is None for content in found.values()):
        yield row(table, **about, scenarios=len(archetypes), note=noted(design.note, CONSTANT))
        return
    for term, content in found.items():
        tested = _tested(design, tests.get(term))
        note = noted(design.note, _algebra(design, term), tested["note"], content["note"], _outside(content))
        yield row(table, **about | content | tested | {"term": term, "note": note})


def _algebra(design: Design, term: str) -> str:
    """Where the shares of model and partner cannot differ, and what says more."""
    if term not in TIED or not design.tied:
        return ""
    return f"{BY_ALGEBRA}, see diallel" if design.about["archetype"] in HEADLINE else BY_ALGEBRA


def _outside(content: Content) -> str:
    low, high = content.get("low"), content.get("high")
    return "" if low is None or low <= content["value"] <= high else OUTSIDE


def _tested(design: Design, test: Test | None) -> Content:
    """The columns of a test, and which scenarios it had to leave out."""
    if test is None:
        return {"note": ""}
    kept = design.complete
    return {"p": test.p, "missing": kept.dropped, "note": f"p: {kept.note}" if kept.dropped else ""}


def corrected(table: str, design: Design, parts: Parts, draws: Draws) -> Iterator[Row]:
    """Rows of the shares of each part without sampling noise, and of the share that is noise."""
    kept = design.complete
    about = design.about | SHARE | {"n": design.table.size, "missing": kept.dropped}
    note = noted(design.note, kept.note)
    if min(kept.levels.count(level) for level in design.levels) < 2:
        about |= {"scenarios": len(kept.tables), "note": noted(note, TOO_FEW)}
        yield row(table, **about)
        return
    squares = corrected_squares(kept.tables, parts, kept.levels if design.several else None)
    rng = design.rng(table, draws)
    found = estimates(lambda w: corrected_shares(squares(w)), kept.archetypes, draws.bootstrap, rng)
    for term, content in found.items():
        why = "nothing beyond noise" if content["value"] is None else ""
        yield row(table, **about, term=term, **content | {"note": noted(note, content["note"], why)})
    beyond = sum(float(ss[0]) for ss in squares(np.ones((1, len(kept.tables)))).values())
    noise = _noise(kept, beyond)
    note = note if noise is not None else noted(note, CONSTANT)
    yield row(table, **about, term="noise", value=noise, scenarios=len(kept.tables), note=note)


def _noise(kept: Complete, beyond: float) -> float | None:
    """The share of noise in what the means of scenarios differ by; None where they do not differ."""
    levels = np.array(kept.levels)
    means = np.stack([kept.tables[levels == level].mean(axis=0) for level in np.unique(levels)])
    total = float(((means - means.mean()) ** 2).sum())
    return 1 - beyond / total if total > ROUNDING * float((means**2).sum()) else None


def _tests(design: Design, draws: Draws) -> dict[str, Test | None]:
    """Tests of model, partner and interaction.

    Labels are exchanged inside scenarios. Where the two seats of a recording stand in two cells, that tears
    apart what belongs together, and rejects a true null in up to 14 % of studies at a level of 5 %: there
    signs of scenarios are flipped instead.
    """
    x, n, rng = design.complete.tables, draws.permutations, design.rng("eta p", draws)
    if not n:
        return {}
    if design.twice:
        found = {term: component_test(x, two_way_parts, term, rng, n) for term in TIED}
    else:
        found = {"model": model_test(x, rng, n), "partner": partner_test(x, rng, n)}
    return found | {"interaction": component_test(x, two_way_parts, "interaction", rng, n)}


def replicates(own: pd.DataFrame, design: Design) -> Iterator[Row]:
    """Rows of `omega` and `epsilon`: what model and partner explain of how single runs differ."""
    cells = design.cells
    n, sums, squares = _moments(own, cells.agents, cells.partners)
    found = anova(n, sums, squares)
    if found is None:
        return
    twice = TWICE if design.twice else ""
    kind = "" if found.balanced else "type II sums of squares: cells differ in their runs"
    head = design.about | SHARE | {"n": found.n, "scenarios": len(cells.scenarios)}
    for table, effects in (("omega", found.omega2), ("epsilon", found.epsilon2)):
        if effects is None:
            yield row(table, **head, note=noted(design.note, found.reason))
            continue
        for term, value in effects.items():
            yield row(table, **head, term=term, value=value, note=noted(design.note, kind, twice))


def _moments(own: pd.DataFrame, agents: Sequence[str], partners: Sequence[str]) -> tuple[Floats, ...]:
    """Number, sum and sum of squares of the rates of single runs, by agent and partner, each [M, P]."""
    known = own[own["value"].notna() & (own["n"] > 0)]
    rates = known.assign(rate=known["value"] / known["n"])
    rates["square"] = rates["rate"] ** 2
    found = rates.groupby(["agent", "partner"])["rate"].agg(["size", "sum"])
    found["squares"] = rates.groupby(["agent", "partner"])["square"].sum()
    return tuple(
        found[name].unstack().reindex(index=list(agents), columns=list(partners)).fillna(0.0).to_numpy(float)
        for name in ("size", "sum", "squares")
    )
