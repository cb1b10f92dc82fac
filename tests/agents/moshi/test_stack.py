"""The transformers on the package's weights: its arithmetic, with state that rows own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")

from moshi.modules.rope import apply_rope  # noqa: E402
from moshi.modules.transformer import _rms_norm  # noqa: E402
from moshi.utils.compile import no_compile  # noqa: E402
from torch.nn import functional as nnf  # noqa: E402

from dyad.agents.moshi.engine.rows import REACH  # noqa: E402
from dyad.agents.moshi.engine.stack import (  # noqa: E402
    Shape,
    blocks,
    ring_fill,
    ring_step,
    rms,
    rotate,
    rotation,
    shape_of,
)

STEP = REACH["cpu"]
# The 7B model's, both tiny models', and odd ones: head counts and sizes the kernels might treat differently.
HEADS = st.sampled_from([(1, 8), (2, 16), (4, 16), (8, 64), (4, 128), (32, 128), (3, 24)])


def normal(seed: int, *shape: int) -> Any:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@settings(max_examples=60)
@given(
    rows=st.sampled_from([1, 2, 3, 8, 17]),
    heads=HEADS,
    at=st.lists(st.integers(0, 2 * STEP - 1), min_size=1, max_size=17),
    more=st.integers(1, 6),
    dtype=st.sampled_from([torch.float32, torch.bfloat16]),
)
def test_attention_does_not_depend_on_how_much_is_read(
    rows: int, heads: tuple[int, int], at: list[int], more: int, dtype: Any
) -> None:
    """To the bit, in whole steps: slots beyond the filled ones are masked, whatever they hold."""
    positions = torch.tensor([at[row % len(at)] for row in range(rows)])
    least = -(-(int(positions.max()) + 1) // STEP) * STEP
    most = least + more * STEP
    keys, values = normal(1, 2, rows, heads[0], most, heads[1]).to(dtype)
    queries = normal(2, rows, heads[0], 1, heads[1]).to(dtype)

    def read(reach: int) -> Any:
        seen = torch.arange(reach) <= positions[:, None]
        return nnf.scaled_dot_product_attention(
            queries, keys[:, :, :reach], values[:, :, :reach], seen[:, None, None]
        )

    assert torch.equal(read(least), read(most))


@given(size=st.sampled_from([8, 64, 512]), seed=st.integers(0, 100), scale=st.sampled_from([1e-3, 1.0, 1e3]))
def test_rms_is_the_package_s(size: int, seed: int, scale: float) -> None:
    x, alpha = normal(seed, 3, 1, size) * scale, normal(seed + 1, 1, 1, size)
    with no_compile():
        theirs = _rms_norm(x, alpha, torch.float32, 1e-8)
    torch.testing.assert_close(rms(x, alpha.view(-1)), theirs, rtol=1e-5, atol=1e-6)


@given(at=st.lists(st.integers(0, 3500), min_size=1, max_size=5), half=st.integers(1, 64))
def test_rotate_is_the_package_s(at: list[int], half: int) -> None:
    """One position per row, keys and queries alike."""
    shape = Shape(1, 4, 2 * half, 10_000.0)
    q, k = normal(1, 2, len(at), shape.heads, shape.head_dim)
    with no_compile():
        theirs = apply_rope(q[:, :, None], k[:, :, None], torch.tensor(at), shape.max_period)
    turn = rotation(torch.tensor(at), shape)[:, None]
    for mine, their in zip((q, k), theirs, strict=True):
        torch.testing.assert_close(rotate(mine, turn), their[:, :, 0], rtol=1e-4, atol=1e-4)


class Stack:
    """The tiny model's temporal transformer with empty rings."""

    def __init__(self, lm: Any, rows: int, ring: int) -> None:
        self.layers, self.shape = blocks(lm.transformer), shape_of(lm.transformer)
        size = (2, rows, self.shape.heads, ring, self.shape.head_dim)
        self.ring = [torch.zeros(size) for _ in self.layers]

    def step(self, x: Any, at: Any, reach: int) -> Any:
        return ring_step(x, self.layers, self.ring, at, self.shape, reach)

    def fill(self, x: Any, row: int) -> Any:
        return ring_fill(x, self.layers, self.ring, row, self.shape)


@torch.inference_mode()
def test_the_stack_is_the_package_s(tiny: Any) -> None:
    x = normal(3, 2, 50, tiny.lm.dim)
    with no_compile():
        theirs = tiny.lm.transformer(x)
    stack = Stack(tiny.lm, 2, 64)
    mine = [stack.step(x[:, at], torch.full((2,), at), 64) for at in range(50)]
    torch.testing.assert_close(torch.stack(mine, 1), theirs, rtol=1e-4, atol=1e-5)


@settings(max_examples=10)
@given(count=st.integers(1, 70), row=st.integers(0, 2), data=st.data())
@torch.inference_mode()
def test_filled_is_stepped(tiny: Any, count: int, row: int, data: st.DataObject) -> None:
    """Outputs and rings agree, and rows besides are left as they were."""
    ring = data.draw(st.sampled_from([count, 128]))
    x = normal(4, 3, count, tiny.lm.dim)
    one_by_one, at_once = Stack(tiny.lm, 3, ring), Stack(tiny.lm, 3, ring)
    stepped = [one_by_one.step(x[:, at], torch.full((3,), at), ring)[row] for at in range(count)]
    filled = at_once.fill(x[row], row)
    torch.testing.assert_close(filled, torch.stack(stepped), rtol=1e-4, atol=1e-5)
    for once, each in zip(at_once.ring, one_by_one.ring, strict=True):
        torch.testing.assert_close(once[:, row], each[:, row], rtol=1e-4, atol=1e-5)
        assert not once[:, [other for other in range(3) if other != row]].any()


@torch.inference_mode()
def test_rows_stand_at_positions_of_their_own(tiny: Any) -> None:
    """A row that began later is what it is alone, also where others have wrapped."""
    x, late = normal(5, 2, 60, tiny.lm.dim), 37
    together, alone = Stack(tiny.lm, 2, 32), Stack(tiny.lm, 2, 32)
    for at in range(60):
        mixed = together.step(x[:, at], torch.tensor([at, max(at - late, 0)]), 32)
        if at >= late:
            apart = alone.step(x[:, at], torch.full((2,), at - late), 32)
            assert torch.equal(mixed[1], apart[1])


@torch.inference_mode()
def test_a_full_ring_forgets_the_oldest(tiny: Any) -> None:
    """The 33rd position no longer hears the first, but did the one before."""
    x = normal(6, 1, 40, tiny.lm.dim).expand(2, -1, -1).clone()
    x[1, 0] = -x[1, 0]
    layer = Stack(tiny.lm, 2, 32)
    layer.layers, layer.ring = layer.layers[:1], layer.ring[:1]
    heard = [layer.step(x[:, at], torch.full((2,), at), 32) for at in range(40)]
    apart = [not torch.equal(both[0], both[1]) for both in heard]
    assert apart == [True] * 32 + [False] * 8
