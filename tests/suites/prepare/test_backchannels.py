"""Lists of backchannels."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.errors import ConfigError
from dyad.suites.prepare.backchannels import backchannels
from dyad.suites.prepare.turns import Turn
from dyad.suites.words import Timed


def unit(text: str, seconds: float = 0.8) -> Turn:
    return Turn(0, seconds, tuple(Timed(word, 0, seconds) for word in text.split()))


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("fr", "Oui.", True),
        ("fr", "ah d'accord", True),
        ("fr", "D’accord", True),
        ("fr", "c'est ça", True),
        ("fr", "voila", True),
        ("fr", "ah ah oui", False),  # three words
        ("fr", "c'est", False),
        ("fr", "oui mais", False),
        ("en", "Uh-huh.", True),
        ("en", "I see", True),
        ("en", "I know", False),
        ("ja", "うん", True),
        ("zh", "对", True),
    ],
)
def test_what_is_listed_is_one(lang: str, text: str, expected: bool):
    assert backchannels(lang).has(unit(text)) is expected


def test_a_unit_of_more_than_a_second_is_none():
    assert backchannels("fr").has(unit("oui", 1.0))
    assert not backchannels("fr").has(unit("oui", 1.01))


def test_a_list_of_ones_own(tmp_path: Path):
    path = tmp_path / "mine.yaml"
    path.write_text('de: ["ja", "genau"]\n', "utf-8")
    assert backchannels("de", path).has(unit("Ja, genau!"))
    assert not backchannels("de", path).has(unit("nein"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('fr: ["oui"]', "no list for 'de'"),
        ("de: ja", "must be a list of words"),
        ("de: [on]", "must be a list of words"),  # YAML takes it for true
        ("de: []", "must be a list of words"),
        ("- ja", "must hold one mapping"),
        ("de: [", "mine.yaml"),
    ],
)
def test_a_list_that_cannot_be_used_is_one_line(tmp_path: Path, text: str, line: str):
    path = tmp_path / "mine.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=line) as failure:
        backchannels("de", path)
    assert "\n" not in str(failure.value)
