"""`agents install` for real: a second interpreter with packages and code of its own, and a study in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from dyad.bridge.protocol import family_of
from dyad.cli.main import run
from dyad.errors import ConfigError
from dyad.host.envs import STATE_FILE, state_of
from dyad.host.family import HostedFamily
from dyad.host.home import Code, Home, environment
from dyad.host.install import find_python, install
from tests.host.pebble import NAME, quarry, with_lock

pytestmark = pytest.mark.xdist_group("install")  # what is set up once is set up by one worker

STUDY = [
    "agent@pairing.a=base/pebble", "agent@pairing.b=tone", "pairing.name=pebble_tone", "task=t3_1",
    "scenarios.limit=1", "window_s=2", "design.repetitions=1", "launcher=serial",
    "report.bootstrap=0", "report.permutations=0",
]  # fmt: skip


@pytest.fixture(scope="module")
def world() -> Iterator[pytest.MonkeyPatch]:
    """An environment of our own: no package index, and no uv."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("PIP_CONFIG_FILE", "/dev/null")
        yield patch


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, world: pytest.MonkeyPatch) -> Home:
    """An agent that is a plug-in, installed by the command, once for all tests."""
    folder = tmp_path_factory.mktemp("quarry")
    world.setenv("PIP_FIND_LINKS", str(folder / "wheels"))
    world.setenv("DYAD_HOME", str(folder / "home"))
    family = quarry(folder)
    about = folder / "site/pebble-1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: pebble\nVersion: 1\n")
    (about / "entry_points.txt").write_text(f"[dyad.agents]\n{NAME} = pebble_plug_in:FAMILY\n")
    (about.parent / "pebble_plug_in.py").write_text(
        "from pathlib import Path\n"
        "from dyad.host.home import Code, Home\n"
        "from tests.host.pebble import family\n"
        f"code = Code({family.home.code[0].url!r}, {family.home.code[0].commit!r}, 'MIT', 'lib')\n"
        f"lock = Path({str(family.home.requirements)!r})\n"
        f"FAMILY = family(Home({NAME!r}, {family.home.python!r}, (code,), requirements=lock))\n"
    )
    world.syspath_prepend(str(about.parent))
    assert state_of(family.home) == "missing"
    assert run(["agents", "install", NAME]) == 0
    return family.home


@pytest.fixture
def begun(home: Home) -> Iterator[Home]:
    """The same agent as if its installation had broken off at the end."""
    state = environment(NAME) / STATE_FILE
    text = state.read_text()
    state.unlink()
    yield home
    state.write_text(text)


def refused(home: Home, **how: object) -> str:
    with pytest.raises(ConfigError) as caught:
        install(home, say=lambda line: None, **how)  # type: ignore[arg-type]
    line = str(caught.value)
    assert "\n" not in line
    return line


@pytest.mark.usefixtures("workers_end")
def test_a_study_is_played_in_the_second_interpreter(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store"
    assert run(["run", *STUDY, f"store={store}"]) == 0, capsys.readouterr().err
    (one, *_) = (store / "runs").rglob("manifest.json")
    made = environment(NAME)
    assert str(made) in one.read_text()  # the prefix of the worker's interpreter
    assert str(made / "src/pebbles/lib") in one.read_text()


def test_doctor_names_the_memory_of_the_worker(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", "agent=base/pebble", "--json"]) == 0
    checks = {check["check"]: check for check in json.loads(capsys.readouterr().out)}
    assert "GB at most in 1 worker process" in checks["memory"]["note"]
    assert 0.01 < float(checks["memory"]["note"].split()[0]) < 1
    assert "text differs never, audio from tick 15 on (+0)" in checks["input"]["note"]
    assert str(environment(NAME)) in checks["numerics"]["note"]


def test_doctor_shows_the_end_of_the_log_of_what_does_not_load(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["doctor", "agent=base/pebble", "agent.pebble.broken=true"]) == 2
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("FAIL loads        the worker of agent 'pebble' ended with exit code 3 at load")
    assert "     | reading layer 7 of 9" in out


def test_what_is_finished_stays(home: Home) -> None:
    (environment(NAME) / "mine").touch()
    said: list[str] = []
    install(home, say=said.append)
    assert said == [f"{environment(NAME)} is ready; force=true makes it anew"]
    assert "of another lock" in refused(with_lock(home, "other==1.0\n"))
    assert "is Python" in refused(replace(home, python="3.99"), python=shutil.which("python3"), force=True)
    assert "needs Python 3.99" in refused(replace(home, python="3.99"), force=True)
    assert (environment(NAME) / "mine").exists()  # also where making it anew is not possible


def interrupted(home: Home, at: str) -> list[str]:
    """Return what is said until Ctrl-C, at the first line that starts so, and after it."""
    said: list[str] = []

    def say(line: str) -> None:
        said.append(line)
        if line.startswith(at) and sum(other.startswith(at) for other in said) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(home, force=True, say=say)
    return said


def test_force_that_fails_keeps_what_was_finished(home: Home) -> None:
    (environment(NAME) / "mine").touch()
    for other in (home, with_lock(home, "nothing==1.0\n")):  # ready, and of another lock
        assert interrupted(other, "environment")[-1] == f"kept        {environment(NAME)} as it was"
    assert interrupted(home, "  ")[-1].startswith("kept ")  # from pip
    assert state_of(home) == "ready"
    assert (environment(NAME) / "mine").exists()
    assert [folder.name for folder in environment(NAME).parent.iterdir()] == [NAME]


def test_an_attempt_that_was_killed_loses_nothing(home: Home) -> None:
    folder, aside = environment(NAME), environment(f"{NAME}.old")
    folder.rename(aside)
    folder.mkdir()
    (folder / "pyvenv.cfg").touch()
    assert state_of(home) == "broken"
    interrupted(home, "environment")
    assert state_of(home) == "ready"
    assert not aside.exists()


def test_what_lies_aside_goes_only_if_it_is_an_environment(begun: Home) -> None:
    aside = environment(f"{NAME}.old")
    aside.mkdir()
    (aside / "pyvenv.cfg").touch()
    install(begun, say=lambda line: None)
    assert not aside.exists()
    aside.mkdir()
    (aside / "letters.txt").touch()
    assert f"{aside} is no virtual environment" in refused(begun, force=True)
    assert state_of(begun) == "ready"
    shutil.rmtree(aside)


def test_a_broken_installation_goes_on(begun: Home) -> None:
    assert state_of(begun) == "broken"
    code = environment(NAME) / "src/pebbles/lib/pebbles/__init__.py"
    code.unlink()
    said: list[str] = []
    install(begun, say=said.append)
    assert state_of(begun) == "ready"
    assert any("is begun; going on" in line for line in said)
    assert sum("already satisfied" in line for line in said) == 2
    assert "halved" in code.read_text()


def test_pip_that_fails_is_its_last_line(begun: Home, world: pytest.MonkeyPatch) -> None:
    lock = begun.requirements
    assert lock
    text = lock.read_text()
    gone = with_lock(begun, "nothing==1.0 --hash=sha256:" + 64 * "0" + "\n")
    assert "pip failed: ERROR: No matching distribution found for nothing==1.0" in refused(gone)
    other = text.replace("wholes==1.0", "wholes==1.0 --force-reinstall").replace("sha256:", "sha256:0")
    assert refused(with_lock(begun, other)).startswith("pip failed: ERROR: ")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PIP_NO_INDEX")
        patch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
        patch.setenv("PIP_RETRIES", "1")
        line = refused(gone)
    assert "No matching distribution found for nothing==1.0 (no network" in line
    assert state_of(begun) == "broken"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"commit": 40 * "0"}, "git cannot fetch pebbles at 000000000000 from file://"),
        ({"url": "file:///nowhere/pebbles"}, "git cannot fetch pebbles at"),
        ({"folder": "library"}, "src/pebbles/library is not in the fetched code"),
    ],
)
def test_code_that_cannot_be_had_is_one_line(begun: Home, change: dict[str, str], line: str) -> None:
    if "url" in change:
        shutil.rmtree(environment(NAME) / "src")
    assert line in refused(replace(begun, code=(replace(begun.code[0], **change),)))
    assert state_of(begun) == "broken"
    install(begun, say=lambda line: None)


def test_force_makes_it_anew(home: Home) -> None:
    (environment(NAME) / "mine").touch()
    other = replace(home, code=())
    install(other, force=True, say=lambda line: None)
    assert state_of(other) == "ready"
    assert state_of(home) == "outdated"
    assert not (environment(NAME) / "mine").exists()
    assert not (environment(NAME) / "src").exists()


def test_a_folder_that_is_no_environment_is_left_alone(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYAD_HOME", str(tmp_path))
    theirs = environment(NAME) / "letters.txt"
    theirs.parent.mkdir(parents=True)
    theirs.touch()
    for force in (False, True):
        assert "is no virtual environment" in refused(home, force=force)
    assert theirs.exists()


def test_without_git_or_python_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYAD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path))
    lock = tmp_path / "lock.txt"
    lock.touch()
    code = Code("https://example.org/stones", 40 * "1", "MIT")
    assert "install git" in refused(Home("stone", "3.10", (code,), requirements=lock))
    line = refused(Home("stone", "3.99", requirements=lock))
    assert "needs Python 3.99, which is not here; install it, or uv" in line
    assert "python -m dyad agents install stone python=PATH" in line
    assert "does not run as Python" in refused(
        Home("stone", "3.99", requirements=lock), python="/bin/nothing"
    )
    assert not (tmp_path / "home").exists()


def test_locks_of_dyad_are_for_one_platform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYAD_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("dyad.host.install.LOCKED_FOR", ("Linux", "another"))
    family = family_of("duplex_cascade")
    assert isinstance(family, HostedFamily)
    line = refused(family.home)
    assert "locked for Linux another, and this is" in line
    assert "agent.duplex_cascade.env=FOLDER" in line
    assert not (tmp_path / "home").exists()


UV_WITHOUT_GITHUB = """\
error: Request failed after 3 retries in 5.9s
  cause: Failed to download `https://example.org/cpython-3.99.tar.gz`
  cause: error sending request for url (https://example.org/cpython-3.99.tar.gz)
  cause: client error (Connect)
  cause: dns error
"""


def test_uv_gets_a_python_that_is_not_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uv = tmp_path / "uv"
    uv.write_text(f"#!/bin/sh\ncat <<END\n{UV_WITHOUT_GITHUB}END\nexit 2\n")
    uv.chmod(0o755)
    monkeypatch.setenv("DYAD_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    lock = tmp_path / "lock.txt"
    lock.touch()
    stone = Home("stone", "3.99", requirements=lock)
    assert find_python(stone) == ""
    line = refused(stone)
    assert line.startswith("uv gets no Python 3.99 (name one that is here with python=PATH): ")
    assert "error sending request for url (https://example.org/cpython-3.99.tar.gz) (no network" in line
