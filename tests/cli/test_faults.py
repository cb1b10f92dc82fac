"""A user's configuration that cannot be read is named by file and line, with what to do; exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.cli.compose import compose
from dyad.cli.main import run
from dyad.spec.study import StudyConfig

AGENT = "defaults:\n  - base/tone@_here_\n  - _self_\n"


def conf(folder: Path, name: str, text: str | bytes) -> Path:
    """A folder of configuration with one file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def refusal(folder: Path, capsys: pytest.CaptureFixture[str], *overrides: str) -> str:
    argv = ["plan", "--config-dir", str(folder), "pairing=tone_tone", "task=t2", *overrides]
    assert run([*argv, f"store={folder / 'store'}"]) == 2
    out, err = capsys.readouterr()
    assert err.count("\n") == 1
    assert "internal error" not in err
    assert not out
    return err


@pytest.mark.parametrize(
    ("text", "line", "cure"),
    [
        (f"{AGENT}name: hum\nname: hum2\n", 5, "name: field stands twice; remove one"),
        (f"{AGENT}name: hum\n\tparams: 3\n", 5, "indent with spaces"),
        (f"{AGENT}name: hum\nparams: {{level: 0.1\n", 6, "close the bracket"),
        (f"{AGENT}name: ${{foo.bar}}\n", 4, "${foo.bar} is no key of the configuration"),
        (f"{AGENT}name: ${{pairing.nam}}\n", 4, "did you mean 'pairing.name'?"),
        (f"{AGENT}name: ${{name\n", 4, "cannot read ${...}; close it, as ${KEY}"),
        (
            f"{AGENT}name: ${{oc.env:NO_SUCH_VARIABLE}}\n",
            4,
            "environment variable 'NO_SUCH_VARIABLE'; set it",
        ),
        (f"{AGENT}name: ${{oc.enw:HOME}}\n", 4, "there is no function of ${...} 'oc.enw'"),
        (f"{AGENT}name: hum # caf\u00e9\n".encode("latin-1"), 4, "save the file as UTF-8"),
        ("defaults:\n  - base/tonne@_here_\n  - _self_\nname: hum\n", 2, "there is no 'agent/base/tonne'"),
    ],
)
def test_a_broken_file_is_named_with_its_line(
    text: str | bytes, line: int, cure: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = conf(tmp_path, "agent/hum.yaml", text)
    err = refusal(folder, capsys, "agent@pairing.a=hum")
    assert err.startswith(f"dyad: {tmp_path / 'agent/hum.yaml'}:{line}: ")
    assert cure in err


@pytest.mark.parametrize(
    ("override", "cure"),
    [
        ("pairing.name=${foo}", "'pairing.name=${foo}': ${foo} is no key"),
        ("pairing.name=${oc.env:NO_SUCH_VARIABLE}", "there is no environment variable 'NO_SUCH_VARIABLE'"),
        ("window_s=${window_s}", "'window_s=${window_s}': ${...} leads back to itself"),
        ("channel.ab.gian=1", "unknown key 'channel.ab.gian'; did you mean 'gain'?"),
        ("channel.ab.gain=-1", "channel.ab.gain = -1: "),
        ("channel.ab=3", "channel.ab.KEY=VALUE"),
        ("hydra.run.dir=x", "use store=DIR"),
        ("+hydra.sweep.dir=x", "use store=DIR"),
        ("hydra/launcher=joblib", "use launcher=NAME"),
        ("hydra.job.name=x", "use name=NAME"),
        ("hydra.verbose=true", "use --debug"),
        ("hydra.hydra_help.header=x", "has no effect here; leave it out"),
        ("pairing.name=true", "put a name in quotes"),
    ],
)
def test_a_broken_override_is_named(
    override: str, cure: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cure in refusal(tmp_path, capsys, override)


@pytest.mark.parametrize(
    ("file", "text", "override", "cure"),
    [
        ("agent/hum.yaml", f"{AGENT}name: no\n", "agent@pairing.a=hum", "pairing.a.name = False"),
        ("study/mine.yaml", "name: on\n", "study=mine", "name = True: "),
        ("study/mine.yaml", "task: no\n", "study=mine", "mine.yaml: task: YAML takes"),
        ("study/mine.yaml", "grid: {task: [t1, off]}\n", "study=mine", "grid.task: YAML takes"),
        ("study/mine.yaml", "agent: {yes: {level: 0.1}}\n", "study=mine", "'True' is a key: YAML takes"),
    ],
)
def test_a_name_that_yaml_reads_as_a_truth_value_is_refused(
    file: str, text: str, override: str, cure: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    err = refusal(conf(tmp_path, file, text), capsys, override)
    assert cure in err
    assert "YAML takes yes, no, on and off" in err
    assert "in quotes" in err


def test_one_direction_of_the_line_is_set_like_any_key() -> None:
    (study,) = compose(["pairing=tone_tone", "channel.ab.gain=0.5"]).studies
    assert (study.channel.ab.gain, study.channel.ba.gain) == (0.5, 1.0)


@pytest.mark.parametrize("name", ["stuff of the café", "l'été", "a (1)", "Ünïcode", "日本"])
def test_paths_need_no_quotes_of_hydras(name: str, tmp_path: Path) -> None:
    folder = conf(tmp_path / name, "channel/faint.yaml", "defaults: [clean]\ngain: 0.1\n")
    (tmp_path / name / "scenarios").mkdir()
    overrides = ["pairing=tone_tone", "channel=faint", f"store={folder}", f"scenario_dirs=[{folder}]"]
    (study,) = compose(overrides, [folder]).studies
    assert (study.store, study.scenarios.dirs) == (str(folder), (str(folder),))
    assert study.channel.ab.gain == 0.1


def mine(folder: Path, text: str, *overrides: str) -> list[StudyConfig]:
    return list(compose(["study=mine", *overrides], [conf(folder, "study/mine.yaml", text)]).studies)


def test_a_study_file_says_what_a_command_line_says(tmp_path: Path) -> None:
    text = "name: mine\npairing: echo_tone\ntask: t1_1\nwindow_s: 9\nasr: sphinx\ngrid: {seed: [1, 2]}\n"
    said = ["name=mine", "pairing=echo_tone", "task=t1_1", "window_s=9", "asr=sphinx", "seed=1,2"]
    assert mine(tmp_path, text) == list(compose(said).studies)
    assert mine(tmp_path, f"# @package _global_\n{text}") == list(compose(said).studies)
    changed = ["pairing=tone_tone", "pairing.a.voice=", "window_s=7"]
    assert mine(tmp_path, text, *changed) == list(compose([*said, *changed]).studies)


def test_a_study_file_may_seat_two_agents(tmp_path: Path) -> None:
    (study,) = mine(tmp_path, "pairing: [echo, tone]\ntask: t1_1\n")
    assert (study.pairing.a.name, study.pairing.b.name, study.pairing.name) == ("echo", "tone", "echo_tone")
    (study,) = mine(tmp_path, "defaults: [override /task: t3]\npairing: echo_tone\n")  # Hydra's way, too
    assert (study.task.name, study.pairing.name) == ("t3", "echo_tone")


def test_a_list_of_another_group_is_no_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = conf(tmp_path, "study/mine.yaml", "task: [t1, t2]\n")
    assert "write grid: {task: [t1,t2]} to sweep" in refusal(folder, capsys, "study=mine")
