"""Two instruments whose names occur nowhere else, so that a leak can be searched for; a served session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread

from dyad.annotate.server import Server
from dyad.annotate.session import Session

AGENTS = ("zebra7", "okapi9")
PAIRING = "zoo5"
PLAYED = (
    "name=small", "pairing=tone_tone", f"pairing.name={PAIRING}", f"pairing.a.name={AGENTS[0]}",
    f"pairing.b.name={AGENTS[1]}", "pairing.a.params.pattern=[[2,12],[40,60]]",
    "pairing.a.params.period_ticks=90",
    "pairing.b.params.pattern=[[25,45],[70,75]]", "pairing.b.params.period_ticks=90",
    "pairing.b.params.freq_hz=330", "task=t1,t2,t3_2,t4_2,t4_4", "window_s=8", "design.repetitions=1",
    "scenarios.limit=1", "launcher=serial", "report.embed_audio=never",
    "report.bootstrap=0", "report.permutations=0",
)  # fmt: skip

Opened = Callable[..., Session]


@contextmanager
def serving(session: Session, say: Callable[[str], None] = lambda text: None) -> Iterator[Server]:
    """Serve a session in a thread."""
    with Server(session, say=say) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
