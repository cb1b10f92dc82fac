"""The report's data, from a small study that was really played: plain, finite, and what the page expects."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dyad import pipeline
from dyad.pipeline import Study
from dyad.pipeline.account import MISSING, TABLES
from dyad.pipeline.trust import trust
from dyad.plan import Plan
from dyad.report.data import report_data, rows_data
from dyad.report.html import render
from dyad.report.write import embeds, write_report
from dyad.simulate import simulate
from dyad.spec.run import ChannelSpec, Direction
from dyad.store import Store
from dyad.tables import Row
from dyad.tables.rows import row
from tests.tables.said import study_rows

Planned = Callable[..., Plan]
Data = dict[str, Any]
FEW = ("report.bootstrap=0", "report.permutations=0")


def played(planned: Planned, *overrides: str, stored: int | None = None) -> Study:
    plan = planned("window_s=8", "report.bootstrap=50", "report.permutations=50", *overrides)
    store = Store(Path(plan.config.store))
    assert all(p.error is None for p in simulate(store, plan.runs[:stored], plan.config.launcher))
    study = pipeline.of_plan(plan, store, "python -m dyad run name=<b>")
    errors = [
        *pipeline.hear(study, pipeline.unheard(study)),
        *pipeline.judge(study, study.config.judges[0], pipeline.unjudged(study, study.config.judges[0])),
    ]
    assert not any(errors)
    return study


def data_of(study: Study) -> Data:
    frame = pipeline.measure(study)
    return report_data(study, frame, trust(study, frame), pipeline.table_rows(study, frame), embed=False)


def tables(data: Data, name: str) -> list[Row]:
    return [row for row in data["rows"] if row["table"] == name]


def test_every_number_is_finite_and_everything_is_plain(planned: Planned) -> None:
    data = data_of(played(planned, "task=all"))
    again = json.loads(json.dumps(data, allow_nan=False))  # raises for NaN and for anything not plain
    assert again == data
    assert {r["archetype"] for r in tables(data, "matrix")} == {run["archetype"] for run in data["runs"]}
    assert len({r["archetype"] for r in tables(data, "matrix")}) == 9
    page = render(data)
    assert all(run["id"] in page for run in data["runs"])
    assert "name=&lt;b&gt;" in page


def test_a_page_of_free_conversations_has_turn_taking_and_no_scores(planned: Planned) -> None:
    data = data_of(played(planned, "task=t0"))
    assert not tables(data, "matrix")
    assert {r["measure"] for r in tables(data, "turns")} >= {"tor_end", "occupancy"}
    assert {run["title"] for run in data["runs"]} == {"free conversation: t0_en"}
    assert [run["judgments"] for run in data["runs"]] == [[]] * len(data["runs"])
    note, watch = data["study"]["notes"]
    assert watch.startswith("No ASR has listened (asr=none): garbled audio goes unnoticed")
    assert note.startswith("Free conversations have no content: nothing is judged")
    assert data["study"]["mdd"] == (  # two draws
        "none, however large: too few scenarios for 1 test (2 per archetype; six can give a p below .05)"
    )
    assert "No scores: no run with roles has been judged." in render(data)


def test_free_conversations_beside_a_task_leave_its_scores_alone(planned: Planned) -> None:
    data = data_of(played(planned, "task=t0,t2"))
    assert {r["archetype"] for r in tables(data, "matrix")} == {"t2"}
    assert {run["task"] for run in data["runs"]} == {"t0", "t2"}
    assert len([n for n in data["study"]["notes"] if "Free conversations" in n or "Labels come" in n]) == 2


def test_measures_of_the_pair_belong_to_no_seat(planned: Planned) -> None:
    (run, *_) = data_of(played(planned))["runs"]
    seats = {(m["measure"], m["seat"]) for m in run["measures"]}
    assert {
        ("overlap", None),
        ("silence", None),
        ("solved", None),
        ("occupancy", "a"),
        ("occupancy", "b"),
    } <= seats
    assert {seat for _, seat in seats} == {None, "a", "b"}
    assert {m["mode"] for m in run["measures"]} == {"paper"}
    assert {label["seat"] for label in run["judgments"]} == {None}


def test_rates_are_divided_and_missing_ones_are_missing(planned: Planned) -> None:
    study = played(planned)
    frame = pipeline.measure(study)
    run = data_of(study)["runs"][0]
    own = frame[frame["run_id"] == run["id"]]
    assert len(run["measures"]) == len(own)
    for shown, of in zip(run["measures"], own.to_dict("records"), strict=True):
        expected = None if of["n"] == 0 or of["value"] != of["value"] else of["value"] / of["n"]
        assert (shown["measure"], shown["value"]) == (of["measure"], expected)
    assert any(m["value"] is None for m in run["measures"])


def test_a_run_says_who_played_what_and_what_sounded(planned: Planned) -> None:
    study = played(planned)
    for run in data_of(study)["runs"]:
        spec = study.store.spec(run["id"])
        assert run["agents"] == {"a": "echo", "b": "tone"}
        assert run["roles"] == {"a": spec.a.kind, "b": spec.b.kind}
        assert run["window_s"] == run["duration_s"] == 8.0
        assert run["audio"] == f"../../runs/{run['id']}/audio.flac"
        assert (study.folder / run["audio"]).resolve().is_file()
        # the tone sounds in ticks 25 to 45 of every 50; an echo answers one tick later
        assert run["segments"]["b"] == [[2.0, 3.6], [6.0, 7.6]]
        assert run["segments"]["a"] == [[2.08, 3.68], [6.08, 7.68]]
        assert [(x["seat"], x["start"]) for x in run["lines"]] == [
            ("b", 2.0),
            ("a", 2.08),
            ("b", 6.0),
            ("a", 6.08),
        ]


def test_runs_that_are_not_there_are_counted(planned: Planned) -> None:
    study = played(planned, stored=3)
    data = data_of(study)
    counts = ("n_runs", "n_failed", "n_missing", "n_unhealthy")
    assert [data["study"][name] for name in counts] == [3, 0, 1, 0]
    lost = set(study.planned) - set(study.ids)
    assert data["study"]["notes"][0] == f"1 of 4 planned conversations missing: {lost.pop()}: {MISSING}"


def test_an_unhealthy_run_is_shown_with_its_problem(planned: Planned) -> None:
    quiet = ("agent@pairing.a=silence", "agent@pairing.b=silence", "pairing.name=quiet")
    data = data_of(played(planned, *quiet))
    assert data["study"]["n_unhealthy"] == 2
    assert [run["health"]["problems"] for run in data["runs"]] == [["silence: neither seat ever spoke"]] * 2
    assert all(run["judgments"] == [] for run in data["runs"])
    assert "did not pass the health gate" in data["verdict"]
    assert json.dumps(data, allow_nan=False)


def test_a_run_that_cannot_be_heard_does_not_spoil_the_page(planned: Planned) -> None:
    plan = planned("window_s=8", "report.embed_audio=always", *FEW)
    store = Store(Path(plan.config.store))
    list(simulate(store, plan.runs, plan.config.launcher))
    study = pipeline.of_plan(plan, store, "")
    bad, good = study.ids[0], study.ids[1:]
    (store.run_dir(bad) / "audio.flac").write_bytes(b"torn")
    assert len([e for e in pipeline.hear(study, study.ids) if e]) == 1
    frame = pipeline.measure(study)
    rows = pipeline.table_rows(study, frame)
    page = write_report(study, frame, trust(study, frame), rows).read_text()
    assert page.count("data:audio/mpeg;base64,") == len(good)
    assert f"../../runs/{bad}/audio.flac" in page
    assert "1 recordings could not be heard" in page


def test_the_sound_goes_into_short_pages_only(planned: Planned) -> None:
    for overrides, expected in (
        ((), True),
        (("report.embed_limit_min=0.5",), False),  # four runs of eight seconds
        (("report.embed_limit_min=0.5", "report.embed_audio=always"), True),
        (("report.embed_audio=never",), False),
    ):
        assert embeds(played(planned, *overrides)) is expected


def test_no_runs_make_an_empty_page(planned: Planned) -> None:
    data = data_of(played(planned, stored=0))
    assert (data["runs"], data["study"]["mdd"]) == ([], None)
    assert {row["table"] for row in data["rows"]} == set(TABLES)
    assert "<html" in render(data)


def titles(data: Data) -> list[str]:
    """The titles of the score matrices on the page."""
    return re.findall(r'<table class="matrix[^>]*><caption><b>(.*?)</b>', render(data))


def test_other_conditions_have_tables_of_their_own(planned: Planned) -> None:
    data = data_of(played(planned, "channel.gain=1.0,0.5"))
    assert titles(data) == ["information pooling · clean", "information pooling · gain 0.5 both ways"]
    assert render(data).count('<table class="turns sortable">') == 2
    assert titles(data_of(played(planned))) == ["information pooling"]


def test_twins_are_conditions(planned: Planned) -> None:
    data = data_of(played(planned, "scenarios.twin=null,full"))
    assert titles(data) == ["information pooling · no twin", "information pooling · twin full"]


@pytest.mark.parametrize(("values", "size"), [((0.19, 0.19), "0.19"), ((0.25, 0.104), "0.10 to 0.25")])
def test_the_floor_comes_from_the_variance_seen(values: tuple[float, ...], size: str) -> None:
    rows = [row("mde", term="mde", value=value, scenarios=20) for value in (*values, None)]
    assert rows_data(rows, "made")["study"]["mdd"] == (
        f"{size} between two agents with one partner, with 20 scenarios per archetype (80 % power, paired by "
        "scenario, variance seen here)"
    )
    assert rows_data([], "made")["study"]["mdd"] is None


def test_rows_alone_make_a_page() -> None:
    data = rows_data(study_rows(), "made")
    page = render(data)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert "Agents differ in 1 of 3 measures. t1_1 adherence: pine is 0.36 [0.31, 0.41] below rush" in page
    assert page.count('<table class="matrix') == 3
    assert "made from tables alone" in page
    assert "Nothing was judged" not in page
    for absent in ("judges", "conversations"):
        assert f'<section id="{absent}" hidden>' in page
        assert f'<a href="#{absent}" hidden>' in page


def test_intervals_of_one_scenario_are_explained(planned: Planned) -> None:
    alone = "One scenario per archetype"
    assert alone in " ".join(data_of(played(planned))["study"]["notes"])
    assert alone not in " ".join(data_of(played(planned, "scenarios.limit=2"))["study"]["notes"])


@pytest.mark.parametrize(
    ("ab", "ba", "phrase"),
    [
        ({}, {}, "clean"),
        ({"gain": 0}, {"gain": 0}, "gain 0 both ways"),
        ({"delay_ms": 80}, {}, "a→b delay 80 ms"),
        ({}, {"loss": 0.05, "clip": 0.5}, "b→a 0.05 of packets lost, clipped at 0.5"),
        (
            {"gain": 0.5, "band_hz": (300, 3400)},
            {"noise_snr_db": -5, "echo_gain": 0.1, "echo_ms": 120},
            "a→b gain 0.5, band 300–3400 Hz; b→a noise at -5 dB SNR, echo 0.1 after 120 ms",
        ),
    ],
)
def test_a_channel_is_described_in_words(ab: Data, ba: Data, phrase: str) -> None:
    assert ChannelSpec(ab=Direction(**ab), ba=Direction(**ba)).phrase == phrase
