"""Takes: a run in which a seat's audio is garbled is recorded again, and which take counts is never stored.

A take is a run of its own, with other random numbers and a name that follows from the first one's. The take
that counts is the first that is not garbled, else the last. It follows from the recordings, segments and
words in the store; by another ASR it may be another one. Source of the rule: DyaFDB, arXiv 2610.08125, which
records again at most five times and counts what is garbled then as a failure.
"""

from __future__ import annotations

from typing import NamedTuple

from dyad.hear.attach import Attached, attach, pieces_of_words
from dyad.measure.conversation import Said
from dyad.measure.garble import garbled_seats
from dyad.spec import RunSpec, Seat, Segment, Word
from dyad.store import Store, read_jsonl

KEPT = "t3"  # occupancy needs no words, so a run of this task stands however garbled it is


class Names(NamedTuple):
    """The sidecars that hearing a run makes; `words` "" without an ASR."""

    segments: str
    words: str

    def there(self, store: Store, run_id: str) -> bool:
        """Whether a run has been heard."""
        return all(store.sidecar(run_id, name).exists() for name in self if name)


class Takes(NamedTuple):
    """A run up to the take that counts: its `spec`, and which seats were `garbled` in each take until it."""

    first: str
    id: str
    spec: RunSpec
    garbled: tuple[tuple[Seat, ...], ...]
    again: bool  # it is garbled, and may be recorded again

    @property
    def failed(self) -> bool:
        """Whether it is garbled after all retakes."""
        return bool(self.garbled[-1]) and not self.again

    @property
    def dropped(self) -> bool:
        """Whether it says nothing about its task: to be recorded again, or failed where words count."""
        return self.again or (self.failed and self.spec.task != KEPT)


def takes_of(store: Store, first: str, spec: RunSpec, names: Names, most: int) -> Takes:
    """Follow a run from its first take on, while one is garbled and the next is in the store, `most` times.

    What nobody has heard yet is not garbled so far. With `most` = 0 nothing ever is.
    """
    run_id, garbled = first, [_garbled(store, first, names, spec.lang) if most else ()]
    while garbled[-1] and spec.take < most:
        following = spec.at_take(spec.take + 1)
        if not store.has(following.id):
            return Takes(first, run_id, spec, tuple(garbled), again=True)
        run_id, spec = following.id, following
        garbled.append(_garbled(store, run_id, names, spec.lang))
    return Takes(first, run_id, spec, tuple(garbled), again=False)


def _garbled(store: Store, run_id: str, names: Names, lang: str) -> tuple[Seat, ...]:
    if not names.there(store, run_id):
        return ()
    found = read_texts(store, run_id, names)
    heard = found.heard or [""] * len(found.segments)
    rows = zip(found.segments, found.own.texts, heard, strict=True)
    return garbled_seats([Said(x.seat, x.start, text, asr) for x, text, asr in rows], lang)


class Texts(NamedTuple):
    """The segments of a run, the own text in each, and what an ASR heard in each; None without one."""

    segments: list[Segment]
    own: Attached
    heard: tuple[str, ...] | None


def read_segments(store: Store, run_id: str, names: Names) -> list[Segment]:
    """Read the segments of a run; there are none where it could not be heard."""
    path = store.sidecar(run_id, names.segments)
    return read_jsonl(path, Segment) if path.exists() else []


def read_texts(store: Store, run_id: str, names: Names) -> Texts:
    """Read what was said in the segments of a run."""
    segments = read_segments(store, run_id, names)
    own = attach(store.pieces(run_id), segments)
    words = store.sidecar(run_id, names.words) if names.words else None
    if words is None or not words.exists():
        return Texts(segments, own, None)
    return Texts(segments, own, attach(pieces_of_words(read_jsonl(words, Word)), segments).texts)
