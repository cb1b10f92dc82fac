"""The virtual environment of a hosted agent: what it is made from, and what state it is in."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Literal

from dyad.errors import ConfigError, naming
from dyad.library import builtin_root

from .home import Home, environment, interpreter

STATE_FILE = "dyad.json"  # written last: an environment without it is not finished
State = Literal["ready", "missing", "broken", "outdated"]


def lock_of(home: Home) -> Path:
    """Return the file of an agent's locked requirements; raises ConfigError when there is none."""
    lock = home.requirements or builtin_root() / "conf" / "envs" / f"{home.name}.txt"
    if not lock.is_file():
        named = f" ({lock} is no file)" if home.requirements else ""
        raise ConfigError(
            f"agent '{home.name}' has no locked requirements{named}; its family gives their file with "
            f"Home(requirements=PATH); or make an environment by hand: agent.{home.name}.env=FOLDER"
        )
    return lock


def packages_of(lock: Path) -> list[str]:
    """Return the lines of a lock that name packages."""
    lines = (line.strip() for line in lock.read_text("utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def recipe(home: Home) -> dict[str, Any]:
    """Return all that an environment is made from: Python's version, the lock's digest, commits of code."""
    lock = hashlib.sha256("\n".join(packages_of(lock_of(home))).encode()).hexdigest()
    return {"python": home.python, "lock": lock, "code": {code.url: code.commit for code in home.code}}


def state_of(home: Home, chosen: str = "") -> State:
    """Return the state of an agent's environment; one that the user chose is ready if it has a Python."""
    folder = environment(home.name, chosen)
    if not folder.is_dir():
        return "missing"
    if not interpreter(folder).is_file():
        return "broken"
    if chosen:
        return "ready"
    made = _made(folder)
    return "broken" if made is None else "ready" if made == recipe(home) else "outdated"


def lack_of(home: Home, state: State, chosen: str = "") -> str:
    """Say in one line what is wrong with an environment, and how to get a good one."""
    command, folder = f"python -m dyad agents install {home.name}", environment(home.name, chosen)
    if chosen:
        return (
            f"agent '{home.name}' has no Python in {folder}; correct agent.{home.name}.env, or leave it out "
            f"and run: {command}"
        )
    return {
        "ready": "",
        "missing": f"agent '{home.name}' has no environment; run: {command}",
        "broken": f"the environment of agent '{home.name}' is not finished ({folder}); run: {command}",
        "outdated": f"the environment of agent '{home.name}' is of another lock; run: {command} force=true",
    }[state]


def finish(home: Home, folder: Path) -> None:
    """Note that an environment is made, and from what."""
    text = json.dumps({"agent": home.name, "recipe": recipe(home)}, indent=1)
    with naming(folder / STATE_FILE):
        (folder / STATE_FILE).write_text(text + "\n", "utf-8")


def _made(folder: Path) -> Any:
    """Return what an environment was made from; None when it was never finished."""
    try:
        return json.loads((folder / STATE_FILE).read_text("utf-8"))["recipe"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
