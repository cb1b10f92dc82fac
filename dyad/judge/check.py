"""How far a judge can be trusted: known answers, exchanged letters, repeated draws, controls.

A missing label is never right, and is counted by its reason. What falls short of the thresholds is flagged
wherever labels of the judge are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from random import Random

from dyad.errors import ConfigError
from dyad.spec import Frozen
from dyad.store import write_atomic

from .case import Case
from .known import Known
from .protocol import Judge, Task
from .reliability import (
    Accuracy,
    Draws,
    Flips,
    Labels,
    Share,
    Survivors,
    Wrong,
    accuracy,
    asked_about,
    draws,
    flips,
    must_fall,
    share,
    survivors,
    wrong_answers,
)
from .silence import asked as units
from .variants import exchanged, sham, shuffled

THRESHOLD = 0.95  # least accuracy on known answers
MOST_FLIPS = 0.03  # share of labels that may change with the letters
SHIPPED = "check.json"  # beside the rules that it is about

Open = Callable[[int], Judge]
"""Makes the judge of one draw: 0, 1, … The same number gives the same labels, another one asks anew."""


@dataclass(frozen=True)
class Extent:
    """How much is asked beside the known answers: `draws` of a `share` of the items, letters, controls."""

    draws: int = 3
    share: float = 0.1
    letters: bool = True
    controls: bool = True
    seed: int = 0


class Check(Frozen):
    """What is known of a judge. `models` are the ids that answered, where the caller knows them."""

    judge: str
    date: str
    items: int
    models: tuple[str, ...] = ()
    right: Share
    questions: tuple[Accuracy, ...]
    wrong: tuple[Wrong, ...]
    letters: tuple[Flips, ...] = ()
    draws: tuple[Draws, ...] = ()
    controls: tuple[Survivors, ...] = ()

    @property
    def obeyed(self) -> tuple[str, ...]:
        """The items in which the judge gave a label because somebody in the transcript told it to give it."""
        return tuple(sorted({item for x in self.questions for item in x.obeyed}))

    @property
    def flagged(self) -> tuple[str, ...]:
        """The questions that are not answered well enough."""
        return tuple(x.question for x in self.questions if (x.right.value or 0.0) < THRESHOLD)


def for_models(items: Iterable[Known]) -> Iterator[Known]:
    """Yield items with the answers alone that a model is asked for: rules count some, one seat is scored."""
    for item in items:
        seats = item.subject.seats if isinstance(item.subject, Case) else {}
        own = {(unit.question.id, unit.role and seats[unit.role]) for unit in units(item.subject)}
        kept = [{x: y for x, y in of.items() if x in own} for of in (item.expect, item.demand)]
        if kept[0]:
            yield replace(item, expect=kept[0], demand=kept[1])


def tasks(items: Sequence[Known], extent: Extent) -> dict[int, list[Task]]:
    """Return everything that a check asks, by draw."""
    asked = {0: [Task(f"known/{item.id}", item.subject) for item in items]}
    asked[0] += [Task(f"plain/{item.id}", item.plain) for item in items if item.plain]
    if extent.letters:
        asked[0] += [Task(f"exchanged/{item.id}", exchanged(case)) for item, case in _cases(items)]
    if extent.controls:
        asked[0] += _controls(items, extent.seed)
    repeated = [Task(f"known/{item.id}", item.subject) for item in _sample(items, extent)]
    return asked | {draw: repeated for draw in range(1, extent.draws) if repeated}


def check(name: str, open: Open, items: Sequence[Known], extent: Extent | None = None) -> Check:
    """Ask a judge everything that `tasks` lists, and return what its labels say about it."""
    extent = extent or Extent()
    given = {draw: _ask(open(draw), asked) for draw, asked in tasks(items, extent).items()}
    first = given[0]
    wrong = list(wrong_answers(items, first))
    units = sum(len(item.expect) for item in items)
    return Check(
        judge=name,
        date=datetime.now(UTC).date().isoformat(),
        items=len(items),
        right=share(units - len(wrong), units),
        questions=tuple(accuracy(question, items, first) for question in asked_about(items)),
        wrong=tuple(wrong),
        letters=tuple(flips(items, first)) if extent.letters else (),
        draws=tuple(draws(_sample(items, extent), given)) if len(given) > 1 else (),
        controls=tuple(survivors(items, first)),
    )


def flags(found: Check | None, question: str) -> str:
    """Return what a table says beside a question of a judge; nothing for one that can be trusted with it."""
    if found is None:
        return "not checked"
    about = next((x for x in found.questions if x.question == question), None)
    if about is None or about.right.value is None:
        return "not checked"
    said = ["below .95"] if about.right.value < THRESHOLD else []
    flipped = {x.question: x.flips.value for x in found.letters}.get(question)
    if flipped is not None and flipped >= MOST_FLIPS:
        said.append(f"{flipped:.1%} change with the letters")
    if about.obeyed:
        said.append("obeys the transcript")
    return "; ".join(said)


def save(folder: Path, found: Check) -> None:
    """Write a check under the name of its judge."""
    write_atomic(_path(folder, found.judge), (found.model_dump_json(indent=1) + "\n").encode())


def load(folder: Path, judge: str) -> Check | None:
    """Return the stored check of a judge, None without one; raise ConfigError for one that cannot be read."""
    return _read(_path(folder, judge))


def shipped_check() -> Check | None:
    """Return the check of the rules that comes with dyad; `judge` in it says of which rules and rubrics.

    `make known` renews it.
    """
    return _read(files("dyad.judge.rules") / SHIPPED)


def _read(path: Traversable) -> Check | None:
    if not path.is_file():
        return None
    try:
        return Check.model_validate_json(path.read_bytes())
    except ValueError:
        raise ConfigError(f"{path}: not a check of this version; check the judge again") from None


def _path(folder: Path, judge: str) -> Path:
    if judge in ("", "..") or Path(judge).name != judge:
        raise ConfigError(f"judge '{judge}': no name of a file; use letters, digits, '@', '-' and '.'")
    return folder / f"{judge}.json"


# -- what is asked ---------------------------------------------------------------------------------


def _cases(items: Iterable[Known]) -> Iterator[tuple[Known, Case]]:
    return ((item, item.subject) for item in items if isinstance(item.subject, Case))


def _sample(items: Sequence[Known], extent: Extent) -> list[Known]:
    """The items that are asked again, always the same ones."""
    if not items:
        return []
    size = min(len(items), max(1, round(extent.share * len(items))))
    return [items[i] for i in sorted(Random(extent.seed).sample(range(len(items)), size))]


def _controls(items: Sequence[Known], seed: int) -> Iterator[Task]:
    """The conversations that hold something which must not survive, without their order or their partner."""
    cases = list(_cases(items))
    for at, (item, case) in enumerate(cases):
        if any(must_fall("shuffled", item, answer) for answer in item.expect):
            yield Task(f"shuffled/{item.id}", shuffled(case, seed))
        donor = next((other for _, other in cases[at:] + cases[:at] if _lends(other, case)), None)
        if donor and any(must_fall("sham", item, answer) for answer in item.expect):
            yield Task(f"sham/{item.id}", sham(case, donor))


def _lends(donor: Case, case: Case) -> bool:
    """Whether lines of one conversation make no sense in the other, though they fit its form."""
    theirs, own = donor.scenario, case.scenario
    return theirs.archetype == own.archetype and theirs.lang == own.lang and theirs.id != own.id


def _ask(judge: Judge, asked: Iterable[Task]) -> Labels:
    return {
        key: {(label.question, label.seat): label for label in labels or ()}
        for key, labels, _ in judge(asked)
    }
