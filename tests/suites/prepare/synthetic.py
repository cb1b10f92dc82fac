"""A telephone corpus of 20 minutes made by code: words with known times on both channels, as bursts of tone.

A dialogue is a row of scenes, each with events that the script knows; 6 s of silence part them, so that no
sample reaches into the next scene. The channels take turns in being the user of a scene.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import soundfile
from numpy.typing import NDArray

RATE = 8_000
WORD_S, GAP_S = 0.25, 0.05
PART_S = 6.0
SYLLABLES = ("ba", "do", "fi", "gu", "ka", "lo", "mi", "ne", "pu", "ra", "so", "ti", "vo", "zu")

Counts = Counter[tuple[str, str]]  # of (task, "kept" or why it is dropped)


class Said(NamedTuple):
    """A word as it was said."""

    channel: int
    text: str
    start: float
    end: float
    garbled: bool = False  # the recogniser hears something else


class Scene:
    """Writes what two speakers say from a time on, and the lines that a transcriber makes of it."""

    def __init__(self, at: float, user: int, number: int) -> None:
        self.at, self.user, self.number = at, user, number
        self.words: list[Said] = []
        self.lines: list[tuple[float, float, str]] = []

    def say(self, who: int, at: float, words: int, garbled: bool = False) -> float:
        """Let somebody say new words from `at` seconds of the scene on; return when that ends."""
        return self.speak(who, at, [self._word(at, i) for i in range(words)], garbled)

    def speak(
        self, who: int, at: float, texts: list[str], garbled: bool = False, known: bool = True
    ) -> float:
        """As `say`, with given words; `known`: whether the transcriber writes them down."""
        start = self.at + at
        for i, text in enumerate(texts):
            begin = round(start + i * (WORD_S + GAP_S), 6)
            wrong = garbled and 0 < i < len(texts) - 1 and i % 5 == 0
            self.words.append(Said(who, text, begin, round(begin + WORD_S, 6), wrong))
        if known:
            self.lines.append((round(start, 6), self.words[-1].end, " ".join(texts)))
        return self.words[-1].end - self.at

    def _word(self, at: float, i: int) -> str:
        n = self.number * 97 + round(at * 10) * 13 + i * 5
        return "".join(SYLLABLES[(n // 14**k + k * i) % 14] for k in range(3))


def pause(s: Scene) -> Counts:
    """One turn with gaps of 0.9 and 2.0 s between its sentences."""
    end = s.say(s.user, 0, 4)
    end = s.say(s.user, end + 0.9, 6)
    s.say(s.user, end + 2.0, 5)
    return Counter({("pause_handling", "kept"): 2})


def change(s: Scene) -> Counts:
    """Two sentences, and an answer after 0.25 s."""
    end = s.say(s.user, 0, 3)
    end = s.say(s.user, end + 0.3, 4)
    s.say(1 - s.user, end + 0.25, 4)
    return Counter({("turn_taking", "kept"): 1})


def late_change(s: Scene) -> Counts:
    """An answer after 1.2 s, which is no smooth one."""
    end = s.say(s.user, 0, 4)
    s.say(1 - s.user, end + 1.2, 4)
    return Counter()


def interruption(s: Scene) -> Counts:
    """A question of 1.15 s, a long answer after 1.2 s, and the user again before its end."""
    end = s.say(s.user, 0, 4)
    answer = end + 1.2
    s.say(1 - s.user, answer, 14)
    s.say(s.user, answer + 3.1, 6)
    return Counter({("user_interruption", "kept"): 1})


def interruption_after_much(s: Scene) -> Counts:
    """The same after a sentence of more than 5 s."""
    end = s.say(s.user, 0, 18)
    s.say(1 - s.user, end + 1.2, 14)
    s.say(s.user, end + 1.2 + 3.1, 6)
    return Counter({("user_interruption", "context longer than 5.0 s"): 1})


def backchannels(s: Scene) -> Counts:
    """A turn of 17.95 s, in which the other speaker says "oui" and "ah d'accord"; nobody wrote that down."""
    s.say(s.user, 0, 60, garbled=True)
    s.speak(1 - s.user, 5.0, ["oui"], known=False)
    s.speak(1 - s.user, 10.0, ["ah", "d'accord"], known=False)
    return Counter({("backchannel", "kept"): 1})


def short_backchannel(s: Scene) -> Counts:
    """A turn of 5.95 s with an "mhm" in it."""
    s.say(s.user, 0, 20)
    s.speak(1 - s.user, 3.0, ["mhm"], known=False)
    return Counter({("backchannel", "input shorter than 15 s"): 1})


SCENES: tuple[Callable[[Scene], Counts], ...] = (
    pause, change, late_change, interruption, interruption_after_much, backchannels, short_backchannel,
)  # fmt: skip


class Corpus(NamedTuple):
    """Where it lies, and what its script says."""

    folder: Path
    events: Counts
    words: dict[str, list[Said]]  # by dialogue
    unwritten: int  # words that no transcriber wrote down
    sounds: dict[str, NDArray[np.int16]]  # int16 [N, 2] at 8 kHz


def make(folder: Path, dialogues: int = 2, seconds: float = 600.0) -> Corpus:
    """Write dialogues `call0`, `call1`, … as the callfriend form has them."""
    corpus = Corpus(folder, Counter(), {}, 0, {})
    unwritten = 0
    folder.mkdir(parents=True)
    for number in range(dialogues):
        id, at, lines = f"call{number}", 2.0, list[tuple[float, float, str]]()
        words = corpus.words.setdefault(id, [])
        for k in range(1000):
            scene = Scene(at, (k // len(SCENES) + k + number) % 2, k)
            events = SCENES[k % len(SCENES)](scene)
            end = max(w.end for w in scene.words)
            if end > seconds - 6:
                break
            corpus.events.update(events)
            words += scene.words
            lines += scene.lines
            written = sum(len(text.split()) for _, _, text in scene.lines)
            unwritten += len(scene.words) - written
            at = end + PART_S
        corpus.sounds[id] = _sound(words, seconds)
        soundfile.write(folder / f"{id}.wav", corpus.sounds[id], RATE)
        _write(folder, id, words, lines)
    return corpus._replace(unwritten=unwritten)


def _write(folder: Path, id: str, words: list[Said], lines: list[tuple[float, float, str]]) -> None:
    rows = [f"{start:.6f}\t{end:.6f}\t{text}" for start, end, text in sorted(lines)]
    (folder / f"{id}.tsv").write_text("start\tend\ttext\n" + "\n".join(rows) + "\n", "utf-8")
    channels = [{"chunks": [_chunk(w) for w in words if w.channel == c]} for c in (0, 1)]
    (folder / f"{id}.words.json").write_text(json.dumps({"channels": channels}), "utf-8")


def _chunk(word: Said) -> dict[str, Any]:
    text = "hum-hum" if word.garbled else f" {word.text.capitalize()},"
    return {"text": text, "timestamp": [word.start, word.end]}


def _sound(words: list[Said], seconds: float) -> NDArray[np.int16]:
    pcm = np.zeros((round(seconds * RATE), 2), np.int16)
    for i, word in enumerate(words):
        first, last = round(word.start * RATE), round(word.end * RATE)
        tone = np.sin(np.arange(last - first) * (0.2 + 0.01 * (i % 40)))
        pcm[first:last, word.channel] = (4000 + 100 * (i % 50)) * (1.5 + tone)  # never 0
    return pcm
