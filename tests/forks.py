"""Processes to be killed, forked from one that has imported what they need: importing dyad costs seconds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
DRIVER = """
import json, os, sys
{main}
for line in sys.stdin:
    child = os.fork()
    if not child:
        code = 1
        try:
            code = main(*json.loads(line))
        finally:
            os._exit(code or 0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Forks:
    """The process that is forked, one child at a time."""

    process: subprocess.Popen[str]

    def start(self, *args: object) -> int:
        """Call `main` with these arguments in a child; return its id."""
        assert self.process.stdin is not None
        print(json.dumps(args), file=self.process.stdin, flush=True)
        return self._number()

    def ended(self) -> int:
        """Wait for the child; return its exit status, of a signal the negative number."""
        return self._number()

    def kill(self, child: int) -> None:
        """Kill the child, which must be alive."""
        os.kill(child, signal.SIGKILL)
        assert self.ended() == -signal.SIGKILL

    def _number(self) -> int:
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())


@contextmanager
def forking(main: str, **env: str) -> Iterator[Forks]:
    """Run Python that defines `main`, to be forked until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER.format(main=main)], cwd=ROOT, env=os.environ | env, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        yield Forks(process)
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # and with it a child that a failed test left behind
        process.communicate()
