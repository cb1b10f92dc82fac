"""Utterances of one channel joined into a pack, so that one pass of a recogniser hears several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyad.speech.types import Floats

from .vad import Spans

Place = tuple[int, int]


@dataclass(frozen=True)
class Pack:
    """Utterances of a track, int64 [k, 2] in samples; the pauses between them are left out.

    `row` says which track it is, where there are several.
    """

    row: int
    track: Floats
    spans: Spans

    @property
    def pcm(self) -> Floats:
        """The utterances one after the other."""
        return np.concatenate([self.track[start:end] for start, end in self.spans])

    def alone(self) -> list[Pack]:
        """Return a pack for each utterance."""
        return [Pack(self.row, self.track, span[None]) for span in self.spans]

    def parts(self, shortest: int, longest: int) -> list[Pack]:
        """Return packs of at most `longest` samples; shorter ones than `shortest`, and longer, stay alone."""
        sizes = self.spans[:, 1] - self.spans[:, 0]
        groups = [[k] for k in np.flatnonzero(sizes < shortest)]
        room = 0
        for k in np.flatnonzero(sizes >= shortest):
            if sizes[k] > room:
                groups.append([])
                room = longest
            groups[-1].append(k)
            room -= int(sizes[k])
        return [Pack(self.row, self.track, self.spans[group]) for group in groups]

    def holders(self, places: Sequence[Place]) -> list[int]:
        """Return for each place in the pack the utterance that holds its middle."""
        middles = [(start + end) // 2 for start, end in places]
        held = np.searchsorted(self._ends(), middles, "right")
        return [min(int(k), len(self.spans) - 1) for k in held]

    def in_track(self, places: Sequence[Place]) -> list[Place]:
        """Return places in the track for places in the pack, each cut to the utterance that holds it."""
        shifts = self.spans[:, 1] - self._ends()
        return [
            (_within(start + shifts[k], self.spans[k]), _within(end + shifts[k], self.spans[k]))
            for (start, end), k in zip(places, self.holders(places), strict=True)
        ]

    def _ends(self) -> Spans:
        return np.cumsum(self.spans[:, 1] - self.spans[:, 0])


def _within(at: int, span: Spans) -> int:
    return int(min(max(at, span[0]), span[1]))
