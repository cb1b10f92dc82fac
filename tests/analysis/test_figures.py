"""Every figure is drawn, says what its axes are, can be read and printed, and is left out without data."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from analysis.figures import act_success, balance, diallel, judges, matrix, scores, times, turns, windows
from analysis.figures.all import PLOTS
from analysis.figures.rows import hurdles
from analysis.figures.script import Material, Plot, each_condition, shown, write
from analysis.figures.style import COLUMN_IN, PAGE_IN, SMALL_PT, NoData, between, key, save, short, wrapped
from analysis.study import as_frame, read
from dyad.errors import ConfigError
from dyad.tables.rows import row

pytestmark = pytest.mark.xdist_group("figures")  # what is set up once is set up by one worker

FOLDER = Path(__file__).parents[2] / "analysis" / "figures"
LONG = {"model_1": "minicpm_o_4_5", "model_2": "raon_speechchat"}


def texts(figure: Figure) -> list[Text]:
    """Everything that is written in a figure; matplotlib keeps labels of ticks outside the axes, unseen."""
    FigureCanvasAgg(figure).draw()
    unseen = {
        label
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        for label in (tick.label1, tick.label2)
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    found = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    return [text for text in found if text not in unseen]


def said(figure: Figure) -> set[str]:
    return {text.get_text() for text in texts(figure)}


def first_part(material: Material, plot: Plot) -> pd.DataFrame:
    return next(iter(plot.parts(material).values()))


def renamed(tables: pd.DataFrame) -> pd.DataFrame:
    return tables.assign(**{who: tables[who].replace(LONG) for who in ("agent", "partner") if who in tables})


class Drawn(NamedTuple):
    figure: Figure
    texts: list[Text]


@pytest.fixture(scope="module")
def drawn(material: Material) -> dict[str, Drawn]:
    figures = {plot.name: plot.draw(first_part(material, plot)) for plot in PLOTS}
    return {name: Drawn(figure, texts(figure)) for name, figure in figures.items()}


@pytest.fixture(scope="module")
def part(material: Material) -> pd.DataFrame:
    return material.tables[material.tables["condition"] == "60 s"]


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.name)
def test_figures_fit_a_page_and_can_be_read(plot: Plot, drawn: dict[str, Drawn]) -> None:
    assert drawn[plot.name].figure.get_figwidth() in (COLUMN_IN, PAGE_IN)
    assert min(text.get_fontsize() for text in drawn[plot.name].texts) >= SMALL_PT


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.name)
def test_every_panel_and_every_agent_is_named(plot: Plot, drawn: dict[str, Drawn]) -> None:
    for axes in drawn[plot.name].figure.axes:
        assert axes.get_title(loc="left") or axes.get_xlabel()
        assert axes.has_data()
    words = [text.get_text() for text in drawn[plot.name].texts]
    named = ["judge_one – judge_two"] if plot.name == "judges" else ["model_1", "model_2"]
    assert all(any(name in word for word in words) for name in named)


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.name)
def test_words_do_not_overlap_even_with_long_names(plot: Plot, material: Material) -> None:
    figure = plot.draw(renamed(first_part(material, plot)))
    boxes = [
        (text.get_text(), text.get_window_extent()) for text in texts(figure) if not text.get_rotation() % 90
    ]
    width, height = figure.bbox.width, figure.bbox.height
    for name, box in boxes:
        assert box.x0 > -2, name
        assert box.x1 < width + 2, name
        assert box.y0 > -2, name
        assert box.y1 < height + 2, name
    for (one, a), (two, b) in combinations(boxes, 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        down = min(a.y1, b.y1) - max(a.y0, b.y0)
        smaller = min(a.width * a.height, b.width * b.height)
        assert across <= 0 or down <= 0 or across * down < 0.2 * smaller, (one, two)


@pytest.mark.parametrize("plot", PLOTS, ids=lambda plot: plot.name)
def test_files_are_vectors_with_text_and_pictures_for_screens(
    plot: Plot, drawn: dict[str, Drawn], tmp_path: Path
) -> None:
    files = save(drawn[plot.name].figure, tmp_path / plot.name)
    for path in files:
        content = path.read_bytes()
        if path.suffix == ".pdf":
            assert content.startswith(b"%PDF")
            assert b"/FontFile2" in content  # text is text, in TrueType
            assert b"/Subtype /Image" not in content
            assert len(content) < 300_000
        else:
            width = int.from_bytes(content[16:20], "big")
            assert width in (round(COLUMN_IN * 300), round(PAGE_IN * 300))
    assert {path.suffix for path in files} == {".pdf", ".png"}


def test_the_same_study_gives_the_same_bytes(material: Material, tmp_path: Path) -> None:
    one, two = (save(judges.draw(material.study.labels), tmp_path / name) for name in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


def test_conditions_are_drawn_one_by_one(material: Material, tmp_path: Path) -> None:
    seen: list[set[str]] = []

    def draw(part: pd.DataFrame) -> Figure:
        seen.append(set(part["condition"]))
        return Figure((1, 1))

    names = {Path(line).name for line in write(Plot("any", draw, each_condition), material, tmp_path)}
    assert names == {f"any-{window}-s.{kind}" for window in (60, 120) for kind in ("pdf", "png")}
    assert seen == [{"60 s"}, {"120 s"}]


def test_matrices_hold_the_values_of_the_table(part: pd.DataFrame) -> None:
    cells = part[(part["table"] == "matrix") & part["value"].notna()]
    words = said(scores.draw(part))
    assert {short(value) for value in cells["value"]} <= words
    assert {between(c.low, c.high) for c in cells.itertuples() if c.low == c.low} <= words


def test_medians_that_are_not_reached_say_so(part: pd.DataFrame) -> None:
    medians = part[(part["table"] == "km") & (part["term"] == "median") & (part["partner"] == "")]
    own = medians[medians["measure"].isin(["entry", "deviation"])]
    unreached = int(own["value"].isna().sum())
    words = [text.get_text() for text in texts(times.draw(part))]
    assert unreached
    assert sum(word.startswith("n.r. (") for word in words) == unreached


def test_at_risk_is_what_the_runs_say(material: Material, part: pd.DataFrame) -> None:
    runs = material.study.runs
    own = runs[(runs["archetype"] == "t1_1") & (runs["measure"] == "entry") & (runs["window"] < 90)]
    at_20 = int((own.loc[own["agent"] == "model_1", "value"] >= 20).sum())
    curve = part[(part["table"] == "km") & (part["term"] == "survival") & (part["partner"] == "")]
    curve = curve[(curve["archetype"] == "t1_1") & (curve["measure"] == "entry")]
    assert times._at_risk(curve[curve["agent"] == "model_1"].sort_values("at"), 20.0) == at_20


def test_only_marks_that_are_drawn_are_explained(part: pd.DataFrame) -> None:
    corrected = part["table"].isin(["eta_corrected", "diallel_corrected"])
    one_scenario = part.assign(value=part["value"].mask(corrected))
    for draw, words in ((turns.draw, "diamonds"), (diallel.draw, "without noise")):
        assert any(words in word for word in said(draw(part)))
        for without in (one_scenario, part[~corrected]):
            assert not any(words in word for word in said(draw(without)))


def test_windows_stand_in_order(material: Material) -> None:
    figure = windows.draw(material.tables)
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["60", "120"]


def test_of_windows_in_several_channels_the_first_is_drawn_and_named(material: Material) -> None:
    both = [
        material.tables.assign(condition=channel + material.tables["condition"])
        for channel in ("clean, ", "cut, ")
    ]
    figure = windows.draw(pd.concat(both))
    assert any(word.endswith("· clean") for word in said(figure))


def test_of_two_scores_behind_one_act_the_first_is_drawn(part: pd.DataFrame) -> None:
    own = hurdles(part)
    assert not own.duplicated(["archetype", "agent", "partner", "term"]).any()
    assert set(own.loc[own["archetype"] == "t4_4", "measure"]) == {"gap_share"}


def test_mixed_strategies_are_written_out() -> None:
    strategy = as_frame(row("game", agent=name, value=p) for name, p in (("x", 0.5), ("y", 0.5), ("z", 0.0)))
    assert balance._mix(strategy) == ".50 x + .50 y"
    assert balance._mix(strategy[strategy["agent"] == "x"]) == "x"


def test_on_what_follows_from_a_silence_nobody_can_agree(material: Material) -> None:
    given = material.study.labels
    quiet = given.assign(status=given["status"].where(given["question"] != "t3.asked", "no_speech"))
    questions = {question for labels in judges.by_judge(quiet).values() for _, question, _ in labels}
    assert questions == set(given["question"]) - {"t3.asked"}


WITHOUT = [
    (scores.draw, "matrix", "no task has a score"),
    (turns.draw, "turns", "no agent had an opportunity"),
    (times.draw, "km", "no time of entry or deviation"),
    (act_success.draw, "hurdle", "no task has an act"),
]


@pytest.mark.parametrize(("draw", "table", "reason"), WITHOUT, ids=lambda x: x if isinstance(x, str) else "")
def test_without_data_there_is_a_reason_and_no_figure(
    draw: object, table: str, reason: str, part: pd.DataFrame
) -> None:
    assert callable(draw)
    with pytest.raises(NoData, match=reason):
        draw(part[part["table"] != table])
    assert str(shown(draw, part[part["table"] != table])).startswith("no figure: " + reason)


def run(name: str, *args: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FOLDER / f"{name}.py"), *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_scripts_say_what_they_wrote_and_what_is_missing(bare_folder: Path, tmp_path: Path) -> None:
    done = run("all", bare_folder, "--draws", 10)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(PLOTS)
    assert all(re.match(r"no \w+: ", line) for line in done.stdout.splitlines())
    assert not (bare_folder / "figures").exists()


def test_a_folder_without_a_table_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no table\.parquet"):
        read(tmp_path)
    done = run("scores", tmp_path)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.254, ".25"), (1.0, "1.00"), (-0.05, "−.05"), (2.68, "2.7"), (0.0, ".00"), (-1.3, "−1.3")],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert short(value) == text


def test_names_break_where_their_words_end() -> None:
    assert wrapped("raon_speechchat") == "raon_\nspeechchat"
    assert wrapped("minicpm_o_4_5_finetuned") == "minicpm_o_\n4_5_\nfinetuned"
    assert wrapped("moshi") == "moshi"
    assert "\n" not in wrapped("minicpm_o")


def test_rows_of_matrices_are_as_full_as_can_be() -> None:
    assert [matrix.columns_for(count, 2) for count in (1, 4, 9)] == [1, 4, 3]
    assert matrix.columns_for(9, 4) == 3


def pictures() -> Iterator[str]:
    yield from (path.stem for path in FOLDER.glob("*.py") if "PLOT = " in path.read_text("utf-8"))


def test_all_draws_all() -> None:
    assert {plot.name for plot in PLOTS} == set(pictures())


def test_a_legend_may_be_a_remark_alone() -> None:
    figure = Figure((2, 2))
    figure.subplots()
    key(figure, [], "remark")
    assert "remark" in said(figure)
