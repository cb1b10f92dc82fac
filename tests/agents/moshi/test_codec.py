"""The codec's rows: each hears and speaks as one plain stream does, whatever its neighbours do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")

from moshi.utils.compile import no_compile  # noqa: E402

from dyad.agents.moshi.engine.codec import Codec  # noqa: E402
from dyad.agents.moshi.engine.random_weights import assert_lively  # noqa: E402
from dyad.spec import TICK  # noqa: E402

SIZE = 3
WRAP = 12  # frames that the transformers of a `forgetful` codec look back over


def sound(ticks: int, seed: int = 1, size: int = SIZE) -> Any:
    """Bursts of noise, float32 [ticks, size, 1920]."""
    generator = torch.Generator().manual_seed(seed)
    level = torch.rand(ticks, size, 1, generator=generator)
    return (torch.rand(ticks, size, TICK, generator=generator) - 0.5) * level


@pytest.fixture
def new(forgetful: Callable[[], Any]) -> Callable[[], Codec]:
    return lambda: Codec(forgetful(), SIZE)


def take(codec: Codec, heard: Any) -> tuple[Any, Any]:
    """Encode every frame and decode its codes; codes [ticks, B, 8] and sound [ticks, B, 1920]."""
    codes, said = [], []
    for frame in heard:
        codes.append(codec.encode(frame))
        said.append(codec.decode(codes[-1]))
    return torch.stack(codes), torch.stack(said)


def of(row: int, taken: tuple[Any, Any], ticks: slice = slice(None)) -> tuple[Any, Any]:
    return taken[0][ticks, row], taken[1][ticks, row]


def assert_same(one: tuple[Any, Any], two: tuple[Any, Any]) -> None:
    assert torch.equal(one[0], two[0])
    assert torch.equal(one[1], two[1])


def test_it_is_lively(forgetful: Callable[[], Any], new: Callable[[], Codec]) -> None:
    """Or no test here could fail."""
    assert_lively(forgetful())
    codes, said = take(new(), sound(40))
    assert len(codes[:, :, 0].unique()) > 8
    assert float(said.std()) > 1e-3


def test_a_row_is_a_plain_stream(forgetful: Callable[[], Any], new: Callable[[], Codec]) -> None:
    """Codes are equal, but for a near tie; sound to the round-off of another batch shape."""
    heard, mimi = sound(3 * WRAP), forgetful()
    codes, _ = take(new(), heard)
    speaker = new()
    said = torch.stack([speaker.decode(frame) for frame in codes])[:, 1]
    with torch.no_grad(), no_compile(), mimi.streaming(1):
        plain = torch.stack([mimi.encode(frame[1][None, None])[0, :, 0] for frame in heard])
        assert float((plain != codes[:, 1]).float().mean()) < 0.01
        spoken = torch.stack([mimi.decode(frame[1][None, :, None])[0, 0] for frame in codes])
    torch.testing.assert_close(said, spoken, atol=1e-4, rtol=0)


def test_neighbours_do_not_matter(new: Callable[[], Codec]) -> None:
    heard = sound(20)
    alone = torch.zeros_like(heard)
    alone[:, 1] = heard[:, 1]
    assert_same(of(1, take(new(), alone)), of(1, take(new(), heard)))


def test_permuting_rows_permutes_results(new: Callable[[], Codec]) -> None:
    heard, order = sound(20), [2, 0, 1]
    codes, said = take(new(), heard)
    assert_same(take(new(), heard[:, order]), (codes[:, order], said[:, order]))


@pytest.mark.parametrize("at", [5, WRAP + 3])
def test_a_reset_is_fresh_and_touches_no_one_else(new: Callable[[], Codec], at: int) -> None:
    heard, codec = sound(at + 12), new()
    plain = take(new(), heard)
    take(codec, heard[:at])
    codec.reset([1])
    after = take(codec, heard[at:])
    assert_same(of(1, after), of(1, take(new(), heard[at:])))
    assert not torch.equal(after[1][:, 1], plain[1][at:, 1])
    for row in (0, 2):
        assert_same(of(row, after), of(row, plain, slice(at, None)))


@pytest.mark.parametrize("at", [0, 5, WRAP + 3])
def test_rest_is_exact(new: Callable[[], Codec], at: int) -> None:
    """Also before the first frame, and when the rings of the codec's own transformers are full."""
    heard, codec, pause = sound(at + 20), new(), 6
    plain = take(new(), heard)
    for frame in heard[:at]:
        codec.decode(codec.encode(frame))
    codec.rest([0, 2])
    during = take(codec, heard[at : at + pause])
    codec.wake()
    later = heard[at + pause :].clone()
    later[:, 1] = heard[at : at + len(later), 1]
    after = take(codec, later)
    assert_same(of(1, after), of(1, plain, slice(at, at + len(later))))
    for row in (0, 2):
        assert_same(of(row, during), of(row, plain, slice(at, at + pause)))
        assert_same(of(row, after), of(row, plain, slice(at + pause, None)))


@pytest.mark.parametrize("at", [5, WRAP + 3])
def test_a_snapshot_replays_in_any_row(new: Callable[[], Codec], at: int) -> None:
    heard, codec = sound(at + 12), new()
    take(codec, heard[:at])
    saved = codec.snapshot(1)
    held = {name: part.clone() for name, part in saved.items()}
    went = take(codec, heard[at:])
    assert all(torch.equal(saved[name], held[name]) for name in held)
    codec.restore(1, saved)
    codec.restore(2, saved)
    heard[at:, 2] = heard[at:, 1]
    again = take(codec, heard[at:])
    assert_same(of(1, again), of(1, went))
    assert_same(of(2, again), of(1, went))
    other = new()
    other.restore(1, saved)
    assert_same(of(1, take(other, heard[at:])), of(1, went))


def test_a_restored_row_touches_no_one_else(new: Callable[[], Codec]) -> None:
    heard, codec = sound(20), new()
    plain = take(new(), heard)
    saved = codec.snapshot(1)
    take(codec, heard[:10])
    codec.restore(1, saved)
    after = take(codec, heard[10:])
    for row in (0, 2):
        assert_same(of(row, after), of(row, plain, slice(10, None)))
    assert_same(of(1, after), of(1, take(new(), heard[10:])))


def test_a_row_that_says_nothing_is_decoded_as_code_0(new: Callable[[], Codec]) -> None:
    codes = torch.full((4, SIZE, 8), -2)
    codes[:, 1] = torch.arange(32).view(4, 8)
    one, two = new(), new()
    for frame in codes:
        said = one.decode(frame)
        assert torch.equal(said, two.decode(frame.clamp_min(0)))
        assert said.isfinite().all()


def test_encoding_and_decoding_are_apart(new: Callable[[], Codec]) -> None:
    heard, codes = sound(10), torch.arange(240).view(10, SIZE, 8) % 64
    both, ear, mouth = new(), new(), new()
    for frame, code in zip(heard, codes, strict=True):
        assert torch.equal(both.encode(frame), ear.encode(frame))
        assert torch.equal(both.decode(code), mouth.decode(code))


def test_what_is_returned_is_kept(new: Callable[[], Codec]) -> None:
    codec, heard = new(), sound(3)
    codes = codec.encode(heard[0])
    said, held = codec.decode(codes), codes.clone()
    loud = said.clone()
    take(codec, heard[1:])
    assert torch.equal(codes, held)
    assert torch.equal(said, loud)
