"""What a recorded call may do, shown without a GPU: it is recorded once here, operation by operation.

A CUDA graph repeats a call's operations on the memory that they had when it was recorded, with new contents
of its inputs. `Recorded` does the same in place of `Graphed`: whatever Python decided, or bound anew, during
the recording stays as it was.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_flatten, tree_unflatten  # noqa: E402

from dyad.agents.moshi.architecture import TINY  # noqa: E402
from dyad.agents.moshi.engine.codec import Codec  # noqa: E402
from dyad.agents.moshi.engine.context import context  # noqa: E402
from dyad.agents.moshi.engine.graphs import plainly  # noqa: E402
from dyad.agents.moshi.engine.prefix import FREE, no_prefix  # noqa: E402
from dyad.agents.moshi.engine.rows import Rows  # noqa: E402
from dyad.agents.moshi.engine.sampling import GREEDY, Sampling  # noqa: E402
from dyad.spec import TICK  # noqa: E402

SIZE = 3
SAMPLED = Sampling(temp=0.8, temp_text=0.7, top_k=40, top_k_text=20)
# Operations whose result, or its shape, must be known on the host.
SYNCS = ("_local_scalar_dense", "item", "nonzero", "masked_select", "unique", "equal", "is_nonzero")
# Operations that make a tensor out of nothing: on the CPU unless told where.
MAKERS = ("arange", "empty", "zeros", "ones", "full", "scalar_tensor", "tensor", "rand", "randn", "eye")
# Operations that carry host memory to the device.
CARRIERS = ("lift_fresh", "lift_fresh_copy", "_to_copy")


class Tape(TorchDispatchMode):
    """Writes down every operation with its very tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[Any, list[Any], Any, list[Any]]] = []

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        output = function(*args, **(kwargs or {}))
        given, form = tree_flatten((args, kwargs or {}))
        self.lines.append((function, given, form, tree_flatten(output)[0]))
        return output

    def names(self) -> list[str]:
        return [function.overloadpacket.__name__ for function, *_ in self.lines]

    def replay(self) -> dict[int, Any]:
        """Do everything again; return what each thing that was made has become."""
        became: dict[int, Any] = {}
        for function, given, form, made in self.lines:
            args, kwargs = tree_unflatten([became.get(id(part), part) for part in given], form)
            again = tree_flatten(function(*args, **kwargs))[0]
            became.update({id(old): new for old, new in zip(made, again, strict=True)})
        return became


class Recorded:
    """Stands in for `Graphed`: warms a variant up and records it within `still()`, then only replays."""

    def __init__(self, call: Callable[..., Any], still: Callable[[], Any]) -> None:
        self._call, self._still = call, still
        self.variants: dict[int, tuple[Tape, tuple[Any, ...], Any]] = {}

    def __call__(self, variant: int, *tensors: Any) -> Any:
        if variant not in self.variants:
            self.variants[variant] = self._record(variant, tuple(tensor.clone() for tensor in tensors))
        tape, inputs, output = self.variants[variant]
        for mine, given in zip(inputs, tensors, strict=True):
            mine.copy_(given)
        return tape.replay()[id(output)]

    def _record(self, variant: int, inputs: tuple[Any, ...]) -> tuple[Tape, tuple[Any, ...], Any]:
        with self._still():
            for _ in range(2):
                self._call(variant, *inputs)
            with Tape() as tape:
                output = self._call(variant, *inputs)
        return tape, inputs, output


def recorded_rows(lm: Any, ring: int) -> Rows:
    rows = Rows(lm, SIZE, ring)
    rows._call = Recorded(rows._advance, rows._still)
    return rows


def recorded_codec(mimi: Any) -> Codec:
    codec = Codec(mimi, SIZE)
    codec._encode = Recorded(codec._encoded, codec._still)
    codec._decode = Recorded(codec._decoded, codec._still)
    return codec


def heard(calls: int, seed: int = 1) -> Any:
    return torch.randint(0, TINY.card, (calls, SIZE, 8), generator=torch.Generator().manual_seed(seed))


def sound(ticks: int) -> Any:
    generator = torch.Generator().manual_seed(2)
    level = torch.rand(ticks, SIZE, 1, generator=generator)
    return (torch.rand(ticks, SIZE, TICK, generator=generator) - 0.5) * level


def a_life_of_rows(rows: Rows, lm: Any, calls: int) -> list[Any]:
    """Everything that may happen to rows, `calls` of them plain; return what they gave, call by call."""
    returned, user = [], iter(heard(200))

    def go(calls: int, **forced: Any) -> None:
        for _ in range(calls):
            returned.extend([rows.step(next(user), **forced), rows.text_logits.clone()])

    for row, kind in enumerate((GREEDY, SAMPLED, SAMPLED)):
        rows.start(row, no_prefix(rows.initial), row, kind)
    go(10)
    rows.rest([0, 2])
    go(4)
    rows.wake()
    text, own = torch.full((SIZE,), FREE), torch.full((SIZE, 8), FREE)
    text[1], own[2, 0] = 7, 9
    go(3, text=text, own=own)
    go(calls)
    saved = rows.snapshot(2)
    past = heard(12, seed=3)
    prefix = context(rows.initial, lm.delays, past[:, 0, 0] % 48, past[:, 0].T, past[:, 1].T)
    rows.start(1, prefix, 5, SAMPLED)
    free = torch.full((1, 8), FREE)
    go(1, own=torch.cat([free, prefix.own[None], free]))
    go(6)
    rows.restore(0, saved)
    rows.reseed(0, 77)
    rows.amend(2, 5, 6)
    go(6)
    return returned


@pytest.mark.parametrize(("calls", "ring", "reaches"), [(45, 128, [64, 128]), (10, 16, [16])], ids=str)
def test_rows_replay(tiny: Any, calls: int, ring: int, reaches: list[int]) -> None:
    """A recording of each read length does what the calls themselves do, to the bit; also in a full ring."""
    rows = recorded_rows(tiny.lm, ring)
    replayed = a_life_of_rows(rows, tiny.lm, calls)
    called = a_life_of_rows(Rows(tiny.lm, SIZE, ring), tiny.lm, calls)
    assert list(rows._call.variants) == reaches
    assert len(replayed) == len(called)
    assert all(map(torch.equal, replayed, called))


def a_life_of_a_codec(codec: Codec) -> list[Any]:
    returned, frames = [], iter(sound(200))

    def go(ticks: int) -> None:
        for _ in range(ticks):
            codes = codec.encode(next(frames))
            returned.extend([codes, codec.decode(codes)])

    go(5)
    codec.reset([1])
    go(4)
    codec.rest([0, 2])
    go(4)
    codec.wake()
    go(4)
    saved = codec.snapshot(2)
    go(4)
    codec.restore(0, saved)
    go(12)  # past the rings of its transformers
    codec.reset([0, 1, 2])
    go(4)
    return returned


def test_a_codec_replays(forgetful: Callable[[], Any]) -> None:
    replayed = a_life_of_a_codec(recorded_codec(forgetful()))
    called = a_life_of_a_codec(Codec(forgetful(), SIZE))
    assert len(replayed) == len(called)
    assert all(map(torch.equal, replayed, called))


def test_a_recording_made_late_replays(tiny: Any, forgetful: Callable[[], Any]) -> None:
    """A variant is recorded when it is first needed, in the middle of conversations."""
    rows, plain, user = Rows(tiny.lm, SIZE, 16), Rows(tiny.lm, SIZE, 16), heard(40)
    codec, speaker, frames = Codec(forgetful(), SIZE), Codec(forgetful(), SIZE), sound(28)
    for frame in user[:25]:
        assert torch.equal(rows.step(frame), plain.step(frame))
    for frame in frames[:16]:
        assert torch.equal(codec.decode(codec.encode(frame)), speaker.decode(speaker.encode(frame)))
    rows._call = Recorded(rows._advance, rows._still)
    codec._encode = Recorded(codec._encoded, codec._still)
    codec._decode = Recorded(codec._decoded, codec._still)
    for frame in user[25:]:
        assert torch.equal(rows.step(frame), plain.step(frame))
    for frame in frames[16:]:
        assert torch.equal(codec.decode(codec.encode(frame)), speaker.decode(speaker.encode(frame)))


def tapes(tiny: Any) -> dict[str, Tape]:
    rows, codec = recorded_rows(tiny.lm, 64), recorded_codec(tiny.new_mimi())
    for row, kind in enumerate((GREEDY, SAMPLED, SAMPLED)):
        rows.start(row, no_prefix(rows.initial), row, kind)
    codec.decode(rows.step(codec.encode(sound(1)[0]))[:, 1:])
    calls = {"rows": rows._call, "encode": codec._encode, "decode": codec._decode}
    return {name: next(iter(call.variants.values()))[0] for name, call in calls.items()}


def test_no_operation_waits_for_the_host(tiny: Any) -> None:
    for name, tape in tapes(tiny).items():
        names = tape.names()
        assert len(names) > 300, name
        assert not [op for op in names if op in SYNCS + CARRIERS], name


def test_every_tensor_that_a_call_makes_is_told_its_device(tiny: Any) -> None:
    """One made on the CPU by default would be copied over, which a recording cannot repeat."""
    for name, tape in tapes(tiny).items():
        told = [
            (op, tree_unflatten(given, form)[1].get("device"))
            for op, (_, given, form, _) in zip(tape.names(), tape.lines, strict=True)
            if op in MAKERS
        ]
        assert told, name
        assert [op for op, device in told if device is None] == [], name


def test_a_check_of_the_host_is_seen() -> None:
    """The two tests above can fail."""
    x = torch.arange(4)
    with Tape() as tape:
        if x.sum() > 3:
            x[x > 1] += torch.tensor([1, 2])
    assert set(tape.names()) & set(SYNCS)
    assert set(tape.names()) & set(CARRIERS + MAKERS)


@pytest.mark.parametrize(("at", "ring"), [(0, 64), (20, 64), (40, 16)], ids=str)
@torch.inference_mode()
def test_a_still_call_of_rows_leaves_every_state(tiny: Any, at: int, ring: int) -> None:
    """All but what the coming call overwrites: the slot that is next in the ring, and the logits."""
    rows, plain, user = Rows(tiny.lm, SIZE, ring), Rows(tiny.lm, SIZE, ring), heard(at + 20)
    for each in (rows, plain):
        each.start(1, no_prefix(each.initial), 3, SAMPLED)
        each.rest([0, 1])
        for frame in user[:at]:
            each.step(frame)
    before = state_of(rows, at, ring)
    text, own = torch.full((SIZE,), 5), torch.full((SIZE, 8), 6)
    with rows._still():
        rows._advance(rows._reach(), heard(1, seed=9)[0], text, own)
    after = state_of(rows, at, ring)
    assert all(torch.equal(before[name], after[name]) for name in before)
    for frame in user[at:]:
        assert torch.equal(rows.step(frame), plain.step(frame))
        assert torch.equal(rows.text_logits[:2], plain.text_logits[:2])


def state_of(rows: Rows, at: int, ring: int) -> dict[str, Any]:
    kept = [slot for slot in range(ring) if slot != at % ring]
    rings = {f"ring {k}": cache[:, :2, :, kept].clone() for k, cache in enumerate(rows._ring)}
    resting = {f"resting {k}": cache[:, 2, :, 1:].clone() for k, cache in enumerate(rows._ring)}
    parts = {name: part.clone() for name, part in rows._parts().items()}
    here = {"at here": torch.from_numpy(rows._at_here.copy()), "live": rows._live.clone()}
    return {**rings, **resting, **parts, **here}


@pytest.mark.parametrize("at", [0, 6, 20])
@torch.inference_mode()
def test_a_still_call_of_a_codec_leaves_every_state(forgetful: Callable[[], Any], at: int) -> None:
    codec, plain, frames = Codec(forgetful(), SIZE), Codec(forgetful(), SIZE), sound(at + 8)
    for each in (codec, plain):
        each.rest([0, 1])
        for frame in frames[:at]:
            each.decode(each.encode(frame))
    kept = {name: tensor.clone() for name, tensor, _ in codec._tensors() if not name.endswith(".cache")}
    masks = [state.exec_mask.clone() for state in codec._states.values()]
    with codec._still():
        codec._encoded(0, sound(1)[0])
        codec._decoded(0, torch.full((SIZE, 8), 3))
    for name, tensor, _ in codec._tensors():
        assert name.endswith(".cache") or torch.equal(tensor, kept[name]), name
    assert all(map(torch.equal, masks, (state.exec_mask for state in codec._states.values())))
    for frame in frames[at:]:
        codes = codec.encode(frame)
        assert torch.equal(codes, plain.encode(frame))
        assert torch.equal(codec.decode(codes), plain.decode(codes))


def test_the_package_is_switched_by_one_thread_at_a_time() -> None:
    """Its switches are of the process: whoever leaves first would switch them on under the other."""
    entered = threading.Event()

    def enter() -> None:
        with plainly():
            entered.set()

    thread = threading.Thread(target=enter)
    with plainly():
        thread.start()
        assert not entered.wait(0.2)
    assert entered.wait(5)
    thread.join()
