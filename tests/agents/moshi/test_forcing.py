"""What is given to a row: forced frames as training saw them, and inputs at the call that they reach."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")

from moshi.utils.compile import no_compile  # noqa: E402

from dyad.agents.moshi.architecture import TINY  # noqa: E402
from dyad.agents.moshi.engine.context import context  # noqa: E402
from dyad.agents.moshi.engine.prefix import FREE, no_prefix  # noqa: E402
from dyad.agents.moshi.engine.rows import Rows  # noqa: E402
from dyad.agents.moshi.engine.sampling import GREEDY, Sampling  # noqa: E402

SAMPLED = Sampling(temp=0.8, temp_text=0.7, top_k=40, top_k_text=20)
KINDS = pytest.mark.parametrize("kind", [GREEDY, SAMPLED], ids=["greedy", "sampled"])


@pytest.fixture(scope="module")
def lm(tiny: Any) -> Any:
    return tiny.lm


def drawn(seed: int, card: int, *shape: int) -> Any:
    return torch.randint(0, card, shape, generator=torch.Generator().manual_seed(seed))


def talk(size: int, count: int) -> Any:
    """True codes of both sides, int64 [size, 17, count]: text, own and user."""
    return torch.cat([drawn(1, TINY.text_card, size, 1, count), drawn(2, TINY.card, size, 16, count)], 1)


def rows_of(lm: Any, size: int, kind: Sampling = GREEDY, ring: int = 128) -> Rows:
    rows = Rows(lm, size, ring)
    for row in range(size):
        rows.start(row, no_prefix(rows.initial), row, kind)
    return rows


def given(codes: Any, call: int) -> tuple[Any, Any, Any]:
    """What call `call` is to hear and to force: frame n's text and semantic code, frame n - 1's acoustics."""
    user = codes[:, 9:, call - 1] if call else torch.zeros_like(codes[:, 9:, 0])
    own = codes[:, 1:9, call].clone()
    own[:, 1:] = codes[:, 2:9, call - 1] if call else FREE
    return user, codes[:, 0, call], own


def forced(rows: Rows, codes: Any) -> tuple[Any, Any]:
    """Force all frames; return what every call returned and its text logits, [calls, B, …]."""
    taken = []
    for call in range(codes.shape[2]):
        taken.append((rows.step(*given(codes, call)), rows.text_logits.clone()))
    return torch.stack([frame for frame, _ in taken]), torch.stack([logits for _, logits in taken])


@pytest.fixture(scope="module")
def trained(lm: Any) -> Any:
    """The training forward on true codes of 100 frames."""
    with torch.no_grad(), no_compile():
        return lm.forward(talk(2, 100))


def test_text_logits_are_those_of_the_training_forward(lm: Any, trained: Any) -> None:
    _, logits = forced(rows_of(lm, 2), talk(2, 100))
    torch.testing.assert_close(logits.transpose(0, 1), trained.text_logits[:, 0], atol=1e-5, rtol=0)


def test_forced_frames_come_back(lm: Any) -> None:
    codes = talk(2, 40)
    frames, _ = forced(rows_of(lm, 2, SAMPLED), codes)
    assert (frames[0] == FREE).all()
    assert torch.equal(frames[1:].permute(1, 2, 0), codes[:, :9, :-1])


def test_each_codebook_is_drawn_as_in_the_training_forward(lm: Any) -> None:
    """Row k forces everything but codebook k of the last call: forced codes condition those after them."""
    codes = talk(1, 30).expand(8, -1, -1)
    rows, last = rows_of(lm, 8), codes.shape[2] - 1
    forced(rows, codes[:, :, :-1])
    user, text, own = given(codes, last)
    own[range(8), range(8)] = FREE
    frame = rows.step(user, text, own)
    after = rows.step(user)
    with torch.no_grad(), no_compile():
        best = lm.forward(codes[:1]).logits[0].argmax(-1)  # [8, frames]
    assert after[0, 1] == best[0, last]
    said = [int(frame[k, 1 + k]) for k in range(1, 8)]
    assert said == best[1:, last - 1].tolist()


@pytest.mark.parametrize("count", [1, 2, 20])
def test_the_first_free_frame_is_that_of_the_call_after_the_last_forced_one(lm: Any, count: int) -> None:
    """With other seeds the frames of calls 1 … F are the forced ones, and that of call F + 1 is another."""
    codes, rows = talk(8, count + 1), rows_of(lm, 8, SAMPLED)
    codes = codes[:1].expand(8, -1, -1)
    forced(rows, codes[:, :, :count])
    user, _, own = given(codes, count)  # of which only the acoustics of the last forced frame
    own[:, 0] = FREE
    last, first = rows.step(user, None, own), rows.step(user)
    assert torch.equal(last, codes[:, :9, count - 1])
    assert len(first[:, 0].unique()) > 1
    assert len(first[:, 1].unique()) > 1
    assert len({str(frame.tolist()) for frame in first}) == 8


@pytest.mark.parametrize("stream", [0, 1], ids=["text", "semantic"])
def test_what_is_forced_conditions_the_codes_after_it(lm: Any, stream: int) -> None:
    """Eight rows that have lived the same, told eight tokens: the acoustic codes of the same call differ."""
    rows, user = rows_of(lm, 8), drawn(3, TINY.card, 13, 1, 8).expand(-1, 8, -1)
    before = [rows.step(frame) for frame in user[:-2]][-1]
    assert torch.equal(before, before[:1].expand_as(before))
    text, own = torch.full((8,), FREE), torch.full((8, 8), FREE)
    (text if stream == 0 else own[:, 0])[:] = torch.arange(8)
    frame = rows.step(user[-2], text, own)
    assert len({str(codes.tolist()) for codes in frame[:, 2:]}) >= 6
    assert torch.equal(frame[:, :2], frame[:1, :2].expand(8, -1))  # drawn one call earlier
    assert rows.step(user[-1])[:, stream].tolist() == list(range(8))


@pytest.mark.parametrize("count", [3, 63, 64, 65, 127])
def test_a_context_in_one_pass_is_stepping(lm: Any, count: int) -> None:
    """Token for token, greedy and sampled, at and around the steps of the read length."""
    codes, after = talk(2, count), drawn(9, TINY.card, 20, 2, 8)
    slow, quick = rows_of(lm, 2, ring=192), rows_of(lm, 2, ring=192)
    slow.start(1, no_prefix(slow.initial), 1, SAMPLED)
    forced(slow, codes)
    for row in range(2):
        text, own, user = codes[row, 0], codes[row, 1:9], codes[row, 9:]
        quick.start(row, context(quick.initial, lm.delays, text, own, user), row, (GREEDY, SAMPLED)[row])
    user, own = codes[:, 9:, -1], codes[:, 1:9, -1].clone()
    own[:, 0] = FREE
    for call in range(21):
        assert torch.equal(slow.step(user, own=own), quick.step(user, own=own))
        user, own = after[min(call, 19)], torch.full((2, 8), FREE)


@KINDS
def test_amending_is_forcing_at_production(lm: Any, kind: Sampling) -> None:
    """Text and semantic code are replaced one call after they were drawn, before anything has seen them."""
    count, codes = 20, talk(2, 20)
    early, late = rows_of(lm, 2, kind), rows_of(lm, 2, kind)
    expected, _ = forced(early, codes)
    late.step(given(codes, 0)[0])
    for call in range(1, count):
        user, _, own = given(codes, call)
        own[:, 0] = FREE
        for row in range(2):
            late.amend(row, int(codes[row, 0, call - 1]), int(codes[row, 1, call - 1]))
        assert torch.equal(late.step(user, own=own), expected[call])
    last = late.snapshot(0)["grid"]
    assert not torch.equal(last, early.snapshot(0)["grid"])  # the frame that waits is still the model's own
    for row in range(2):
        late.amend(row, int(codes[row, 0, -1]), int(codes[row, 1, -1]))
    user = drawn(11, TINY.card, 12, 2, 8)
    own = codes[:, 1:9, -1].clone()
    own[:, 0] = FREE
    assert torch.equal(late.step(user[0], own=own), early.step(user[0], own=own))
    for frame in user[1:]:
        assert torch.equal(late.step(frame), early.step(frame))


def test_amending_nothing_changes_nothing(lm: Any) -> None:
    one, two, user = rows_of(lm, 2), rows_of(lm, 2), drawn(3, TINY.card, 12, 2, 8)
    for frame in user:
        assert torch.equal(one.step(frame), two.step(frame))
        two.amend(1, FREE, FREE)


@pytest.mark.parametrize(
    ("streams", "later"), [(slice(0, 1), 0), (slice(1, 8), 1), (slice(0, 8), 0)], ids=str
)
@pytest.mark.parametrize("at", [1, 9, 64])
def test_a_heard_code_reaches_the_text_at_its_call(lm: Any, at: int, streams: slice, later: int) -> None:
    """The frame that call t hears decides the text that call t draws, which call t + 1 returns (k = 1).

    Its acoustic codes stand one position later. Each of 12 rows has a twin that hears other codes in call t.
    """
    rows, user = Rows(lm, 24, 128), drawn(4, TINY.card, at + 4, 12, 8).repeat(1, 2, 1)
    user[at, 12:, streams] = (user[at, 12:, streams] + 7) % TINY.card
    for row in range(24):
        rows.start(row, no_prefix(rows.initial), row % 12, Sampling(2.0, 2.0, 40, 20))
    taken = [(rows.step(frame), rows.text_logits.clone()) for frame in user]
    frames, logits = (torch.stack(part) for part in zip(*taken, strict=True))
    apart = (logits[:, :12] != logits[:, 12:]).any(-1)
    assert not apart[: at + later].any()
    assert apart[at + later].all()
    differ = frames[:, :12] != frames[:, 12:]
    assert not differ[: at + later].any()  # a frame's acoustic codes may hear the call that returns it
    assert not differ[at + later, :, :2].any()
    assert differ[at + later + 1, :, 0].any()
