"""A stand-in for a service in a process of its own, and what a test tells and asks it."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Server:
    """A stand-in that runs."""

    port: int

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def change(self, **settings: Any) -> None:
        """Set what goes wrong, or how it behaves."""
        body = json.dumps(settings).encode()
        urllib.request.urlopen(f"{self.url}/_faults", body, timeout=200).close()

    def get(self, what: str) -> Any:
        """Return its `stats` or `bodies`."""
        with urllib.request.urlopen(f"{self.url}/_{what}", timeout=200) as answer:
            return json.load(answer)

    def asked(self, endpoint: str) -> int:
        """Return how often an endpoint was asked, whatever became of it."""
        return int(self.get("stats")["asked"].get(endpoint, 0))


@contextmanager
def running(script: str, *options: str) -> Iterator[Server]:
    """Run a server of this folder until the block ends."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield Server(int(process.stdout.readline()))
    finally:
        process.terminate()
        process.communicate()
