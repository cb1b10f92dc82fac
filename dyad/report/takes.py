"""What the page says of garbled audio: what was recorded again, for whom, and what stayed garbled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dyad.pipeline import Study
from dyad.pipeline.takes import Takes
from dyad.spec import Seat

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 3  # runs that a sentence can name


def garble_notes(study: Study, frame: pd.DataFrame) -> Iterator[str]:
    """Say what the garble watch did, or why nobody kept it; nothing where no seat has a text."""
    asr, takes = study.config.asr, list(study.takes.values())
    if not frame.loc[frame["measure"] == "orphans", "n"].sum():
        return
    if asr.engine == "none":
        yield "No ASR has listened (asr=none): garbled audio goes unnoticed, and nothing was recorded again."
    elif not asr.watch:
        yield "Garbled audio is counted, and nothing was recorded again for it (asr.retakes=0)."
    else:
        yield _retaken(takes, asr.retakes)
        yield from _failed([x for x in takes if x.failed])
        yield from _again([x for x in takes if x.again])


def _retaken(takes: list[Takes], most: int) -> str:
    retaken = [x for x in takes if len(x.garbled) > 1]
    again = sum(len(x.garbled) - 1 for x in retaken)
    if not again:
        return "Garbled audio: no run was recorded again for it."
    whose = _agents((x, {seat for seats in x.garbled[:-1] for seat in seats}) for x in retaken)
    return (
        f"Garbled audio: retakes of {len(retaken)} of {len(takes)} runs, {again} in all (at most {most} "
        f"each), because of {whose}. Of each the last take counts."
    )


def _failed(takes: list[Takes]) -> Iterator[str]:
    if takes:
        yield (
            f"Garbled after all retakes: {_named(takes)}. Outside T3 such runs were not judged and their "
            "task scores are missing; turn-taking needs no words and stands."
        )


def _again(takes: list[Takes]) -> Iterator[str]:
    if takes:
        yield (
            f"Garbled and not recorded again yet: {_named(takes)}. Until then their task scores are missing; "
            "`python -m dyad run` with the study's options records them."
        )


def _agents(found: Iterable[tuple[Takes, Iterable[Seat]]]) -> str:
    """In how many runs each agent was garbled; in self-play one run counts once."""
    runs = Counter(
        name for takes, seats in found for name in {takes.spec.seat(seat).agent.name for seat in seats}
    )
    return ", ".join(f"{name} in {n}" for name, n in sorted(runs.items()))


def _named(takes: list[Takes]) -> str:
    """How many runs, whose audio it is, and the first few by name."""
    whose = _agents((x, x.garbled[-1]) for x in takes)
    more = f" and {len(takes) - SHOWN} more" if len(takes) > SHOWN else ""
    return f"{len(takes)} ({whose}): {', '.join(x.id for x in takes[:SHOWN])}{more}"


def garble_problems(takes: Takes) -> list[str]:
    """Return what is wrong with the audio of the take that counts, as a problem of its health."""
    return [f"garbled speech on seat {seat}" for seat in takes.garbled[-1]]
