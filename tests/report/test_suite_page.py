"""The page of a suite: numbers beside published ones, whatever is missing said, and trials that play."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import soundfile
from rich.console import Console

from dyad.cli.suite_tables import SuiteTables, suite_tables
from dyad.measure.catalogue import Measure
from dyad.measure.rows import COLUMNS
from dyad.report.suite import suite_page, trial_block, verdict
from dyad.report.suite.sheet import EARLY, digits, is_authors
from dyad.report.suite.trials import index_entry
from dyad.spec.suite import Stimulus
from dyad.suites.published import published
from dyad.suites.summary import summary
from dyad.tables.draws import Draws
from dyad.tables.rows import Row

from .conftest import RATE, peaks

MEASURES = {
    "tor": Measure("share", 0, "takes the turn"), "latency": Measure("s", -1, "wait"),
    "bc_freq": Measure("per_s", 1, "backchannels"), "jsd": Measure("ratio", -1, "distance"),
    "rating": Measure("level", 1, "rating"), "stop_latency": Measure("s", 0, "stops"),
    "resp_latency": Measure("s", 0, "responds"),
    **{name: Measure("share", 0, name) for name in ("respond", "resume", "uncertain", "unknown")},
}  # fmt: skip
SETS = {
    "synthetic_pause_handling": "pause", "candor_pause_handling": "pause", "icc_backchannel": "backchannel",
    "candor_turn_taking": "turn_taking", "synthetic_user_interruption": "interruption",
    "user_interruption": "overlap", "user_backchannel": "overlap", "talking_to_other": "overlap",
}  # fmt: skip
BETTER = {
    ("pause", "tor"): -1,
    ("backchannel", "tor"): -1,
    ("turn_taking", "tor"): 1,
    ("interruption", "tor"): 1,
}
AGENTS = {"moshi": 0.75, "freeze_omni": 0.45}
CLIPS = 24
Value = tuple[str, float, float, bool]  # measure, value, n, observed
ATTACK = "</script><img src=x onerror=\"document.title='owned'\">"


def frame(prefix: str = "") -> pd.DataFrame:
    """Made-up trials of two agents on eight sets in both modes."""
    rng = np.random.default_rng(5)
    made: list[Row] = []
    for task, kind in SETS.items():
        for agent, level in AGENTS.items():
            for clip in range(CLIPS):
                for mode in ("compat", "strict"):
                    for measure, value, n, seen in _values(kind, level, mode, rng):
                        made.append(dict.fromkeys(COLUMNS, "") | {
                            "task": prefix + task, "archetype": kind, "agent": agent, "mode": mode,
                            "scenario": f"{prefix}{task}.{clip}", "measure": measure,
                            "value": None if clip == 7 else value, "n": n, "observed": seen,
                            "better": BETTER.get((kind, measure), MEASURES[measure].better),
                        })  # fmt: skip
    return pd.DataFrame(made)


def _values(kind: str, level: float, mode: str, rng: np.random.Generator) -> Iterator[Value]:
    if kind == "overlap":
        tag = rng.choice(4, p=[level * 0.8, 1 - level, level * 0.1, level * 0.1])
        for i, name in enumerate(("respond", "resume", "uncertain", "unknown")):
            yield name, float(i == tag), 1.0, True
        seen = mode == "compat" or rng.random() < level
        yield "stop_latency", float(rng.gamma(4, 0.3)) if seen else 4.0, 1.0, seen
        yield "resp_latency", float(rng.gamma(3, 0.4)), 1.0, True
        return
    takes = float(rng.random() < level)
    yield "tor", takes, 1.0, True
    if kind == "backchannel":
        yield "bc_freq", float(rng.poisson(1)) / 20, 1.0, True
        yield "jsd", float(rng.uniform(0.5, 1)), 1.0, True
    if kind in ("turn_taking", "interruption"):
        if mode == "strict":
            yield "latency", float(rng.gamma(3, 0.3)) if takes else 3.0, 1.0, bool(takes)
        elif takes:
            yield "latency", float(rng.gamma(3, 0.3)), 1.0, True
    if kind == "interruption" and takes:
        yield "rating", float(rng.integers(0, 6)), 1.0, True


def plan(prefix: str = "") -> dict[tuple[str, str], dict[str, int]]:
    counts = {"scored": CLIPS - 1, "missing": 1, "invalid": 2, "error": 0}
    return {(agent, prefix + task): counts for task in SETS for agent in AGENTS}


def trial(tones: np.ndarray, agent: str = "moshi", clip: str = "3", **given: Any) -> Row:
    stimulus = Stimulus(
        id=f"candor_turn_taking.{clip}", task="candor_turn_taking", kind="turn_taking", clip=clip, folder="x",
        span=(0.9, 0.9), texts={"context": "Where is the station?"},
    )  # fmt: skip
    label = {"judge": "rules", "question": "fdb.behaviour", "seat": "a", "label": "C_RESPOND", "status": "ok",
             "evidence": [], "fields": {}}  # fmt: skip
    shown = [{"measure": "tor", "seat": "a", "value": 1.0, "n": 1.0, "unit": "share", "mode": mode}
             for mode in ("compat", "strict")]  # fmt: skip
    line = {
        "id": "L1",
        "seat": "a",
        "start": 1.3,
        "end": 1.9,
        "text": "On the left.",
        "marks": [],
        "heard": None,
    }
    return trial_block(
        stimulus, agent, run_id=f"{agent}-{clip}", repetition=0, seed=1, duration_s=2.0, start_s=0.08,
        audio="../../runs/one/audio.flac",
        peaks={"rate_hz": 50, "a": peaks(tones[1]), "b": peaks(tones[0])},
        segments={"a": [(1.3, 1.9)], "b": [(0.1, 0.9)]}, lines=[line], judgments=[label], measures=shown,
        **given,
    )  # fmt: skip


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return summary(frame(), plan(), MEASURES, Draws(permutations=200))


@pytest.fixture
def data(rows: list[Row], tones: np.ndarray) -> dict[str, Any]:
    agent = {"name": "moshi", "adapter": "moshi", "about": "speaks", "licence": "CC-BY", "params": {},
             "numerics": []}  # fmt: skip
    study = {
        "name": "fdb-demo", "suite": "fdb_v1", "command": "python -m dyad suite suite=fdb_v1 agent=moshi",
        "created_utc": "2026-01-02T03:04:05Z", "dyad": "0.1.0", "judge": "rules", "asr": "parakeet",
        "vad": "silero", "agents": [agent], "notes": ["one note"],
    }  # fmt: skip
    trials = [trial(tones), trial(tones, "freeze_omni"), trial(tones, clip="4", problems=["clipping"])]
    return {"study": study, "rows": rows, "published": [published("fdb_v1")], "trials": trials}


def part(page: str, name: str) -> str:
    """The text of one section."""
    found = re.search(rf'<section id="{name}">(.*?)</section>', page, re.S)
    assert found is not None
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", found[1]))


def between(text: str, start: str, end: str) -> str:
    return text[text.index(start) : text.index(end)]


def test_published_numbers_stand_beside_compat_alone(data: dict[str, Any]):
    shown = part(suite_page(data), "results")
    compat, strict = shown.split("strict The corrected definitions")
    assert "PersonaPlex 0.584 [0.500, 0.663]" in compat  # Wilson, 80 of 137
    assert "Moshi 0.980 (not k/216)" in compat
    assert "PersonaPlex" not in strict
    assert "Filled: this study. Open: published by others" in compat


def test_published_rows_stand_below_in_the_columns_of_their_sets(data: dict[str, Any]):
    compat, strict = suite_page(data).split("<h3>strict</h3>")
    table = compat[compat.index("v1.0 · compat") :].split("</table>")[0]
    lines = {line.split("<")[0]: line for line in re.split(r'<th scope="row">(?:<b>)?', table)[1:]}
    assert list(lines)[:3] == ["freeze_omni", "moshi", "PersonaPlex"]
    assert "published by others, who had another ASR and another judge" in table
    cells = re.findall(r"<td>(.*?)</td>", lines["PersonaPlex"])
    assert [re.split("<", cell)[0] for cell in cells] == [
        "0.584", "0.662", "0.327", "0.025", "0.649", "0.992", "0.070", "1.000", "4.210", "0.400",
    ]  # fmt: skip
    assert re.search(r"<sup>[a-z]+</sup>", cells[0])
    assert "published by others" not in strict.split('<section id="times">')[0]


def test_figures_are_drawn_only_of_what_can_be_compared(data: dict[str, Any]):
    def drawn(agents: set[str]) -> list[str]:
        alone = frame("mini_")
        alone = alone[alone["agent"].isin(agents)]
        data["rows"] = summary(
            alone, {(a, t): n for (a, t), n in plan("mini_").items() if a in agents}, MEASURES
        )
        page = suite_page(data | {"published": []})
        return re.findall(r'<svg [^>]*aria-label="([^"]*)"[^>]*class="forest"', page)

    assert drawn({"moshi"}) == []
    assert "mini_candor_turn_taking latency s ↓" in drawn(set(AGENTS))


def test_a_small_set_is_shown_apart_from_the_official_one(data: dict[str, Any]):
    data["rows"] = summary(frame("mini_"), plan("mini_"), MEASURES, Draws(permutations=100))
    data["study"]["suite"] = "fdb_mini"
    page = suite_page(data)
    assert "PersonaPlex" not in part(page, "results")
    assert "For orientation only" in part(page, "published")
    assert "0.584 [0.500, 0.663] 80/137" in part(page, "published")


def test_french_results_are_not_beside_english_ones(data: dict[str, Any]):
    data["published"] = [published("fdb_french")]
    page = suite_page(data)
    assert "PersonaPlex" not in part(page, "results")
    assert "French Full-Duplex-Bench: CALLFC" in part(page, "published")


def test_the_head_counts_the_plan_and_says_what_was_used(data: dict[str, Any]):
    page = suite_page(data)
    tiles = re.findall(r"<div(?: class=\"(warn)\")?><b>(\d+)</b><span>(\w+)</span>", page)
    numbers = {word: (int(n), alarm) for alarm, n, word in tiles}
    assert numbers == {"planned": (416, ""), "scored": (368, ""), "invalid": (32, "warn"),
                       "missing": (16, "warn"), "error": (0, "")}  # fmt: skip
    assert sum(n for word, (n, _) in numbers.items() if word != "planned") == 416
    assert EARLY in page
    assert "compat and strict" in page


def test_censored_times_show_what_leaving_them_out_hides(data: dict[str, Any], rows: list[Row]):
    shown = part(suite_page(data), "times")
    assert "mean of responders median restricted mean up to censored missing" in shown
    area = next(x for x in rows if x["table"] == "suite_rmst" and x["agent"] == "freeze_omni")
    mean = next(x for x in rows if x["table"] == "suite" and all(
        x[k] == area[k] for k in ("condition", "measure", "agent", "term")))  # fmt: skip
    assert area["value"] > mean["value"]
    assert f"{area['value']:.3f}" in shown


def test_a_mean_of_responders_alone_is_marked(data: dict[str, Any]):
    compat, strict = part(suite_page(data), "results").split("strict The corrected definitions")
    marked = "* of those that responded: see the times with censored trials"
    assert marked not in compat
    assert strict.count(marked) == 2  # of v1.0 and of v1.5
    assert re.search(r"stop s .*?\d\* \[", strict)


def test_every_difference_has_its_smallest_visible_one(data: dict[str, Any], rows: list[Row]):
    shown = part(suite_page(data), "differences")
    known = [x for x in rows if x["table"] == "suite_difference" and x["mde"] is not None]
    assert len(known) > 20
    assert all(f"{x['mde']:.3f}" in shown for x in known)


def test_the_verdict_says_how_many_differences_hold(rows: list[Row]):
    said = verdict(rows, "fdb_v1")
    assert said.startswith("fdb_v1: freeze_omni and moshi on 8 sets, 368 of 416 planned trials scored.")
    assert re.search(r"In strict, \d+ of 28 differences between agents can be told from 0", said)


def test_the_verdict_of_one_agent_says_what_it_does():
    alone = frame("mini_")
    alone = alone[alone["agent"] == "moshi"]
    counts = {(agent, task): n for (agent, task), n in plan("mini_").items() if agent == "moshi"}
    said = verdict(summary(alone, counts, MEASURES), "fdb_mini")
    assert said.startswith(
        "fdb_mini: moshi on 8 sets, 184 of 208 planned trials scored. Takeover rates in strict: "
    )
    assert re.search(r"synthetic pause handling 0\.\d{3}, candor pause handling 0\.\d{3}, icc", said)
    assert re.search(r"Responses to overlaps in strict: user interruption 0\.\d{3}, user backchannel 0", said)
    assert "differences" not in said


def test_nothing_scored_still_gives_a_page(data: dict[str, Any]):
    nothing = pd.DataFrame(columns=COLUMNS)
    data |= {"rows": summary(nothing, {("moshi", "icc_backchannel"): {"error": 3}}, MEASURES), "trials": []}
    page = suite_page(data)
    assert "No trial has been scored." in page
    assert "0 of 3 planned trials scored" in page


def test_what_a_model_says_cannot_become_markup(data: dict[str, Any]):
    data["trials"][0]["lines"][0]["text"] = ATTACK
    data["study"]["name"] = ATTACK
    assert "<img" not in suite_page(data)


def test_marks_lie_on_the_clock_of_the_recording(tones: np.ndarray):
    events = trial(tones)["events"]
    assert [(e["seat"], e["t"], e["kind"]) for e in events] == [
        ("b", 0.08, "stimulus starts"), ("b", 0.98, "user ends"), ("a", 1.3, "model starts"),
    ]  # fmt: skip


def test_trials_are_found_by_takeover_and_label(tones: np.ndarray):
    labels = index_entry(trial(tones), "rules")["labels"]
    assert [(x["question"], x["label"]) for x in labels] == [
        ("fdb.behaviour", "C_RESPOND"), ("tor compat", "1"), ("tor strict", "1"),
    ]  # fmt: skip
    assert [x["question"] for x in index_entry(trial(tones), "another")["labels"]] == [
        "tor compat",
        "tor strict",
    ]


# -- the terminal ----------------------------------------------------------------------------------


def test_the_terminal_has_a_table_per_mode_and_version(rows: list[Row], capsys: pytest.CaptureFixture[str]):
    assert (
        suite_tables(SuiteTables("demo", "fdb_v1", "rules", "parakeet", "silero", rows), as_json=False) == 0
    )
    told = capsys.readouterr().out
    titles = [line.strip() for line in told.splitlines() if re.match(r"\s*v1\.", line)]
    assert titles == ["v1.0 · compat", "v1.5 · compat", "v1.0 · strict", "v1.5 · strict"]
    assert "judge: rules · ASR: parakeet · VAD: silero" in told
    assert EARLY in told
    for head in (
        "TOR ↓",
        "TOR ↑",
        "freq per s ↑",
        "JSD ↓",
        "latency s ↓",
        "rating ↑",
        "stop s",
        "response s",
    ):
        assert head in told


def test_the_terminal_gives_rows_as_json(rows: list[Row], capsys: pytest.CaptureFixture[str]):
    suite_tables(SuiteTables("demo", "fdb_v1", "rules", "parakeet", "silero", rows), as_json=True)
    made = json.loads(capsys.readouterr().out)
    assert (made["suite"], len(made["rows"])) == ("fdb_v1", len(rows))


@pytest.mark.parametrize("width", [80, 120])
def test_numbers_fold_last_in_a_narrow_window(
    rows: list[Row], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
):
    window = Console(width=width, markup=False, emoji=False)
    monkeypatch.setattr("dyad.cli.suite_tables.wide_console", lambda: window)
    suite_tables(SuiteTables("demo", "fdb_v1", "rules", "parakeet", "silero", rows), as_json=False)
    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= width
    printed = told[: told.index("\ntimes with censored")] if width == 80 else told
    assert re.findall(r"\[[^]\n]*$|\[[^]]*│", printed, re.M) == []  # no interval is torn
    ours = [x for x in rows if x["table"] == "suite" and x["low"] is not None and is_authors(x)]
    assert all(f"[{digits(x['low'])}, {digits(x['high'])}]" in printed for x in ours)


def test_notes_stand_once_below_a_table(rows: list[Row], capsys: pytest.CaptureFixture[str]):
    suite_tables(SuiteTables("demo", "fdb_v1", "rules", "parakeet", "silero", rows), as_json=False)
    told = capsys.readouterr().out
    strict = between(told, "differences · strict", "trials of the plan")
    assert strict.count("not distinguishable") <= len({x["note"] for x in rows})
    assert re.search(r"^  1 not distinguishable", strict, re.M)


# -- in a browser ----------------------------------------------------------------------------------


@pytest.fixture
def visit(browser: Any, tmp_path: Path, tones: np.ndarray) -> Iterator[Callable[..., Any]]:
    """Open a page of some width; at the end nothing may have been complained about or asked of a network."""
    complaints: list[str] = []
    study, run = tmp_path / "studies" / "demo", tmp_path / "runs" / "one"
    study.mkdir(parents=True)
    run.mkdir(parents=True)
    soundfile.write(run / "audio.flac", tones.T, RATE)
    contexts = []

    def open_page(data: dict[str, Any], width: int = 1280, scheme: str = "light") -> Any:
        (study / "report.html").write_text(suite_page(data), "utf-8")
        contexts.append(browser.new_context(viewport={"width": width, "height": 860}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.set_default_timeout(8000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request", lambda r: complaints.extend([] if r.url.startswith(("file:", "data:")) else [r.url])
        )
        page.goto((study / "report.html").as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def test_a_trial_opens_plays_and_is_filtered(visit: Callable[..., Any], data: dict[str, Any]):
    page = visit(data)
    page.locator("#by-pairing").select_option("freeze_omni")
    assert page.locator("#run-rows tr").count() == 1
    page.locator("#run-rows a").first.click()
    drawer = page.locator("#run")
    assert drawer.locator(".pin").count() == 3
    drawer.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("least => opened.player.audio.currentTime > least", arg=0.3)
    assert "context: Where is the station?" in drawer.text_content()


def test_the_page_speaks_of_trials_of_agents(visit: Callable[..., Any], data: dict[str, Any]):
    page = visit(data)
    heads = page.locator("#run-heads th").all_text_contents()
    assert [head.strip() for head in heads] == ["trial", "agent", "kind", "rep", "seconds", "labels"]
    assert page.locator("#count").text_content() == "3 of 3 trials"
    page.locator("#find").fill("nowhere")
    assert page.locator("#count").text_content() == "No trial fits."
    page.locator("#find").fill("")
    page.locator("#run-rows a").first.click()
    drawer = page.locator("#run")
    assert "opener" not in drawer.text_content()
    assert drawer.locator(".measures th[scope=col]").all_text_contents() == ["measure", "compat", "strict"]
    drawer.get_by_role("button", name="Close").click()
    page.wait_for_function("!location.hash.startsWith('#run=')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_never_scrolls_sideways(visit: Callable[..., Any], data: dict[str, Any], scheme: str):
    page = visit(data, 390, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#run-rows a").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_drawings_hold_their_texts(visit: Callable[..., Any], data: dict[str, Any]):
    page = visit(data)
    outside = """() => [...document.querySelectorAll('svg text')].filter((text) => {
        const box = text.getBoundingClientRect(), own = text.closest('svg').getBoundingClientRect();
        return box.left < own.left - 1 || box.right > own.right + 1; }).map((text) => text.textContent)"""
    assert page.evaluate(outside) == []
