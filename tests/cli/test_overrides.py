"""Overrides in the words of users: settings of an agent wherever it sits, and short names of keys."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dyad.cli.compose import compose, store_of
from dyad.cli.main import run
from dyad.cli.overrides import key_of, spelled
from dyad.errors import ConfigError


@pytest.mark.parametrize(
    ("override", "hydras"),
    [
        ("window=10", "window_s=10"),
        ("window_s=10", "window_s=10"),
        ("agent.moshi.weights=random:tiny", "++agent.moshi.weights=random:tiny"),
        ("+agent.moshi.weights=x=y", "++agent.moshi.weights=x=y"),
        ("~agent.moshi", "~agent.moshi"),
        ("agent@pairing.a=echo", "agent@pairing.a=echo"),
        ("+channel.ab.gain=0.5", "+channel.ab.gain=0.5"),
    ],
)
def test_spelling(override: str, hydras: str) -> None:
    assert spelled(override) == hydras
    assert key_of(override) == key_of(hydras)


@pytest.mark.parametrize(
    "overrides",
    [
        [],
        ["store=a b"],
        ["store='a, b'"],
        ["store=${oc.env:DYAD_HERE}/x"],
        ["store=a", "task=t2", "store=b"],
    ],
)
def test_the_store_without_composing_is_that_of_the_study(
    overrides: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYAD_HERE", "/there")
    assert store_of(overrides) == compose(overrides).studies[0].store


@pytest.mark.parametrize("text", ["store=", "store=''", "store=null", "store=a,b", "store=${x", "store=${x}"])
def test_what_is_no_store_is_one_line(text: str) -> None:
    with pytest.raises(ConfigError, match="store="):
        store_of([text])


def test_a_setting_reaches_every_seat_of_the_agent() -> None:
    (one,) = compose(["pairing=tone_tone", "agent.tone.freq_hz=300"]).studies
    assert one.pairing.a.params["freq_hz"] == one.pairing.b.params["freq_hz"] == 300.0
    (two,) = compose(["pairing=echo_tone", "agent.tone.pattern=[[0, 5], [9, 12]]"]).studies
    assert two.pairing.b.params["pattern"] == [[0, 5], [9, 12]]
    assert two.pairing.a.params == {}


def test_names_go_before_families_and_dotted_keys_reach_inside() -> None:
    (study,) = compose(
        [
            "pairing=bold_shy",
            "agent.cascade_shy.temperament.yielding=0.1",
            "agent.cascade.temperament.yielding=0.9",
            "agent.cascade.llm.model='a b'",
        ]
    ).studies
    bold, shy = study.pairing.a, study.pairing.b
    assert (bold.params["temperament"]["yielding"], shy.params["temperament"]["yielding"]) == (0.9, 0.1)
    assert shy.params["temperament"]["patience"] == 0.8  # conf/agent/cascade_shy.yaml
    assert bold.params["llm"]["model"] == shy.params["llm"]["model"] == "a b"


def test_voice_and_name_are_the_agents_own_unless_the_family_has_them() -> None:
    (study,) = compose(["pairing=echo_tone", "agent.tone.voice=x", "agent.tone.name=hum"]).studies
    assert (study.pairing.b.voice, study.pairing.b.name, study.pairing.a.voice) == ("x", "hum", "")
    (study,) = compose(["pairing=bold_silence", "agent.cascade_bold.voice=espeak"]).studies
    assert (study.pairing.a.voice, study.pairing.a.params["voice"]) == ("", "espeak")


def test_sweeps_compose_each_value() -> None:
    name = "agent.tone.name=tone_${pairing.b.params.freq_hz}"
    argv = ["pairing=echo_tone", "agent.tone.freq_hz=range(100,300,100)", name, "window=10,20"]
    studies = compose(argv).studies
    found = [(s.pairing.b.params["freq_hz"], s.pairing.b.name, s.window_s) for s in studies]
    assert sorted(found) == [
        (100.0, "tone_100", 10.0), (100.0, "tone_100", 20.0),
        (200.0, "tone_200", 10.0), (200.0, "tone_200", 20.0),
    ]  # fmt: skip


def test_a_sweep_of_pairings_needs_the_agent_in_one_of_them() -> None:
    pairings = "pairing=tone_tone,echo_tone"
    studies = compose([pairings, "agent.tone.freq_hz=300"]).studies
    assert [s.pairing.b.params["freq_hz"] for s in studies] == [300.0, 300.0]
    assert len(compose([pairings, "agent.echo.voice=''"]).studies) == 2
    with pytest.raises(ConfigError, match="no 'silence' in the pairing, there sit tone, echo"):
        compose([pairings, "agent.silence.voice=''"])


def test_saved_studies_carry_settings_and_short_names(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study/mine.yaml").write_text(
        "# @package _global_\n"
        "defaults: [override /pairing: echo_tone]\n"
        "agent: {tone: {freq_hz: 300.0, level: 0.2}}\n"
        "grid: {window: [10, 20]}\n"
    )
    studies = compose(["study=mine", "agent.tone.level=0.3"], [tmp_path]).studies
    assert [s.window_s for s in studies] == [10.0, 20.0]
    assert [s.pairing.b.params["freq_hz"] for s in studies] == [300.0, 300.0]
    assert [s.pairing.b.params["level"] for s in studies] == [0.3, 0.3]
    (one,) = compose(["study=mine", "window=12"], [tmp_path]).studies
    assert one.window_s == 12.0


def test_the_printed_configuration_shows_them_in_the_seats(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["plan", "pairing=tone_tone", "task=t2", "agent.tone.freq_hz=300", "window=10", "--cfg", "job"]
    assert run(argv) == 0
    shown = yaml.safe_load(capsys.readouterr().out)
    assert shown["window_s"] == 10
    assert shown["pairing"]["a"]["params"]["freq_hz"] == shown["pairing"]["b"]["params"]["freq_hz"] == 300


BAD = [
    (["agent.tome.freq_hz=3"], "no 'tome' in the pairing, there sit echo, tone; did you mean 'tone'?"),
    (["agent.tone.frq_hz=3"], "unknown key 'agent.tone.frq_hz'; did you mean 'freq_hz'?"),
    (["agent.tone.vioce=x"], "did you mean 'voice'?"),
    (["agent.tone.freq_hz=-3"], "agent.tone.freq_hz = -3: input should be greater than 0"),
    (["agent.tone.freq_hz=100,x"], "agent.tone.freq_hz = 'x': input should be a valid number"),
    (["agent.tone.voice=3"], "agent.tone.voice = 3: input should be a valid string"),
    (["agent.tone=3"], "agent.tone.KEY=VALUE"),
    (["agent=tone"], "agent@pairing.a=NAME"),
    (["agent.tone.freq_hz=[1"], "cannot read"),
    (["window=0"], "window_s = 0"),
    (["pairing.b.params.freq_hz=-3", "agent.tone.level=0.2"], "pairing.b.params.freq_hz = -3"),
    (["pairing.a=3", "agent.tone.level=0.2"], "pairing.a.KEY=VALUE"),
    (["pairing=bold_shy", "agent.cascade.temperament.yeilding=1"],
     "unknown key 'agent.cascade.temperament.yeilding'; did you mean 'yielding'?"),
    (["pairing=bold_shy", "agent.cascade.temperament.yielding=2"], "agent.cascade.temperament.yielding = 2:"),
]  # fmt: skip


@pytest.mark.parametrize(("overrides", "message"), BAD)
def test_bad_settings_are_one_line_and_exit_2(
    overrides: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairing = [] if overrides[0].startswith("pairing=") else ["pairing=echo_tone"]
    assert run(["plan", *pairing, *overrides, f"store={tmp_path / 'store'}"]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.count("\n") == 1
    assert not out
