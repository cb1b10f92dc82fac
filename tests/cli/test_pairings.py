"""Two agents by their names, `pairing=[NAME,NAME]`, and the pairings of the paper's four models."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad import registry
from dyad.cli.compose import compose
from dyad.cli.main import run
from dyad.cli.pairings import seated
from dyad.errors import ConfigError
from dyad.library import builtin_root
from dyad.plan import make_plan

SMALL = ("task=t2", "scenarios.limit=1", "design.repetitions=1")
INSTRUMENTS = st.sampled_from(["echo", "tone", "silence"])


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A user's folder with an agent, `hum`, and a pairing of it, `hum_bold`."""
    for group in ("agent", "pairing", "study"):
        (tmp_path / group).mkdir()
    (tmp_path / "agent/hum.yaml").write_text(
        "defaults: [base/tone@_here_, _self_]\nname: hum\nparams: {freq_hz: 110.0}\n"
    )
    (tmp_path / "pairing/hum_bold.yaml").write_text(
        "defaults: [/agent@a: hum, /agent@b: cascade_bold, _self_]\nname: hum_bold\n"
    )
    return tmp_path


def ids(*overrides: str) -> tuple[str, ...]:
    return make_plan(compose([*SMALL, *overrides]).studies).ids


def seats(*overrides: str, dirs: tuple[Path, ...] = ()) -> list[tuple[str, str, str]]:
    pairings = [study.pairing for study in compose(overrides, dirs).studies]
    return [(pairing.name, pairing.a.name, pairing.b.name) for pairing in pairings]


@pytest.mark.parametrize(
    "written", ["[echo,tone]", "[ echo , tone ]", "['echo', \"tone\"]", "sort([tone,echo])"]
)
def test_two_names_are_the_file_with_these_seats(written: str) -> None:
    assert ids(f"pairing={written}") == ids("pairing=echo_tone")


def test_a_file_of_that_name_is_another_pairing(mine: Path) -> None:
    (mine / "pairing/echo_silence.yaml").write_text(
        "defaults: [/agent@a: hum, /agent@b: hum, _self_]\nname: echo_silence\n"
    )
    both = seats("pairing=[echo,silence],echo_silence", dirs=(mine,))
    assert both == [("echo_silence", "echo", "silence"), ("echo_silence", "hum", "hum")]


@given(INSTRUMENTS, INSTRUMENTS)
@settings(max_examples=9, deadline=None)
def test_any_two_agents_sit_in_the_order_given(a: str, b: str) -> None:
    (study,) = compose([f"pairing=[{a},{b}]"]).studies
    assert (study.pairing.name, study.pairing.a.adapter, study.pairing.b.adapter) == (f"{a}_{b}", a, b)


def test_self_play_has_one_role_assignment() -> None:
    assert len(ids("pairing=[tone,tone]")) == 2
    assert len(ids("pairing=[tone,silence]")) == 4
    assert ids("pairing=[tone,tone]") == ids("pairing=tone_tone")


def test_sweeps_hold_both_kinds() -> None:
    swept = seats("pairing=[echo,tone],[tone,tone],bold_shy", "seed=0,1")
    assert swept == [
        name
        for name in [("echo_tone", "echo", "tone"), ("tone_tone", "tone", "tone"),
                     ("bold_shy", "cascade_bold", "cascade_shy")]
        for _ in range(2)
    ]  # fmt: skip


def test_settings_reach_the_seats() -> None:
    (study,) = compose(
        ["pairing=[tone,tone]", "agent.tone.freq_hz=300", "pairing.b.params.level=0.2"]
    ).studies
    assert [study.pairing.a.params[k] for k in ("freq_hz", "level")] == [300.0, 0.1]
    assert [study.pairing.b.params[k] for k in ("freq_hz", "level")] == [300.0, 0.2]
    assert seats("pairing=[tone,tone]", "agent@pairing.b=echo", "pairing.name=mix") == [
        ("mix", "tone", "echo")
    ]


def test_a_users_own_agent_and_a_saved_grid(mine: Path) -> None:
    (mine / "study/mine.yaml").write_text(
        "# @package _global_\ngrid: {pairing: [[hum, silence], tone_tone, [silence, hum]]}\n"
    )
    assert seats("study=mine", dirs=(mine,)) == [
        ("hum_silence", "hum", "silence"), ("tone_tone", "tone", "tone"), ("silence_hum", "silence", "hum"),
    ]  # fmt: skip
    assert seats("study=mine", "pairing=[hum,hum]", dirs=(mine,)) == [("hum_hum", "hum", "hum")]


def test_a_family_that_nobody_has_configured_sits_with_its_defaults(
    mine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(registry.BUILT_IN["agents"], "wren", "dyad.agents.tone:FAMILY")
    given = ["pairing=[wren,echo]", "agent.wren.freq_hz=300"]
    (study,) = compose([*given, *SMALL]).studies
    wren = study.pairing.a
    assert (study.pairing.name, wren.name, wren.adapter, wren.params["freq_hz"]) == (
        "wren_echo", "wren", "wren", 300.0,
    )  # fmt: skip
    assert run(["plan", *given, "windw=3"]) == 2
    assert "did you mean 'window_s'?" in capsys.readouterr().err
    assert run(["plan", "agent@pairing.a=wren"]) == 2
    assert "no agent 'wren', which is a family; write base/wren for its defaults" in capsys.readouterr().err
    (mine / "agent/wren.yaml").write_text("defaults: [base/wren@_here_, _self_]\nparams: {freq_hz: 90.0}\n")
    (study,) = compose(["pairing=[wren,echo]"], [mine]).studies
    assert study.pairing.a.params["freq_hz"] == 90.0  # the user's own file goes first


def test_the_verbs_take_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = ["pairing=[silence,tone]", *SMALL, "window=4", "launcher=serial", f"store={tmp_path}", "name=two"]
    assert run(["plan", *base, "--cfg", "job"]) == 0
    pairing = yaml.safe_load(capsys.readouterr().out)["pairing"]
    assert (pairing["name"], pairing["a"]["name"], pairing["b"]["name"]) == (
        "silence_tone",
        "silence",
        "tone",
    )
    assert run(["doctor", *base]) == 0
    assert "two: 4 runs planned" in capsys.readouterr().out
    assert run(["simulate", *base]) == 0
    assert all(folder.name.startswith("silence_tone__t2_") for folder in (tmp_path / "runs").iterdir())
    assert run(["hear", "study=two", f"store={tmp_path}", "--json"]) == 0  # composed again from its record
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["runs"] == 4


def test_other_overrides_are_left_alone() -> None:
    for override in ("pairing=bold_shy", "pairing='[a,b]'", "pairing.name=[a,b]", "task=[t1,t2]", "~pairing"):
        assert seated(override) == override


@pytest.mark.parametrize(
    ("overrides", "line"),
    [
        (["pairing=[echo]"],
         "'pairing=[echo]': give the names of two agents, pairing=[NAME,NAME], or pairing=NAME"),
        (["pairing=[echo,tone,tone]"], "give the names of two agents"),
        (["pairing=[]"], "give the names of two agents"),
        (["pairing=[echo,[tone]]"], "give the names of two agents"),
        (["pairing=[echo,1]"], "give the names of two agents"),
        (["pairing=[echo,'']"], "give the names of two agents"),
        (["pairing=[echo,'../tone']"], "give the names of two agents"),
        (["pairing=[echo,\"to'ne\"]"], "give the names of two agents"),
        (["pairing=[echo,tone],[echo]"], "give the names of two agents"),
        (["pairing=[ecko,tone]"], "no agent 'ecko'; did you mean 'echo'?"),
        (["pairing=[tone,cascade bold]"], "no agent 'cascade bold'; did you mean 'cascade_bold'?"),
        (["pairing=[hums,tone]"], "no agent 'hums'; did you mean 'hum'?"),
        (["pairing=[echo,tone],[tone,tome]"], "no agent 'tome'; did you mean 'tone'?"),
        (["pairing=[echo,tone],[echo,tone]"], "'pairing' is swept over [echo,tone] twice; give each"),
        (["pairing=[echo,tone"], "cannot read 'pairing=[echo,tone'"),
        (["pairing=[echo,tone]", "windw=3"], "unknown key 'windw'; did you mean 'window_s'?"),
        (["pairing=[echo,tone]", "agent.tome.level=0.2"], "no 'tome' in the pairing, there sit echo, tone"),
        (["task=[t1,t2]"], "task is a group; write task=NAME"),
        (["pairing=tone_echo"], "no pairing 'tone_echo'; there is 'echo_tone', or write pairing=[tone,echo]"),
        (["pairing=moshi_pp"], "there is 'pp_moshi', or write pairing=[moshi,personaplex]"),
        (["pairing=bold_hum"], "there is 'hum_bold', or write pairing=[cascade_bold,hum]"),
        (["pairing=cascade_shy_j_moshi"], "_j_moshi'; write pairing=[cascade_shy,j_moshi]"),
        (["pairing=pp"], "no pairing 'pp'; there is 'pp_pp', or write pairing=[personaplex,personaplex]"),
        (["pairing=hum"], "no pairing 'hum'; write pairing=[hum,hum]"),
        (["pairing=ecko_tone"],
         "no pairing 'ecko_tone' (pairing=[NAME,NAME] seats any two agents); did you mean 'echo_tone'?"),
    ],
)  # fmt: skip
def test_what_seats_nobody_is_one_line(
    overrides: list[str], line: str, mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "--config-dir", str(mine), *overrides, f"store={mine / 'store'}"]) == 2
    out, err = capsys.readouterr()
    assert line in err
    assert err.count("\n") == 1
    assert not out


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("[[hum, hum], [hum, hum]]", "twice"),
        ("[]", "grid.pairing must be a list of values"),
        ("[[hum]]", "names of two agents"),
    ],
)
def test_a_saved_grid_is_checked_as_a_command_is(values: str, message: str, mine: Path) -> None:
    (mine / "study/mine.yaml").write_text(f"# @package _global_\ngrid: {{pairing: {values}}}\n")
    with pytest.raises(ConfigError, match=message):
        compose(["study=mine"], [mine])


LABELS = {"pp": "personaplex", "mcpm": "minicpm_o", "raon": "raon", "lfd": "lychee_fd"}


def test_the_four_models_of_the_paper_meet_each_other_and_themselves() -> None:
    study = yaml.safe_load((builtin_root() / "conf/study/dyafdb.yaml").read_text("utf-8"))
    pairs = list(itertools.combinations_with_replacement(LABELS, 2))
    assert Counter(study["grid"]["pairing"]) == Counter(f"{a}_{b}" for a, b in pairs)
    for a, b in pairs:
        file = yaml.safe_load((builtin_root() / f"conf/pairing/{a}_{b}.yaml").read_text("utf-8"))
        expected = [{"/agent@a": LABELS[a]}, {"/agent@b": LABELS[b]}, "_self_"]
        assert file == {"defaults": expected, "name": f"{a}_{b}"}
