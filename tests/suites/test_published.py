"""Published tables: what is claimed about counts holds, and nothing else is compared."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from dyad.errors import ConfigError
from dyad.report.suite.sheet import COLUMNS
from dyad.stats import wilson
from dyad.suites.fdb.family import MEASURES
from dyad.suites.published import Table, comparable, found, names, published

OFFICIAL = {
    "synthetic_pause_handling": 137, "candor_pause_handling": 216, "icc_backchannel": 55,
    "candor_turn_taking": 119, "synthetic_user_interruption": 200,
}  # fmt: skip


def cells(name: str) -> list[tuple[str, str, str, float, int | None, int]]:
    """Data, system, column, value, k and n of every cell."""
    table = published(name)
    return [
        (part.data, system.name, key, cell.value, cell.k, part.sets[key].n)
        for part in table.parts
        for system in part.systems
        for key, cell in system.cells.items()
    ]


@pytest.mark.parametrize("name", ["fdb_v1", "fdb_french"])
def test_every_claimed_count_gives_the_printed_rate(name: str):
    rates = [(where, value, k, n) for *where, value, k, n in cells(name) if k is not None]
    assert len(rates) > 20
    assert [
        (where, f"{k / n:.3f}", value) for where, value, k, n in rates if f"{k / n:.3f}" != f"{value:.3f}"
    ] == []


@pytest.mark.parametrize(
    ("name", "exceptions"),
    [
        ("fdb_v1", {("Moshi", "pause_candor_tor"), ("GPT-Realtime", "pause_synthetic_tor"),
                    ("dGSLM", "interruption_tor"), ("Freeze-Omni", "interruption_tor"),
                    ("Gemini Live 2.0 (deprecated)", "interruption_tor")}),
        ("fdb_french", {("Freeze-Omni", "backchannel_tor"), ("cascade en", "pause_tor")}),
    ],
)  # fmt: skip
def test_rates_without_a_count_are_the_known_exceptions(name: str, exceptions: set[tuple[str, str]]):
    without = [(system, key, value, n) for _, system, key, value, k, n in cells(name) if k is None]
    rates = [x for x in without if x[1].endswith("_tor")]
    assert {(system, key) for system, key, *_ in rates} == exceptions
    assert not any(f"{k / n:.3f}" == f"{value:.3f}" for *_, value, n in rates for k in range(n + 1))


@pytest.mark.parametrize(
    ("task", "system", "k", "value"),
    [
        ("synthetic_pause_handling", "PersonaPlex", 80, 0.584),
        ("candor_pause_handling", "PersonaPlex", 143, 0.662),
        ("icc_backchannel", "PersonaPlex", 18, 0.327),
        ("candor_turn_taking", "PersonaPlex", 118, 0.992),
    ],
)
def test_a_published_rate_has_wilsons_interval(task: str, system: str, k: int, value: float):
    kinds = {"synthetic_pause_handling": "pause", "candor_pause_handling": "pause",
             "icc_backchannel": "backchannel", "candor_turn_taking": "turn_taking"}  # fmt: skip
    own = {x.name: x for x in found(published("fdb_v1"), kinds[task], "tor", task)}
    expected = wilson(k, OFFICIAL[task])
    assert expected is not None
    assert len(own) == 6
    one = own[system]
    assert (one.value, one.n) == (value, OFFICIAL[task])
    assert (one.low, one.high) == (expected.low, expected.high)


def test_what_is_no_count_has_no_interval():
    own = {x.name: x for x in found(published("fdb_v1"), "pause", "tor", "candor_pause_handling")}
    assert (own["Moshi"].low, own["Moshi"].note) == (None, "not k/216")
    assert {x.low for x in found(published("fdb_v1"), "turn_taking", "latency", "candor_turn_taking")} == {
        None
    }


def test_ratings_of_the_french_table_are_means_over_takeovers():
    table, hits = published("fdb_french"), 0
    for part in table.parts:
        for system in part.systems:
            k, rating = system.cells["interruption_tor"].k, system.cells["interruption_rating"].value
            assert k is not None
            hits += f"{round(rating * k) / k:.3f}" == f"{rating:.3f}"
    assert hits == 13  # of 14: MEDIA PersonaPlex .151 is the exception


def test_the_official_sets_have_their_sizes():
    part = published("fdb_v1").parts[0]
    assert {task: s.n for s in part.sets.values() for task in s.tasks} == OFFICIAL
    assert published("fdb_french").parts[0].sets["pause_tor"].n == 137 + 216


@pytest.mark.parametrize(
    ("table", "suite", "tasks", "expected"),
    [
        ("fdb_v1", "fdb_v1", ["icc_backchannel"], True),
        ("fdb_v1", "fdb_mini", ["mini_backchannel"], False),
        ("fdb_v1", "fdb_v1", ["own_pause_handling"], False),
        ("fdb_v1", "fdb_french", ["callfc_backchannel"], False),
        ("fdb_french", "fdb_french", ["callfc_backchannel"], True),
    ],
)
def test_only_the_same_suite_on_its_sets_is_comparable(
    table: str, suite: str, tasks: list[str], expected: bool
):
    assert comparable(published(table), suite, tasks) is expected


def test_a_pooled_column_stands_beside_no_single_set():
    assert list(found(published("fdb_french"), "pause", "tor", "candor_pause_handling")) == []
    assert len(list(found(published("fdb_french"), "pause", "tor", "callfc_pause_handling"))) == 5


def test_every_column_is_a_measure_of_the_suite():
    columns = {column.measure for name in names() for column in published(name).columns}
    assert columns == {"tor", "latency", "rating", "bc_freq", "jsd"}
    assert columns | {name for kind in COLUMNS.values() for name in kind} <= MEASURES.keys()


def test_an_unknown_table_is_a_line_that_names_the_known():
    assert names() == ["fdb_french", "fdb_v1"]
    with pytest.raises(ConfigError, match="did you mean 'fdb_v1'"):
        published("fdb_v2")


def test_a_count_that_does_not_give_its_rate_is_refused():
    raw = published("fdb_v1").model_dump()
    raw["parts"][0]["systems"][0]["cells"]["pause_synthetic_tor"]["k"] = 81
    with pytest.raises(ValidationError, match=r"PersonaPlex, pause_synthetic_tor: 81/137 is not 0\.584"):
        Table.model_validate(raw)
