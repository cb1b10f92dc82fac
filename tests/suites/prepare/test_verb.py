"""`prepare fdb_french` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import soundfile

from dyad.cli.args import Args
from dyad.cli.prepare import prepare
from dyad.errors import ConfigError
from tests.suites.prepare.synthetic import make


def call(*options: str, words: tuple[str, ...] = ("fdb_french",), as_json: bool = False) -> int:
    return prepare(Args("prepare", words, options, json=as_json))


@pytest.fixture
def given(tmp_path: Path) -> tuple[str, ...]:
    """The options that must be there, of a corpus of two minutes."""
    make(tmp_path / "calls", dialogues=1, seconds=120)
    return f"corpus={tmp_path / 'calls'}", f"out={tmp_path / 'sets'}", "format=callfriend"


def test_counts_are_printed(given: tuple[str, ...], tmp_path: Path, capsys: Any):
    assert call(*given) == 0
    told = capsys.readouterr().out
    assert "callfr_user_interruption" in told
    assert "1 context longer than 5.0 s" in told
    assert "of 9 candidates 77.8% pass the filters, 77.8% are exported" in told
    assert told.splitlines()[-1] == str(tmp_path / "sets")
    assert len(list((tmp_path / "sets").glob("*/*/input.wav"))) == 7


def test_options_reach_the_preparation(given: tuple[str, ...], tmp_path: Path, capsys: Any):
    (tmp_path / "own.yaml").write_text('en: ["right"]\n', "utf-8")
    options = ("lang=en", "name=mine", "cap=1", "user=0", "rate=16000", f"words={tmp_path / 'own.yaml'}")
    assert call(*given, *options, as_json=True) == 0
    report = json.loads(capsys.readouterr().out)
    assert json.loads((tmp_path / "sets/prepare.json").read_text()) == report
    assert report["sets"]["mine_pause_handling"]["over_cap"] >= 1
    assert soundfile.info(tmp_path / "sets/mine_pause_handling/0/input.wav").samplerate == 16_000
    assert call(*given, "audio=false", "force=true") == 0
    assert list((tmp_path / "sets").rglob("*.wav")) == []


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("cap=0",), "cap = '0' must be a whole number"),
        (("user=2",), "user = '2' must be a whole number from 0 to 1"),
        (("audio=yes",), "audio = 'yes' must be true or false"),
        (("rate=16001",), "no multiple of 25 Hz"),
        (("asr=wisper",), "wisper"),
        (("format=media",), "format is given twice"),
        (("langs=fr",), "did you mean 'lang'"),
        (("name=",), "name is missing"),
        (("lang=xx",), "no list for 'xx'"),
    ],
)
def test_a_wrong_option_is_one_line(
    given: tuple[str, ...], tmp_path: Path, options: tuple[str, ...], line: str
):
    with pytest.raises(ConfigError, match=line):
        call(*given, *options)
    assert not (tmp_path / "sets").exists()


def test_what_is_missing_is_named(tmp_path: Path):
    with pytest.raises(ConfigError, match="corpus is missing"):
        call("out=x", "format=media")
    with pytest.raises(ConfigError, match="unknown format 'medai'; did you mean 'media'"):
        call(f"corpus={tmp_path}", "out=x", "format=medai")
    with pytest.raises(ConfigError, match="say what to prepare"):
        call("out=x", words=("fdb_italian",))
