"""The play-out queue against the obvious model of it: one Python list per row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad.bridge.playout import PlayOut

TICK = 8
ROWS = 3

sizes = st.one_of(st.lists(st.integers(0, 30), min_size=ROWS, max_size=ROWS), st.sampled_from([0, TICK, 5]))
flags = st.one_of(st.none(), st.lists(st.booleans(), min_size=ROWS, max_size=ROWS))
turns = st.lists(st.tuples(sizes, flags, flags), min_size=1, max_size=25)


class Lists:
    """What the queue promises, written for clarity."""

    def __init__(self) -> None:
        self.rows = [[] for _ in range(ROWS)]
        self.played, self.under_runs, self.flushes = [0] * ROWS, [0] * ROWS, [0] * ROWS

    def turn(self, row, samples, flush, speaking):
        if flush and self.rows[row]:
            self.rows[row] = []
            self.flushes[row] += 1
        self.rows[row] += list(samples)
        said, self.rows[row] = self.rows[row][:TICK], self.rows[row][TICK:]
        self.played[row] += len(said)
        if len(said) < TICK and (speaking if speaking is not None else said):
            self.under_runs[row] += 1
        return said + [0.0] * (TICK - len(said))


@settings(max_examples=200, deadline=None)
@given(turns)
def test_queue_equals_its_model(turns):
    queue, model, count = PlayOut(ROWS, TICK), Lists(), 0
    for size, flush, speaking in turns:
        each = [size] * ROWS if isinstance(size, int) else size
        pcm = [
            np.arange(count + 1, count + 1 + n, dtype=np.float32) + 1000 * row for row, n in enumerate(each)
        ]
        count += max(each)
        said = queue.turn(
            np.stack(pcm) if isinstance(size, int) else pcm,
            None if flush is None else np.array(flush),
            None if speaking is None else np.array(speaking),
        )
        want = [
            model.turn(row, pcm[row], flush and flush[row], speaking[row] if speaking else None)
            for row in range(ROWS)
        ]
        assert said.tolist() == want
        assert queue.fill.tolist() == [len(row) for row in model.rows]
        for name in ("played", "under_runs", "flushes"):
            assert getattr(queue, name).tolist() == getattr(model, name)


@pytest.mark.parametrize(
    ("sizes", "speaking", "want"),
    [
        ([8, 8], None, 0),  # exactly one tick each
        ([8, 3], None, 1),  # a gap within speech, as far as anyone can tell
        ([8, 0], None, 0),  # silence
        ([8, 3], False, 0),  # the agent says that it had come to an end
        ([8, 0], True, 1),  # the agent says that it speaks, and nothing came
    ],
)
def test_what_counts_as_an_under_run(sizes, speaking, want):
    queue = PlayOut(1, TICK)
    for size in sizes:
        queue.turn([np.ones(size, np.float32)], None, None if speaking is None else np.array([speaking]))
    assert queue.under_runs.tolist() == [want]


def test_clear_begins_a_row_anew_and_leaves_the_others():
    queue = PlayOut(2, TICK)
    queue.turn(np.ones((2, 20), np.float32))
    queue.clear(0)
    assert queue.fill.tolist() == [0, 12]
    assert queue.played.tolist() == [0, 8]
    assert queue.turn(np.zeros((2, 0), np.float32)).sum(axis=1).tolist() == [0, 8]
