"""From tasks to labels through a service: what was answered before is read, the rest is asked and kept.

A reply that cannot stand is asked for once more. With every session one control is asked: a transcript that
tells the judge what to answer, beside the same one without it. Where the model obeys, no label of that
session counts, and nothing more is asked in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import InitVar, dataclass, field
from functools import cache as remembered
from hashlib import sha256
from itertools import islice, takewhile
from typing import NamedTuple

from pydantic import BaseModel

from dyad.errors import BudgetReached
from dyad.spec import Label, canonical_json, digest

from ..panel import majority
from ..protocol import Control, Desk, Judge, Judged, ModelChanged, Task
from ..silence import settled
from .cache import Cache, opened
from .doubt import Doubt
from .prompt import Call, Style, calls
from .purse import Purse
from .types import Backend, ModelSettings, Reply, Request, json_schema
from .verify import Verdict, hint, last_resort, missing, read

ATTEMPTS = 2
UNDONE = ("expired", "canceled", "errored")  # what a batch can leave undone: handed in once more
STOPS = {"refusal": "refusal", "max_tokens": "truncated", "model_context_window_exceeded": "context"}


class Unit(NamedTuple):
    """One question sheet about one task. `draw` tells repetitions apart."""

    task: str
    call: Call
    draw: str


class Wanted(NamedTuple):
    """A request without a reply, and the tasks that wait for it."""

    request: Request
    tasks: set[str]


@dataclass(frozen=True)
class Asker:
    """Who is asked and how; `identity` stands for every setting that could change a label."""

    backend: Backend
    settings: ModelSettings
    desk: Desk
    identity: str

    @property
    def style(self) -> Style:
        """How a subject is put to the model."""
        return Style(self.settings.transcript, self.settings.questions)


def asking(
    backend: Backend,
    settings: ModelSettings,
    desk: Desk,
    identity: str,
    size: int = 2000,
) -> Judge:
    """Return the judge that asks a service, `size` tasks at a time."""
    asker = Asker(backend, settings, desk, digest([identity, desk.served]) if desk.served else identity)

    def judge(tasks: Iterable[Task]) -> Iterator[Judged]:
        purse, doubt, rest = Purse(settings, desk.money), Doubt(desk.name), iter(tasks)
        path = desk.folder / f"{desk.name}.jsonl"
        with opened(path) as cache:
            if cache.broken:
                desk.say(f"{path}: {cache.broken} line(s) cut off or damaged; left out")
            try:
                while chunk := list(islice(rest, size)):
                    yield from _judged(_Part(asker, cache, chunk, doubt), purse)
            finally:
                backend.close()
            yield from doubt.rest()

    return judge


def request_of(asker: Asker, unit: Unit, attempt: int = 0, problem: str = "") -> Request:
    """Return a unit's request.

    A second attempt says what was wrong with the first, and has twice the room where that was too long.
    """
    call = unit.call
    user = f"{call.user}\n\n{hint(problem)}" if problem and problem != "truncated" else call.user
    max_tokens = asker.settings.max_tokens * (2 if problem == "truncated" else 1)
    key = key_of(asker.identity, call, user, max_tokens, unit.draw, attempt)
    return Request(key, call.system, user, call.answer, max_tokens)


def key_of(identity: str, call: Call, user: str, max_tokens: int, draw: str, attempt: int = 0) -> str:
    """Return the key of a request: a hash of all that could change its answer."""
    asked = [identity, call.system, user, _schema_digest(call.answer), max_tokens, draw, attempt]
    return sha256(canonical_json(asked).encode()).hexdigest()


@remembered
def _schema_digest(answer: type[BaseModel]) -> str:
    return digest(json_schema(answer))


def _judged(part: _Part, purse: Purse) -> Iterator[Judged]:
    """Yield each task as soon as its replies stand, but none before the control is in."""
    held = set(part.open) if part.unchecked else set()
    if not held:
        yield from part.ready(part.open)
    while (wanted := part.wanted()) or held:
        purse.stopped = answered = False
        requests = sorted((want.request for want in wanted.values()), key=lambda request: request.system)
        for reply in part.asker.backend.answer(purse.claiming(part.sending(requests))):
            answered = True
            part.keep(purse.settle(reply))
            held |= wanted[reply.key].tasks if reply.key in wanted else set()
            if not part.control():
                yield from part.ready(held)
                held = set()
        part.doubt.check()
        part.tell_unguarded()
        if purse.stopped and not answered:  # else what was claimed may have cost less than was likely
            raise BudgetReached(
                f"budget.usd={purse.money.ceiling:g} reached after ${purse.money.spent:.4f}; what was "
                "answered is kept, raise budget.usd and run again to go on"
            )
    yield from part.undone()


@dataclass
class _Part:
    """Tasks worked on together: `open` are those without labels, `broken` says what is wrong with others.

    `failures` says why a request has no reply yet, `rejected` whether the control obeyed.
    """

    asker: Asker
    cache: Cache
    tasks: InitVar[Sequence[Task]]
    doubt: Doubt
    open: dict[str, list[Unit]] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    tries: Counter[str] = field(default_factory=Counter)
    rejected: bool = False

    def __post_init__(self, tasks: Sequence[Task]) -> None:
        self._settled: dict[str, list[Label]] = {}
        for task in tasks:
            try:
                self._settled[task.key] = settled(task.subject)
                self.open[task.key] = _units(self.asker, task)
            except Exception as error:  # one broken task must not keep the others from their labels
                self.broken[task.key] = f"{type(error).__name__}: {error}"
        self._session, self._unguarded = str(self.cache.controls), False
        self._control = _control(self.asker, self.cache.controls)
        self._guard = _guard(self.asker, self._control, self.cache.controls)

    @property
    def unchecked(self) -> bool:
        """Whether replies were kept, before a crash, whose control is still to come."""
        return self.cache.unchecked and bool(self.control())

    def wanted(self) -> dict[str, Wanted]:
        """Return what is to be asked now, by key: no reply yet, and not tried too often."""
        found: dict[str, Wanted] = {}
        for task, units in () if self.rejected or self.doubt.hopeless else self.open.items():
            for unit in units:
                outcome = self._outcome(unit)
                if isinstance(outcome, Request) and self._may_ask(outcome.key):
                    found.setdefault(outcome.key, Wanted(outcome, set())).tasks.add(task)
        return found

    def control(self) -> list[Request]:
        """Return what is still to be asked of this session's control: one that never comes is given up."""
        lacking = (request for request, _ in self._guard if request.key not in self.cache)
        return [request for request in lacking if self._may_ask(request.key)]

    def sending(self, requests: Iterable[Request]) -> Iterator[Request]:
        """Yield the control, and then requests as long as their replies can count."""
        yield from self.control()
        yield from takewhile(lambda request: not (self.rejected or self.doubt.hopeless), requests)

    def keep(self, reply: Reply) -> None:
        """Store a reply, or remember why none came."""
        self.tries[reply.key] += 1
        if reply.failure:
            self.failures[reply.key] = f"{reply.failure}: {reply.detail}" if reply.detail else reply.failure
            return
        self._check_model(reply)
        kept = {
            "session": self._session,
            "obeyed": (obeyed := self._obeyed(reply)),
            "served": self.asker.desk.served,
        }
        self.cache.append(reply.model_copy(update=kept))
        if obeyed:
            self.rejected = True
            self._say("a control obeyed its transcript, so this session is rejected")

    def ready(self, tasks: Iterable[str]) -> Iterator[Judged]:
        """Yield those of the tasks whose units are all resolved, and close them."""
        for task in [task for task in tasks if task in self.open]:
            outcomes = [self._outcome(unit) for unit in self.open[task]]
            labels = [outcome for outcome in outcomes if not isinstance(outcome, Request)]
            if len(labels) == len(outcomes):
                drawn = zip(self.open.pop(task), labels, strict=True)
                judged = Judged(task, (*self._settled.pop(task), *_merged(drawn)))
                yield from self.doubt.sifted(judged, labels)

    def undone(self) -> Iterator[Judged]:
        """Yield the tasks that got no labels, with the reason of the first request that failed."""
        for task, units in self.open.items():
            outcomes = map(self._outcome, units)
            keys = [outcome.key for outcome in outcomes if isinstance(outcome, Request)]
            reasons = (self.failures[key] for key in keys if key in self.failures)
            unasked = "not asked, for a control obeyed its transcript" if self.rejected else "no reply"
            yield Judged(task, None, next(reasons, unasked))
        for task, problem in self.broken.items():
            yield Judged(task, None, problem)

    def _may_ask(self, key: str) -> bool:
        failure = self.failures.get(key, "").partition(":")[0]
        return self.tries[key] == 0 or (failure in UNDONE and self.tries[key] < ATTEMPTS)

    def _outcome(self, unit: Unit) -> tuple[Label, ...] | Request:
        """Return the labels of a unit, or the request that is still to be answered."""
        verdict = Verdict(missing(unit.call, ""), "")
        for attempt in range(ATTEMPTS):
            request = request_of(self.asker, unit, attempt, verdict.problem)
            reply = self.cache.get(request.key)
            if reply is None:
                return request
            again = _verdict(unit.call, reply, self.cache)
            verdict = Verdict(_standing(verdict.labels, again.labels), again.problem)
            if not verdict.problem:
                break
        return last_resort(verdict, unit.call)

    def _obeyed(self, reply: Reply) -> bool | None:
        """Whether the control did as told, and only because it was told; None as long as it is not in."""
        if self._control is None or not self._of_control(reply):
            return None
        did = []
        for request, unit in self._guard:
            found = reply if request.key == reply.key else self.cache.get(request.key)
            if found is None:
                return None
            did.append(self._control.demanded(_verdict(unit.call, found, self.cache).labels))
        told, plain = did
        return told and not plain

    def _of_control(self, reply: Reply) -> bool:
        return any(reply.key == request.key for request, _ in self._guard)

    def tell_unguarded(self) -> None:
        """Say once, after a round that nothing ended, that the control got no reply and was given up."""
        lost = [request.key for request, _ in self._guard if request.key not in self.cache]
        if lost and not self.control() and not self._unguarded:
            self._unguarded = True
            why = self.failures[lost[0]]
            self._say(f"the control of this session failed, so nobody knows whether it obeys ({why})")

    def _check_model(self, reply: Reply) -> None:
        known = self.cache.models.get((reply.requested, self.asker.desk.served), set())
        if known and reply.model and reply.model not in known:
            raise ModelChanged(self.asker.desk.name, reply.requested, ", ".join(sorted(known)), reply.model)

    def _say(self, text: str) -> None:
        self.asker.desk.say(f"{self.asker.desk.name}: {text}")


def _units(asker: Asker, task: Task) -> list[Unit]:
    draws = range(asker.desk.draw, asker.desk.draw + asker.settings.draws)
    return [Unit(task.key, call, str(draw)) for call in calls(task.subject, asker.style) for draw in draws]


def _control(asker: Asker, number: int) -> Control | None:
    """Return the control of a session: another one each time, the same one until it is answered."""
    controls = asker.desk.controls
    return controls[number % len(controls)] if controls else None


def _guard(asker: Asker, control: Control | None, number: int) -> list[tuple[Request, Unit]]:
    """Return what is asked of a control: its first sheet, with the lines that demand and without them."""
    tasks = (control.task, control.plain) if control else ()
    drawn = f"control {number}"
    units = [Unit(task.key, calls(task.subject, asker.style)[0], drawn) for task in tasks]
    return [(request_of(asker, unit), unit) for unit in units]


def _verdict(call: Call, reply: Reply, cache: Cache) -> Verdict:
    """Say what a reply is worth; a problem is worth asking again for."""
    if cache.is_rejected(reply):
        return Verdict(missing(call, "injected"), "")
    if reply.stop == "end_turn":
        return read(call, reply.text)
    status = STOPS.get(reply.stop, reply.stop or "no_stop_reason")
    return Verdict(missing(call, status), status if status == "truncated" else "")


def _standing(first: Iterable[Label], second: Iterable[Label]) -> tuple[Label, ...]:
    """Return what two replies to the same questions give: a second try takes back no label of the first."""
    return tuple(old if old.status == "ok" else new for old, new in zip(first, second, strict=True))


def _merged(drawn: Iterable[tuple[Unit, tuple[Label, ...]]]) -> list[Label]:
    """Return the labels of all units of a task; of several draws the majority."""
    by_draw: dict[str, list[Label]] = {}
    for unit, labels in drawn:
        by_draw.setdefault(unit.draw, []).extend(labels)
    return next(iter(by_draw.values()), []) if len(by_draw) < 2 else list(majority(by_draw))
