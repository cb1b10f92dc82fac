"""Text and segments: the worked example, and that no piece is lost or doubled."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dyad.hear.attach import attach, pieces_of_words
from dyad.spec import TICK, TICK_S, Piece, Segment, Word

SECONDS = 24_000


def piece(at_s, s, **more):
    return Piece(seat=more.pop("seat", "a"), at=round(at_s * SECONDS), s=s, **more)


def segment(start, end, seat="a"):
    return Segment(seat=seat, start=start, end=end)


def test_worked_example():
    golden = Path(__file__).parents[1] / "golden" / "statistics.json"
    example = json.loads(golden.read_text("utf-8"))["vectors"]["text_attachment"]
    segments = [segment(round(a / TICK_S), round(b / TICK_S)) for a, b in example["segments_s"]]
    tokens = {f"w{k}": token for k, token in enumerate(example["tokens"])}
    done = attach([piece(token["t"], f" {name}") for name, token in tokens.items()], segments)
    homes = [[name for name, token in tokens.items() if token["segment"] == k] for k in range(3)]
    assert [text.split() for text in done.texts] == homes == [["w1", "w2"], ["w4", "w5"], ["w6"]]
    assert done.orphans == {"a": 2, "b": 0}


def test_sub_words_join_and_words_stay_apart():
    pieces = [piece(0.1, " hel"), piece(0.2, "lo,"), piece(0.3, " you"), piece(0.4, " there")]
    assert attach(pieces, [segment(0, 10)]).texts == ("hello, you there",)


def test_seats_and_kinds_are_kept_apart():
    pieces = [
        piece(0.1, " mine"),
        piece(0.1, " theirs", seat="b"),
        piece(0.1, " unheard", suppressed=True),
        piece(0.1, " overheard", kind="heard"),
    ]
    done = attach(pieces, [segment(0, 5, "b"), segment(0, 5, "a")])
    assert done.texts == ("theirs", "mine")
    assert done.orphans == {"a": 0, "b": 0}
    assert done.pieces == {"a": 1, "b": 1}


def test_words_become_pieces_in_time_order():
    words = [Word(seat="a", start=2000, end=3000, s="there"), Word(seat="a", start=0, end=900, s="hi")]
    assert attach(pieces_of_words(words), [segment(0, 5)]).texts == ("hi there",)


def test_characters_of_unspaced_scripts_are_joined_without_spaces():
    words = [Word(seat="a", start=k * 1920, end=k * 1920 + 900, s=s) for k, s in enumerate("海棠")]
    assert attach(pieces_of_words(words), [segment(0, 5)]).texts == ("海棠",)


spans = st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), max_size=6)


@given(spans, st.lists(st.integers(0, 150), max_size=20))
def test_every_piece_has_one_home_or_is_an_orphan(gaps_and_lengths, ticks):
    at, segments = 0, []
    for gap, length in gaps_and_lengths:
        segments.append(segment(at + gap, at + gap + length))
        at += gap + length
    done = attach([Piece(seat="a", at=tick * TICK, s=f" w{k}") for k, tick in enumerate(ticks)], segments)
    placed = " ".join(done.texts).split()
    assert len(placed) == len(set(placed)) == len(ticks) - done.orphans["a"]
    inside = {k for k, tick in enumerate(ticks) if any(s.start <= tick < s.end for s in segments)}
    assert {f"w{k}" for k in inside} <= set(placed)
