"""Sweeps: however few configurations are composed, the points are what each would be alone."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
import yaml

import dyad.cli.compose
from dyad.cli.compose import compose
from dyad.library import builtin_root

CONF = builtin_root() / "conf"


@pytest.mark.parametrize(
    ("axes", "fixed", "composed"),
    [
        ({"pairing": ["echo_tone", "tone_tone"], "task": ["t3_1", "t1", "t2"]}, [], 4),
        ({"task": ["t1", "t3"], "window_s": ["20", "30"], "seed": ["1", "2"]}, ["tell_window=true"], 3),
        ({"task": ["t1", "t2"], "pairing": ["[echo,tone]", "echo_tone"]}, ["agent.tone.level=0.2"], 3),
        ({"agent@pairing.a": ["echo", "tone"], "task": ["t1", "t2"]}, ["name=${task.name}"], 3),
        ({"pairing": ["echo_tone", "tone_tone"], "task": ["t1", "t2"]}, ["task.archetypes=[t3_1]"], 3),
        ({"task": ["t1", "t2"], "task.name": ["one", "two"]}, [], 4),
        ({"pairing": ["echo_tone", "tone_tone"], "channel": ["clean", "telephone"]}, [], 4),
        ({"task": ["t1", "t2"], "seed": ["0", "1"]}, ["pairing.name='p_${seed}_${task.name}'"], 2),
        ({"window_s": ["20", "30"], "seed": ["0", "1"]}, ["channel.echo_ms=${oc.select:'window_s'}"], 2),
        ({"seed": ["0", "1"]}, ["agent.cascade_bold.pace='${oc.decode:\"1.${seed}\"}'"], 1),
    ],
)
def test_a_sweep_is_what_its_points_are_alone(
    axes: dict[str, list[str]], fixed: list[str], composed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [
        [f"{k}={v}" for k, v in zip(axes, values, strict=True)]
        for values in itertools.product(*axes.values())
    ]
    alone = [compose([*fixed, *point]).studies[0] for point in points]
    merged, real = [], dyad.cli.compose._merge
    monkeypatch.setattr(dyad.cli.compose, "_merge", lambda given: merged.append(given) or real(given))
    swept = compose([*fixed, *(f"{name}={','.join(values)}" for name, values in axes.items())]).studies
    assert list(swept) == alone
    assert len(merged) == 1 + composed  # the first one finds what a saved study sweeps over


def test_files_of_the_user_may_set_the_task(tmp_path: Path) -> None:
    """Beside the first task it makes no difference that can be seen."""
    (tmp_path / "channel").mkdir()
    (tmp_path / "channel/mine.yaml").write_text(
        "# @package _global_\nchannel: {gain: 1.0}\ntask: {archetypes: [t1_1]}\n"
    )
    studies = compose(["pairing=echo_tone", "channel=clean,mine", "task=t1_1,t2"], [tmp_path]).studies
    assert [study.task.archetypes for study in studies] == [("t1_1",), ("t2",), ("t1_1",), ("t1_1",)]


@pytest.mark.parametrize("path", sorted(CONF.rglob("*.yaml")), ids=lambda p: str(p.relative_to(CONF)))
def test_our_files_set_their_own_key_only(path: Path) -> None:
    """Else tasks could not be composed apart from all else. Neither a study nor a suite is swept that way."""
    text, group = path.read_text("utf-8"), path.relative_to(CONF).parts[0]
    defaults = yaml.safe_load(text).get("defaults", [])
    assert group in ("study", "suite") or "@package" not in text
    assert group != "task" or not defaults
    assert not re.search(r"\$|@_global_|@task", str(defaults))
