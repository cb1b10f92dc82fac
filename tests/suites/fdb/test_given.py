"""Ratings and behaviours of the authors' judge, read from a clip's folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from dyad.spec.suite import Stimulus
from dyad.suites.fdb.family import excerpt
from dyad.suites.fdb.given import given_files, given_labels
from dyad.suites.protocol import Trial
from dyad.suites.trials import imagined


def answered(folder: Path, kind: str, content: object, answer: str = "output.wav") -> Trial:
    name = "rating.json" if kind == "interruption" else "content_tag.json"
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    stimulus = Stimulus(id="set.1", task="set", kind=kind, clip="1", folder=str(folder), span=(1.0, 2.0))
    made = imagined(stimulus)
    return replace(made, answer=folder / answer)


@pytest.mark.parametrize(
    ("kind", "content", "label"),
    [
        ("interruption", {"analysis": "fits", "rating": 4}, {"fdb.rating": "4"}),
        ("interruption", {"rating": "0"}, {"fdb.rating": "0"}),
        ("interruption", {"rating": 6}, {}),  # beyond the scale
        ("interruption", {"rating": 3.5}, {}),
        ("interruption", {"analysis": "no number"}, {}),
        ("interruption", "[4]", {}),
        ("interruption", "{", {}),
        ("overlap", {"behaviour": ["C_RESUME"]}, {"fdb.behaviour": "C_RESUME"}),
        ("overlap", {"behaviour": "C_RESPOND"}, {"fdb.behaviour": "C_RESPOND"}),
        ("overlap", {"behaviour": ["C_RESUME", "C_RESPOND"]}, {}),  # exactly one tag
        ("overlap", {"behaviour": []}, {}),
        ("overlap", {"behaviour": ["D_RESUME"]}, {}),
    ],
)
def test_what_is_read(tmp_path: Path, kind: str, content: object, label: dict[str, str]) -> None:
    made = answered(tmp_path, kind, content)
    assert given_labels(made) == label
    assert excerpt(made).given == label


def test_it_is_of_output_wav_alone(tmp_path: Path) -> None:
    made = answered(tmp_path, "interruption", {"rating": 4}, answer="moshi.wav")
    assert not given_labels(made)
    assert not given_files(made.answer)
    assert not given_labels(replace(made, answer=None))  # of an agent that was played
    assert given_files(tmp_path / "output.wav") == [tmp_path / "rating.json"]


def test_a_link_out_of_the_set_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"rating": 5}')
    clip = tmp_path / "data" / "set" / "1"
    clip.mkdir(parents=True)
    made = answered(clip, "interruption", {"rating": 5})
    (clip / "rating.json").unlink()
    (clip / "rating.json").symlink_to(tmp_path / "secret.json")
    assert not given_labels(made)
