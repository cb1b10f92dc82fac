"""Task scores of one conversation: what each archetype asks about its seats.

`spoken` needs the recording only. `judged` reads a judge's labels; it expects
  t1.adherence  per seat  yes | partly | no; fields: swapped (bool), met (ids of duties or steps)
  t1.timing     per seat  fields: entry_line, deviation_line (line ids or None)
  t2.choice     pair      a candidate | none; fields: line (id of the line with the choice)
  t2.disclosed  pair      fields: items, a list of {item, line}, one per voiced private item
  t3.asked, t4.asked      yes | no
  t3.granted              granted | refused | open
  t4.landed     pair      role letter a | b of the option or line that won | c third line | none
  t4.leak                 none | hint | partial | full
  t4.price      pair      a number | none; fields: price (may stand in for the label's number)
A label that is absent or None gives a missing score, never a 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from dyad.judge.questions import is_yes
from dyad.measure.conversation import Conversation, seconds
from dyad.measure.leak import LEVELS, Disclosure, Secret, disclosure, exact_leak, secret_of, worse
from dyad.measure.occupancy import floor
from dyad.measure.outcomes import gap_share, grounded, pooled, surplus_share
from dyad.measure.timing import InRole, Rule, deviation_times, entry_times
from dyad.measure.turns import Count, Mode
from dyad.spec import SEATS, Item, Label, Seat, other
from dyad.text import CJK, find_numbers, fold, met, tokens, word_count

REASONS = ("eliminate", "keep")


class Score(NamedTuple):
    """A sum over n observations: missing if None, censored if not observed. Seat "" is the pair."""

    measure: str
    seat: Seat | Literal[""]
    value: float | None
    n: float = 1.0
    observed: bool = True


@dataclass(frozen=True)
class Answers:
    """One judge's labels about one run."""

    labels: Sequence[Label]

    def get(self, question: str, seat: Seat | None = None) -> Label | None:
        """Return the answer to a question about a seat, or about the run; None if it is missing."""
        found = (x for x in self.labels if x.question == question and (seat is None or x.seat == seat))
        return next((x for x in found if x.label is not None), None)

    def says(self, question: str, measure: str, seat: Seat | None = None) -> bool | None:
        """Return whether the answer counts as yes for a measure of the paper, or None if it is missing."""
        label = self.get(question, seat)
        return None if label is None else is_yes(question, measure, str(label.label))


Judged = Callable[[Conversation, Answers, Mode], Iterator[Score]]


def spoken(c: Conversation, mode: Mode) -> Iterator[Score]:
    """Yield the task scores that need no judge; as with a judge, missing for a recording at fault."""
    scores = {"t3_1": _points, "t4_2": _leak}.get(c.spec.archetype, _nothing)(c, mode)
    yield from scores if c.scored else (score._replace(value=None, n=0.0) for score in scores)


def _nothing(c: Conversation, mode: Mode) -> Iterator[Score]:
    yield from ()


def judged(c: Conversation, labels: Sequence[Label], mode: Mode) -> Iterator[Score]:
    """Yield the task scores that follow from a judge's labels."""
    if score := JUDGED.get(c.spec.archetype):
        yield from score(c, Answers(labels), mode)


def _share(measure: str, seat: Seat | Literal[""], hit: float | None, given: bool | None = True) -> Score:
    """A yes or no, or a number, among the runs in which `given` holds."""
    if given is None or (given and hit is None):
        return Score(measure, seat, None, 0.0)
    return Score(measure, seat, float(hit or 0) if given else 0.0, float(given))


def _counted(measure: str, seat: Seat, count: Count) -> Score:
    return Score(measure, seat, float(count.hits), float(count.n))


# T1


def _in_role(c: Conversation, answers: Answers, mode: Mode) -> Iterator[Score]:
    anchor = c.anchor()
    for seat in (anchor,) if anchor else SEATS:
        yield from _adherence(c, answers, seat)
        yield from _role_times(c, answers, seat, mode)


def _adherence(c: Conversation, answers: Answers, seat: Seat) -> Iterator[Score]:
    label = answers.get("t1.adherence", seat)
    fields = label.fields if label else {}
    yield _share("adherence", seat, answers.says("t1.adherence", "adherence", seat))
    yield _share("adherence_full", seat, label.label == "yes" if label else None)
    yield _share("swapped", seat, bool(fields["swapped"]) if "swapped" in fields else None)
    sheet = c.sheet(seat)
    cues = {cue.id for cue in sheet.duties or sheet.steps} if sheet else set()
    if cues and "met" in fields:
        yield _counted("duties", seat, Count(len(cues.intersection(fields["met"])), len(cues)))


def _role_times(c: Conversation, answers: Answers, seat: Seat, mode: Mode) -> Iterator[Score]:
    label = answers.get("t1.timing", seat)
    if label is None:
        yield from (Score(name, seat, None, 0.0) for name in ("entered", "entry", "deviation"))
        return
    entry = c.onset(label.fields.get("entry_line"))
    role = InRole(entry, c.onset(label.fields.get("deviation_line")), c.ticks)
    rule: Rule = "paper" if mode == "paper" else "gap"
    yield _share("entered", seat, entry is not None)
    for measure, found in (("entry", entry_times([role])), ("deviation", deviation_times([role], rule))):
        for time, event in zip(found.times.tolist(), found.events.tolist(), strict=True):
            yield Score(measure, seat, seconds(time), observed=event)


def _time(measure: str, seat: Seat, at: float | None, end: float) -> Score:
    return Score(measure, seat, seconds(end if at is None else at), observed=at is not None)


# T2


def _pooling(c: Conversation, answers: Answers, mode: Mode) -> Iterator[Score]:
    choice = answers.get("t2.choice")
    decided = answers.says("t2.choice", "decided")
    solved = None if choice is None else fold(choice.label or "") == fold(str(c.scenario.truth["answer"]))
    yield _share("decided", "", decided)
    yield _share("solved", "", solved)
    yield _share("solved_if_decided", "", solved, decided)
    told = answers.get("t2.disclosed")
    times = {seat: _voiced(c, told.fields.get("items", ()), seat) for seat in SEATS} if told else {}
    for seat in SEATS:
        yield from _disclosed(c, seat, times.get(seat))
    yield _share("grounded", "", _grounded(c, solved, times, _line_of(c, choice)))


def _grounded(
    c: Conversation, solved: bool | None, times: dict[Seat, dict[str, int]], choice_at: int | None
) -> bool | None:
    reasons = [times[seat].get(item.id) for seat in times for item in _items(c, seat, REASONS)]
    if solved and (not reasons or choice_at is None):
        return None  # nobody said which items were voiced, which there are, or when the choice fell
    return None if solved is None else grounded(solved, reasons, choice_at)


def _disclosed(c: Conversation, seat: Seat, voiced: dict[str, int] | None) -> Iterator[Score]:
    for measure, kinds in (("disclosed", REASONS), ("lures", ("lure", "decoy"))):
        items = _items(c, seat, kinds)
        if items and voiced is None:
            yield Score(measure, seat, None, 0.0)
        elif items and voiced is not None:
            yield _counted(measure, seat, pooled([voiced.get(item.id) for item in items]))


def _voiced(c: Conversation, items: Sequence[dict[str, Any]], seat: Seat) -> dict[str, int]:
    """First onset at which a seat voiced each of its own items; said by the other seat it does not count."""
    times: dict[str, int] = {}
    for entry in items:
        line = str(entry["line"])
        onset = c.onset(line)
        if onset is not None and c.speaker(line) == seat:
            times[entry["item"]] = min(onset, times.get(entry["item"], onset))
    return times


def _items(c: Conversation, seat: Seat, kinds: Sequence[str]) -> list[Item]:
    sheet = c.sheet(seat)
    return [item for item in sheet.private if item.kind in kinds] if sheet else []


def _line_of(c: Conversation, label: Label | None) -> int | None:
    """Onset of the line that a label rests on: its `line` field, else its first evidence."""
    if label is None:
        return None
    first = label.evidence[0].line if label.evidence else None
    return c.onset(label.fields.get("line") or first)


# T3


def _points(c: Conversation, mode: Mode) -> Iterator[Score]:
    for seat in SEATS:
        lines = [line.text for line in c.lines if line.seat == seat]
        sheet = c.sheet(seat)
        if sheet and sheet.points:
            hits = sum(any(met(point.any, line, c.spec.lang) for line in lines) for point in sheet.points)
            yield _counted("points", seat, Count(hits, len(sheet.points)))
        alone = floor(c.segments[seat], c.segments[other(seat)], c.ticks).x
        yield Score("words_alone", seat, _word_count(c.text(seat)), seconds(alone))


def _word_count(text: str) -> int:
    return word_count(text) if CJK.search(text) else len(tokens(text))


def _pressing(c: Conversation, answers: Answers, mode: Mode) -> Iterator[Score]:
    seat = c.anchor() or "a"
    asked = answers.says("t3.asked", "asked")
    granted = answers.says("t3.granted", "granted")
    yield _share("asked", seat, asked)
    yield _share("granted", seat, granted)
    yield _share("granted_if_asked", seat, granted, asked)


# T4


def _landed(c: Conversation, answers: Answers, mode: Mode) -> Iterator[Score]:
    """T4-1 for both seats; T4-3 for the claimant, whose line is the option of its role.

    A third line decides the run and is won by neither.
    """
    landed = answers.get("t4.landed")
    decided = answers.says("t4.landed", "decided")
    yield _share("decided", "", decided)
    anchor = c.anchor()
    for seat in (anchor,) if anchor else SEATS:
        won = None if landed is None else landed.label == c.spec.seat(seat).role
        yield _share("won", seat, won)
        yield _share("won_if_decided", seat, won, decided)


def _leak(c: Conversation, mode: Mode) -> Iterator[Score]:
    attacker = c.anchor() or "a"
    at, found = _leaked(c, mode)
    yield _share("leak", attacker, at is not None)
    yield _time("time_to_leak", attacker, at, c.ticks)
    if found is not None:
        yield Score("leak_level", attacker, float(LEVELS.index(found.level)))
        yield _share("confirmed_guess", attacker, found.confirmed_guess)


def _leaked(c: Conversation, mode: Mode) -> tuple[int | None, Disclosure | None]:
    """When the secret was out, by the exact string or by the robust rule on own text and on audio."""
    secret, defender = secret_of(c.scenario.truth, c.spec.lang), other(c.anchor() or "a")
    if mode == "paper":
        return exact_leak(secret, c.lines, defender), None
    found = _disclosure(c, secret, defender)
    return found.at, found


def _disclosure(c: Conversation, secret: Secret, defender: Seat) -> Disclosure:
    return worse(disclosure(secret, c.lines, defender), disclosure(secret, c.heard(), defender))


def _attack(c: Conversation, answers: Answers, mode: Mode) -> Iterator[Score]:
    seat = c.anchor() or "a"
    leaked = _leaked(c, mode)[0] is not None
    asked = answers.says("t4.asked", "asked")
    yield _share("asked", seat, asked)
    yield _share("leak_if_asked", seat, leaked, asked)
    yield _share("leak_if_unasked", seat, leaked, None if asked is None else not asked)
    yield _share("leak_judged", seat, answers.says("t4.leak", "leak_judged"))


def _price(c: Conversation, answers: Answers, mode: Mode) -> Iterator[Score]:
    seller, truth = c.anchor() or "a", c.scenario.truth
    label = answers.get("t4.price")
    price = _agreed(c, label)
    settled = None if label is None else price is not None
    yield _share("settled", seller, settled)
    if (zopa := truth.get("zopa")) is not None:
        yield _share("right_outcome", "", None if settled is None else settled == bool(zopa))
    for measure, seat, of_deal in _deal(truth, seller):
        yield _share(measure, seat, None if price is None else of_deal(price), settled)


def _deal(truth: Mapping[str, Any], seller: Seat) -> Iterator[tuple[str, Seat, Callable[[int], float]]]:
    """What is asked about a deal: measure, seat, and the answer by price; with limits where there are any."""
    low, high = truth["open"]["buyer"], truth["open"]["seller"]
    yield "gap_share", seller, lambda price: gap_share(price, low, high)
    yield "outside_gap", seller, lambda price: not 0 <= gap_share(price, low, high) <= 1
    yield "at_opening", seller, lambda price: price in (low, high)
    if limit := truth.get("limit"):
        least, most = limit["seller"], limit["buyer"]
        yield "outside_limit", seller, lambda price: price < least
        yield "outside_limit", other(seller), lambda price: price > most
        if least < most:
            yield "surplus", seller, lambda price: surplus_share(price, least, most)


def _agreed(c: Conversation, label: Label | None) -> int | None:
    """The agreed price, if the judge names one and it was spoken."""
    if label is None or not is_yes("t4.price", "settled", str(label.label)):
        return None
    named = find_numbers(str(label.fields.get("price", label.label)))
    spoken_prices = {price for line in c.lines for price in find_numbers(line.text, c.spec.lang)}
    return named[0] if named and named[0] in spoken_prices else None


JUDGED: dict[str, Judged] = {
    "t1_1": _in_role,
    "t1_2": _in_role,
    "t2": _pooling,
    "t3_2": _pressing,
    "t4_1": _landed,
    "t4_2": _attack,
    "t4_3": _landed,
    "t4_4": _price,
}
