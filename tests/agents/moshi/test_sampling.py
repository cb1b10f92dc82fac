"""What rows draw: the law of softmax and top-k, from random numbers that know nothing of the batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

torch = pytest.importorskip("torch")

from dyad.agents.moshi.engine.sampling import Sampling, draw, gumbel, uniform  # noqa: E402

SEEDS = st.integers(0, 2**63 - 1)
STEPS = st.integers(0, 10_000)
ALPHA = 1e-4  # with fixed seeds; a wrong law gives far less


def test_defaults_are_the_official_ones() -> None:
    assert Sampling() == Sampling(temp=0.8, temp_text=0.7, top_k=250, top_k_text=25)


def longs(*values: int) -> Any:
    return torch.tensor(values, dtype=torch.long)


def mixed(x: int) -> int:
    x &= 0xFFFFFFFF
    x = (x ^ x >> 16) * 0x7FEB352D & 0xFFFFFFFF
    x = (x ^ x >> 15) * 0x846CA68B & 0xFFFFFFFF
    return x ^ x >> 16


@given(seed=SEEDS, step=STEPS)
def test_uniforms_are_exact_integer_arithmetic(seed: int, step: int) -> None:
    """The same in Python's integers, which cannot overflow: so they are on every device."""
    stream, rank = 3, 7
    salt = 0x165667B1
    one = mixed(mixed(mixed(seed + salt) ^ seed >> 32) + step * 0x9E3779B1)
    two = mixed(mixed(mixed((seed >> 32) + salt) ^ seed & 0xFFFFFFFF) + step * 0x27D4EB2F)
    expected = (mixed((mixed(one + stream * 0x85EBCA77) + rank * 0xC2B2AE3D) ^ two) + 0.5) / 2**32
    assert float(uniform(longs(seed), longs(step), 9, 8)[0, stream, rank]) == expected


@given(rows=st.lists(st.tuples(SEEDS, STEPS), min_size=2, max_size=6))
def test_uniforms_do_not_depend_on_the_batch(rows: list[tuple[int, int]]) -> None:
    seeds, steps = (longs(*column) for column in zip(*rows, strict=True))
    together = uniform(seeds, steps, 9, 20)
    for row, (seed, step) in enumerate(rows):
        assert torch.equal(uniform(longs(seed), longs(step), 9, 20)[0], together[row])
    assert torch.equal(uniform(seeds.flip(0), steps.flip(0), 9, 20), together.flip(0))
    assert torch.equal(uniform(seeds, steps, 4, 5), together[:, :4, :5])


def test_uniforms_lie_between_0_and_1() -> None:
    u = uniform(torch.arange(2000), torch.arange(2000), 9, 50)
    assert float(u.min()) > 0.0
    assert float(u.max()) < 1.0


@pytest.mark.parametrize("base", [0, 1, 2**31 - 5, 2**32, 2**62 + 12345, 2**63 - 70])
def test_uniforms_are_uniform(base: int) -> None:
    u = uniform(base + torch.arange(64), torch.arange(64), 9, 100)
    assert stats.kstest(u.flatten().numpy(), "uniform").pvalue > ALPHA
    counts = torch.histc(u, 200, 0, 1).numpy()
    assert stats.chisquare(counts).pvalue > ALPHA


def pairs() -> dict[str, tuple[Any, Any]]:
    """Numbers of two kinds that differ in one thing, 40,000 of each."""
    seed, step = torch.arange(100), torch.arange(100)

    def drawn(seeds: Any, steps: Any) -> Any:
        return uniform(seeds, steps, 20, 20)

    plain = drawn(seed, step)
    wide = uniform(seed, step, 40, 40)
    return {
        "seed": (plain, drawn(seed + 100, step)),
        "next seed": (plain[:-1], plain[1:]),
        "seed above bit 32": (plain, drawn(seed + 2**32, step)),
        "seed above bit 62": (plain, drawn(seed + 2**62, step)),
        "step": (plain, drawn(seed, step + 1)),
        "step and seed": (plain, drawn(seed + 1, step + 1)),
        "stream": (wide[:, :20, :20], wide[:, 1:21, :20]),
        "rank": (wide[:, :20, :20], wide[:, :20, 1:21]),
        "stream for rank": (wide[:, 5:25, 6:26], wide[:, 5:25, 6:26].transpose(1, 2)),
    }


@pytest.mark.parametrize("kind", pairs())
def test_uniforms_that_differ_in_one_thing_are_unrelated(kind: str) -> None:
    one, two = (part.flatten().numpy() for part in pairs()[kind])
    if kind == "stream for rank":  # a number on the diagonal is its own partner
        one, two = one[one != two], two[one != two]
    assert stats.pearsonr(one, two).pvalue > ALPHA
    assert stats.pearsonr(np.abs(one - 0.5), np.abs(two - 0.5)).pvalue > ALPHA
    table = np.histogram2d(one, two, bins=8, range=[[0, 1], [0, 1]])[0]
    assert stats.chisquare(table.flatten()).pvalue > ALPHA
    assert np.mean(one == two) < 1e-4


def test_a_seed_of_63_bits_counts_to_its_last() -> None:
    seeds = torch.tensor([2**62 + (1 << bit) for bit in range(62)] + [2**62])
    first = uniform(seeds, torch.zeros_like(seeds), 1, 4)[:, 0]
    assert len({tuple(row.tolist()) for row in first}) == len(seeds)


def law(logits: Any, temp: float, top_k: int) -> Any:
    """Probabilities of softmax(logits / temp), cut to the best k."""
    best = torch.topk(logits, top_k).indices
    cut = torch.full_like(logits, float("-inf"))
    cut[best] = logits[best] / temp
    return torch.softmax(cut.double(), 0).numpy()


def drawn(logits: Any, temp: float, top_k: int, count: int, ranks: int, base: int = 0) -> Any:
    """Draw `count` times: rows with seeds of their own, as a batch of one model draws."""
    temps, ks = torch.full((count,), temp), torch.full((count,), top_k)
    u = uniform(base + torch.arange(count), torch.full((count,), 17), 1, ranks)
    return draw(logits.expand(count, -1), temps, gumbel(u, ks)[:, 0])


@pytest.mark.parametrize(("temp", "top_k"), [(1.0, 12), (0.7, 12), (2.5, 12), (0.8, 5), (1.3, 2)])
@pytest.mark.parametrize("base", [0, 2**62])
def test_draws_follow_the_law(temp: float, top_k: int, base: int) -> None:
    logits = torch.randn(12, generator=torch.Generator().manual_seed(3)) * 1.5
    count, expected = 40_000, law(logits, temp, top_k)
    seen = torch.bincount(drawn(logits, temp, top_k, count, 12, base), minlength=12).numpy()
    assert seen[expected == 0].sum() == 0
    likely = expected > 0
    assert stats.chisquare(seen[likely], expected[likely] * count).pvalue > ALPHA


def test_draws_over_steps_and_streams_follow_the_law() -> None:
    """One row's own sequence, as a conversation draws it: 2,000 calls of 9 streams."""
    logits = torch.randn(10, generator=torch.Generator().manual_seed(4))
    steps, ones = torch.arange(2000), torch.ones(2000)
    noise = gumbel(uniform(torch.full((2000,), 5), steps, 9, 10), torch.full((2000,), 10))
    tokens = torch.stack([draw(logits.expand(2000, -1), ones, noise[:, stream]) for stream in range(9)])
    seen = torch.bincount(tokens.flatten(), minlength=10).numpy()
    assert stats.chisquare(seen, law(logits, 1.0, 10) * tokens.numel()).pvalue > ALPHA
    following = np.histogram2d(tokens[:, :-1].flatten(), tokens[:, 1:].flatten(), bins=10)[0]
    assert stats.chi2_contingency(following).pvalue > ALPHA


@given(seed=st.integers(0, 1000), top_k=st.integers(1, 30))
def test_the_best_one_is_greedy(seed: int, top_k: int) -> None:
    logits = torch.randn(1, 30, generator=torch.Generator().manual_seed(seed)).expand(50, -1)
    best = logits.argmax(-1)
    u = uniform(torch.arange(50), torch.full((50,), seed), 1, top_k)
    cold, hot = torch.zeros(50), torch.full((50,), 2.0)
    assert torch.equal(draw(logits, cold, gumbel(u, torch.full((50,), top_k))[:, 0]), best)
    assert torch.equal(draw(logits, hot, gumbel(u, torch.ones(50, dtype=torch.long))[:, 0]), best)


@given(seed=st.integers(0, 1000), size=st.sampled_from([8, 48, 2048]))
def test_of_equal_logits_greedy_takes_the_first(seed: int, size: int) -> None:
    """As the package's argmax does; logits in bfloat16 are often equal."""
    steps = torch.randint(0, 4, (5, size), generator=torch.Generator().manual_seed(seed))
    logits, cold = steps.float(), torch.zeros(5)
    u = uniform(torch.arange(5), torch.arange(5), 1, min(size, 25))
    noise = gumbel(u, torch.full((5,), 25))[:, 0]
    assert torch.equal(draw(logits, cold, noise), logits.argmax(-1))


def test_rows_of_one_batch_draw_each_by_its_own_rule() -> None:
    count = 20_000
    logits = torch.randn(8, generator=torch.Generator().manual_seed(6))
    rules = [(0.0, 8), (0.7, 8), (1.5, 3)]
    temps = torch.tensor([temp for temp, _ in rules]).repeat(count)
    ks = torch.tensor([top_k for _, top_k in rules]).repeat(count)
    u = uniform(torch.arange(3 * count), torch.zeros(3 * count, dtype=torch.long), 1, 8)
    tokens = draw(logits.expand(3 * count, -1), temps, gumbel(u, ks)[:, 0]).reshape(count, 3)
    assert (tokens[:, 0] == logits.argmax()).all()
    for column, (temp, top_k) in list(enumerate(rules))[1:]:
        expected = law(logits, temp, top_k)
        seen = torch.bincount(tokens[:, column], minlength=8).numpy()
        assert seen[expected == 0].sum() == 0
        assert stats.chisquare(seen[expected > 0], expected[expected > 0] * count).pvalue > ALPHA


def test_fewer_ranks_of_noise_cut_the_top_k() -> None:
    """The noise of a batch has one shape; it may be wider than the vocabulary, or than a row's top-k."""
    logits = torch.randn(10, generator=torch.Generator().manual_seed(7))
    narrow = drawn(logits, 1.0, 4, 500, 4)
    assert torch.equal(narrow, drawn(logits, 1.0, 4, 500, 9))
    assert torch.equal(drawn(logits, 1.0, 250, 500, 10), drawn(logits, 1.0, 250, 500, 250))
    assert set(narrow.tolist()) == set(torch.topk(logits, 4).indices.tolist())
