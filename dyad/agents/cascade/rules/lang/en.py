"""English, in which every role can be acted."""

from __future__ import annotations

from .language import Language, Lines, any_of

POOLER: Lines = {
    "open": ("We have to settle on one of {all}", "Hello, we need one name out of {all}"),
    "ask": ("What do you know?", "What did you find out?", "And you, which ones are out?",
            "What can you tell me?"),
    "out": ("So {names} is out", "That rules out {names}", "So not {names}"),
    "both out": ("So {names} are out", "That rules out {names}"),
    "noted": ("Okay, not {names}", "I see, so {names} is out", "Good, that rules out {names}"),
    "both noted": ("I see, that leaves fewer", "Good to know, a short list"),
    "check": ("Does that rule out {name}?", "Is {name} out then?"),
    "left": ("For me {names} could still do", "I have nothing against {names}"),
    "propose": ("Then it is {name}, do you agree?", "That leaves {name}, do you agree?",
                "So it must be {name}, do you agree?"),
    "guess": ("Shall we say {name} then?", "I would say {name}, do you agree?"),
    "agree": ("Yes, I agree, it is {name}", "Agreed, we take {name}"),
    "confirm": ("Good, {name} it is", "Then we write down {name}"),
    "no": ("No, {name} is out", "No, not {name}"),
    "fine": ("I know nothing against {name}", "{name} is still in, as far as I know"),
    "not yet": ("I am not sure yet", "Wait, that is too early for me"),
    "lost": ("I must have misheard something, which ones are out?",
             "That leaves nobody, which ones are out?"),
    "alone": ("I cannot decide alone", "I cannot settle this without you"),
}  # fmt: skip
AGAIN = (
    "As I said: {text}",
    "And remember: {text}",
    "I mean it: {text}",
    "Like I told you: {text}",
    "Once more: {text}",
)
RESUME = ("As I was saying: {text}", "I was saying: {text}", "{text}")  # it was cut off
ASK_AGAIN = ("I still have to ask: {text}", "So tell me: {text}", "Let me ask again: {text}")
UNCLEAR = ("Sorry, can you say that again?", "Pardon, I missed that.", "I did not catch that, sorry.")
HELLO = ("Hello? Are you there?", "Can you hear me?", "Is anybody on the line?", "I cannot hear you at all.")
AFTER = (
    "Good that we settled that.", "That went well, I think.", "It is a relief to have that done.",
    "Then I can go and have a coffee.", "What a day this has been.", "That was quick in the end.",
)  # fmt: skip
BYE = ("Goodbye then.", "Thank you, goodbye.", "Good, see you, bye.")
EXPECTED = (
    "sorry can you say that again", "pardon i missed that", "i did not catch that sorry",
    "hello are you there", "good that we settled that", "goodbye then", "thank you goodbye",
    "yes", "no", "okay", "i see", "all right",
)  # fmt: skip
_ABOUT_ME = (
    (r"\byou are\b", "I am"), (r"\byou were\b", "I was"), (r"\byou're\b", "I'm"), (r"\byours\b", "mine"),
    (r"\byourself\b", "myself"), (r"\byour\b", "my"),
    (r"\b(for|to|with|from|at|of|by|on|about|behind|near|tells?|gives?|costs?|asked|leaves?|drops?) you\b",
     r"\1 me"),
    (r"\byou(?=[.,;!?]|$)", "me"), (r"\byou\b", "I"),
)  # fmt: skip
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


# acts without a name
PLAIN: dict[str, str] = {
    "repeat": any_of(
        r"did you say \d+, (?:you|please) say (?:that|it) again, repeat that, pardon, missed that,"
        "(?:did not|didnt|not) (?:quite )?(?:catch|get) that"
    ),
    "greet": any_of("^hello, ^hi, ^good morning, ^good evening, ^good afternoon"),
    "bye": any_of("bye, goodbye, good night, see you"),
    "agree": any_of(
        "yes, yeah, yep, i agree, agreed, exactly, same here, sounds good, suits me, deal, "
        "very well, fine by me"
    ),
    "disagree": any_of("^no, disagree, dont agree, not agree, no way, i doubt it, not yet, not sure, wrong"),
    "concede": any_of(
        "you win, i give in, give up, convinced, as you like, as you wish, you are right, have it your way,"
        "all right, alright, fine, very well, okay then"
    ),
    "request": any_of(
        "please, can i, could i, may i, can you, could you, would you, will you, i need, i want, "
        "let me, tell me,"
        "give me, i would like, you can just, say yes, help me"
    ),
    "push": any_of(
        "hurry, quick, quickly, urgent, now, rising, fault, complaint, chairman, boss, manager, police,"
        "already agreed, knows all, trust, promise, nobody will, your name, late, bell"
    ),
    "hedge": any_of(
        "moment, minute, second, later, maybe, perhaps, see, hmm?, busy, cannot say, let me just, "
        "let me finish, after"
    ),
    "grant": any_of(
        "you have it, go ahead, have your way, it is yours, i will do it, i will do that, "
        "consider it done, you may,"
        "yes of course, all right yes, yes all right, of course you can, i will tell you, between us"
    ),
    "refuse": any_of(
        "^no, cannot, cant, wont, will not, not allowed, never, not possible, may not, must not, do not give,"
        "dont give, sorry, afraid, rather not, stays?, sealed, closed, own business, nobody hears"
    ),
    "accept": any_of("agreed, deal, done, sold, i take it, i will take it, shake on"),
    "walk": any_of(
        "no deal, i keep it, i leave it, walk away, walk on, leave it there, leave it at that, not today"
    ),
}

OPEN_QUESTION = (
    r"^(?:and |so |but |now )?(?:what|which|who|where|when|how|why|is|are|does|do|did|can|could|"
    r"would|will|may|"
    r"have|has|and you)\b|"
    + any_of(
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

LANGUAGE = Language(
    lang="en",
    kinds=frozenset(
        (
            "engaged", "holder", "digresser", "pooler", "competitor", "presser", "avoider", "advocate",
            "attacker", "defender", "claimant", "payer", "seller", "buyer", "listener",
        )
    ),
    pooler=POOLER,
    unclear=UNCLEAR,
    hello=HELLO,
    after=AFTER,
    bye=BYE,
    again=AGAIN,
    resume=RESUME,
    ask_again=ASK_AGAIN,
    echo=("{word}, I see", "{word}, yes", "Oh, {word}", "{word}, right"),
    wait="Oh wait.",
    expected=EXPECTED,
    comma=", ",
    joints={"and": " and ", "or": " or "},
    about_me=_ABOUT_ME,
    named=NAMED,
    plain=PLAIN,
    open_question=OPEN_QUESTION,
    yes_or_no=YES_OR_NO,
    suggestion=SUGGESTION,
    consent=r"agree\?",
    tag=r"\b(?:do|would|can) (?:you|we) agree\b",
    small=(r"\bthe (?=@)", ""),
    rejecting=REJECTING,
    after_price=AFTER_PRICE,
)  # fmt: skip
