"""From all events to those that are exported: hard filters, then at most so many of each task, best first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .events import TASKS, Sample, Task


@dataclass(frozen=True)
class Chosen:
    """The samples of a task, and what became of the others: candidates = dropped + over the cap + samples."""

    task: Task
    candidates: int
    dropped: dict[str, int]  # by the hard filter
    over_cap: int
    samples: tuple[Sample, ...]

    @property
    def after_filters(self) -> int:
        """How many pass the hard filters."""
        return self.candidates - sum(self.dropped.values())

    def record(self) -> dict[str, object]:
        """The counts as prepare.json has them."""
        return {
            "candidates": self.candidates,
            "dropped": self.dropped,
            "after_filters": self.after_filters,
            "over_cap": self.over_cap,
            "exported": len(self.samples),
        }


def choose(found: Sequence[Sample], cap: int) -> list[Chosen]:
    """Filter and cap the samples of each task; ties of quality go by dialogue, then start."""
    return [_of_task(task, [s for s in found if s.task == task], cap) for task in TASKS]


def _of_task(task: Task, found: Sequence[Sample], cap: int) -> Chosen:
    dropped = Counter(sample.fault for sample in found if sample.fault)
    good = sorted((s for s in found if not s.fault), key=_rank)
    return Chosen(task, len(found), dict(sorted(dropped.items())), max(0, len(good) - cap), tuple(good[:cap]))


def _rank(sample: Sample) -> tuple[float, str, float, float, int]:
    return -sample.quality, sample.dialogue, sample.start, sample.span[0], sample.channel


def shares(chosen: Sequence[Chosen]) -> dict[str, int | float | None]:
    """Return the counts over all tasks, and the shares of candidates after filters and after the cap."""
    candidates, after, exported = (
        sum(c.candidates for c in chosen),
        sum(c.after_filters for c in chosen),
        sum(len(c.samples) for c in chosen),
    )
    return {
        "candidates": candidates,
        "after_filters": after,
        "exported": exported,
        "share_after_filters": after / candidates if candidates else None,
        "share_exported": exported / candidates if candidates else None,
    }
