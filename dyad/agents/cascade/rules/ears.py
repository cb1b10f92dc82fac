"""What the ears should expect: words of the role sheet, and sentences in the partner's mouth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import combinations

from dyad.spec import Sheet
from dyad.text import number_words

from . import advocate, attack, compete, defend, digress, engaged, press, trade
from .lang import LANGUAGES, Lines
from .words import as_named, listed, with_article

PARTNER: dict[str, Lines] = {
    "engaged": engaged.LINES, "holder": digress.LINES, "digresser": digress.LINES,
    "pooler": LANGUAGES["en"].pooler,
    "competitor": compete.LINES, "presser": press.AVOID, "avoider": press.LINES, "advocate": advocate.LINES,
    "attacker": defend.LINES, "defender": attack.LINES, "claimant": advocate.CLAIM, "payer": advocate.CLAIM,
    "seller": trade.BUY, "buyer": trade.SELL, "listener": digress.LINES,
}  # fmt: skip


def expected_words(sheet: Sheet) -> list[str]:
    """Return the words of a sheet that a recogniser should know, names first, each once.

    Whisper is all that hears other languages than English, and it needs the names alone.
    """
    names = (*sheet.candidates, *sheet.options, sheet.name)
    if sheet.lang != "en":
        return list(dict.fromkeys(names))
    texts = [
        *names,
        sheet.setting,
        sheet.demand,
        sheet.busy_with,
        *(i.text for i in sheet.private),
        *own_lines(sheet),
    ]
    words = [w for text in texts for w in plain(text).split()]
    prices = [w for price in prices_of(sheet) for w in number_words(price).split()]
    return list(dict.fromkeys(words + prices))


def expected_phrases(sheet: Sheet) -> list[str]:
    """Return sentences that the partner may say: all wordings of its kind, filled with names and prices."""
    said = [text for line in _lines(_partner(sheet)) for text in _filled(line, sheet)]
    shared = own_lines(sheet) if sheet.kind == "engaged" else ()
    expected = LANGUAGES[sheet.lang].expected
    return [p for p in dict.fromkeys([*expected, *(plain(t, sheet.lang) for t in (*said, *shared))]) if p]


def _partner(sheet: Sheet) -> Lines:
    """What the partner of this role may say, as far as a rule speaker of the language can say it."""
    if sheet.lang == "en":
        return PARTNER[sheet.kind]
    return LANGUAGES[sheet.lang].pooler if sheet.kind == "pooler" else {}


def own_lines(sheet: Sheet) -> list[str]:
    """Return the sentences that a sheet gives its speaker."""
    cues = (*sheet.duties, *sheet.steps, *sheet.points, *sheet.reasons)
    return [*(c.text for c in cues), *sheet.episodes, sheet.pretext, *sheet.escalation]


def prices_of(sheet: Sheet) -> range:
    """Return the prices that may be named: fives on the partner's side of the own opening."""
    start = sheet.open_price
    if not start or sheet.archetype != "t4_4":
        return range(0)
    return (
        range(5 * (start // 20), start + 5, 5) if sheet.kind == "seller" else range(start, 3 * start + 5, 5)
    )


def plain(text: str, lang: str = "en") -> str:
    """Return a text as a grammar spells it: lower case, no marks."""
    word = r"[a-z']+" if lang == "en" else r"[^\W_]+(?:'[^\W_]+)*"
    return " ".join(re.findall(word, text.lower().replace("’", "'").replace("-", " ")))


def _lines(lines: Lines) -> Iterable[str]:
    return (line for pool in lines.values() for line in pool)


def _filled(line: str, sheet: Sheet) -> Iterator[str]:
    """Yield a wording with every filling that this seat can foresee, if it can."""
    slots = set(re.findall(r"{(\w+)}", line))
    if not slots:
        yield line
    for values in _values(sheet, slots):
        yield line.format(**values)


def _values(sheet: Sheet, slots: set[str]) -> Iterator[dict[str, str]]:
    language = LANGUAGES[sheet.lang]
    names = [as_named(name, sheet.setting, language.article) for name in sheet.candidates]
    options = [with_article(o, sheet.setting) for o in sheet.options]
    if slots in ({"name"}, {"names"}):
        yield from ({s: n} for s in slots for n in names)
    if slots == {"names"}:
        yield from ({"names": listed(pair, "and", language)} for pair in combinations(names, 2))
    if slots == {"all"}:
        yield {"all": listed(names, "or", language)}
    if slots in ({"own"}, {"other"}):  # seen from the partner, whose own option is listed second here
        yield from ({s: o} for s in slots for o in options)
    if slots in ({"price"}, {"theirs"}):
        yield from ({s: number_words(p)} for s in slots for p in prices_of(sheet))
