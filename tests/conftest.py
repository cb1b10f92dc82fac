"""Fixtures that several folders share: small real studies, without weights."""

from __future__ import annotations

import gc
import os
import random
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from dyad import registry
from dyad.cli import compose as composing
from dyad.cli.compose import compose
from dyad.plan import Plan, make_plan
from tests.leftovers import Leftovers

# The machine may be busy, and one tree must always pass or always fail: no time limits, fixed examples.
settings.register_profile("dyad", deadline=None, derandomize=True)
settings.load_profile("dyad")

Planned = Callable[..., Plan]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Watch for what tests leave behind; the workers of pytest-xdist run by now."""
    session.config.pluginmanager.register(Leftovers())


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Spare the collector of garbage what stays: going through it anew took a sixth of all time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()
        gc.set_threshold(100_000, 20, 20)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Shuffle the files, and the tests in each, by the seed SHUFFLE; workers get it with the environment.

    Also let pytest 9.2 see the groups that pytest-xdist 3.8 adds to `_nodeid`, where only older ones look.
    """
    if seed := os.environ.get("SHUFFLE"):
        files = [list(tests) for _, tests in groupby(items, lambda item: item.path)]
        for some in (files, *files):
            random.Random(seed).shuffle(some)
        items[:] = chain(*files)
    for item in items:
        if "_nodeid" in vars(item):
            item._id = type(item.id).parse(item._nodeid)


@pytest.fixture
def workers_end(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process keeps the agents that it has played: end their workers."""
    from dyad import simulate
    from dyad.host.agent import HostAgent

    agents: dict[object, Any] = {}
    monkeypatch.setattr(simulate, "_agents", agents)
    yield
    for agent in agents.values():
        if isinstance(agent, HostAgent):
            agent.stop()


@pytest.fixture(autouse=True, scope="session")
def _composed_once() -> Iterator[None]:
    """Let Hydra, which takes 0.1 s, compose only once what differs in nothing but an absolute store.

    What it makes is not resolved yet, so the store can be put in its place afterwards. Files of a user may
    change, so with any it composes anew; and where another package brings agents or judges, too.
    """
    real = composing._merge
    kept = cache(lambda overrides, known: real(overrides))

    def merge(overrides: Sequence[str]) -> dict[str, Any]:
        stores = [found for text in overrides if (found := re.fullmatch(r"store=(/[\w./-]+)", text))]
        if len(stores) != 1 or composing._search(overrides):
            return real(overrides)
        rest = tuple(text for text in overrides if text != stores[0][0])
        known = (*composing._registered.items(), *registry.names("judges"))
        return {**kept(rest, known), "store": stores[0][1]}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composing, "_merge", merge)
        yield


@pytest.fixture
def planned(tmp_path: Path) -> Planned:
    """Plan a study of two instruments (echo and tone) with a store in tmp_path; more overrides may follow."""

    def make(*overrides: str) -> Plan:
        base = [
            "pairing=echo_tone", "task=t2", "window_s=2", "design.repetitions=1", "scenarios.limit=1",
            "launcher=serial", f"store={tmp_path / 'store'}",
        ]  # fmt: skip
        return make_plan(compose([*base, *overrides]).studies)

    return make


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium; tests that need one are skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no chromium or google-chrome on this machine")
    try:
        driver = playwright.sync_playwright().start()
    except Exception as error:  # whatever keeps the bundled driver from running, the page is not at fault
        pytest.skip(f"the browser driver does not start: {error}")
    try:
        chromium = driver.chromium.launch(executable_path=path, args=FLAGS)
    except playwright.Error as error:
        driver.stop()
        pytest.skip(f"the browser does not start: {error}")
    yield chromium
    chromium.close()
    driver.stop()
