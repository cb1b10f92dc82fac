"""Agreement: which named outcome two speakers have landed on when the conversation ends.

An outcome stands when one seat settles on it, or says yes, while the other's offer of it is still open. It
falls when a seat takes it back, rules it out, or settles on or offers another one. What only one side says,
what is hedged, and what quotes the other side settles nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from dyad.spec import Seat, other
from dyad.text import similarity, stem, tokens

from ..transcript import Line
from .lexicon import LEXICONS, Lexicon, en, en_answers
from .speech import Act, Marker, acts, sentences

NEAR = 0.85  # Levenshtein ratio from which a word is a rare name bent a little
NEAR_LETTERS = 6  # shorter words must be the name itself
REPLY_LINES = 3  # a bare yes answers an offer made at most this many lines before
_ANSWERABLE = ("ask", "query", "commit")  # by a mere repetition of the name


@dataclass(frozen=True)
class Accord:
    """The outcome that stands, the line that offered it and the line that accepted it."""

    key: str
    offered: Line
    accepted: Line


@dataclass
class _Offer:
    key: str
    kind: str
    line: Line
    at: int


@dataclass
class _Table:
    """What lies open between the seats while the lines go by. `owners`: whose option a key is."""

    owners: Mapping[str, Seat]
    mentions_offer: bool
    offers: dict[Seat, _Offer] = field(default_factory=dict)
    own: dict[str, _Offer] = field(default_factory=dict)  # options that their owners have named
    topic: str = ""  # the key that was named last
    named: dict[tuple[Seat, str], int] = field(default_factory=dict)  # a seat's last line with a key
    accord: Accord | None = None


def find_accord(
    lines: Sequence[Line],
    mark: Marker,
    owners: Mapping[str, Seat] | None = None,
    mentions_offer: bool = False,
    lex: Lexicon = LEXICONS["en"],
) -> Accord | None:
    """Return the outcome on which both seats stand at the end, or None.

    `mark` replaces outcomes in a list of words by `@key`. `owners` maps an option to the bridge seat that
    wants it: naming it is an offer. `mentions_offer`: naming any outcome is an offer, as with prices.
    `lex` is the language of the lines.
    """
    table = _Table(owners or {}, mentions_offer)
    for at, line in enumerate(lines):
        for act in _line_acts(line.text, partial(_refer, table, line.seat, mark), lex):
            _take(table, act, line, at)
            if act.key:
                table.named[line.seat, act.key] = at
                table.topic = act.key
    return table.accord


def name_marker(names: Mapping[str, Sequence[str]], near: bool = False, lang: str = "en") -> Marker:
    """Return a marker for names, key → spellings; keys are letters and digits.

    Words match whole, on their stems; `near` lets long, rare names be bent a little.
    """
    spelled = [(key, tokens(s, lang)) for key, all_ in names.items() for s in all_]
    spelled.sort(key=lambda pair: -len(pair[1]))
    return partial(_mark_names, spelled, near, lang)


def price_marker(low: float, high: float, unit: str) -> Marker:
    """Return a marker for whole numbers in [low, high] that are prices: they count nothing but the unit."""
    return partial(_mark_prices, low, high, frozenset(tokens(unit)))


def _line_acts(text: str, mark: Marker, lex: Lexicon) -> list[Act]:
    """What a line does, sentence by sentence. A name beside a yes is what the yes is about."""
    found = [act for sentence in sentences(text) for act in _weighed(acts(sentence, mark, lex))]
    bare = {act.kind for act in found if not act.key}
    if bare & {"assent", "agree", "nod"} and not bare & {"dissent", "recant", "doubt"}:
        return [Act("consent", act.key) if act.kind == "name" else act for act in found]
    return found


def _weighed(said: list[Act]) -> list[Act]:
    """The acts of a sentence without those that others of it outweigh.

    Of several outcomes it offers the one that it decides on, or none. "No, let us take it" is no no.
    """
    kinds = {act.kind for act in said}
    named = {act.key for act in said if act.key and act.kind != "reject"}
    firm = {act.key for act in said if act.kind in ("commit", "propose", "ask")}
    kept = [act for act in said if act.key not in named or named == {act.key} or firm == {act.key}]
    if "commit" in kinds and "reject" not in kinds:
        return [act for act in kept if act.kind != "dissent"]
    return kept


def _take(table: _Table, act: Act, line: Line, at: int) -> None:
    seat, theirs = line.seat, _theirs(table, act, line.seat)
    same = theirs is not None and theirs.key == act.key
    match act.kind:
        case "commit" | "consent" if theirs and same:
            _settle(table, theirs, line, at)
        case "propose" if theirs and same and theirs.kind != "mention":  # both want it
            _settle(table, theirs, line, at)
        case "name" if theirs and same and theirs.kind in _ANSWERABLE and at - theirs.at <= REPLY_LINES:
            _settle(table, theirs, line, at)
        case "assent" | "agree" | "nod" | "affirm" if theirs and act.key in ("", theirs.key):
            if _answers(act, theirs, line, at):
                _settle(table, theirs, line, at)
        case "commit" | "ask" | "propose":
            _offer(table, _Offer(act.key, act.kind, line, at))
        case "consent" | "query" | "name" | "mention" | "nod" if act.key:
            _mention(table, act, line, at)
        case "reject":
            _reject(table, act.key)
        case "recant" if table.accord:
            table.accord = None
            table.offers.clear()
        case "elsewhere" if seat in table.offers:
            table.offers[seat].kind = "mention"
            table.offers[seat].at = -REPLY_LINES
        case "doubt" if table.accord and table.accord.accepted is line:
            table.accord = None
        case "dissent" | "recant" if theirs and not table.accord:
            _close(table, other(seat))


def _theirs(table: _Table, act: Act, seat: Seat) -> _Offer | None:
    """The offer of the other seat that an act may be about; its own option stays on the table."""
    offer = table.offers.get(other(seat))
    if act.kind in ("commit", "consent") and table.owners.get(act.key) == other(seat):
        return offer if offer and offer.key == act.key else table.own.get(act.key, offer)
    return offer


def _settle(table: _Table, offer: _Offer, line: Line, at: int) -> None:
    if table.accord is None or table.accord.key != offer.key:
        table.accord = Accord(offer.key, offer.line, line)
    table.offers[line.seat] = _Offer(offer.key, "commit", line, at)


def _offer(table: _Table, offer: _Offer) -> None:
    if table.accord and table.accord.key != offer.key:
        table.accord = None
    table.offers[offer.line.seat] = offer
    if table.owners.get(offer.key) == offer.line.seat:
        table.own[offer.key] = offer


def _mention(table: _Table, act: Act, line: Line, at: int) -> None:
    """Naming an outcome is an offer only where it speaks for itself, and never undoes anything."""
    mine, theirs = table.offers.get(line.seat), table.offers.get(other(line.seat))
    echo = (theirs is not None and theirs.key == act.key) or _just_named(table, act.key, other(line.seat), at)
    own = table.owners.get(act.key) == line.seat
    speaks = (act.kind == "consent" and bool(table.owners)) or (act.kind == "query" and not echo)
    if table.accord or not (speaks or (table.mentions_offer and not echo) or (own and mine is None)):
        return
    kind = {"consent": "propose", "query": "query"}.get(
        act.kind, "name" if table.mentions_offer else "mention"
    )
    _offer(table, _Offer(act.key, kind, line, at))


def _just_named(table: _Table, key: str, seat: Seat, at: int) -> bool:
    return at - table.named.get((seat, key), -REPLY_LINES - 1) <= REPLY_LINES


def _reject(table: _Table, key: str) -> None:
    """Whoever rules an outcome out closes it for both."""
    for side, offer in list(table.offers.items()):
        if offer.key == key:
            _close(table, side)
    if table.accord and table.accord.key == key:
        table.accord = None


def _close(table: _Table, seat: Seat) -> None:
    """Take an offer off the table; a seat's own option stays on it whatever the other says."""
    if table.owners.get(table.offers[seat].key) != seat:
        table.offers.pop(seat)


def _answers(act: Act, offer: _Offer, line: Line, at: int) -> bool:
    """A firm yes answers any recent offer, and one of opinion any but a bare mention of an option.

    A light one answers a question or a decision, and not as a backchannel.

    Said into the end of a line, a light yes may answer a question; to a statement it is a backchannel.
    """
    if at - offer.at > REPLY_LINES:
        return False
    if act.kind == "affirm":
        return offer.kind in ("ask", "query", "commit") and at - offer.at == 1
    if act.kind in ("assent", "agree"):
        return act.kind == "assent" or offer.kind != "mention"
    inside = any(mark.startswith("inside ") for mark in line.marks)
    over = any(mark.startswith("overlaps ") for mark in line.marks)
    asked = offer.kind == "ask" or (offer.kind == "query" and not act.key)
    return (asked and not inside) or (offer.kind == "commit" and not (inside or over))


def _refer(table: _Table, seat: Seat, mark: Marker, words: list[str]) -> list[str]:
    """Mark what a sentence names; without a name "yours" is an option, and "him" who was spoken of."""
    marked = mark(words)
    if any(word.startswith("@") for word in marked):
        return marked
    if table.owners:
        owned = {"mine" if owner == seat else "yours": f"@{key}" for key, owner in table.owners.items()}
        said = re.sub(
            en_answers.OWN_WORDS, lambda found: "mine" if found[1] == "my" else "yours", " ".join(marked)
        )
        given_in = [owned["yours"]] if re.search(en_answers.YIELDS, said) and "yours" in owned else []
        return [*(owned.get(word, word) for word in said.split()), *given_in]
    if table.mentions_offer or not table.topic:
        return marked
    return re.sub(r"\b(?:him|(?:that|this) (?:1|one))\b", f"@{table.topic}", " ".join(marked)).split()


def _mark_names(
    spelled: Sequence[tuple[str, list[str]]], near: bool, lang: str, words: list[str]
) -> list[str]:
    marked: list[str] = []
    at = 0
    while at < len(words):
        key, width = next(
            ((k, len(s)) for k, s in spelled if _same(words[at : at + len(s)], s, near, lang)), ("", 1)
        )
        marked.append(f"@{key}" if key else words[at])
        at += width
    return marked


def _same(words: Sequence[str], name: Sequence[str], near: bool, lang: str) -> bool:
    if len(words) != len(name):
        return False
    pairs = zip(words, name, strict=True)
    return all(stem(a, lang) == stem(b, lang) or (near and _bent(a, b)) for a, b in pairs)


def _bent(word: str, name: str) -> bool:
    return len(name) >= NEAR_LETTERS and word[:1] == name[:1] and similarity(word, name) >= NEAR


def _mark_prices(low: float, high: float, units: frozenset[str], words: list[str]) -> list[str]:
    followed = zip(words, [*words[1:], ""], strict=False)
    marked = [
        f"@{w}" if w.isdigit() and low <= int(w) <= high and _ends(n, units) else w for w, n in followed
    ]
    after = zip(["", *marked], marked, strict=False)
    return [word for before, word in after if not (before.startswith("@") and word in units)]


def _ends(following: str, units: frozenset[str]) -> bool:
    """Whether a number followed by this word stands alone: "eleven evenings" is no price."""
    return not following or stem(following) in en.AFTER_PRICE or following in en.AFTER_PRICE | units
