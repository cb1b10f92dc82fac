"""What the ears should expect: words of the role sheet, and sentences in the partner's mouth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from dyad.spec import Sheet
from dyad.text import number_words

from . import advocate, attack, compete, defend, digress, engaged, pooler, press, trade
from .talk import Lines
from .words import listed, with_article

MANNERS = (
    "sorry can you say that again", "pardon i missed that", "i did not catch that sorry",
    "hello are you there", "good that we settled that", "goodbye then", "thank you goodbye",
    "yes", "no", "okay", "i see", "all right",
)  # fmt: skip
PARTNER: dict[str, Lines] = {
    "engaged": engaged.LINES, "holder": digress.LINES, "digresser": digress.LINES, "pooler": pooler.LINES,
    "competitor": compete.LINES, "presser": press.AVOID, "avoider": press.LINES, "advocate": advocate.LINES,
    "attacker": defend.LINES, "defender": attack.LINES, "claimant": advocate.CLAIM, "payer": advocate.CLAIM,
    "seller": trade.BUY, "buyer": trade.SELL,
}  # fmt: skip


def expected_words(sheet: Sheet) -> list[str]:
    """Return the words of a sheet that a recogniser should know, names first, each once."""
    names = (*sheet.candidates, *sheet.options, sheet.name)
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
    said = (plain(text) for line in _lines(PARTNER[sheet.kind]) for text in _filled(line, sheet))
    shared = (plain(t) for t in own_lines(sheet)) if sheet.kind == "engaged" else ()
    return [p for p in dict.fromkeys([*MANNERS, *said, *shared]) if p]


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


def plain(text: str) -> str:
    """Return a text as a grammar spells it: lower case, no marks."""
    return " ".join(re.findall(r"[a-z']+", text.lower().replace("’", "'").replace("-", " ")))


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
    names: Sequence[str] = sheet.candidates
    options = [with_article(o, sheet.setting) for o in sheet.options]
    if slots in ({"name"}, {"names"}):
        yield from ({s: n} for s in slots for n in names)
    if slots == {"names"}:
        yield from ({"names": listed(pair)} for pair in combinations(names, 2))
    if slots == {"all"}:
        yield {"all": listed(names, "or")}
    if slots in ({"own"}, {"other"}):  # seen from the partner, whose own option is listed second here
        yield from ({s: o} for s in slots for o in options)
    if slots in ({"price"}, {"theirs"}):
        yield from ({s: number_words(p)} for s in slots for p in prices_of(sheet))
