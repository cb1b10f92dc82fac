"""Understanding: which dialogue acts a heard text holds. Pure functions, whole words only.

Names are found first and replaced by marks, then fixed patterns run over the folded words, so that the same
code reads punctuated text and the bare word strings of a small recogniser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dyad.text import tokens

from .names import mark_names


@dataclass(frozen=True)
class Act:
    """One thing that a text does: `out` and `keep` a name, `propose` it, `price` a number, `agree`, …"""

    kind: str
    name: str = ""
    value: int = 0


@dataclass(frozen=True)
class Heard:
    """A turn as understood: the text and its acts, in order."""

    text: str
    acts: tuple[Act, ...] = ()

    def has(self, *kinds: str) -> bool:
        """Return whether the turn holds an act of any of the kinds."""
        return any(a.kind in kinds for a in self.acts)

    def names(self, *kinds: str) -> list[str]:
        """Return the names that acts of the kinds are about, each once, in order."""
        return list(dict.fromkeys(a.name for a in self.acts if a.kind in kinds and a.name))

    @property
    def prices(self) -> list[int]:
        """The numbers that were named as prices, in order."""
        return [a.value for a in self.acts if a.kind == "price"]


_NAMES = r"((?:@\d+ (?:and |or |nor )?)+)"
_ONE = r"(@\d+) (?!(?:or |and )?@)"
# patterns over folded words; what stands in group 1 are the names that the act is about
NAMED = {
    "out": (
        rf"{_NAMES}(?:is |are |was |has to be |must be )?(?:also |both |now |then |already )?"
        r"(?:out|off|gone|excluded|impossible|eliminated|ruled out|no good|no use) ",
        rf"(?:cross off|cross out|rule out|rules out|strike|scratch|drop|forget|ruled out) {_NAMES}",
        rf"(?:rule|rules|cross|takes|leaves) {_NAMES}(?:out|off) ",
        rf"(?<!why )(?<!if )not {_NAMES}(?:then )?",
        rf"{_NAMES}(?:cannot|can not|cant|wont|will not|falls? away) ",
    ),
    "keep": (rf"(?:only|just|nobody but|left are|leaves|leaving) ((?:@\d+ (?:and |or )?){{2,}})",),
    "back": (rf"{_NAMES}(?:is |are )?(?:not out|still in|still there|fine|free|possible|allowed)",),
    "propose": (
        r"(?:it|that|this|answer|choice|name|one|must|has to|can only|should) (?:then |so )?(?:is |be |be only )?"
        rf"(?:then )?{_ONE}",
        r"(?:go for|go with|going with|choose|pick|take|propose|suggest|settle on|vote for|write down|note down|"
        rf"write|call it|put down|read back|leaves|leaving|agree on|agree to|say) (?:us |just |only )?{_ONE}",
        rf"{_ONE}(?:then )?(?:it is|is left|then|is the one|is the answer|wins|is our|is what remains)",
        rf"only {_ONE}(?:is |remains|left)",
    ),
    "prefer": (
        rf"(?:prefer|want|wants|like|for|is|be|with|stay with|rather have|make it) (?:the )?{_ONE}",
        rf"{_ONE}(?:is better|is best|is right|please)",
    ),
    "praise": (
        rf"(?:swears by|recommends?|loves?|likes?|praises?|trusts?) {_ONE}",
        rf"{_ONE}.*\b(?:always|best|lovely|nice|friendly|great|beautiful|famous|reliable|favourite)\b",
    ),
}  # fmt: skip
PLAIN = {
    "repeat": r"did you say \d|(?:you|please) say (?:that|it) again|repeat that|pardon|(?:did not|didnt|not) (?:quite )?(?:catch|get) that",
    "greet": r"^(?:hello|hi|good (?:morning|evening|afternoon))\b",
    "bye": r"\b(?:bye|goodbye|good night|see you)\b",
    "disagree": r"\b(?:disagree|dont agree|not agree|no way|i doubt it|not yet|wrong)\b|^no\b",
    "agree": r"\b(?:yes|yeah|yep|i agree|agreed|exactly|same here|sounds good|suits me|deal|very well|fine by me)\b",
    "concede": r"\b(?:you win|i give in|give up|convinced|as you (?:like|wish)|you are right|have it your way|"
    r"all right|fine|very well|okay then)\b",
    "hedge": r"\b(?:moment|minute|second|later|maybe|perhaps|see|hmm?|busy|cannot say|let me (?:just|finish)|after)\b",
    "refuse": r"\b(?:cannot|cant|wont|will not|not allowed|never|not possible|may not|must not|do not give|dont give|"
    r"sorry|afraid|rather not|stays?|sealed|closed|own business|nobody hears)\b|^no\b",
    "grant": r"\b(?:you have it|go ahead|have your way|it is yours|i will do (?:it|that)|consider it done|you may|"
    r"yes of course|all right yes|yes all right|of course you can|i will tell you|between us)\b",
    "request": r"\b(?:please|can i|could i|may i|can you|could you|would you|will you|i need|i want|let me|"
    r"tell me|give me|i would like|you can just|say yes|help me)\b",
    "push": r"\b(?:hurry|quick|quickly|urgent|now|rising|fault|complaint|chairman|boss|manager|police|"
    r"already agreed|knows all|trust|promise|nobody will|your name|late|bell)\b",
    "accept": r"\b(?:agreed|deal|done|sold|i take it|i will take it|shake on)\b",
    "last": r"\b(?:last word|final|no (?:more|less|higher|lower)|not a (?:cent|penny))\b",
    "walk": r"\b(?:no deal|i keep it|walk (?:away|on)|leave it (?:there|at that)|not today|stays here)\b",
}  # fmt: skip
ASKING = (
    r"^(?:and |so |but |now )?(?:what|which|who|where|when|how|why|is|are|does|do|did|can|could|would|will|may|have|"
    r"has|and you)\b|\b(?:do you agree|what do you|what did you|and you|tell me|what about|how about|which ones?)\b"
)
REJECTING = r"\bnot for\b|\btoo (?:much|little|high|low)\b|^no\b|did you say"  # a number that is no offer
# a number is a price unless it counts something ("eleven evenings")
AFTER_PRICE = frozenset(
    "and but then for is it at if or please agreed deal done that i you we no not my as to so in a the flat too "
    "each euro euros dollar dollars pound pounds crown crowns franc francs coin coins".split()
)


def understand(text: str, names: Sequence[str] = (), unit: str = "") -> Heard:
    """Return the acts of a heard text; `names` are the candidates or options, `unit` the coin of prices."""
    acts: list[Act] = []
    for part in re.split(r"(?<=[.!?;])\s+", text.strip()):
        acts += _acts(part, names, unit)
    return Heard(text, tuple(dict.fromkeys(acts)))


def _acts(part: str, names: Sequence[str], unit: str) -> Iterator[Act]:
    words = mark_names(tokens(part), names)
    line = re.sub(r"\bthe (?=@)", "", "".join(f"{w} " for w in words))
    asking = part.rstrip().endswith("?") or re.search(ASKING, line) is not None
    question = re.search(r"\?\s*$", part) is not None and "agree?" not in part
    question |= re.match(r"(?:is|are|does|did|should|shall) ", line) is not None
    yield from (_questioned(line, names) if question else _named(line, names))
    bare = re.sub(r"\b(?:do|would|can) (?:you|we) agree\b", "", line)
    yield from (Act(kind) for kind, pattern in PLAIN.items() if re.search(pattern, bare))
    price = "rejected" if re.search(REJECTING, line) else "price"
    yield from (Act(price, value=v) for v in _prices(words, unit))
    if asking:
        yield Act("ask")


def _named(line: str, names: Sequence[str]) -> Iterator[Act]:
    found: set[str] = set()
    for kind, patterns in NAMED.items():
        for pattern in patterns:
            for match in re.finditer(pattern, line):
                group = re.findall(r"@(\d+)", match[1])
                if kind == "out" and re.search(r"\bonly $", line[: match.start()]):
                    continue
                yield from (Act(kind, names[int(i)]) for i in group)
                found.update(group)
    yield from (Act("about", names[int(i)]) for i in re.findall(r"@(\d+)", line) if i not in found)


def _questioned(line: str, names: Sequence[str]) -> Iterator[Act]:
    """A name in a question is a suggestion ("shall we say Amble?") or a check ("is Amble out?")."""
    found = list(dict.fromkeys(re.findall(r"@(\d+)", line)))
    offer = re.search(r"\b(?:shall|take|agree|settle|go with|say|then)\b(?!.*\bout\b)", line)
    kind = "propose" if len(found) == 1 and offer else "check"
    yield from (Act(kind, names[int(i)]) for i in found)


def _prices(words: Sequence[str], unit: str) -> Iterator[int]:
    for word, after in zip(words, [*words[1:], ""], strict=True):
        if word.isdigit() and int(word) > 1 and (not after or after in AFTER_PRICE or after in tokens(unit)):
            yield int(word)
