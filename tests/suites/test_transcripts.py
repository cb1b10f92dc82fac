"""Transcripts: words and times as written, every stem its own file, and a line about what is malformed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dyad.suites import transcripts
from dyad.suites.protocol import Chunk
from dyad.suites.transcripts import beside, read_chunks, spoken, write_chunks
from dyad.suites.words import normalise
from tests.suites.fdb.folders import put

times = st.none() | st.floats(allow_nan=False, allow_infinity=False)
chunks = st.lists(st.builds(Chunk, st.text(max_size=8), times, times), max_size=6)
one_folder = settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])


def words(*spans: Any) -> dict[str, Any]:
    return {"text": "", "chunks": [{"text": "w", "timestamp": span} for span in spans]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (words([1.0, 2.0]), [(1.0, 2.0)]),
        (words([1.0, 1.4], [1.5, None]), [(1.0, 1.4), (1.5, None)]),
        (words([None, 1.4]), [(None, 1.4)]),
        (words([0, 3]), [(0.0, 3.0)]),
        (words([4.0, 4.0]), [(4.0, 4.0)]),  # A6: the word stays
        (words([-0.1, 0.2]), [(-0.1, 0.2)]),  # A9: clamped later, never here
        (words([61.0, 62.0]), [(61.0, 62.0)]),  # A8
        (words([2.0, 1.0]), [(2.0, 1.0)]),
        (words([4500, 5000]), [(4500.0, 5000.0)]),  # A18: seconds, whatever their size
        (words(), []),
        ({"chunks": [{"text": "w", "timestamps": [1.0, 2.0]}], "extra": 1}, [(1.0, 2.0)]),
        ("\ufeff" + json.dumps(words([1.0, 2.0])), [(1.0, 2.0)]),
    ],
)
def test_times_stay_as_written(tmp_path: Path, content: Any, expected: list[Any]) -> None:
    found, problem = read_chunks(put(tmp_path / "output.json", content))
    assert ([(word.start, word.end) for word in found], problem) == (expected, "")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (words(["1.0", 2.0]), "output.json[chunks][0][timestamp][0]: Input should be a valid number"),
        (words([True, 2.0]), "valid number"),
        (words([1.0, 2.0], [1.0]), "[chunks][1][timestamp][1]: Field required"),
        (words([1.0, 2.0, 3.0]), "at most 2"),
        (words(None), "[timestamp]: Input should be a valid array"),
        ('{"chunks": [{"text": "w", "timestamp": [NaN, 2.0]}]}', "finite"),
        ('{"chunks": [{"text": "w", "timestamp": [1e999, 2.0]}]}', "finite"),
        ({"chunks": [{"text": None, "timestamp": [1.0, 2.0]}]}, "[text]: Input should be a valid string"),
        ({"chunks": [{"timestamp": [1.0, 2.0]}]}, "[text]: Field required"),
        ({"text": "no words with times"}, "[chunks]: Field required"),
        ([], "output.json: Input should be an object"),
        ("", "Invalid JSON"),
        ('{"chunks": [', "Invalid JSON"),
        ("[" * 100_000, "recursion limit"),
        (b"\xff\xfe{}", "Invalid JSON"),
    ],
)
def test_malformed_transcripts_say_what_is_wrong(tmp_path: Path, content: Any, problem: str) -> None:
    found, said = read_chunks(put(tmp_path / "output.json", content))
    assert found == ()
    assert said.startswith("output.json")
    assert problem in said
    assert "\n" not in said


def test_no_words_is_not_no_transcript(tmp_path: Path) -> None:
    assert read_chunks(put(tmp_path / "output.json", words())) == ((), "")
    assert read_chunks(tmp_path / "clean_output.json") == ((), "no clean_output.json")
    (tmp_path / "input.json").mkdir()
    assert read_chunks(tmp_path / "input.json") == ((), "no input.json")


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path / "output.json", words([1.0, 2.0]))
    monkeypatch.setattr(transcripts, "LARGEST", path.stat().st_size - 1)
    assert "larger than" in read_chunks(path)[1]
    monkeypatch.setattr(transcripts, "LARGEST", path.stat().st_size)
    assert not read_chunks(path)[1]


def test_words_beyond_the_sound_are_counted_where_they_are_dropped(tmp_path: Path) -> None:
    content = words([0.5, 1.0], [2.8, 3.4], [2.9, None], [3.5, 4.0], [1.2, 1.2])
    found, _ = read_chunks(put(tmp_path / "output.json", content))
    kept = normalise(found, 3.0)
    assert [(word.start, word.end) for word in kept.words] == [(0.5, 1.0), (1.2, 1.2), (2.8, 3.0), (2.9, 2.9)]
    assert len(found) == len(kept.words) + kept.dropped == 5


def test_four_stems_have_four_transcripts() -> None:
    stems = ["input", "clean_input", "output", "clean_output"]
    assert [beside(Path("x") / f"{stem}.wav") for stem in stems] == [Path("x") / f"{s}.json" for s in stems]


@given(chunks)
@one_folder
def test_written_words_read_back_to_the_last_bit(tmp_path: Path, said: list[Chunk]) -> None:
    write_chunks(tmp_path / "output.json", said)
    assert read_chunks(tmp_path / "output.json") == (tuple(said), "")
    assert (tmp_path / "output.json").read_bytes().isascii()


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
@one_folder
def test_nothing_in_a_file_raises(tmp_path: Path, content: bytes) -> None:
    found, problem = read_chunks(put(tmp_path / "output.json", content))
    assert (found, "\n" in problem) == ((), False)


def test_the_text_is_that_of_the_words(tmp_path: Path) -> None:
    said = [Chunk(" A", 0.0, 1.64), Chunk(" [UH]", 1.64, 2.14), Chunk("", 3.0, 3.0), Chunk("été", 4, None)]
    assert spoken(said) == "A [UH] été"
    write_chunks(tmp_path / "output.json", said)
    content = json.loads((tmp_path / "output.json").read_text("ascii"))
    assert content["text"] == "A [UH] été"
    assert content["chunks"][1] == {"text": " [UH]", "timestamp": [1.64, 2.14]}
    assert content["chunks"][3]["timestamp"] == [4.0, None]


@pytest.mark.parametrize("time", [float("nan"), float("inf")])
def test_a_time_that_is_none_is_not_written(tmp_path: Path, time: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_chunks(tmp_path / "output.json", [Chunk("w", time, 1.0)])
    assert not (tmp_path / "output.json").exists()
