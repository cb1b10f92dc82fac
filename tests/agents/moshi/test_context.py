"""A context in one forward pass is the same past as the same frames forced one by one."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")

from dyad.agents.moshi.architecture import TINY  # noqa: E402
from dyad.agents.moshi.engine.context import context  # noqa: E402
from dyad.agents.moshi.engine.prefix import FREE, Prefix, no_prefix  # noqa: E402
from dyad.agents.moshi.engine.random_weights import random_lm  # noqa: E402
from dyad.agents.moshi.engine.rows import Rows  # noqa: E402
from dyad.agents.moshi.engine.sampling import Sampling  # noqa: E402

SEED, SAMPLING = 11, Sampling(temp=0.8, temp_text=0.7, top_k=20, top_k_text=10)
AFTER = 6  # calls after the context


@pytest.fixture(scope="module")
def lm() -> Any:
    return random_lm(TINY, 0, "cpu", torch.float32)


def codes(seed: int, *shape: int) -> Any:
    return torch.randint(0, TINY.card, shape, generator=torch.Generator().manual_seed(seed))


def frames(count: int) -> tuple[Any, Any, Any]:
    return codes(1, count) % TINY.text_card, codes(2, 8, count), codes(3, 8, count)


def initial(lm: Any) -> Any:
    return lm._get_initial_token()[0, :, 0]


def stepped(lm: Any, text: Any, own: Any, user: Any) -> list[Any]:
    """Force the frames one by one, then go on freely; return what every call returned."""
    rows, count = Rows(lm, 2, 64), len(text)
    rows.start(1, no_prefix(initial(lm)), SEED, SAMPLING)
    returned = []
    for call in range(count + AFTER):
        said, words = torch.full((2, 8), FREE), torch.full((2,), FREE)
        if call < count:
            said[1, 0], words[1] = own[0, call], text[call]
        if 0 < call <= count:
            said[1, 1:] = own[1:, call - 1]
        heard = codes(100 + call, 2, 8) if call > count else torch.zeros(2, 8, dtype=torch.long)
        if 0 < call <= count:
            heard[1] = user[:, call - 1]
        returned.append(rows.step(heard, words, said)[1])
    return returned


def filled(lm: Any, prefix: Prefix, count: int) -> list[Any]:
    """Fill the row at once, then go on as `stepped` does from call `count`."""
    rows = Rows(lm, 2, 64)
    rows.start(1, prefix, SEED, SAMPLING)
    returned = []
    for call in range(count, count + AFTER):
        heard, said = codes(100 + call, 2, 8), torch.full((2, 8), FREE)
        if call == count:
            heard[1], said[1] = prefix.user, prefix.own
        returned.append(rows.step(heard, None, said)[1])
    return returned


@pytest.mark.parametrize("count", [0, 1, 2, 3, 20])
def test_filled_is_stepped(lm: Any, count: int) -> None:
    past = frames(count)
    one_by_one = stepped(lm, *past)
    at_once = filled(lm, context(initial(lm), lm.delays, *past), count)
    assert [frame.tolist() for frame in at_once] == [frame.tolist() for frame in one_by_one[count:]]


def test_forced_frames_come_back_and_the_next_one_is_free(lm: Any) -> None:
    text, own, user = frames(9)
    returned = stepped(lm, text, own, user)
    for frame in range(9):
        assert returned[frame + 1].tolist() == [int(text[frame]), *own[:, frame].tolist()]
    other = context(initial(lm), lm.delays, text, own, user.flip(1))
    assert filled(lm, other, 9)[1].tolist() != returned[10].tolist()


def test_no_frames_are_no_prefix(lm: Any) -> None:
    empty, none = context(initial(lm), lm.delays, *frames(0)), no_prefix(initial(lm))
    for mine, plain in ((empty.grid, none.grid), (empty.user, none.user), (empty.own, none.own)):
        assert torch.equal(mine, plain)


def test_the_grid_delays_acoustic_codes_by_one(lm: Any) -> None:
    text, own, user = frames(3)
    prefix = context(initial(lm), lm.delays, text, own, user)
    start = TINY.card
    assert prefix.length == 3
    assert prefix.grid[0].tolist() == [TINY.text_card, *text.tolist()]
    assert prefix.grid[1].tolist() == [start, *own[0].tolist()]
    assert prefix.grid[2].tolist() == [start, start, *own[1, :2].tolist()]
    assert prefix.grid[9].tolist() == [start, *user[0].tolist()]
    assert prefix.grid[16].tolist() == [start, start, *user[7, :2].tolist()]
    assert prefix.user.tolist() == user[:, 2].tolist()
    assert prefix.own.tolist() == [FREE, *own[1:, 2].tolist()]
