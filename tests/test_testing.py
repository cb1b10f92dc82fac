"""The contract suite must let good agents pass and name the rule that a bad one breaks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dyad.bridge.protocol import Caps, Out, Plain, Text
from dyad.registry import load
from dyad.spec import TICK
from dyad.testing import Bursts, Paced, Units, agents_of, check_agent, lane


@pytest.mark.parametrize(
    "agent", [Units(24_000), Units(6400, 16_000), Units(3200), Bursts(9000, 3, 16_000), Paced(0.0)]
)
def test_the_fakes_keep_the_contract(agent):
    check_agent(agent, ticks=30)


class Noise(Plain):
    """A good agent with state and snapshots: noise of its seed."""

    def __init__(self, **caps) -> None:
        self.caps = Caps("noise", snapshot="state", **caps)

    def open(self, prompts, voices, seeds):
        self.count = np.array(seeds, np.int64) * 1000

    def step(self, tick, heard, played):
        self.count += 1
        pcm = np.stack([np.random.default_rng(n).uniform(-0.1, 0.1, TICK) for n in self.count]).astype(
            np.float32
        )
        return Out(pcm, [Text(row, tick * TICK, "hm ") for row in range(len(pcm))])

    def reset(self, row, prompt, voice, seed):
        self.count[row] = seed * 1000

    def snapshot(self, row):
        return int(self.count[row]).to_bytes(8, "big")

    def restore(self, row, state):
        self.count[row] = int.from_bytes(state, "big")


def test_times_are_exact():
    check_agent(Noise(chunk_ms=Fraction(400, 3), lag_ms=Fraction(160, 3)))
    with pytest.raises(AssertionError, match=r"must be whole, or exact: Fraction\(400, 3\)"):
        check_agent(Noise(chunk_ms=133.3))


def test_a_good_agent_with_snapshots_passes():
    check_agent(Noise())


class Returns(Noise):
    """Noise, except for what `change` makes of its output."""

    def __init__(self, change, **caps) -> None:
        super().__init__(**caps)
        self._change = change

    def step(self, tick, heard, played):
        return self._change(super().step(tick, heard, played), tick)


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda out, tick: Out(out.pcm[:1]), "pcm must be [3, n]"),
        (lambda out, tick: Out(out.pcm.astype(float)), "pcm must be float32"),
        (lambda out, tick: Out(out.pcm * np.float32(np.nan)), "pcm must be finite"),
        (lambda out, tick: Out(out.pcm * 20), "pcm must lie in [-1, 1]"),
        (lambda out, tick: replace(out, speaking=np.ones(2, bool)), "speaking must be None or bool [3]"),
        (lambda out, tick: replace(out, flush=np.ones(3)), "flush must be None or bool [3]"),
        (lambda out, tick: replace(out, text=[Text(3, 0, "x")]), "Text.row must be a row"),
        (lambda out, tick: replace(out, text=[Text(0, -5, "x")]), "Text.at must be a sample from 0 on"),
        (lambda out, tick: replace(out, text=[Text(0, 0, "x")]), "10 s in the past"),
    ],
)
def test_each_rule_of_a_step_is_asserted(change, rule):
    with pytest.raises(AssertionError) as caught:
        check_agent(Returns(change), ticks=150)
    assert str(caught.value).startswith("agent 'noise': ")
    assert rule in str(caught.value)


class Broken(Noise):
    """Noise with one method replaced."""

    def __init__(self, **methods) -> None:
        super().__init__()
        for name, method in methods.items():
            setattr(self, name, method)


def test_rows_that_lean_on_each_other_are_found():
    agent = Noise()
    step = agent.step
    agent.step = lambda tick, heard, played: replace(
        out := step(tick, heard, played), pcm=out.pcm - out.pcm.mean(0)
    )
    with pytest.raises(AssertionError, match="must not depend on the rows beside it"):
        check_agent(agent)


def test_a_seed_that_does_not_repeat_is_found():
    agent = Noise()
    agent.open = lambda prompts, voices, seeds: setattr(
        agent, "count", np.random.default_rng().integers(0, 9**9, len(seeds))
    )
    with pytest.raises(AssertionError, match="the same seed must repeat"):
        check_agent(agent)


@pytest.mark.parametrize(
    ("name", "method", "rule"),
    [
        ("reset", lambda row, prompt, voice, seed: None, "a row must begin anew"),
        ("restore", lambda row, state: None, "restore must undo a reset (row 0)"),
        ("force", lambda row, pcm, text: None, "force must raise Unsupported"),
    ],
)
def test_calls_that_do_nothing_are_found(name, method, rule):
    with pytest.raises(AssertionError) as caught:
        check_agent(Broken(**{name: method}))
    assert rule in str(caught.value)


def test_a_reset_that_hits_its_neighbours_is_found():
    agent = Noise()
    agent.reset = lambda row, prompt, voice, seed: agent.count.fill(seed * 1000)
    with pytest.raises(AssertionError, match="a reset of row 1 must not touch row 0"):
        check_agent(agent)


class Forced(Noise):
    """Noise whose rows can be hushed; `reach` gives the rows that fall silent with a row."""

    def __init__(self, reach) -> None:
        super().__init__(force=frozenset({"audio", "text"}))
        self._reach, self._hushed = reach, []

    def force(self, row, pcm, text):
        assert (pcm.shape, pcm.dtype, pcm.any(), text) == ((TICK,), np.float32, False, "")
        self._hushed = self._reach(row)

    def step(self, tick, heard, played):
        out = super().step(tick, heard, played)
        out.pcm[self._hushed] = 0
        self._hushed = []
        return out


def test_a_forced_row_leaves_the_others_alone():
    check_agent(Forced(lambda row: [row]))
    with pytest.raises(AssertionError, match="force of row 1 must not touch row 2"):
        check_agent(Forced(lambda row: [row, row + 1]))


def test_every_batch_is_loaded_with_the_same_room():
    loads = []
    agent = Noise()
    agent.load = lambda *args: loads.append(args)
    check_agent(agent, ticks=30, device="cuda:1")
    assert len(loads) > 5
    assert set(loads) == {("cuda:1", 3, 30)}


def test_numerics_are_text():
    agent = Noise()
    agent.numerics = lambda: {"rows": 3}
    with pytest.raises(AssertionError, match="numerics must map names to text"):
        check_agent(agent)


def test_agents_that_do_not_promise_to_repeat_need_not():
    agent = Noise(deterministic=False)
    agent.open = lambda prompts, voices, seeds: setattr(
        agent, "count", np.random.default_rng().integers(0, 9**9, len(seeds))
    )
    check_agent(agent)


def test_a_family_whose_caps_differ_from_its_agents_is_found():
    family = replace(load("agents", "echo"), caps=lambda params: Caps("echo", lag_ms=5))
    with pytest.raises(AssertionError, match="the family's caps must be the agent's"):
        check_agent(family)


def test_an_agent_of_several_lanes_is_loaded_once():
    runs = [lane("echo", "silence", seed=seed) for seed in range(3)] + [lane("echo", "echo")]
    assert len(agents_of(runs)) == 2
