"""Files of a corpus: the forms that are read, and one clear line for each that is not."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from dyad.errors import ConfigError
from dyad.suites.prepare.corpus import Dialogue, Format, Manual, read_corpus
from dyad.suites.words import Timed

EMPTY = {"channels": [{"chunks": []}, {"chunks": []}]}
CHAT = """@UTF8
@Begin
@Media:\tmain, audio
*FAT:\toui (.) c'est [/] c'est &-euh <ça va> [>] xxx &=rit parce_que . \x15100_2500\x15
%mor:\tno words of anybody
*MOT:\tah b(i)en no:n chien@s:eng +...
\t+, d'accord &+fr ? \x152600_3400\x15
*FAT:\tsans temps .
@End
"""


def one(folder: Path, form: Format = "callfriend", **rest: Any) -> Dialogue:
    (dialogue,) = read_corpus(folder, form, audio=False, **rest)
    return dialogue


def put(folder: Path, **files: Any) -> Path:
    """Write files whose names have `__` for a dot; what is no text becomes JSON."""
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / name.replace("__", ".")).write_text(text, "utf-8")
    return folder


def chunk(text: str, start: float | None, end: float | None) -> dict[str, Any]:
    return {"text": text, "timestamp": [start, end]}


def test_turns_without_speakers_as_json_tsv_and_chat(tmp_path: Path):
    turns = {"turns": [{"start": 0.1, "end": 2.5, "text": "Oui, c'est ça — va !"}]}
    expected = Manual(0.1, 2.5, ("Oui,", "c'est", "ça", "va"))
    put(tmp_path, d__json=turns, d__words__json=EMPTY)
    assert one(tmp_path).manual == (expected,)
    (tmp_path / "d.json").unlink()
    put(tmp_path, d__tsv="\ufeffstart\tend\ttext\n0.1\t2.5\tOui, c'est ça — va !\n\n")
    assert one(tmp_path).manual == (expected,)


def test_chat_loses_its_codes_and_keeps_its_words(tmp_path: Path):
    put(tmp_path, d__cha=CHAT, d__words__json=EMPTY)
    dialogue = one(tmp_path)
    assert dialogue.manual == (
        Manual(0.1, 2.5, ("oui", "c'est", "c'est", "euh", "ça", "va", "parce", "que")),
        Manual(2.6, 3.4, ("ah", "bien", "non", "chien", "d'accord")),
    )
    assert dialogue.dropped == 1  # the turn without times


def test_recognised_words_are_normalised_and_counted(tmp_path: Path):
    words = [chunk(" oui,", 1.0, 1.3), chunk("", 2, 3), chunk("—", 2, 3), chunk("non", None, 3),
             chunk("bon", 0.5, None), chunk("tard", 9.5, 11.0), chunk("trop", 10.5, 11.0)]  # fmt: skip
    channels = {"channels": [{"text": "left alone", "chunks": words}, {"chunks": []}], "language": "fr"}
    put(tmp_path, d__tsv="0\t1\toui\n", d__words__json=channels)
    soundfile.write(tmp_path / "d.flac", np.zeros((80_000, 2), np.int16), 8_000)
    (dialogue,) = read_corpus(tmp_path, "callfriend")
    assert dialogue.heard == (
        (Timed("bon", 0.5, 0.5), Timed("oui,", 1.0, 1.3), Timed("tard", 9.5, 10.0)), (),
    )  # fmt: skip
    assert (dialogue.dropped, dialogue.duration_s, dialogue.rate) == (4, 10.0, 8_000)
    assert dialogue.users == (0, 1)


def test_words_that_are_not_there_are_asked_for(tmp_path: Path):
    put(tmp_path, d__tsv="0\t1\toui\n")
    soundfile.write(tmp_path / "d.WAV", np.zeros((80, 2), np.int16), 8_000)
    asked: list[Path] = []

    def hear(path: Path) -> tuple[tuple[Timed, ...], tuple[Timed, ...]]:
        asked.append(path)
        return (Timed("oui", 0.2, 0.4),), ()

    (dialogue,) = read_corpus(tmp_path, "callfriend", hear=hear)
    assert dialogue.heard == ((Timed("oui", 0.2, 0.4),), ())
    assert asked == [tmp_path / "d.WAV"]


def test_turns_with_speakers_have_channels_and_times(tmp_path: Path):
    media = {
        "speakers": {"client": 1, "woz": 0},
        "user": "client",
        "turns": [
            {"speaker": "woz", "start": 0, "end": 2, "text": "allô oui"},
            {"speaker": "client", "start": 2.5, "end": 4, "words": [chunk("bonjour", 2.6, 3.1)]},
        ],
    }
    dialogue = one(put(tmp_path, d__json=media), "media")
    first, second = dialogue.manual
    assert (first.channel, first.words) == (0, ("allô", "oui"))
    assert [(w.start, w.end) for w in first.times] == [(0, pytest.approx(8 / 7)), (pytest.approx(8 / 7), 2)]
    assert second == Manual(2.5, 4, ("bonjour",), 1, (Timed("bonjour", 2.6, 3.1),))
    assert (dialogue.users, dialogue.heard) == ((1,), None)
    assert one(tmp_path, "media", user=0).users == (0,)


def test_numbers_of_channels_are_speakers_too(tmp_path: Path):
    dialogue = one(put(tmp_path, d__tsv="0\t1\t1\toui\n1\t2\t0\tnon\n"), "media")
    assert [turn.channel for turn in dialogue.manual] == [1, 0]
    assert (dialogue.users, dialogue.duration_s) == ((0, 1), math.inf)


TURN = {"start": 0, "end": 1, "text": "oui"}
BAD: list[tuple[str, Format, dict[str, Any], str]] = [
    ("no dialogues", "callfriend", {"notes__txt": ""}, "no dialogues in"),
    ("words alone", "callfriend", {"d__words__json": EMPTY}, "no transcript beside it; add d.json"),
    ("no words", "callfriend", {"d__tsv": "0\t1\toui"}, "no d.words.json beside it"),
    ("two transcripts", "media", {"d__tsv": "", "d__json": {"turns": []}}, "keep one of them"),
    ("bad name", "media", {"d é__tsv": ""}, "rename it"),
    ("bad JSON", "media", {"d__json": "{"}, "d.json: the file: "),
    ("deep JSON", "media", {"d__json": "[" * 100_000}, "d.json: the file: "),
    ("no turns", "media", {"d__json": {"turn": []}}, "d.json: turns: field required"),
    ("no start", "media", {"d__json": {"turns": [TURN, {"end": 1}]}}, "d.json: turns.1.start: "),
    ("no number", "media", {"d__json": '{"turns": [{"start": NaN, "end": 1}]}'}, "d.json: turns.0.start: "),
    ("backwards", "callfriend", {"d__json": {"turns": [TURN | {"end": -1}]}}, "from 0.0 to -1.0 s"),
    ("before 0", "callfriend", {"d__json": {"turns": [TURN | {"start": -1}]}}, "times must be 0 or more"),
    ("nobody's", "media", {"d__json": {"turns": [TURN]}}, "turn 1: a turn without a speaker"),
    ("no channel", "media", {"d__json": {"turns": [TURN | {"speaker": "woz"}]}}, "'woz' has no channel"),
    ("third channel", "media", {"d__json": {"turns": [], "speakers": {"x": 2}}}, "d.json: speakers.x: "),
    ("no such user", "media", {"d__json": {"turns": [], "user": "woz"}}, "'woz' is none of its"),
    ("columns", "callfriend", {"d__tsv": "0\t1\toui\n0\t1"}, "d.tsv:2: 2 columns; give start, end, text"),
    ("a comma", "callfriend", {"d__tsv": "0,5\t1\toui"}, "d.tsv:1: '0,5' is no time"),
    ("chat", "media", {"d__cha": CHAT}, "CHAT names no channels"),
    ("one channel", "callfriend", {"d__tsv": "0\t1\toui", "d__words__json": {"channels": [{"chunks": []}]}},
     "d.words.json: channels"),
]  # fmt: skip


@pytest.mark.parametrize(("form", "files", "line"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_what_cannot_be_read_is_one_line(tmp_path: Path, form: Format, files: dict[str, Any], line: str):
    put(tmp_path, **files)
    with pytest.raises(ConfigError) as failure:
        read_corpus(tmp_path, form, audio=False)
    assert line in str(failure.value)
    assert "\n" not in str(failure.value)


def test_a_transcript_that_is_not_utf8_is_one_line(tmp_path: Path):
    (tmp_path / "d.tsv").write_bytes("0\t1\tà\n".encode("latin-1"))
    with pytest.raises(ConfigError, match="save it as UTF-8"):
        read_corpus(tmp_path, "media", audio=False)


@pytest.mark.parametrize(
    ("channels", "content", "line"),
    [(1, None, "has 1 channel"), (3, None, "has 3 channel"), (2, b"RIFF", "cannot be read as audio")],
)
def test_sounds_have_two_channels(tmp_path: Path, channels: int, content: bytes | None, line: str):
    put(tmp_path, d__tsv="0\t1\t0\toui\n")
    soundfile.write(tmp_path / "d.wav", np.zeros((80, channels), np.int16), 8_000)
    if content:
        (tmp_path / "d.wav").write_bytes(content)
    with pytest.raises(ConfigError, match=line):
        read_corpus(tmp_path, "media")


def test_sounds_must_be_there_when_they_are_to_be_cut(tmp_path: Path):
    put(tmp_path, d__tsv="0\t1\t0\toui\n")
    with pytest.raises(ConfigError, match="audio=false"):
        read_corpus(tmp_path, "media")
    with pytest.raises(ConfigError, match="no folder"):
        read_corpus(tmp_path / "nowhere", "media")


def test_links_do_not_leave_the_corpus(tmp_path: Path):
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    secret = put(tmp_path, secret__tsv="0\t1\t0\toui\n") / "secret.tsv"
    (corpus / "d.tsv").symlink_to(secret)
    with pytest.raises(ConfigError, match="links to a file outside"):
        read_corpus(corpus, "media", audio=False)


def test_the_examples_of_the_documentation_are_read(tmp_path: Path):
    page = (Path(__file__).parents[3] / "docs/prepare.md").read_text("utf-8")
    turns, words, media = (block.split("```")[0] for block in page.split("```json\n")[1:])
    dialogue = one(put(tmp_path, d__json=turns, d__words__json=words))
    assert dialogue.manual[0].words[0] == "euh"
    assert dialogue.heard == ((Timed("ben", 12.6, 12.8),), ())
    dialogue = one(put(tmp_path, d__json=media), "media")
    assert [turn.channel for turn in dialogue.manual] == [0, 1]
    assert dialogue.users == (0,)
