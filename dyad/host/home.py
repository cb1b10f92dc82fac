"""Where a hosted agent comes from, and where its parts lie on this machine: environment, code, weights."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

HUB_PAGE = "https://huggingface.co"


@dataclass(frozen=True)
class Code:
    """Upstream source that no package index has: a git repository at a commit, put on the import path.

    `folder` is the part of it that holds the packages.
    """

    url: str
    commit: str
    licence: str
    folder: str = ""

    @property
    def name(self) -> str:
        """The repository's own name."""
        return self.url.rstrip("/").removesuffix(".git").rpartition("/")[2]


@dataclass(frozen=True)
class Weights:
    """A repository of the Hugging Face hub; `size_gb` is the download.

    `files` are patterns of what is used of it, empty for all; something must match each of them. Of one that
    is `private`, or may be, the hub tells who has not logged in that there is no such repository.
    """

    repo: str
    licence: str
    size_gb: float
    gated: bool = False
    files: tuple[str, ...] = ()
    private: bool = False

    @property
    def name(self) -> str:
        """The repository's own name."""
        return self.repo.rpartition("/")[2]

    @property
    def page(self) -> str:
        """Where the weights and their licence are published."""
        return f"{HUB_PAGE}/{self.repo}"

    @property
    def download(self) -> str:
        """The command that fetches it."""
        return " ".join(["hf download", self.repo, *(f"--include '{pattern}'" for pattern in self.files)])

    @property
    def terms(self) -> str:
        """What to accept before a download, in one line."""
        login = "; where the hub finds none, it is still private: run hf auth login, or set HF_TOKEN"
        return terms(self.repo, self.licence, self.gated) + (login if self.private else "")


@dataclass(frozen=True)
class Home:
    """What an agent needs beside dyad. `python` is the version of its interpreter, as X.Y.

    `requirements` are the locked packages of its environment; without, dyad brings them: conf/envs/NAME.txt.
    gpu_gb, row_gb: memory on a GPU of one worker and of each of its rows, as far as anybody has said.
    """

    name: str
    python: str
    code: tuple[Code, ...] = ()
    weights: tuple[Weights, ...] = ()
    gpu_gb: float = 0.0
    row_gb: float = 0.0
    requirements: Path | None = None


def terms(repo: str, licence: str, gated: bool) -> str:
    """Say under which licence a repository of the hub is, and how to accept it."""
    page = f"{HUB_PAGE}/{repo}"
    if gated:
        return f"{repo} is gated ({licence}): accept that at {page}, then run hf auth login, or set HF_TOKEN"
    return f"{repo} is published under: {licence}; who downloads it accepts that, see {page}"


def data_home() -> Path:
    """Return the folder for what dyad installs: DYAD_HOME, else that of the user's data."""
    if own := os.environ.get("DYAD_HOME"):
        return Path(own).expanduser()
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "dyad"


def environment(name: str, chosen: str = "") -> Path:
    """Return the folder of an agent's virtual environment, whether it is there or not."""
    return Path(chosen).expanduser() if chosen else data_home() / "envs" / name


def interpreter(folder: Path) -> Path:
    """Return the Python of a virtual environment."""
    return folder / "bin" / "python"


def hub_cache() -> Path:
    """Return where the hub's clients keep what they download."""
    if own := os.environ.get("HF_HUB_CACHE"):
        return Path(own).expanduser()
    return Path(os.environ.get("HF_HOME") or Path.home() / ".cache/huggingface").expanduser() / "hub"


def snapshot(weights: Weights, revision: str) -> Path | None:
    """Return the folder of a revision in the hub's cache, named after its commit; None where it is not."""
    cached = hub_cache() / f"models--{weights.repo.replace('/', '--')}"
    ref = cached / "refs" / revision
    commit = ref.read_text("ascii").strip() if ref.is_file() else revision
    folder = cached / "snapshots" / commit
    return folder if folder.is_dir() else None


def unfinished(folder: Path, weights: Weights) -> str:
    """Name a file that some weights lack, as after a download that broke off; empty if none is known of."""
    for pattern in weights.files:
        if not any(folder.glob(pattern)):
            return pattern
    for index in folder.rglob("*.index.json"):  # of files that were cut in parts, which lie beside it
        within = index.parent.relative_to(folder)
        parts = json.loads(index.read_text("utf-8")).get("weight_map", {}).values()
        used = [within / part for part in set(parts) if _is_used(within / part, weights)]
        if missing := sorted(str(part) for part in used if not (folder / part).is_file()):
            return missing[0]
    return ""


def _is_used(file: Path, weights: Weights) -> bool:
    """Tell whether a file of a repository is fetched; the hub's patterns reach into folders."""
    return not weights.files or any(fnmatch(file.as_posix(), pattern) for pattern in weights.files)
