"""A server as DuplexCascade's, on a free port of this machine: it says back whole turns, upside down."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from threading import Thread
from typing import Any

import numpy as np

FRAME, STARTUP_S = 1_920, 0.1
LOUD = 0.003  # root mean square
QUIET_FRAMES = 3  # that end a turn
NOT_READY, NO_AUDIO = 1013, 1003  # reasons to hang up
PER_MESSAGE = 4  # frames: it sends faster than they are heard

Floats = np.ndarray[Any, np.dtype[np.float32]]


@dataclass
class Talk:
    """What a connection has heard of a turn, and how much of its answer its client has still to play."""

    turn: list[Floats] = field(default_factory=list)
    quiet: int = 0
    unplayed: int = 0

    def answer(self, frame: Floats) -> list[bytes | str]:
        """Return what to send after a frame."""
        self.unplayed = max(0, self.unplayed - len(frame))
        if float(np.sqrt(np.mean(frame**2))) > LOUD:
            self.quiet = 0
            self.turn.append(frame)
            return self._stop() if self.unplayed else []
        self.quiet += 1
        return self._say() if self.turn and self.quiet == QUIET_FRAMES else []

    def _stop(self) -> list[bytes | str]:
        self.unplayed = 0
        return [json.dumps({"type": "audio_control", "action": "stop"})]

    def _say(self) -> list[bytes | str]:
        said, self.turn = -0.5 * np.concatenate(self.turn), []
        self.unplayed = len(said)
        size = PER_MESSAGE * FRAME
        sound = [said[at : at + size].astype("<f4").tobytes() for at in range(0, len(said), size)]
        return [json.dumps({"type": "status"}), *sound]


def _serve(connection: Any) -> None:
    """Talk until the client is done; one that speaks before the server's own connections stand is cut off."""
    ready_s, talk = time.monotonic() + STARTUP_S, Talk()
    for message in connection:
        if message == "Done":
            break
        if time.monotonic() < ready_s:
            connection.close(NOT_READY, "not ready yet")
        elif isinstance(message, str) or not message or len(message) % 4:
            connection.close(NO_AUDIO, "no float32 audio")
        else:
            for answer in talk.answer(np.frombuffer(message, "<f4")):
                connection.send(answer)


def start() -> str:
    """Serve from a thread of this process, as long as it lives, and return the url."""
    from websockets.sync.server import serve

    server = serve(_serve, "127.0.0.1", 0, compression=None)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
