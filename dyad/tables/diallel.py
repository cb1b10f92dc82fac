"""Round robins: lift and edge of each agent, chemistry, cycles, self-play, and the social relations model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dyad.measure.catalogue import MEASURES
from dyad.stats import (
    ClusterMean,
    component_test,
    diallel_parts,
    lift_edge,
    self_play_parts,
    self_premium,
    social_relations,
)
from dyad.stats.srm import COMPONENTS
from dyad.stats.values import Floats

from .cells import cells_of
from .designs import CONSTANT, Content, Design, blocks, design_of, estimates, noted, round_robin
from .draws import NONE, Draws
from .frame import HEADLINE, scored
from .rows import Row, row
from .variance import corrected, raw_shares

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 4  # agents of a social relations model
PREMIUM = "self premium"


def diallels(part: pd.DataFrame, draws: Draws = NONE) -> Iterator[Row]:
    """Tables of each score matrix as a round robin: `diallel`, the same without noise, `effects` and `srm`.

    The first three are of the agents who all met each other and themselves, and are left out where there are
    no two; `srm` is of four or more who all met each other, without self-play. `diallel` and `effects` are of
    pooled cells, the others of means of the scenarios without an empty cell; the others are `missing`.
    """
    for archetype, measure in HEADLINE.items():
        own = scored(part, archetype)
        square = next((block for block in blocks(own) if block.square), None)
        if square is not None:
            design = design_of(own, square, archetype=archetype, measure=measure)
            yield from raw_shares("diallel", design, diallel_parts, draws)
            yield from corrected("diallel_corrected", design, diallel_parts, draws)
            yield from effects(design, draws)
        yield from relations(own, archetype=archetype, measure=measure)


def effects(design: Design, draws: Draws) -> Iterator[Row]:
    """Rows of the lift and the edge of each agent and of the self-play premium, with intervals."""
    agents = design.cells.agents

    def statistic(weights: Floats) -> dict[str, Floats]:
        tables = design.pooled(weights)
        both = zip(("lift", "edge"), lift_edge(tables), strict=True)
        found = {f"{term} {i}": values[:, i] for term, values in both for i in range(len(agents))}
        return found | {PREMIUM: self_premium(tables)}

    archetypes, rng = design.cells.archetypes, design.rng("effects", draws)
    found = estimates(statistic, archetypes, draws.bootstrap, rng)
    about = design.about | {"n": design.table.size}
    for term in ("lift", "edge"):
        for i, agent in enumerate(agents):
            content = found[f"{term} {i}"]
            said = {"term": term, "note": noted(design.note, content["note"])}
            yield row("effects", **about | {"agent": agent} | content | said)
    premium, test = found[PREMIUM], _premium_test(design, draws)
    why = "" if design.complementary else premium["note"]
    note = noted(design.note, why, test["note"])
    yield row("effects", **about | premium | test | {"term": PREMIUM, "note": note})


def _premium_test(design: Design, draws: Draws) -> Content:
    """The p of the self-play premium, by flipping the signs of scenarios, and what there is to note."""
    if design.complementary:
        return {"note": "0 by algebra"}
    kept, rng = design.complete, design.rng("effects p", draws)
    test = component_test(kept.tables, self_play_parts, "self", rng, draws.permutations)
    if test is None:
        return {"note": ""}
    return {"p": test.p, "missing": kept.dropped, "note": f"p: {kept.note}" if kept.dropped else ""}


def relations(own: pd.DataFrame, **about: str) -> Iterator[Row]:
    """Rows of the social relations model: components of variance, and effects of each agent."""
    agents = round_robin(own)
    if len(agents) < FEWEST:
        return
    cells = cells_of(own, agents)
    found = social_relations(cells.values)
    head = {**about, "n": len(agents) * (len(agents) - 1), "scenarios": len(cells.scenarios)}
    if found is None:
        yield row("srm", **head, missing=len(cells.scenarios), note="no scenario without an empty cell")
        return
    left_out = f"{found.n_missing} scenario(s) with an empty cell left out" if found.n_missing else ""
    head |= {"scenarios": found.n, "missing": found.n_missing}
    for name in COMPONENTS:
        unit = f"{MEASURES[about['measure']].unit}²"
        yield row("srm", **head, term=name, unit=unit, better=0, **_mean(found.components[name], left_out))
    for term, means in (("actor", found.actor), ("partner", found.partner)):
        for agent, mean in zip(agents, means, strict=True):
            yield row("srm", **head, agent=agent, term=term, **_mean(mean, left_out))


def _mean(mean: ClusterMean | None, note: str) -> Content:
    """The columns of a mean over scenarios; its SE, that of the jackknife, is `sd`."""
    if mean is None:
        return {"note": noted(note, CONSTANT)}
    alone = "one scenario: no SE" if mean.se is None else ""
    return {"value": mean.value, "sd": mean.se, "note": noted(note, alone)}
