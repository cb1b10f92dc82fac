"""T1 by rules: is a seat in its role, since when, and until when.

In role: the line meets one of the role's own cues (duties, steps, episodes); small talk meets none.
Off role, whichever comes first after that:
- a line that meets only cues of the partner's role which the partner has not itself said before (saying back
  what one heard is listening, not swapping);
- a line that speaks as a machine or to the judge; nothing in it counts for the role;
- a stretch of six seconds and twelve words or more in which no line has a word of the topic. For seats that
  share a topic these are the words of both roles, beside a digresser those of the own role alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dyad.spec import Evidence, Label, Role, Seat, other, ticks_at_least
from dyad.text import joined, met, word_count

from ..case import Case
from ..evidence import cite, cite_where
from ..transcript import Line
from .asides import conversation
from .lexicon import LEXICONS, Lexicon
from .speech import content, plain

DRIFT_TICKS = ticks_at_least(6.0)
DRIFT_WORDS = 12
SHORT_WORDS = 4  # shorter lines are reactions: they neither hold a topic nor leave it
SHARED_WORDS = 2  # content words that make a line part of an episode


@dataclass(frozen=True)
class Course:
    """What a seat did with its role. `met` maps own cues to their first line, `foreign` the partner's."""

    met: dict[str, Line]
    foreign: dict[str, Line]
    entry: Line | None
    deviation: Line | None

    @property
    def swapped(self) -> bool:
        """Whether the seat did more of its partner's role than of its own."""
        return len(self.foreign) > len(self.met)


def adherence(case: Case, role: Seat) -> Label:
    """Label a seat yes, partly or no.

    No: no own cue met, or roles swapped. Partly: went off role after entering, or met less than half of
    its duties or steps. Yes: everything else. Who is told to listen is in role without a word, and only then.
    """
    if case.roles[role].kind == "listener":
        return _silence(case, role)
    course = follow(case, role)
    wanted = case.roles[role].duties or case.roles[role].steps
    done = sum(cue.id in course.met for cue in wanted)
    label = "yes"
    if not course.met or course.swapped:
        label = "no"
    elif course.deviation or 2 * done < len(wanted):
        label = "partly"
    return Label(
        question="t1.adherence",
        label=label,
        evidence=tuple(_evidence(case.roles[role], course, LEXICONS[case.lang])),
        fields={"swapped": course.swapped, "met": list(course.met)},
    )


def _silence(case: Case, role: Seat) -> Label:
    said = case.said(role)
    evidence = tuple(cite(line, lang=case.lang) for line in said[:1])
    fields = {"swapped": False, "met": []}
    return Label(question="t1.adherence", label="no" if said else "yes", evidence=evidence, fields=fields)


def timing(case: Case, role: Seat) -> Label:
    """Label a seat none, entered or drifted, with the first line in role and the first off role after it."""
    course = follow(case, role)
    entry = course.entry and course.entry.id
    deviation = course.deviation and course.deviation.id
    label = "drifted" if deviation else "entered" if entry else "none"
    fields = {"entry_line": entry, "deviation_line": deviation}
    evidence = tuple(_evidence(case.roles[role], course, LEXICONS[case.lang])) if entry else ()
    return Label(question="t1.timing", label=label, evidence=evidence, fields=fields)


def follow(case: Case, role: Seat) -> Course:
    """Return what a seat did with its role, line by line."""
    mine, theirs, lex = case.roles[role], case.roles[other(role)], LEXICONS[case.lang]
    met_: dict[str, Line] = {}
    foreign: dict[str, Line] = {}
    heard: set[str] = set()  # the partner's cues that the partner has said
    off: list[Line] = []
    read = conversation(case)
    for line in read.worded:
        if case.role(line) != role:
            heard |= cues_met(theirs, line.text, lex)
            continue
        own = cues_met(mine, line.text, lex)
        strange = set() if own else cues_met(theirs, line.text, lex) - heard
        met_ |= {cue: line for cue in sorted(own) if cue not in met_}
        foreign |= {cue: line for cue in sorted(strange) if cue not in foreign}
        if strange:
            off.append(line)
    off += [line for line in case.said(role) if re.search(lex.machine, joined(plain(line.text, lex)))]
    entry = min(met_.values(), key=lambda line: line.start, default=None)
    off += _drifts(read.said(role), topic_words(case, role), lex)
    after = [line for line in off if entry and line.start > entry.start]
    return Course(met_, foreign, entry, min(after, key=lambda line: line.start, default=None))


def cues_met(role: Role, text: str, lex: Lexicon) -> set[str]:
    """Return the ids of the duties, steps and episodes (`episode1` …) of a role that a text meets."""
    found = {cue.id for cue in (*role.duties, *role.steps) if met(cue.any, text, lex.lang)}
    said = content(text, lex)
    for i, episode in enumerate(role.episodes, 1):
        words = content(episode, lex)
        if len(words & said) >= min(SHARED_WORDS, len(words)):
            found.add(f"episode{i}")
    return found


def topic_words(case: Case, role: Seat) -> set[str]:
    """Return the stems of the words by which a seat shows that it is still at its business."""
    lex = LEXICONS[case.lang]
    own, theirs = (_words_of(case.roles[seat], lex) for seat in (role, other(role)))
    if "digresser" in (case.roles[role].kind, case.roles[other(role)].kind):
        return own - theirs
    return own | theirs | content(case.scenario.setting, lex)


def _words_of(role: Role, lex: Lexicon) -> set[str]:
    cues = [text for cue in (*role.duties, *role.steps) for text in (cue.text, *cue.any)]
    items = (item.text for item in role.private)
    return content(" ".join([role.brief, role.topic, *role.episodes, *cues, *items]), lex)


def _drifts(own: Sequence[Line], topic: set[str], lex: Lexicon) -> Iterator[Line]:
    """The first line of every stretch without a word of the topic that is long enough."""
    stretch: list[Line] = []
    for line in own:
        if word_count(line.text) < SHORT_WORDS:
            continue
        stretch = [] if content(line.text, lex) & topic else [*stretch, line]
        long = sum(x.end - x.start for x in stretch) >= DRIFT_TICKS
        if long and sum(word_count(x.text) for x in stretch) >= DRIFT_WORDS:
            yield stretch[0]


def _evidence(role: Role, course: Course, lex: Lexicon) -> Iterator[Evidence]:
    """The line of entry, the line of deviation, or, of a seat never in role, what it did of the other's."""
    if course.entry:
        yield cite_where(course.entry, lambda text: bool(cues_met(role, text, lex)))
    if course.deviation:
        yield cite(course.deviation)
    if course.swapped:
        yield cite(next(iter(course.foreign.values())))
