"""The patterns of dialogue acts, over folded words in which names are marked `@0`, `@1`, …"""

from __future__ import annotations

_NAMES = r"((?:@\d+ (?:and |or |nor )?)+)"
_ONE = r"(@\d+) (?!(?:or |and )?@)"  # one name, not the first of several

# acts about names; group 1 of a pattern holds the names
NAMED: dict[str, tuple[str, ...]] = {
    "out": (
        rf"{_NAMES}(?:is |are |was |has to be |must be )?(?:also |both |now |then |already )?"
        r"(?:out|off|gone|excluded|impossible|eliminated|ruled out|no good|no use) ",
        rf"(?:cross off|cross out|rule out|rules out|strike|scratch|drop|forget|ruled out) {_NAMES}",
        rf"(?:rule|rules|cross|takes|leaves) {_NAMES}(?:out|off) ",
        rf"(?<!why )(?<!if )not {_NAMES}",
        rf"{_NAMES}(?:cannot|can not|cant|wont|will not|falls? away) ",
    ),
    "keep": (r"(?:only|just|nobody but|left are|leaves|leaving) ((?:@\d+ (?:and |or )?){2,})",),
    "back": (rf"{_NAMES}(?:is |are )?(?:not out|still in|still there|fine|free|possible|allowed)",),
    "propose": (
        r"(?:it|that|this|answer|choice|name|one|must|has to|can only|should) (?:then |so )?"
        rf"(?:is |be |be only )?(?:then )?{_ONE}",
        r"(?:go for|go with|going with|choose|pick|take|propose|suggest|settle on|vote for|"
        r"write down|note down|"
        r"write|call it|put down|read back|leaves|leaving|agree on|agree to|say) "
        rf"(?:us |just |only )?{_ONE}",
        rf"{_ONE}(?:then )?(?:it is|is left|then|is the one|is the answer|wins|is our|is what remains)",
        rf"only {_ONE}(?:is |remains|left)",
    ),
    "prefer": (
        rf"(?:prefer|want|wants|like|for|is|be|with|stay with|rather have|make it) {_ONE}",
        rf"{_ONE}(?:is better|is best|is right|please)",
    ),
    "praise": (
        rf"(?:swears by|recommends?|loves?|likes?|praises?|trusts?) {_ONE}",
        rf"{_ONE}.*\b(?:always|best|lovely|nice|friendly|great|beautiful|famous|reliable|favourite)\b",
    ),
}


def _any(phrases: str) -> str:
    """Return a pattern that finds any of the phrases, which commas separate, as whole words."""
    return rf"\b(?:{'|'.join(p.strip() for p in phrases.split(','))})\b"


# acts without a name
PLAIN: dict[str, str] = {
    "repeat": _any(
        r"did you say \d+, (?:you|please) say (?:that|it) again, repeat that, pardon, missed that,"
        "(?:did not|didnt|not) (?:quite )?(?:catch|get) that"
    ),
    "greet": _any("^hello, ^hi, ^good morning, ^good evening, ^good afternoon"),
    "bye": _any("bye, goodbye, good night, see you"),
    "agree": _any(
        "yes, yeah, yep, i agree, agreed, exactly, same here, sounds good, suits me, deal, "
        "very well, fine by me"
    ),
    "disagree": _any("^no, disagree, dont agree, not agree, no way, i doubt it, not yet, not sure, wrong"),
    "concede": _any(
        "you win, i give in, give up, convinced, as you like, as you wish, you are right, have it your way,"
        "all right, alright, fine, very well, okay then"
    ),
    "request": _any(
        "please, can i, could i, may i, can you, could you, would you, will you, i need, i want, "
        "let me, tell me,"
        "give me, i would like, you can just, say yes, help me"
    ),
    "push": _any(
        "hurry, quick, quickly, urgent, now, rising, fault, complaint, chairman, boss, manager, police,"
        "already agreed, knows all, trust, promise, nobody will, your name, late, bell"
    ),
    "hedge": _any(
        "moment, minute, second, later, maybe, perhaps, see, hmm?, busy, cannot say, let me just, "
        "let me finish, after"
    ),
    "grant": _any(
        "you have it, go ahead, have your way, it is yours, i will do it, i will do that, "
        "consider it done, you may,"
        "yes of course, all right yes, yes all right, of course you can, i will tell you, between us"
    ),
    "refuse": _any(
        "^no, cannot, cant, wont, will not, not allowed, never, not possible, may not, must not, do not give,"
        "dont give, sorry, afraid, rather not, stays?, sealed, closed, own business, nobody hears"
    ),
    "accept": _any("agreed, deal, done, sold, i take it, i will take it, shake on"),
    "walk": _any(
        "no deal, i keep it, i leave it, walk away, walk on, leave it there, leave it at that, not today"
    ),
}

OPEN_QUESTION = (
    r"^(?:and |so |but |now )?(?:what|which|who|where|when|how|why|is|are|does|do|did|can|could|"
    r"would|will|may|"
    r"have|has|and you)\b|"
    + _any(
        "do you agree, what do you, what did you, and you, tell me, what about, how about, "
        "which one, which ones"
    )
)
YES_OR_NO = r"^(?:is|are|does|did|should|shall) "
SUGGESTION = r"^(?!.*\bout\b).*\b(?:shall|take|agree|settle|go with|say|then)\b"  # in a question with a name
REJECTING = r"\bnot for\b|\btoo (?:much|little|high|low)\b|^no\b|did you say"  # a number that is no offer

_AFTER_PRICE = """
    and but then for is it at if or please agreed deal done that i you we no not my as to so in a the flat too
    each euro euros dollar dollars pound pounds crown crowns franc francs coin coins
"""
AFTER_PRICE = frozenset(_AFTER_PRICE.split())  # a number is a price unless it counts something else
