"""The locks that the repository keeps, and the states of an environment."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dyad import registry
from dyad.bridge.protocol import family_of
from dyad.errors import ConfigError
from dyad.hear.ears import ears_of
from dyad.host.envs import STATE_FILE, finish, lack_of, lock_of, packages_of, recipe, state_of
from dyad.host.family import HostedFamily
from dyad.host.home import Code, Home, environment, interpreter
from dyad.library import builtin_root

LOCKS = sorted((builtin_root() / "conf/envs").glob("*.txt"))
HEARING = {name: home for name in registry.names("asr") if (home := ears_of(name).home)}
HOSTED = [f for name in registry.names("agents") if isinstance(f := family_of(name), HostedFamily)]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("DYAD_HOME", str(tmp_path / "home"))
    lock = tmp_path / "stone.txt"
    lock.write_text("numpy==2.2.6 --hash=sha256:00\n")
    return Home("stone", "3.10", (Code("https://example.org/stones", 40 * "1", "MIT"),), requirements=lock)


def made(home: Home) -> Path:
    """Pretend to make an environment, up to its last step."""
    folder = environment(home.name)
    interpreter(folder).parent.mkdir(parents=True)
    interpreter(folder).touch()
    return folder


def test_every_hosted_agent_has_a_lock() -> None:
    own = {f.name for f in HOSTED if f.home.requirements is None and f.parts.__module__ == "dyad.host.family"}
    assert {"raon", "minicpm_o", "lychee_fd", "nemotron_voicechat", "freeze_omni", "bayling_duplex", "vita",
            "duplex_cascade"} <= own  # fmt: skip
    assert {lock.stem for lock in LOCKS} <= own | set(HEARING)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_a_lock_pins_by_hash_for_the_python_of_its_agent(lock: Path) -> None:
    home = {**{family.name: family.home for family in HOSTED}, **HEARING}[lock.stem]
    asked = lock.with_suffix(".in").read_text("utf-8")
    assert re.findall(r"^# python (\S+)$", asked, re.M) == [home.python]
    assert lock.stat().st_size < 200_000
    packages = packages_of(lock_of(home))
    assert all(re.fullmatch(r"[a-z0-9-]+==[^ ]+( --hash=sha256:[0-9a-f]{64})+", line) for line in packages)
    names = [line.partition("==")[0] for line in packages]
    assert len(set(names)) == len(names)
    wanted = [re.split(r"[\[=<> ]", line)[0] for line in packages_of(lock.with_suffix(".in"))]
    left_out = re.findall(r"^# without (\S+)$", asked, re.M)
    assert set(wanted) - set(left_out) <= set(names)
    assert not set(left_out) & set(names)
    assert "numpy" in names  # the worker's only need


@pytest.mark.parametrize("family", HOSTED, ids=lambda family: family.name)
def test_code_is_named_by_a_whole_commit(family: HostedFamily) -> None:
    assert all(re.fullmatch(r"[0-9a-f]{40}", code.commit) for code in family.home.code)


def test_an_environment_goes_from_missing_to_ready(home: Home) -> None:
    assert state_of(home) == "missing"
    folder = made(home)
    assert state_of(home) == "broken"
    finish(home, folder)
    assert state_of(home) == "ready"
    assert json.loads((folder / STATE_FILE).read_text())["recipe"] == recipe(home)
    (folder / STATE_FILE).write_text('{"agent":')
    assert state_of(home) == "broken"
    finish(home, folder)
    interpreter(folder).unlink()
    assert state_of(home) == "broken"


def test_what_it_is_made_from_outdates_it(home: Home) -> None:
    finish(home, made(home))
    lock = lock_of(home)
    lock.write_text("# a comment\n" + lock.read_text())
    assert state_of(home) == "ready"
    assert state_of(replace(home, python="3.11")) == "outdated"
    assert state_of(replace(home, code=(replace(home.code[0], commit=40 * "2"),))) == "outdated"
    lock.write_text(lock.read_text().replace("2.2.6", "2.2.7"))
    assert state_of(home) == "outdated"


def test_a_folder_that_the_user_chose_needs_a_python(home: Home, tmp_path: Path) -> None:
    chosen = tmp_path / "own"
    assert state_of(home, str(chosen)) == "missing"
    chosen.mkdir()
    assert state_of(home, str(chosen)) == "broken"
    (chosen / "bin").mkdir()
    (chosen / "bin/python").touch()
    assert state_of(home, str(chosen)) == "ready"
    assert "correct agent.stone.env" in lack_of(home, "broken", str(chosen))


def test_an_agent_without_a_lock_says_whose_it_is_and_the_other_way(tmp_path: Path) -> None:
    how = r"its family gives their file with Home\(requirements=PATH\); .* agent\.stone\.env=FOLDER$"
    with pytest.raises(ConfigError, match=rf"no locked requirements; {how}"):
        lock_of(Home("stone", "3.10"))
    gone = tmp_path / "gone.txt"
    with pytest.raises(ConfigError, match=rf"no locked requirements \({gone} is no file\); {how}"):
        lock_of(Home("stone", "3.10", requirements=gone))


def test_each_state_says_what_to_do(home: Home) -> None:
    command = "python -m dyad agents install stone"
    assert lack_of(home, "missing").endswith(f"has no environment; run: {command}")
    assert lack_of(home, "broken").endswith(f"run: {command}")
    assert lack_of(home, "outdated").endswith(f"run: {command} force=true")
