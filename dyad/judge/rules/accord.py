"""Agreement: which named outcome two speakers have landed on when the conversation ends.

An outcome stands when one seat settles on it, or says yes, while the other's offer of it is still open. It
falls when a seat takes it back, rules it out, or settles on or offers another one. What only one side says,
what is hedged, and what quotes the other side settles nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from dyad.spec import Seat, other
from dyad.text import similarity, stem, tokens

from ..transcript import Line
from .lexicon import LEXICONS, Lexicon, en
from .speech import Act, Marker, acts, sentences

NEAR = 0.85  # Levenshtein ratio from which a word is a rare name bent a little
NEAR_LETTERS = 6  # shorter words must be the name itself
REPLY_LINES = 3  # a bare yes answers an offer made at most this many lines before


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
        for sentence in sentences(line.text):
            for act in acts(sentence, mark, lex):
                _take(table, act, line, at)
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


def _take(table: _Table, act: Act, line: Line, at: int) -> None:
    seat, theirs = line.seat, table.offers.get(other(line.seat))
    match act.kind:
        case "commit" | "consent" if theirs and theirs.key == act.key:
            _settle(table, theirs, line, at)
        case "commit" | "ask" | "propose":
            _offer(table, _Offer(act.key, act.kind, line, at))
        case "mention" | "consent":
            _mention(table, act.key, line, at)
        case "assent" | "nod" if theirs and _answers(act, theirs, line, at):
            _settle(table, theirs, line, at)
        case "reject":
            _reject(table, act.key)
        case "recant" if table.accord:
            table.accord = None
            table.offers.clear()
        case "dissent" | "recant" if theirs and not table.accord:
            _close(table, other(seat))


def _settle(table: _Table, offer: _Offer, line: Line, at: int) -> None:
    if table.accord is None or table.accord.key != offer.key:
        table.accord = Accord(offer.key, offer.line, line)
    table.offers[line.seat] = _Offer(offer.key, "commit", line, at)


def _offer(table: _Table, offer: _Offer) -> None:
    if table.accord and table.accord.key != offer.key:
        table.accord = None
    table.offers[offer.line.seat] = offer


def _mention(table: _Table, key: str, line: Line, at: int) -> None:
    """Naming an outcome is an offer only where it speaks for itself, and never undoes anything."""
    mine, theirs = table.offers.get(line.seat), table.offers.get(other(line.seat))
    if table.accord:
        return
    echo = theirs is not None and theirs.key == key
    if (table.mentions_offer and not echo) or (table.owners.get(key) == line.seat and mine is None):
        table.offers[line.seat] = _Offer(key, "mention", line, at)


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
    """A firm yes answers any recent offer; a light one a question or a decision, and not as a backchannel.

    Said into the end of a line, a light yes may answer a question; to a statement it is a backchannel.
    """
    if at - offer.at > REPLY_LINES:
        return False
    if act.kind == "assent":
        return True
    inside = any(mark.startswith("inside ") for mark in line.marks)
    over = any(mark.startswith("overlaps ") for mark in line.marks)
    return (offer.kind == "ask" and not inside) or (offer.kind == "commit" and not (inside or over))


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
    followed = zip(words, [*words[1:], ""], strict=True)
    return [f"@{w}" if w.isdigit() and low <= int(w) <= high and _ends(n, units) else w for w, n in followed]


def _ends(following: str, units: frozenset[str]) -> bool:
    """Whether a number followed by this word stands alone: "eleven evenings" is no price."""
    return not following or stem(following) in en.AFTER_PRICE or following in en.AFTER_PRICE | units
