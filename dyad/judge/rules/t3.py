"""T3 by rules: points delivered, the request voiced, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import partial

from dyad.spec import Cue, Evidence, Label, Role, Seat
from dyad.text import met, stem, stems, tokens

from ..case import Case
from ..evidence import cite, cite_where
from ..transcript import Line
from .lexicon import LEXICONS, asking
from .speech import content, plain, sentences

_EN = LEXICONS["en"]
UNREAD = {"label": None, "status": "unsupported_language"}  # missing, which is not "no"
ASIDE_WORDS = 4  # a question of fewer words makes no point
REPLY_LINES = 2  # a bare yes answers a request made at most this many lines before
ACT_LINES = 4  # so does a yes that says what will be done


def points(case: Case, role: Seat) -> Label:
    """Label how many of its points a competitor delivered; `met` maps each to its first line."""
    found: dict[str, str] = {}
    evidence: list[Evidence] = []
    for point in case.roles[role].points:
        telling = _telling(case, point)
        first = next((x for x in case.said(role) if delivers(point, x.text, case.lang, telling)), None)
        if first:
            found[point.id] = first.id
            evidence.append(cite(first, *point.any, lang=case.lang))
    fields = {"met": found, "of": len(case.roles[role].points)}
    return Label(question="t3.points", label=str(len(found)), evidence=tuple(evidence), fields=fields)


def _telling(case: Case, point: Cue) -> set[str]:
    """The words of a point that stand nowhere else in the scenario."""
    roles = case.roles.values()
    others = [x.text for role in roles for x in role.points if x is not point]
    topic = [case.scenario.setting, *(role.brief for role in roles)]
    return content(point.text, _EN) - content(" ".join([*others, *topic]), _EN)


def delivers(point: Cue, text: str, lang: str, telling: Set[str] = frozenset()) -> bool:
    """Return whether a text makes a point: by one of its cues or, in English, by half of its words or more.

    An English sentence that only announces it, or that asks the other about it, does not.
    """
    if lang != "en":
        return met(point.any, text, lang)
    return any(_makes(point, sentence, telling) for sentence in sentences(text))


def _makes(point: Cue, sentence: str, telling: Set[str]) -> bool:
    words = plain(sentence, _EN)
    about_you = sentence.rstrip().endswith("?") and (len(words) < ASIDE_WORDS or {"you", "your"} & set(words))
    if about_you or re.search(asking.ANNOUNCES, " ".join(words)):
        return False
    wanted = content(point.text, _EN)
    shared = wanted & content(sentence, _EN)
    return (
        met(point.any, sentence)
        or (len(shared) > 1 and 2 * len(shared) >= len(wanted))
        or bool(shared & telling)
    )


def asked(case: Case) -> Label:
    """Label whether the presser voiced its request."""
    return first_request(case, "t3.asked", asking.REQUEST)


def first_request(case: Case, question: str, markers: str) -> Label:
    """Label yes with the first line in which seat a of the scenario asks for what it wants, else no.

    In other languages than English only the listed ways of asking are known, so that none found is no "no".
    """
    role = case.roles["a"]
    fits = (
        partial(requests, role, markers=markers) if case.lang == "en" else partial(_listed, role, case.lang)
    )
    first = next((x for x in case.said("a") if fits(x.text)), None)
    if first is None:
        label = Label(question=question, label="no", fields={"line": None})
        return label if case.lang == "en" or not case.said("a") else label.model_copy(update=UNREAD)
    evidence = (cite_where(first, fits),)
    return Label(question=question, label="yes", evidence=evidence, fields={"line": first.id})


def requests(role: Role, text: str, markers: str = asking.REQUEST) -> bool:
    """Return whether an English text asks for what a role demands; hints at the need are no request."""
    return any(_requests(role, sentence, markers) for sentence in sentences(text))


def _listed(role: Role, lang: str, text: str) -> bool:
    return any(met(cue.any, text, lang) for cue in role.duties if cue.id == "ask")


def _requests(role: Role, sentence: str, markers: str) -> bool:
    """A listed way of asking; or all words of the demand; or its thing after a word that asks."""
    words = " ".join(plain(sentence, _EN))
    if re.search(asking.NO_REQUEST, words):
        return False
    if _listed(role, "en", sentence):
        return True
    wanted = [w for w in tokens(role.demand) if w not in asking.PARTICLES]
    things = {stem(w) for w in wanted if w not in asking.EMPTY_VERBS}
    said = stems(words)
    if not things or not things <= set(said):
        return False
    marker = re.search(markers, words)
    all_said = {stem(w) for w in wanted} <= set(said) and len(wanted) > len(things)
    first = min(map(said.index, things))
    started = marker is not None and len(words[: marker.start()].split()) <= first
    return all_said or started or bool(re.search(r"\bplease\b", words))


def granted(case: Case) -> Label:
    """Label the avoider's last clear yes or no after the request was voiced; open without any."""
    label, last = "open", None
    request: int | None = None
    for at, line in enumerate(case.worded):
        if case.role(line) == "a":
            request = at if _insists(case.roles["a"], line.text, request is not None) else request
        elif request is not None:
            answer = _answer(case.roles["a"], line, at - request)
            label, last = (answer, line) if answer else (label, last)
    evidence = (cite_where(last, lambda text: _answers(case.roles["a"], text)),) if last else ()
    fields = {"line": last.id if last else None}
    return Label(question="t3.granted", label=label, evidence=evidence, fields=fields)


def _insists(presser: Role, text: str, asked: bool) -> bool:
    """Whether a line voices the request, or asks for what it speaks of as "it" or by a word of the demand."""
    if requests(presser, text):
        return True
    words = " ".join(plain(text, _EN))
    named = (
        asked or re.search(rf"\b{asking.IT}\b", words) or content(presser.demand, _EN) & content(words, _EN)
    )
    return bool(named and re.search(asking.REQUEST, words) and not re.search(asking.NO_REQUEST, words))


def _answer(presser: Role, line: Line, after: int) -> str | None:
    """What a line answers: refused before granted, and nothing where it puts off."""
    found: str | None = None
    for sentence in sentences(line.text):
        found = _sentence_answer(presser, sentence, after) or found
    return found


def _answers(presser: Role, text: str) -> bool:
    return any(_sentence_answer(presser, sentence, 1) for sentence in sentences(text))


def _sentence_answer(presser: Role, sentence: str, after: int) -> str | None:
    """What a sentence answers that is said so many lines after the request."""
    words = " ".join(plain(sentence, _EN))
    denied = re.search(asking.DENIES, words) and _things(presser) & set(stems(words))
    if re.search(asking.REFUSAL, words) or (denied and not sentence.rstrip().endswith("?")):
        return "refused"
    if re.search(asking.LATER, words):
        return None
    if sentence.rstrip().endswith("?"):
        return "granted" if re.search(asking.SHOWS, words) else None
    bare = after <= REPLY_LINES and re.search(asking.YES, words)
    replies = bare or (after <= ACT_LINES and re.search(asking.ACTS, words))
    return "granted" if replies or re.search(asking.GRANT, words) or _does_it(presser, words) else None


def _does_it(presser: Role, words: str) -> bool:
    """Whether a sentence says that what is demanded will be done, in its words or of "it"."""
    if not re.search(asking.WILL, words):
        return False
    verb = re.escape(tokens(presser.demand)[0])
    of_it = re.search(rf"\b{verb}\w*(?: \w+)? {asking.IT}\b", words)
    acts = re.search(asking.DOES, words) and _things(presser) & set(stems(words))
    return bool(of_it or acts or content(presser.demand, _EN) <= content(words, _EN))


def _things(presser: Role) -> set[str]:
    """The stems of what a demand is about."""
    said = (w for w in tokens(presser.demand) if w not in asking.PARTICLES | asking.EMPTY_VERBS)
    return {stem(word) for word in said}
