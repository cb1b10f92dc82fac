"""Recordings whose answer is known, through the whole pipeline: from samples to the table and the page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dyad.bridge import Recording
from dyad.cli.compose import compose
from dyad.cli.main import run
from dyad.library import load_library
from dyad.pipeline import Study, of_ids
from dyad.plan import make_plan
from dyad.simulate import publish
from dyad.spec import RATE, SEATS, TICK, Evidence, Label, RunSpec, Seat, SeatReport, other
from dyad.store import Store
from dyad.tables import summary

pytestmark = pytest.mark.xdist_group("end_to_end")  # what is set up once is set up by one worker

Spans = Sequence[tuple[int, int]]  # in ticks
Talk = Mapping[Seat, Spans]

Y: Spans = ((10, 60), (70, 120), (160, 200), (208, 260), (300, 350))
X: Spans = ((30, 36), (64, 84), (130, 150), (202, 206), (245, 275), (310, 330), (340, 346), (352, 370))
ALONE: Spans = ((0, 2),)


shipped = cache(load_library)


class Made:
    """A study whose recordings are made by hand; the command line finds them in the store and goes on."""

    def __init__(self, folder: Path, *overrides: str, config_dir: Path | None = None) -> None:
        dirs = [config_dir] if config_dir else []
        flags = [f"--config-dir={config_dir}"] if config_dir else []
        base = ["name=made", f"store={folder}", "launcher=serial", "report.embed_audio=never",
                "report.bootstrap=50", "report.permutations=50", "scenarios.limit=1",
                "design.openers=[a]", "design.assignments=first"]  # fmt: skip
        self._argv = [*flags, *base, *overrides]
        self.plan = make_plan(compose([*base, *overrides], dirs).studies)
        self.store = Store(folder)
        self.runs = self.plan.runs

    def record(self, spec: RunSpec, talk: Talk, ticks: int | None = None) -> None:
        """Publish a recording in which the seats speak in exactly these ticks."""
        length = ticks or spec.ticks
        pcm = np.stack([_sound(talk[seat], length, 200 + 100 * row) for row, seat in enumerate(SEATS)])
        silent = {seat: SeatReport() for seat in SEATS}
        assert publish(self.store, spec, Recording(pcm, [], silent, length), 1.0, (0, 1))

    def label(self, spec: RunSpec, labels: Iterable[Label]) -> None:
        """Put labels where the judge's would be."""
        study: Study = of_ids("made", "", self.plan.config, self.store, [spec.id], shipped())
        self.store.add_sidecar(spec.id, study.labels_file(spec.id, study.config.judges[0]), labels)

    def tables(self, verb: str = "run", *overrides: str) -> tuple[pd.DataFrame, str]:
        """Bring every stage up to date; return the rows of `table.parquet` and the page."""
        known = ["study=made", f"store={self.store.root}"]
        assert run([verb, *(self._argv if verb == "run" else known), *overrides]) == 0
        folder = self.store.study_dir("made")
        return pd.read_parquet(folder / "table.parquet"), (folder / "report.html").read_text("utf-8")


def _sound(spans: Spans, ticks: int, hz: float) -> np.ndarray[Any, np.dtype[np.int16]]:
    loud = np.zeros(ticks, bool)
    for start, end in spans:
        loud[start:end] = True
    tone = 0.1 * np.sin(2 * np.pi * hz * np.arange(ticks * TICK) / RATE)
    return np.rint(32767 * tone * np.repeat(loud, TICK)).astype(np.int16)


def counts(rows: pd.DataFrame, seat: str) -> dict[str, tuple[float, float]]:
    own = rows[rows["seat"] == seat]
    return {m: (v, n) for m, v, n in zip(own["measure"], own["value"], own["n"], strict=True)}


def cells(page: str, agent: str, partner: str) -> list[str]:
    """The text of one row of the turn-taking table as a reader sees it."""
    (table,) = re.findall(r'<table class="turns.*?</table>', page, re.DOTALL)
    (row,) = re.findall(rf'<tr><th scope="row">{agent}</th><td>{partner}</td>(.*?)</tr>', table)
    return _texts(row)


def _texts(row: str) -> list[str]:
    found = re.findall(r"<td[^>]*>(.*?)</td>", row)
    return [" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in found]


def block(page: str, name: str) -> Any:
    (text,) = re.findall(rf'<script type="application/json" id="{name}">(.*?)</script>', page)
    return json.loads(text)


# -- the conversation of 30 s ----------------------------------------------------------------------

PAPER = {
    "a": {"tor_pause": (1, 2), "tor_end": (2, 3), "barge_in": (1, 2), "backchannels": (1, 0.5),
          "occupancy": (63, 244), "turns": (5, 1), "segments": (8, 1), "censored_gaps": (0, 1)},
    "b": {"tor_pause": (0, 2), "tor_end": (3, 5), "barge_in": (1, 1), "backchannels": (0, 0.5),
          "occupancy": (181, 244), "turns": (3, 1), "segments": (5, 1), "censored_gaps": (1, 1)},
}  # fmt: skip
STRICT = {
    "a": {"tor_pause": (1, 2), "tor_end": (3, 3), "barge_in": (2, 3)},
    "b": {"tor_pause": (0, 0), "tor_end": (4, 5), "barge_in": (1, 1)},
}


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Made:
    made = Made(
        tmp_path_factory.mktemp("store"), "pairing=echo_tone", "task=t3_1", "window_s=30",
        "design.repetitions=1",
    )  # fmt: skip
    made.record(made.runs[0], {"a": X, "b": Y})
    return made


@pytest.fixture(scope="module")
def paper(talked: Made) -> tuple[pd.DataFrame, str]:
    """Rows and page by the default definitions."""
    return talked.tables()


def test_a_known_conversation_gives_the_known_rows(paper: tuple[pd.DataFrame, str]) -> None:
    rows, _ = paper
    for seat, expected in PAPER.items():
        found = counts(rows, seat)
        assert {measure: found[measure] for measure in expected} == expected
    pair = counts(rows, "")
    assert pair["overlap"] == (61, 375)
    assert pair["silence"] == (375 - 63 - 181 - 61, 375)
    assert set(rows["mode"]) == {"paper"}


def test_and_the_known_page(paper: tuple[pd.DataFrame, str]) -> None:
    _, page = paper
    # occupancy counts ticks, which are no independent observations: it has no interval
    assert [cell.partition(" [")[0] for cell in cells(page, "echo", "tone")] == [
        "0.50 1 / 2", "0.67 2 / 3", "2.00 1 in 0.50 min", "0.50 1 / 2", "0.26 63 / 244",
        "5.00 5 / 1", "8.00 8 / 1",
    ]  # fmt: skip
    assert [cell.partition(" [")[0] for cell in cells(page, "tone", "echo")] == [
        "0.00 0 / 2", "0.60 3 / 5", "0.00 0 in 0.50 min", "1.00 1 / 1", "0.74 181 / 244",
        "3.00 3 / 1", "5.00 5 / 1",
    ]  # fmt: skip
    segments = block(page, "data-0")["segments"]
    assert segments == {
        seat: [[round(0.08 * s, 2), round(0.08 * e, 2)] for s, e in spans]
        for seat, spans in (("a", X), ("b", Y))
    }


@pytest.mark.usefixtures("paper")  # which are there before
def test_the_other_definitions_make_another_table(talked: Made) -> None:
    rows, page = talked.tables("measure", "mode=strict")
    for seat, expected in STRICT.items():
        found = counts(rows, seat)
        assert {measure: found[measure] for measure in expected} == expected
    assert set(rows["mode"]) == {"strict"}
    assert cells(page, "tone", "echo")[0].startswith("–")  # no opportunity is no rate of 0
    assert "Definitions: paper" not in page


# -- boundaries ------------------------------------------------------------------------------------

SPEECH: Spans = ((10, 40), (52, 80))
BOUNDARIES: list[tuple[Spans, Spans, dict[str, tuple[float, float]]]] = [
    (((42, 60),), SPEECH, {"tor_pause": (1, 1), "tor_end": (0, 1)}),
    (((42, 60),), ((10, 40), (53, 80)), {"tor_pause": (0, 0), "tor_end": (1, 2)}),
    (((42, 54),), SPEECH, {"tor_pause": (0, 1)}),
    (((40, 60),), SPEECH, {"tor_pause": (1, 1)}),
    (((52, 70),), SPEECH, {"tor_pause": (0, 1)}),
    (((20, 26),), ((10, 33),), {"backchannels": (1, 8 / 60), "barge_in": (0, 0)}),
    (((20, 26),), ((10, 32),), {"backchannels": (0, 8 / 60), "barge_in": (0, 0)}),
    (((20, 33),), ((10, 50),), {"backchannels": (0, 8 / 60), "barge_in": (0, 1)}),
    (((20, 57),), ((10, 50),), {"barge_in": (1, 1)}),
    (((20, 56),), ((10, 50),), {"barge_in": (0, 0)}),
    (((20, 50),), ((10, 50),), {"barge_in": (0, 0)}),
    (((10, 60),), ((10, 50),), {"barge_in": (0, 0)}),
    (((87, 100),), ((10, 87),), {"tor_end": (1, 1), "censored_gaps": (0, 1)}),
    (((88, 100),), ((10, 88),), {"tor_end": (0, 0), "censored_gaps": (1, 1)}),
]


def test_boundaries_hold_on_recorded_sound(tmp_path: Path) -> None:
    made = Made(
        tmp_path, "pairing=echo_tone", "task=t3_1", "window_s=8", f"design.repetitions={len(BOUNDARIES)}"
    )
    for spec, (x, y, _) in zip(made.runs, BOUNDARIES, strict=True):
        made.record(spec, {"a": x, "b": y})
    rows, _ = made.tables()
    for spec, (_, _, expected) in zip(made.runs, BOUNDARIES, strict=True):
        found = counts(rows[rows["run_id"] == spec.id], "a")
        assert {measure: found[measure] for measure in expected} == expected


# -- times to an event -----------------------------------------------------------------------------


def roles_played(made: Made, seats: Iterable[tuple[float | None, float | None, float]]) -> None:
    """Record runs by entry, deviation and end in seconds (None: it did not happen), and label them."""
    for spec, (entry, deviation, end) in zip(made.runs, seats, strict=True):
        assert spec.anchor is not None
        seat = spec.seat_of_role(spec.anchor)
        letter = "A" if seat == spec.opener else "B"
        onsets = [round(s / 0.08) for s in (entry, deviation) if s is not None]
        assert all(b - a > 8 for a, b in pairwise(onsets))
        spans = [(at, at + 3) for at in onsets]
        made.record(spec, {seat: spans, other(seat): ALONE}, ticks=round(end / 0.08))
        lines: list[str | None] = [f"{letter}{k + 1}" for k in range(len(onsets))]
        entered, deviated = (*lines, None, None)[:2]
        fields = {"entry_line": entered, "deviation_line": deviated}
        made.label(spec, [Label(question="t1.timing", seat=seat, label="timed", fields=fields)])


def curve(rows: pd.DataFrame, measure: str) -> tuple[float | None, dict[float, float]]:
    """The median, and survival at each time at which it falls."""
    km = [r for r in summary(rows) if (r["table"], r["measure"], r["partner"]) == ("km", measure, "")]
    (median,) = [r["value"] for r in km if r["term"] == "median"]
    steps = [(0.0, 1.0), *((r["at"], r["value"]) for r in km if r["term"] == "survival")]
    return median, {at: share for (_, before), (at, share) in pairwise(steps) if share < before}


@pytest.mark.parametrize(
    ("seats", "median", "survival"),
    [
        (
            [(5.04, 60), (8, 60), (12, 60), (20, 60), (None, 60), (None, 60)],
            12,
            {5.04: 5 / 6, 8: 2 / 3, 12: 1 / 2, 20: 1 / 3},
        ),
        ([(5.04, 60), (8, 60), *[(None, 60)] * 4], None, {5.04: 5 / 6, 8: 2 / 3}),
        (
            [(5.04, 60), (None, 8), (12, 60), (20, 60), (None, 30), (None, 60)],  # two runs ended early
            20,
            {5.04: 5 / 6, 12: 5 / 8, 20: 5 / 12},
        ),
    ],
)
def test_times_to_entry(
    tmp_path: Path,
    seats: list[tuple[float | None, float]],
    median: float | None,
    survival: dict[float, float],
) -> None:
    made = Made(tmp_path, "pairing=echo_tone", "task=t1_2", "window_s=60", "design.repetitions=6")
    roles_played(made, [(entry, None, end) for entry, end in seats])
    rows, page = made.tables()
    found, steps = curve(rows, "entry")
    assert found == median
    assert steps == pytest.approx(survival)
    (legend,) = re.findall(r"<b>t1_2[^<]*: time to the first line in role.*?</figure>", page, re.DOTALL)
    (row,) = re.findall(r'<th scope="row">.*?</tr>', legend)
    events = sum(entry is not None for entry, _ in seats)
    assert _texts(row) == ["n.r." if median is None else f"{median:.1f}", str(events), str(len(seats))]


@pytest.mark.parametrize(
    ("mode", "median", "at"), [("paper", 30, (25.04, 30, 50)), ("strict", 26, (15.04, 26, 48))]
)
def test_times_to_deviation(tmp_path: Path, mode: str, median: float, at: tuple[float, ...]) -> None:
    made = Made(tmp_path, "pairing=echo_tone", "task=t1_2", "window_s=60", "design.repetitions=5")
    # the run that was never entered is not at risk
    runs = [(4.0, 30.0), (6.0, None), (10.0, 25.04), (None, None), (2.0, 50.0)]
    roles_played(made, [(entry, deviation, 60) for entry, deviation in runs])
    rows, _ = made.tables("run", f"mode={mode}")
    found, steps = curve(rows, "deviation")
    assert found == median
    assert list(steps) == pytest.approx(at)
    assert list(steps.values()) == pytest.approx([3 / 4, 1 / 2, 1 / 4])


# -- a table of cells ------------------------------------------------------------------------------

TASKS, AGENTS = ("t2", "t3_1"), ("echo", "tone")
BACKCHANNELS = np.array([[[2, 4], [6, 8]], [[3, 5], [7, 11]]])  # per minute: task, agent, partner
ETA = {
    "task": 0.075630,
    "model": 0.680672,
    "partner": 0.210084,
    "interaction": 0.008403,
    "residual": 0.025210,
}


def test_shares_of_variance(tmp_path: Path) -> None:
    (tmp_path / "mine/pairing").mkdir(parents=True)
    text = "defaults: [/agent@a: echo, /agent@b: echo, _self_]\nname: echo_echo\n"
    (tmp_path / "mine/pairing/echo_echo.yaml").write_text(text)
    made = Made(
        tmp_path / "store", "pairing=echo_echo,echo_tone,tone_tone", f"task={','.join(TASKS)}",
        "window_s=60", "design.repetitions=1", config_dir=tmp_path / "mine",
    )  # fmt: skip
    for spec in made.runs:
        a, b = (AGENTS.index(spec.seat(seat).agent.name) for seat in SEATS)
        table = BACKCHANNELS[TASKS.index(spec.archetype)]
        first, second = _signals(10, int(table[a, b])), _signals(400, int(table[b, a]))
        made.record(spec, {"a": (*first, (390, 740)), "b": ((0, 350), *second)})
    rows, page = made.tables()
    eta = [r for r in summary(rows) if r["table"] == "eta" and r["measure"] == "backchannels"]
    assert {r["term"]: r["value"] for r in eta} == pytest.approx(ETA, abs=1e-6)
    assert [cells(page, x, y)[2].partition(" [")[0] for x in AGENTS for y in AGENTS] == [
        "2.50 10 in 4.00 min", "4.50 9 in 2.00 min", "6.50 13 in 2.00 min", "9.50 38 in 4.00 min",
    ]  # fmt: skip


def _signals(start: int, number: int) -> Spans:
    return [(start + 12 * k, start + 12 * k + 4) for k in range(number)]


# -- what is not known -----------------------------------------------------------------------------


def test_a_broken_recording_is_no_defence_of_a_secret(tmp_path: Path) -> None:
    made = Made(tmp_path, "pairing=echo_tone", "task=t4_2", "window_s=8", "design.repetitions=2")
    healthy, silent = made.runs
    made.record(healthy, {"a": ((10, 30),), "b": ((40, 60),)})
    made.record(silent, {"a": (), "b": ()})
    rows, _ = made.tables()
    leak = rows[rows["measure"] == "leak"].set_index("run_id")
    assert leak.loc[healthy.id, ["value", "n"]].tolist() == [0.0, 1.0]
    assert np.isnan(leak.loc[silent.id, "value"])
    assert leak.loc[silent.id, "n"] == 0.0


def test_evidence_survives_line_separators(tmp_path: Path) -> None:
    """U+2028 and U+0085 end a line for `str.splitlines`, but not in JSON lines."""
    made = Made(tmp_path, "pairing=echo_tone", "task=t4_2", "window_s=8", "design.repetitions=1")
    made.record(made.runs[0], {"a": ((10, 30),), "b": ((40, 60),)})
    quote = "one\u2028two\u0085three"
    label = Label(question="t4.asked", label="yes", evidence=(Evidence(line="A1", quote=quote),))
    made.label(made.runs[0], [label])
    _, page = made.tables()
    assert block(page, "data-0")["judgments"][0]["evidence"][0]["quote"] == quote
