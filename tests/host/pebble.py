"""An agent to install: code in a git repository, packages as wheels, an adapter that needs both."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import replace
from pathlib import Path

from dyad.bridge.protocol import Caps
from dyad.host.family import Hosted, HostedFamily, HostParams, hosted
from dyad.host.home import Code, Home

NAME = "pebble"
PYTHON = "{}.{}".format(*sys.version_info)
ADAPTER = '''
"""Says half of what it hears: the half comes from its repository, the whole from a package."""
import sys

from dyad.host.worker import Said


class Model:
    own_dice = True

    def __init__(self, options, device):
        if options["broken"]:
            print("reading layer 7 of 9")
            sys.exit(3)

    def open(self, prompt, voice, seed, opens):
        return Row()

    def numerics(self):
        import pebbles

        return {"prefix": sys.prefix, "code": pebbles.__file__}


class Row:
    def step(self, tick, heard, played):
        from pebbles import halved
        from wholes import whole

        return Said(halved(whole(heard)))
'''


class PebbleParams(HostParams):
    """`broken` ends its process while it loads."""

    broken: bool = False


def quarry(folder: Path) -> HostedFamily:
    """Lay out in a folder all that the agent is installed from, and return its family."""
    repository = folder / "pebbles"
    package = repository / "lib/pebbles"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def halved(heard):\n    return heard / 2\n")
    first = commit(repository, "init", "--quiet")
    (package / "__init__.py").write_text("raise ImportError('of a later commit')\n")
    commit(repository)
    lock = folder / "pebble.txt"
    lock.write_text("# two packages\n" + wheel(folder / "wheels", "wholes", "def whole(x):\n    return x\n"))
    with lock.open("a") as lines:
        lines.write(borrowed_numpy(folder))
    (folder / "inside.py").write_text(ADAPTER)
    return family(Home(NAME, PYTHON, (Code(f"file://{repository}", first, "MIT", "lib"),), requirements=lock))


def family(home: Home) -> HostedFamily:
    assert home.requirements
    inside = home.requirements.parent / "inside.py"
    return hosted(
        Hosted(
            home, PebbleParams, lambda params: Caps(NAME, prompt="text", licence="MIT"), inside, "a pebble"
        )
    )


def with_lock(home: Home, text: str) -> Home:
    """Return the home with another lock, in a file of its own."""
    assert home.requirements
    path = home.requirements.with_name(f"{hashlib.sha256(text.encode()).hexdigest()[:8]}.txt")
    path.write_text(text)
    return replace(home, requirements=path)


def commit(repository: Path, *before: str) -> str:
    """Commit all files, and return the commit."""
    own = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    for words in ([*before], ["add", "-A"], [*own, "commit", "--quiet", "-m", "a stone"]):
        if words:
            subprocess.run(["git", "-C", repository, *words], check=True)
    told = subprocess.run(["git", "-C", repository, "rev-parse", "HEAD"], capture_output=True, check=True)
    return told.stdout.decode().strip()


def wheel(folder: Path, name: str, code: str, file: str = "") -> str:
    """Build a wheel of one file, by default the module of its name, and return its line of a lock."""
    folder.mkdir(exist_ok=True)
    about = f"{name}-1.0.dist-info"
    files = {
        file or f"{name}.py": code,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{path},sha256={_digest(text)},{len(text.encode())}" for path, text in files.items()]
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inner, text in {**files, f"{about}/RECORD": "\n".join([*record, f"{about}/RECORD,,"])}.items():
            archive.writestr(inner, text)
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


def borrowed_numpy(folder: Path) -> str:
    """Build a wheel that puts our own numpy, and nothing else of ours, on the path; return its line."""
    lent = folder / "lent"
    lent.mkdir()
    for part in ("numpy", "numpy.libs"):
        source = Path(sysconfig.get_path("platlib")) / part
        if source.exists():
            (lent / part).symlink_to(source)
    return wheel(folder / "wheels", "borrowed_numpy", f"{lent}\n", "borrowed_numpy.pth")


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
