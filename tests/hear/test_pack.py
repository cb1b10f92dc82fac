"""Packs of utterances: nothing is lost, nothing is too long, and places find their way back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dyad.hear.pack import Pack

SHORTEST, LONGEST = 10, 50
sizes = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 70)), max_size=30)  # pause, utterance


def channel(gaps_and_sizes):
    edges = np.cumsum(np.array(gaps_and_sizes, np.int64).reshape(-1))
    track = np.arange(edges[-1] if len(edges) else 0, dtype=np.float32)
    return Pack(0, track, edges.reshape(-1, 2))


@given(sizes)
def test_parts_hold_each_utterance_once_and_stay_short(made):
    whole = channel(made)
    parts = whole.parts(SHORTEST, LONGEST)
    assert sorted(map(tuple, np.concatenate([whole.spans[:0], *[p.spans for p in parts]]))) == sorted(
        map(tuple, whole.spans)
    )
    for part in parts:
        length = np.diff(part.spans, axis=1)
        assert len(part.pcm) == length.sum()
        assert len(length) == 1 or (length.min() >= SHORTEST and length.sum() <= LONGEST)


@given(sizes.filter(bool))
def test_each_sample_of_a_pack_finds_its_way_back(made):
    pack = channel(made)
    heard = pack.pcm.astype(int)  # the track holds its own sample numbers
    places = pack.in_track([(k, k + 1) for k in range(len(heard))])
    assert places == [(at, at + 1) for at in heard]


def test_a_word_across_a_pause_stays_in_the_utterance_of_its_middle():
    pack = Pack(0, np.zeros(200, np.float32), np.array([[10, 30], [100, 150]]))
    assert pack.holders([(0, 5), (15, 22), (15, 30), (65, 70)]) == [0, 0, 1, 1]
    assert pack.in_track([(15, 22), (15, 30), (60, 90)]) == [(25, 30), (100, 110), (140, 150)]


def test_utterances_fill_a_pack_in_order_and_short_ones_stay_alone():
    pack = Pack(1, np.zeros(300, np.float32), np.array([[0, 20], [30, 35], [40, 70], [80, 100], [120, 200]]))
    parts = [part.spans.tolist() for part in pack.parts(SHORTEST, LONGEST)]
    assert parts == [[[30, 35]], [[0, 20], [40, 70]], [[80, 100]], [[120, 200]]]
    assert [part.row for part in pack.alone()] == [1] * 5
