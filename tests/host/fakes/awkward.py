"""Speaks noise of its seed, and does what the variable AWKWARD says: a JSON object with

what    die | exit | hang | raise | garbage | nan | flood | ragged | chatter | slow
at      load | open | a tick
seed    of the row to blame; 0: any
once    a file: the fault happens only while it is not there, and then makes it
child   a file for the pid of a process that the model starts beside itself
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from dyad.host.worker import Floats, Said

TICK = 1_920


class Model:
    """Reads what is asked of it."""

    def __init__(self, options: dict[str, Any], device: str) -> None:
        self.asked = json.loads(os.environ.get("AWKWARD", "{}"))
        if child := self.asked.get("child"):
            process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            Path(child).write_text(str(process.pid))
        self.may("load", 0)

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a row with noise of its own."""
        self.may("open", seed)
        return Row(self, seed)

    def may(self, at: str | int, seed: int) -> str:
        """Do what is asked here and now, and return the name of what concerns the audio."""
        asked = self.asked
        if asked.get("at") != at or asked.get("seed", 0) not in (0, seed):
            return ""
        if once := asked.get("once"):
            if Path(once).exists():
                return ""
            Path(once).touch()
        _act(asked["what"])
        return str(asked["what"])


class Row:
    """Draws from numpy's global generator, as many models do."""

    def __init__(self, model: Model, seed: int) -> None:
        self._model, self._seed = model, seed

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Return a tick of faint noise, unless something else is asked for."""
        noise = (0.02 * np.random.standard_normal(TICK)).astype(np.float32)
        what = self._model.may(tick, self._seed)
        said = {"nan": noise * np.nan, "flood": np.tile(noise, 100), "ragged": noise.reshape(2, -1)}
        return Said(said.get(what, noise))


def _act(what: str) -> None:
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "exit":
        print("out of memory, says the model", flush=True)
        os._exit(7)
    if what == "hang":
        time.sleep(600)
    if what == "slow":
        time.sleep(1.0)
    if what == "raise":
        raise ValueError("the model\ncould not go on")
    if what == "garbage":
        os.write(int(sys.argv[sys.argv.index("--fd") + 1]), b"Loading checkpoint shards: 100%" * 20)
    if what == "chatter":
        print("x" * 1_000_000, flush=True)
