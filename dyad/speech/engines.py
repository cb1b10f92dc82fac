"""Where the speech engines come from: optional packages, and one copy of a loaded model per process."""

from __future__ import annotations

import hashlib
import importlib
import os
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dyad.errors import Missing

INSTALL = 'pip install ".[cascade]"'
INSTALL_LANGUAGES = 'pip install ".[languages]"'


def need(module: str, install: str = INSTALL) -> Any:
    """Import an optional module, or raise Missing with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        lack = f"the speech parts need the package '{module}' ({error}); run: {install}"
        raise Missing([lack]) from error


def package_file(package: str, *parts: str, install: str = INSTALL) -> Path:
    """Return a data file of an installed package without running the package's code.

    Raises Missing when the package or the file is missing.
    """
    spec = find_spec(package)
    places = list(spec.submodule_search_locations or ()) if spec else []
    path = Path(places[0], *parts) if places else None
    if path is None or not path.is_file():
        raise Missing([f"'{'/'.join((package, *parts))}' is not installed; run: {install}"])
    return path


def package_version(package: str, install: str = INSTALL) -> str:
    """Return the version of an installed distribution; raises Missing when it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        raise Missing([f"'{package}' is not installed; run: {install}"]) from None


def onnx_session(model: Path | bytes) -> Any:
    """Load an ONNX model on one CPU thread; many rows share a machine, and one thread repeats bit for bit."""
    ort = need("onnxruntime")
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    source = model if isinstance(model, bytes) else str(model)
    return ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])


def read_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; each path is read once per process."""
    return read_sha256(path)


def cache_dir() -> Path:
    """Return dyad's per-user cache folder: `$XDG_CACHE_HOME/dyad`, else `~/.cache/dyad`."""
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base) / "dyad" if base else Path.home() / ".cache" / "dyad"
