"""Rows on one language model: each is what it would be alone, whatever its neighbours do."""

from __future__ import annotations

import os
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")

from moshi.models import LMGen  # noqa: E402
from moshi.modules.transformer import set_attention_context  # noqa: E402
from moshi.utils.compile import no_compile  # noqa: E402

from dyad.agents.moshi.architecture import TINY  # noqa: E402
from dyad.agents.moshi.engine.context import context  # noqa: E402
from dyad.agents.moshi.engine.prefix import FREE, no_prefix  # noqa: E402
from dyad.agents.moshi.engine.random_weights import random_lm  # noqa: E402
from dyad.agents.moshi.engine.rows import Rows  # noqa: E402
from dyad.agents.moshi.engine.sampling import DEFAULT, GREEDY, Sampling  # noqa: E402
from dyad.agents.moshi.engine.weights import load_model  # noqa: E402
from dyad.agents.moshi.params import MoshiParams  # noqa: E402

SIZE = 3
SAMPLED = Sampling(temp=0.8, temp_text=0.7, top_k=40, top_k_text=20)
MIXED = (GREEDY, SAMPLED, SAMPLED)


@pytest.fixture(scope="module")
def lm(tiny: Any) -> Any:
    return tiny.lm


def heard(calls: int, seed: int = 1, size: int = SIZE) -> Any:
    """Codes of the users' frames, int64 [calls, size, 8]."""
    return torch.randint(0, TINY.card, (calls, size, 8), generator=torch.Generator().manual_seed(seed))


def rows_of(
    lm: Any, kinds: tuple[Sampling, ...] = MIXED, ring: int = 64, seeds: tuple[int, ...] = (1, 2, 3)
) -> Rows:
    rows = Rows(lm, len(seeds), ring)
    for row, (seed, sampling) in enumerate(zip(seeds, kinds, strict=True)):
        start(rows, row, seed, sampling)
    return rows


def start(rows: Rows, row: int, seed: int, sampling: Sampling) -> None:
    rows.start(row, no_prefix(rows.initial), seed, sampling)


def take(rows: Rows, user: Any) -> tuple[Any, Any]:
    """Step once per frame of `user`; return tokens int64 [calls, B, 9] and text logits [calls, B, V]."""
    taken = [(rows.step(frame), rows.text_logits.clone()) for frame in user]
    return torch.stack([tokens for tokens, _ in taken]), torch.stack([logits for _, logits in taken])


def assert_same(one: tuple[Any, Any], two: tuple[Any, Any]) -> None:
    """Tokens and text logits are equal to the bit."""
    assert torch.equal(one[0], two[0])
    assert torch.equal(one[1], two[1])


def of(row: int, taken: tuple[Any, Any], calls: slice = slice(None)) -> tuple[Any, Any]:
    return taken[0][calls, row], taken[1][calls, row]


def stock(lm: Any, user: Any, **hooks: Any) -> Any:
    """What the package's own generator returns, greedy; its priming call returns nothing."""
    generator, size = LMGen(lm, use_sampling=False, **hooks), user.shape[1]
    with torch.no_grad(), no_compile(), generator.streaming(size):
        returned = [generator.step(frame[:, :, None]) for frame in user]
    none = torch.full((size, 9, 1), FREE)
    return torch.stack([none if frame is None else frame for frame in returned])[..., 0]


@pytest.fixture(scope="module")
def half() -> Any:
    """The tiny model in bfloat16, as models are on a GPU: its best logits are often equal."""
    return random_lm(TINY, 0, "cpu", torch.bfloat16).eval()


@pytest.mark.parametrize("size", [1, SIZE])
def test_greedy_is_the_package(lm: Any, size: int) -> None:
    user = heard(40, size=size)
    tokens, _ = take(rows_of(lm, (GREEDY,) * size, seeds=tuple(range(size))), user)
    assert torch.equal(tokens, stock(lm, user))
    assert len(tokens[1:, :, 0].unique()) > 10, "a model that says one thing proves nothing"


def test_greedy_is_the_package_in_bfloat16(half: Any) -> None:
    """Of equal logits the first is taken."""
    user = heard(40)
    tokens, _ = take(rows_of(half, (GREEDY,) * SIZE), user)
    assert torch.equal(tokens, stock(half, user))


@pytest.mark.skipif("DYAD_BIG" not in os.environ, reason="takes 17 GB and minutes; set DYAD_BIG=1")
def test_greedy_is_the_package_at_full_size() -> None:
    """The 7 B architecture in bfloat16: tokens, and text logits to the bit."""
    big = load_model(MoshiParams(weights="random:7b", dtype="bfloat16"), "cpu").lm
    user = torch.randint(0, big.card, (8, 2, 8), generator=torch.Generator().manual_seed(1))
    tokens, logits = take(rows_of(big, (GREEDY, GREEDY), seeds=(1, 2)), user)
    set_attention_context(big.transformer, 64)
    theirs: list[Any] = []
    returned = stock(big, user, on_text_logits_hook=lambda given: theirs.append(given[:, 0, 0].float()))
    assert torch.equal(tokens, returned)
    assert torch.equal(logits, torch.stack(theirs))


def test_rows_are_independent_in_bfloat16(half: Any) -> None:
    user, order = heard(30), [2, 0, 1]
    plain = take(rows_of(half, ring=64), user)
    moved = take(rows_of(half, (SAMPLED, GREEDY, SAMPLED), 128, (3, 1, 2)), user[:, order])
    assert_same(moved, (plain[0][:, order], plain[1][:, order]))


@pytest.mark.filterwarnings("error::UserWarning")
def test_a_step_in_bfloat16_warns_of_nothing(half: Any) -> None:
    """As where a fused kernel cannot be used."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        rows_of(half).step(heard(1)[0])
    finally:
        torch.set_warn_always(before)


def test_a_ring_forgets_as_the_package_does() -> None:
    shape, user = TINY.model_copy(update={"context": 32}), heard(60, size=2)
    short = random_lm(shape, 0, "cpu", torch.float32).eval()
    forgetful, mindful = (take(rows_of(short, (GREEDY, GREEDY), ring, (1, 2)), user)[0] for ring in (32, 128))
    assert torch.equal(forgetful, stock(short, user))
    assert torch.equal(forgetful[:32], mindful[:32])
    assert not torch.equal(forgetful, mindful)


@pytest.mark.parametrize("row", [0, 1], ids=["greedy", "sampled"])
def test_neighbours_do_not_matter(lm: Any, row: int) -> None:
    """A row among idle ones is the row among busy ones, at the same shape."""
    user = heard(30)
    among = take(rows_of(lm, ring=64), user)
    idle = Rows(lm, SIZE, 64)
    start(idle, row, row + 1, MIXED[row])
    alone = torch.zeros_like(user)
    alone[:, row] = user[:, row]
    assert_same(of(row, take(idle, alone)), of(row, among))


def test_permuting_rows_permutes_results(lm: Any) -> None:
    user, order = heard(30), [2, 0, 1]
    plain = take(rows_of(lm, ring=64), user)
    moved = take(rows_of(lm, (SAMPLED, GREEDY, SAMPLED), 64, (3, 1, 2)), user[:, order])
    assert_same(moved, (plain[0][:, order], plain[1][:, order]))


@pytest.mark.parametrize(("at", "ring"), [(9, 64), (60, 128), (20, 16)], ids=["early", "reach", "wrapped"])
def test_a_start_is_fresh_and_touches_no_one_else(lm: Any, at: int, ring: int) -> None:
    user = heard(at + 12)
    plain = take(rows_of(lm, ring=ring), user)
    rows = rows_of(lm, ring=ring)
    take(rows, user[:at])
    for row in (0, 1):
        start(rows, row, row + 1, MIXED[row])
    after, fresh = take(rows, user[at:]), take(rows_of(lm, ring=ring), user[at:])
    assert_same(of(2, after), of(2, plain, slice(at, None)))
    for row in (0, 1):
        assert_same(of(row, after), of(row, fresh))
        assert not torch.equal(of(row, after)[1], of(row, plain, slice(at, None))[1])


@pytest.mark.parametrize(("at", "ring"), [(0, 64), (9, 64), (60, 128), (20, 16)], ids=str)
def test_rest_is_exact(lm: Any, at: int, ring: int) -> None:
    """A row that rests for some calls goes on as if they had not been; the others do not notice."""
    pause, user = 7, heard(at + 20)
    plain = take(rows_of(lm, ring=ring), user)
    rows = rows_of(lm, ring=ring)
    for frame in user[:at]:
        rows.step(frame)
    rows.rest([2])
    during = take(rows, user[at : at + pause])
    rows.wake()
    later = user[at + pause :].clone()
    later[:, :2] = user[at : at + len(later), :2]
    after = take(rows, later)
    assert (during[0][:, :2] == FREE).all()
    assert_same(of(2, during), of(2, plain, slice(at, at + pause)))
    assert_same(of(2, after), of(2, plain, slice(at + pause, None)))
    for row in (0, 1):
        assert_same(of(row, after), of(row, plain, slice(at, at + len(later))))


@pytest.mark.parametrize(("at", "until", "ring"), [(50, 135, 192), (25, 45, 16)], ids=["reach", "wrapped"])
def test_a_snapshot_replays(lm: Any, at: int, until: int, ring: int) -> None:
    """Two rows beside one that is later: past two steps of the read length, and in full rings."""
    user = heard(until)
    rows = rows_of(lm, ring=ring)
    take(rows, user[:at])
    saved = [rows.snapshot(row) for row in (0, 1)]
    went = take(rows, user[at:])
    for row in (0, 1):
        rows.restore(row, saved[row])
    again = take(rows, user[at:])
    for row in (0, 1):
        assert_same(of(row, again), of(row, went))


def test_a_snapshot_is_a_copy(lm: Any) -> None:
    rows, user = rows_of(lm), heard(20)
    take(rows, user[:10])
    saved = rows.snapshot(1)
    held = {name: part.clone() for name, part in saved.items()}
    take(rows, user[10:])
    assert all(torch.equal(saved[name], held[name]) for name in held)


def test_a_snapshot_holds_what_a_row_is(lm: Any) -> None:
    """Restored into rows that never ran, with other seeds and sampling, it goes on all the same."""
    rows, user = rows_of(lm, ring=128), heard(85)
    take(rows, user[:70])
    saved = rows.snapshot(2)
    other = rows_of(lm, (GREEDY,) * SIZE, 128, (7, 8, 9))
    other.restore(2, saved)
    assert_same(of(2, take(other, user[70:])), of(2, take(rows, user[70:])))


def test_a_fork_is_identical_until_an_input_differs(lm: Any) -> None:
    """Row 2, which is greedy, forks into row 0, and row 3, which is not, into row 1."""
    rows, user = rows_of(lm, (SAMPLED, GREEDY, GREEDY, SAMPLED), 128, (1, 2, 3, 4)), heard(82, size=4)
    take(rows, user[:58])
    for fork, row in ((0, 2), (1, 3)):
        rows.restore(fork, rows.snapshot(row))
        user[58:, fork] = user[58:, row]
    same = take(rows, user[58:70])
    user[70, :2, 0] = (user[70, :2, 0] + 1) % TINY.card
    apart = take(rows, user[70:])
    for fork, row in ((0, 2), (1, 3)):
        assert_same(of(fork, same), of(row, same))
        assert (apart[1][:, fork] != apart[1][:, row]).any(-1).all()
        assert not torch.equal(apart[0][:, fork], apart[0][:, row])


def test_a_ring_of_the_needed_size_is_a_large_one(lm: Any) -> None:
    """To the bit where rings are read in whole steps, as the agent's are; else in what is said."""
    user = heard(75)
    whole, odd, large = (take(rows_of(lm, ring=ring), user) for ring in (128, 75, 3000))
    assert_same(whole, large)
    assert torch.equal(odd[0], large[0])
    torch.testing.assert_close(odd[1], large[1], atol=1e-4, rtol=0)


def test_each_row_has_its_own_sampling(lm: Any) -> None:
    """A greedy row beside sampled ones, and rows that differ in temperature or in top-k alone."""
    hot, narrow_text, narrow = Sampling(3, 3, 40, 20), Sampling(0.8, 0.7, 40, 2), Sampling(0.8, 0.7, 2, 20)
    kinds = (GREEDY, SAMPLED, hot, narrow_text, narrow)
    user = heard(12, size=1).expand(-1, len(kinds), -1)
    tokens, _ = take(rows_of(lm, kinds, seeds=(5,) * len(kinds)), user)
    for row, sampling in enumerate(kinds):
        alike, _ = take(rows_of(lm, (sampling,) * len(kinds), seeds=(5,) * len(kinds)), user)
        assert torch.equal(alike[:, row], tokens[:, row])
    assert len({str(tokens[:, row].tolist()) for row in range(len(kinds))}) == len(kinds)


def test_top_k_bounds_the_rank_of_what_is_said(lm: Any) -> None:
    ranks = {}
    for top_k in (1, 3, 20):
        tokens, logits = take(rows_of(lm, (Sampling(2.0, 2.0, 40, top_k),) * SIZE), heard(30))
        said = tokens[2:, :, :1]  # the text that call n draws is in the frame of call n + 1
        better = logits[1:-1] > logits[1:-1].gather(2, said)
        ranks[top_k] = int(better.sum(-1).max())
    assert ranks[1] == 0
    assert ranks[3] == 2
    assert 3 < ranks[20] < 20


def test_the_best_one_alone_is_greedy(lm: Any) -> None:
    user = heard(25)
    greedy = take(rows_of(lm, (GREEDY,) * SIZE), user)
    assert_same(take(rows_of(lm, (Sampling(1.5, 1.5, 1, 1),) * SIZE), user), greedy)


def test_a_seed_is_a_voice_of_its_own(lm: Any) -> None:
    user = heard(30, size=1).expand(-1, SIZE, -1)
    tokens, _ = take(rows_of(lm, (DEFAULT,) * SIZE, seeds=(4, 4, 5)), user)
    assert torch.equal(tokens[:, 0], tokens[:, 1])
    assert not torch.equal(tokens[:, 0], tokens[:, 2])


def test_reseeding_changes_what_follows(lm: Any) -> None:
    rows, user = rows_of(lm, (SAMPLED,) * SIZE, seeds=(4, 4, 5)), heard(30, size=1).expand(-1, SIZE, -1)
    take(rows, user[:10])
    rows.restore(2, rows.snapshot(0))
    rows.reseed(2, 5)
    tokens, _ = take(rows, user[10:])
    assert torch.equal(tokens[:, 0], tokens[:, 1])
    assert torch.equal(tokens[0, 0, :2], tokens[0, 2, :2])  # text and semantic code were drawn before
    assert not torch.equal(tokens[:, 0], tokens[:, 2])


def test_nothing_is_returned_by_the_priming_call(lm: Any) -> None:
    one, two = rows_of(lm), rows_of(lm)
    assert (one.step(heard(1)[0]) == FREE).all()
    two.step(heard(1, seed=2)[0])
    user = heard(20, seed=3)
    assert_same(take(one, user), take(two, user))  # its input is ignored


def test_a_prefix_that_does_not_fit_is_refused(lm: Any) -> None:
    rows, past = Rows(lm, 1, 16), torch.zeros(8, 17, dtype=torch.long)
    for count in (16, 17):
        prefix = context(rows.initial, lm.delays, past[0, :count], past[:, :count], past[:, :count])
        if count == 16:
            rows.start(0, prefix, 1, GREEDY)
            continue
        with pytest.raises(ValueError, match="17 positions does not fit into a ring of 16"):
            rows.start(0, prefix, 1, GREEDY)
