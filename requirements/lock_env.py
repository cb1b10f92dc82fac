"""Locks the environment of one hosted agent: `python requirements/lock_env.py conf/envs/NAME.in` (needs uv).

Lines of NAME.in say how: `# python X.Y`; `# until DATE`, as nothing newer was there when the model was
published; `# without PACKAGE`, which is resolved and then left out. Of every release only the files that fit
that Python on Linux x86_64 are named, by their hashes.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

PLATFORM = "x86_64-manylinux_2_28"
OPTIONS = {
    "python": "--python-version={}",
    "until": "--exclude-newer={}",
    "without": "--no-emit-package={0} --exclude-newer-package={0}=false",
}


def resolved(source: Path, said: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the packages that uv resolves, each with the files that fit."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "pylock.toml"
        command = ["uv", "pip", "compile", "--quiet", "--generate-hashes", "--format", "pylock.toml"]
        how = [word for key, value in said for word in OPTIONS[key].format(value).split()]
        subprocess.run([*command, "--python-platform", PLATFORM, *how, source, "-o", out], check=True)
        packages: list[dict[str, Any]] = tomllib.loads(out.read_text("utf-8"))["packages"]
    return packages


def line(package: dict[str, Any]) -> str:
    """Return a package as a line of requirements; one without a wheel is built from its source."""
    files = package.get("wheels") or [package["sdist"]]
    hashes = sorted(f"--hash=sha256:{file['hashes']['sha256']}" for file in files)
    return " ".join([f"{package['name']}=={package['version']}", *hashes])


def main() -> None:
    """Write NAME.txt beside NAME.in."""
    source = Path(sys.argv[1])
    said = re.findall(rf"^# ({'|'.join(OPTIONS)}) (\S+)$", source.read_text("utf-8"), re.MULTILINE)
    packages = resolved(source, said)
    built = [package["name"] for package in packages if not package.get("wheels")]
    python = dict(said)["python"]
    notes = [f"# Locked by `make lock-envs` from {source.name}, for Python {python} on Linux x86_64."]
    notes += [f"# Built from source, as there is no wheel: {', '.join(built)}."] if built else []
    source.with_suffix(".txt").write_text("\n".join([*notes, *map(line, packages)]) + "\n", "utf-8")


if __name__ == "__main__":
    main()
