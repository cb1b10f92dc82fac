"""Measuring many scenarios: what is stored is not measured again, what is measured is stored at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from dyad.library import Library
from dyad.spec import Scenario

from .measures import Measure
from .records import Record, append, content_digest, file_in, folder_of, read
from .source import Bench, Source


@dataclass(frozen=True)
class Order:
    """What to measure. `n` draws each, else each measure's own number; `out` in place of the own folders."""

    measures: Sequence[Measure]
    n: int | None = None
    out: Path | None = None
    force: bool = False


def probe(
    library: Library, scenarios: Sequence[Scenario], sources: Mapping[str, Source], order: Order
) -> Iterator[Record]:
    """Yield a record of every scenario and measure that fits it, in that order, stored ones as they are.

    `sources` names who answers for "text" and "speech". A new record is stored before it is yielded, so a
    failure (DyadError) loses one measurement at most.
    """
    stored = lru_cache(maxsize=None)(_stored)
    for scenario in scenarios:
        for measure in order.measures:
            source = sources[measure.needs]
            bench = Bench(library, scenario, source.asker)
            if not measure.takes(bench):
                continue
            path = file_in(order.out or folder_of(library, scenario), source.model)
            wanted = _blank(bench, measure, source, order.n or measure.n)
            found = None if order.force else stored(path).get(wanted.key)
            if found is None:
                found = _measured(bench, measure, wanted)
                append(path, found)
            yield found


def _stored(path: Path) -> dict[tuple[object, ...], Record]:
    return {record.key: record for record in read(path)}  # of equal keys the last line counts


def _blank(bench: Bench, measure: Measure, source: Source, n: int) -> Record:
    return Record(
        scenario=bench.scenario.id, version=bench.scenario.version, measure=measure.name,
        value=None, n=n, unclear=0, target="", ok=None, model=source.model, backend=source.backend,
        settings=source.settings,
        date=f"{datetime.now(UTC):%Y-%m-%d}", digest=content_digest(bench.library, bench.scenario),
    )  # fmt: skip


def _measured(bench: Bench, measure: Measure, blank: Record) -> Record:
    labels = [label for seed in range(blank.n) for label in measure.draw(bench, seed)]
    value, target = measure.value(labels), measure.target(labels)
    found = {
        "value": None if value is None else round(value, 4),
        "unclear": labels.count("unclear"),
        "target": str(target),
        "ok": None if value is None else target.met(value),
    }
    return blank.model_copy(update=found)
