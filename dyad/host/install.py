"""Makes the virtual environment of a hosted agent: interpreter, locked packages, upstream code."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from dyad.errors import ConfigError, DyadError

from .envs import finish, lock_of, packages_of, state_of
from .home import Code, Home, environment, interpreter
from .process import Command, Timeouts, Worker

Say = Callable[[str], None]
UNREACHABLE = (
    "NewConnectionError", "NameResolutionError", "ConnectTimeoutError",  # pip
    "Could not resolve host", "Failed to connect",  # git
    "error sending request", "Request failed after",  # uv
)  # fmt: skip
LOCKED_FOR = ("Linux", "x86_64")  # the locks that dyad brings
VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"
PURELIB = "import sysconfig; print(sysconfig.get_path('purelib'))"


def install(home: Home, python: str = "", force: bool = False, say: Say = print) -> Path:
    """Make an agent's environment, or go on where an earlier attempt stopped, and return its folder.

    `python` is the interpreter to make it with; `force` replaces a finished environment, which is lost only
    when its successor is finished, too.
    Raises ConfigError, in one line, for whatever keeps it from being made.
    """
    folder, state = environment(home.name), state_of(home)
    if state == "ready" and not force:
        say(f"{folder} is ready; force=true makes it anew")
        return folder
    if state == "outdated" and not force:
        raise ConfigError(f"{folder} is finished, but of another lock; make it anew with force=true")
    lock, finished = _checked_lock(home), state in ("ready", "outdated")
    if force:
        find_python(home, python)  # before anything is moved
    with _replaced(folder, finished, say) if force else nullcontext():
        _make(home, folder, lock, python, say)
    _remove(_aside(folder))  # also what an attempt that was killed has left
    say(f"ready       {folder}")
    return folder


@contextmanager
def _replaced(folder: Path, finished: bool, say: Say) -> Iterator[None]:
    """Make room for a new environment, and put the finished one back if that does not come about."""
    aside = _aside(folder)
    _check_removable(folder)
    if finished:
        _remove(aside)
        folder.rename(aside)
    else:
        _remove(folder)
    try:
        yield
    except BaseException:  # Ctrl-C, too
        if aside.exists():
            _remove(folder)
            aside.rename(folder)
            say(f"kept        {folder} as it was")
        raise


def _aside(folder: Path) -> Path:
    """Return where a finished environment waits while its successor is made."""
    return folder.with_name(f"{folder.name}.old")


def _make(home: Home, folder: Path, lock: Path, python: str, say: Say) -> None:
    """Make an environment step by step; what an earlier attempt has done is not done again."""
    _make_venv(home, folder, python, say)
    say(f"packages    {len(packages_of(lock))} of {lock}")
    _pip(folder, lock, say)
    for code in home.code:
        _fetch(code, folder / "src" / code.name, say)
    _put_on_path(home, folder)
    say(f"worker      {_greeting(home, folder)}")
    finish(home, folder)


def find_python(home: Home, chosen: str = "") -> str:
    """Return an interpreter of the version that an agent needs; empty where only uv can get one.

    Raises ConfigError when there is none.
    """
    if chosen:
        found = version_of(chosen)
        if found != home.python:
            what = f"is Python {found}" if found else "does not run as Python"
            raise ConfigError(f"{chosen} {what}; agent '{home.name}' needs Python {home.python}")
        return chosen
    for python in (f"python{home.python}", sys.executable):
        if version_of(python) == home.python:
            return python
    if shutil.which("uv"):
        return ""
    raise ConfigError(
        f"agent '{home.name}' needs Python {home.python}, which is not here; install it, or uv, which "
        f"fetches it (pip install uv), or name one: python -m dyad agents install {home.name} python=PATH"
    )


def _checked_lock(home: Home) -> Path:
    """Return the lock of an agent that can be installed here; raises ConfigError otherwise."""
    if home.code and not shutil.which("git"):
        raise ConfigError(f"agent '{home.name}' has code of its own, which git fetches; install git")
    here = (platform.system(), platform.machine())
    if home.requirements is None and here != LOCKED_FOR:
        raise ConfigError(
            f"the packages of agent '{home.name}' are locked for {' '.join(LOCKED_FOR)}, and this is "
            f"{' '.join(here)}; make an environment by hand and give it: agent.{home.name}.env=FOLDER"
        )
    return lock_of(home)


def version_of(python: str) -> str:
    """Return the version of an interpreter as X.Y; empty when it does not run."""
    try:
        ran = subprocess.run([python, "-c", VERSION], capture_output=True, text=True, env=_clean())
    except OSError:
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""


def _make_venv(home: Home, folder: Path, chosen: str, say: Say) -> None:
    """Make the virtual environment, unless an earlier attempt has left a good one."""
    if version_of(str(interpreter(folder))) == home.python and _has_pip(folder):
        say(f"environment {folder} is begun; going on")
        return
    _remove(folder)
    python = find_python(home, chosen)
    words, failed = [python, "-m", "venv"], f"{python} makes no virtual environment"
    if not python:
        words = ["uv", "venv", "--seed", "--python", home.python]
        failed = f"uv gets no Python {home.python} (name one that is here with python=PATH)"
    say(f"environment {folder} with {python or 'uv'}, Python {home.python}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    _run([*words, str(folder)], failed)


def _has_pip(folder: Path) -> bool:
    words = [str(interpreter(folder)), "-c", "import pip"]
    return subprocess.run(words, capture_output=True, env=_clean()).returncode == 0


def _pip(folder: Path, lock: Path, say: Say) -> None:
    """Install exactly what a lock names; what is there already stays."""
    pip = [str(interpreter(folder)), "-m", "pip", "install", "--progress-bar", "off"]
    # old sources are built with tools of today, which pip fetches for that
    how = ["--use-pep517", "--no-deps", "--require-hashes", "-r", str(lock)]
    _run([*pip, *how], "pip failed", lambda line: say(f"  {line}"))


def _fetch(code: Code, folder: Path, say: Say) -> None:
    """Fetch one commit of a repository, without its history."""
    said = f"{code.name} at {code.commit[:12]}"
    if _head(folder) == code.commit:
        say(f"code        {said} is there")
        return
    say(f"code        {said} from {code.url}")
    failed = f"git cannot fetch {said} from {code.url}"
    folder.mkdir(parents=True, exist_ok=True)
    _run(["git", "-C", str(folder), "init", "--quiet"], failed)
    _run(["git", "-C", str(folder), "fetch", "--depth", "1", "--", code.url, code.commit], failed)
    _run(["git", "-C", str(folder), "checkout", "--quiet", "--force", "--detach", code.commit], failed)


def _head(folder: Path) -> str:
    """Return the commit of a checkout that has all its files; empty where there is none."""
    if not (folder / ".git").is_dir():
        return ""
    asked = [["rev-parse", "HEAD"], ["status", "--porcelain", "--untracked-files=no"]]
    ran = [
        subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, env=_clean())
        for words in asked
    ]
    return ran[0].stdout.strip() if not any(one.returncode for one in ran) and not ran[1].stdout else ""


def _put_on_path(home: Home, folder: Path) -> None:
    """Let the environment's interpreter import what was fetched."""
    site = subprocess.run(
        [str(interpreter(folder)), "-c", PURELIB], capture_output=True, text=True, check=True, env=_clean()
    )
    places = [folder / "src" / code.name / code.folder for code in home.code]
    if gone := [str(place) for place in places if not place.is_dir()]:
        raise ConfigError(f"{gone[0]} is not in the fetched code; the agent names a wrong folder or commit")
    (Path(site.stdout.strip()) / "dyad.pth").write_text("".join(f"{place}\n" for place in places), "utf-8")


def _greeting(home: Home, folder: Path) -> str:
    """Start a worker in the environment, and return which versions it answers with."""
    command = Command(home.name, interpreter(folder), Path(), timeouts=Timeouts(60.0, 60.0))
    try:
        worker = Worker(command)
        try:
            versions = worker.greet()
        finally:
            worker.stop()
    except DyadError as error:
        raise ConfigError(f"the environment is made, but {error}") from error
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _remove(folder: Path) -> None:
    """Remove a virtual environment; raises ConfigError for a folder that is none."""
    _check_removable(folder)
    if folder.exists():
        shutil.rmtree(folder)


def _check_removable(folder: Path) -> None:
    """Raise ConfigError for a folder that is no virtual environment, which somebody else may need."""
    if not folder.exists():
        return
    if folder.is_symlink() or (any(folder.iterdir()) and not (folder / "pyvenv.cfg").is_file()):
        raise ConfigError(f"{folder} is no virtual environment; move it away, or set DYAD_HOME")


def _run(words: Sequence[str], failed: str, say: Say | None = None) -> None:
    """Run a command, pass on what it prints, and raise ConfigError with its last line if it fails."""
    lines = list[str]()
    try:
        with subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=_clean(),
        ) as process:
            try:
                for line in filter(None, map(str.strip, process.stdout or ())):
                    lines.append(line)
                    if say:
                        say(line)
            except BaseException:  # Ctrl-C: it must not go on writing into what is removed next
                process.kill()
                process.wait()
                raise
    except OSError as error:
        raise ConfigError(f"{failed}: {words[0]}: {error.strerror}") from None
    if process.returncode:
        raise ConfigError(f"{failed}: {_complaint(lines) or f'exit code {process.returncode}'}")


def _complaint(lines: Sequence[str]) -> str:
    """Return the line that says best why a command failed."""
    errors = [line for line in lines if line.lower().startswith(("error", "fatal"))]
    last = (errors or lines or [""])[-1]
    cut_off = [line for line in lines if any(sign in line for sign in UNREACHABLE)]
    if not cut_off:
        return last
    # the network may be there and one address of it not
    best = next((line for line in cut_off if "://" in line), last)
    return f"{best} (no network: run the same command again when there is one)"


def _clean() -> dict[str, str]:
    """Return the environment without what belongs to our own Python, and without questions on a terminal."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON") and k != "VIRTUAL_ENV"}
    return {**kept, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "GIT_TERMINAL_PROMPT": "0"}
