"""Ratings and behaviours of the authors' judge, read from a clip's folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dyad.judge import given
from dyad.spec import Label
from dyad.spec.suite import Stimulus
from dyad.suites.fdb.behaviour import behaviour
from dyad.suites.fdb.family import excerpt
from dyad.suites.fdb.given import given_files, given_labels, with_theirs
from dyad.suites.fdb.rating import rating_score
from dyad.suites.fdb.turns import interruption_scores
from dyad.suites.protocol import Mode, Scored, Trial
from dyad.suites.trials import MODES, imagined


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


# -- compat: what the authors' scripts count -------------------------------------------------------


def labels_of(made: Trial) -> list[Label]:
    """What the judge `given` says."""
    return given.label(excerpt(made))


@pytest.mark.parametrize(
    ("rating", "compat", "strict"),
    [
        (4, 4.0, 4.0),
        (10, 10.0, None),
        ("7", 7.0, None),
        (3.5, None, None),
        (-1, None, None),
        (True, None, None),
    ],
)
def test_compat_takes_a_rating_that_their_parser_takes(
    tmp_path: Path, rating: object, compat: float | None, strict: float | None
) -> None:
    made = answered(tmp_path, "interruption", {"rating": rating})
    labels = labels_of(made)
    for expected, counted in ((compat, with_theirs(made, labels)), (strict, labels)):
        assert rating_score(True, counted).value == expected
    scored = {x.measure: x for x in interruption_scores(made, labels, "compat", {})}["rating"]
    assert (scored.value, scored.n) == ((None, 0.0) if compat is None else (2 * compat, 2.0))


def test_the_mean_of_a_set_is_theirs(tmp_path: Path) -> None:
    """27 ratings of 85 in all, and three of 10."""
    ratings = [4] * 4 + [3] * 23 + [10] * 3
    means = dict[str, float]()
    for mode in MODES:
        scores = list[Scored]()
        for number, rating in enumerate(ratings):
            folder = tmp_path / mode / str(number)
            folder.mkdir(parents=True)
            made = answered(folder, "interruption", {"analysis": "", "rating": rating})
            counted = with_theirs(made, labels_of(made)) if mode == "compat" else labels_of(made)
            scores.append(rating_score(True, counted))
        means[mode] = sum(x.value or 0 for x in scores) / sum(x.n for x in scores)
    assert means == {"compat": pytest.approx(3.833, abs=5e-4), "strict": pytest.approx(3.148, abs=5e-4)}


@pytest.mark.parametrize(
    ("tags", "compat", "strict"),
    [
        (["C_RESPOND"], {"respond": (1, 1), "resume": (0, 1)}, {"respond": (1, 1), "resume": (0, 1)}),
        (["C_RESUME", "C_RESPOND"], {"respond": (1, 2), "resume": (1, 2)}, None),
        (["C_RESUME", "C_OTHER"], {"respond": (0, 2), "resume": (1, 2)}, None),
        (["C_RESUME", "D"], None, None),  # their script stops
        ([], None, None),
        ([3], None, None),
    ],
)
def test_each_of_several_tags_counts_in_compat(
    tmp_path: Path,
    tags: object,
    compat: dict[str, tuple[int, int]] | None,
    strict: dict[str, tuple[int, int]] | None,
) -> None:
    made = answered(tmp_path, "overlap", {"behaviour": tags})
    expected: dict[Mode, dict[str, tuple[int, int]] | None] = {"compat": compat, "strict": strict}
    for mode, counts in expected.items():
        found = {x.measure: x for x in behaviour(made, labels_of(made), mode)}
        if counts is None:
            assert {x.reason for x in found.values()} == {"not_given"}
        else:
            assert {name: (found[name].value, found[name].n) for name in counts} == counts


def test_compat_takes_a_given_behaviour_where_nobody_understood_a_word(tmp_path: Path) -> None:
    made = answered(tmp_path, "overlap", {"behaviour": ["C_RESPOND"]})
    loud = replace(made.model, words=(), probs=np.ones_like(made.model.probs))
    made = replace(made, model=loud)
    compat, strict = (behaviour(made, labels_of(made), mode) for mode in MODES)
    assert [(x.measure, x.value) for x in compat] == [
        ("respond", 1.0), ("resume", 0.0), ("uncertain", 0.0), ("unknown", 0.0),
    ]  # fmt: skip
    assert {(x.value, x.reason) for x in strict} == {(None, "asr_failed")}
    assert {x.reason for x in behaviour(made, [], "compat")} == {"asr_failed"}
