"""What every figure's script does: read a study, draw each condition, write the files, say what it wrote."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from analysis.figures.style import NoData, save
from analysis.study import Study, as_frame, read, tables_of
from dyad.errors import ConfigError
from dyad.tables import Draws

Parts = Mapping[str, pd.DataFrame]  # by condition; "" where there is only one


class Material(NamedTuple):
    """What figures are drawn from; the tables are computed once for all figures."""

    study: Study
    tables: pd.DataFrame


class Plot(NamedTuple):
    """A figure: the name of its files, what draws it, and which parts of a study are drawn one by one."""

    name: str
    draw: Callable[[pd.DataFrame], Figure]
    parts: Callable[[Material], Parts]


def each_condition(material: Material) -> Parts:
    """The tables of each condition: channels, windows, twins and languages are never pooled."""
    played = set(material.tables.loc[material.tables["table"].isin(("matrix", "turns")), "condition"])
    grouped = material.tables.groupby("condition", sort=False)
    return {str(name): part for name, part in grouped if name in played}


def all_conditions(material: Material) -> Parts:
    """All tables at once, for figures that compare conditions."""
    return {"": material.tables}


def labels(material: Material) -> Parts:
    """What the judges said."""
    return {"": material.study.labels}


def main(*plots: Plot) -> None:
    """Draw figures of the study that the command line names."""
    args = _arguments(plots)
    try:
        study = read(args.study)
    except ConfigError as error:
        raise SystemExit(str(error)) from None
    material = Material(study, as_frame(tables_of(study, Draws(args.draws, 5 * args.draws))))
    for plot in plots:
        for line in write(plot, material, args.out or study.folder / "figures"):
            print(line)


def shown(draw: Callable[[pd.DataFrame], Figure], part: pd.DataFrame) -> Figure | str:
    """Return a figure for a notebook, or in its place why there is none."""
    try:
        return draw(part)
    except NoData as reason:
        return f"no figure: {reason}"


def write(plot: Plot, material: Material, folder: Path) -> Iterator[str]:
    """Write a figure for each of its parts; yield the paths, or one line that says why there is none."""
    parts = plot.parts(material)
    for condition, part in parts.items():
        where = f" ({condition})" if condition else ""
        try:
            figure = plot.draw(part)
        except NoData as reason:
            yield f"no {plot.name}{where}: {reason}"
            continue
        stem = f"{plot.name}-{_slug(condition)}" if condition else plot.name
        yield from map(str, save(figure, folder / stem))


def _slug(condition: str) -> str:
    return re.sub(r"\W+", "-", condition).strip("-")


def _arguments(plots: tuple[Plot, ...]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=f"Draw {', '.join(plot.name for plot in plots)} of a study.")
    parser.add_argument("study", type=Path, help="folder of a study, e.g. demo/studies/demo")
    parser.add_argument("--out", type=Path, help="where the files go (default: STUDY/figures)")
    parser.add_argument("--draws", type=int, default=2000, help="bootstrap draws; tests take 5 times as many")
    return parser.parse_args()
