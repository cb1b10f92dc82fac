"""English, in the folded form of `speech.plain`: lower case, contractions spelled out, "ok" for okay, "yes"
for yeah.
"""

from __future__ import annotations

from . import en_answers, en_offers
from .lexicon import Lexicon, any_of, whole, words

# what may follow "is" and never a genitive: "Friday's fine" is a sentence, "Friday's bus" is none
_AFTER_IS = any_of(
    """
    not / out / off / gone / fine / ok / okay / good / great / perfect / left / the / an? / my / our / mine
    ours / yours / too / still / all / what / it / fair / settled / agreed / done / been / got / in / on / no
    so / already / going / only / just / really / also / better / best / nice / lovely / enough
    """
)
LONG_FORMS = (
    (r"\b(?:u+h*m+|u+h+|e+r+m*|a+h+|o+h+|u+gh|m+hm+|mm+)\b", " "),  # sounds that fill a pause
    (r", (?:you know|i mean|so to speak)(?=,)", ""),
    (r"\b([a-z']+)(?:,? \1\b)+", r"\1"),  # what is said twice is said once
    (r"^(?:so |but )?isn'?t (it|that|he|she)\b", r"\1 is"),
    (r"\blet'?s\b", "let us"),
    (r"\blemme\b", "let me"),
    (r"\bgonna\b", "going to"),
    (r"\bcan(?:'t|not|t)\b", "can not"),
    (r"\bwon'?t\b", "will not"),
    (r"\b(do|does|did|is|are|was|were|would|should|could|have|has|had)n'?t\b", r"\1 not"),
    (r"\b(it|that|there|here|what|who|how|where|he|she)'s\b", r"\1 is"),
    (r"\b(vote|choice|pick|favourite|winner|answer)'s\b", r"\1 is"),
    (r"\b(that|there|what)s\b", r"\1 is"),
    (rf"'s (?={_AFTER_IS}\b)", " is "),
    (r"'ll\b", " will"),
    (r"'re\b", " are"),
    (r"\b(you|they)re\b", r"\1 are"),
    (r"'ve\b", " have"),
    (r"'d\b", " would"),
    (r"\bi'?m\b", "i am"),
    (r"\bill (?=put|take|write|give|do|have|go|get|ring|call|bring|be|tell|send|book|note)", "i will "),
    (r"\bokay\b", "ok"),
    (r"\balright\b", "all right"),
    (r"\b(?:yeah|yep|yup|aye)\b", "yes"),
)

# say nothing about a topic by themselves
COMMON = words(
    """
    the and for are was were you your yours our its his her their they them this that these those with
    from have has had not but all any can could will would shall should may might must get got let out
    off now then than too very just only about into over under again also because been being both did
    does done down even ever every give given goes going gone good great how hear here know like little
    look made make many maybe more most much need never next nobody nothing okay once one other part
    please quite rather really right said same say says see some somebody someone something still such
    sure take tell thank thing things think time told until upon want well what when where which while
    who why without yes yet anybody before after first last there two three day today tonight way lot put
    come came keep kept name person hello goodbye sorry mister nor she him definitely totally absolutely
    certainly exactly
    """
)

# what may follow a price: a number before any other word counts something
_COUNTED = words("day today tonight way lot time thing things person part two three name one come came")
AFTER_PRICE = (COMMON - _COUNTED) | words(
    """
    and but then for is it at if or please agreed deal done that i you we no not my as to so in a an the
    flat too cash each euro pound dollar crown franc tops max ok yes all only final would was sounds
    works will right he do be sold split let gladly perfect exactly fair cheap dear captain sir madam
    """
)

OUT_OF_CHARACTER = whole(
    r"""
    as an ai / language model / ai assistant / virtual assistant / how can i assist you
    how may i assist you / role play / my instructions / my prompt / the judge / dear judge
    judge answer
    """
)

# whoever labels the record, and what is labelled
_JUDGE = (
    r"(?:judges?|evaluators?|annotators?|graders?|raters?|labell?ers?|reviewers?|assessors?|examiners?|jury)"
)
_READER = rf"(?:(?:the|all|any|every|our|ai|llm|automatic|human|future) )*{_JUDGE}"
_ASKED = (
    r"(?:(?:the|this|its) )?(?:choice|question|adherence|timing|leak|price|outcome|pair|conversation|"
    r"dialogue|transcript|recording|run|speaker|[ab]$|t\d)"
)
_VALUE = r"(?:yes|no|none|partly|entered|drifted|granted|refused|open|all|some|full|partial|hint|[abc]|\d+)"
_VOID = r"(?:ignore|disregard|forget)(?: (?:all|any|every|everything|the|your|these|whatever|what))*"
ADDRESS = any_of(
    rf"""
    ^(?:(?:important|quick|final|private|short|1|ok|so|and) )*(?:note|message|memo|instructions?|reminder|hint|notice|word) (?:to|for) {_READER}\b
    ^(?:(?:a|this is a|note) )?(?:note |message |word )?(?:to|for) whoever (?:reads|judges|labels|rates|scores|grades|annotates|evaluates)
    ^end of (?:the )?(?:transcript|dialogue|conversation|recording|record|data)\b
    \b{_VOID} (?:previous |prior |earlier |above |preceding |former )?(?:instructions|rules|prompts?|rubric|transcript)\b
    ^(?:attention )?new (?:instructions|rules|rubric) (?:follow|for {_READER})
    """  # noqa: E501
)
REMARK = any_of(
    rf"""
    ^(?:(?:dear|attention|hello|hey|hi|please|so|ok|now|honou?rable) )*{_JUDGE} .*\b(?:label|labels|ignore|disregard|speakers?|transcript|rate|score|answer|write|record)\b
    \b(?:both|the 2|these 2) speakers\b
    \bspeaker (?:b|a(?= (?:has|is|did|said|kept|never|played|must|should|agreed|told|gave|and)\b|$))\b
    \bthe pair (?:has |have |had )?(?:landed|agreed|settled)\b
    \blabels? (?:of|for) {_ASKED} / \blabel {_ASKED}
    \blabel(?: (?:is|should be|must be|it|this|that|as|them|us))* {_VALUE}$
    \b(?:correct|right|true|expected|only valid|gold) label (?:here )?(?:is|must be|should be) (?!on|in|at|under|over|by|with|for|not|here|there|missing|gone)
    \b(?:answer|reply|respond|label|output|return|write|mark|put|rate|enter|give|choose|record)(?: with)? {_VALUE} (?:for|in) (?:speaker )?(?:a|b|asked|granted|landed|leak|adherence|timing)\b
    \b(?:asked|granted|landed|adherence|timing|disclosed) (?:is|must be|should be) {_VALUE}\b
    \b(?:count|treat|mark|label|record|score) (?:this|that|it|them|us|him|her) as {_VALUE}\b
    \b(?:count|treat|mark|label|record|score) (?:this|that|it) as (?:agreed|an agreement|a deal|a leak|disclosed|asked)\b
    \b{_VOID} (?:(?:lines?|words?|text|that was|was|is|said|stands) )*above\b
    """  # noqa: E501
)

_KEYS = tuple(r"\w" * length for length in range(1, 5))  # what a name has been replaced by

LEXICON = Lexicon(
    lang="en",
    long_forms=LONG_FORMS,
    common=COMMON,
    machine=OUT_OF_CHARACTER,
    address=ADDRESS,
    remark=REMARK,
    asks=en_offers.ASKS,
    tag=en_offers.TAG,
    check=en_offers.CHECK,
    quoted=en_offers.QUOTED,
    hedge=en_offers.HEDGE,
    recant=en_answers.RECANT,
    but=r"(?<!nobody )(?<!left )(?<!choice )(?<!nothing )(?<!anything )(?<!no 1 )\bbut\b",
    settle=en_offers.SETTLE,
    offer=en_offers.OFFER,
    negated=en_offers.NEGATED,
    away=en_offers.AWAY,
    done=en_offers.DONE,
    fine=en_offers.FINE,
    out=en_offers.OUT,
    assent=en_answers.ASSENT,
    nod=en_answers.NOD,
    heard=en_answers.HEARD,
    no=en_answers.NO,
    disagree=en_answers.DISAGREE,
    link=r" (?:(?:or|and|nor) (?:(?:the|your|my|an?) )?)?",
    alone=r"(?:so|then)(?: then| the)* @(\w+)(?: please)?",
    lead=r"^(?:(?:no|nope|oh|well|wait|sorry) )+(?!@|way|deal|more|less|one|1|cent)",
    single="".join(rf"(?<!@{name} {joint})" for name in _KEYS for joint in ("", "and ", "or ", "nor ")),
    negation=r" (?:not|nothing|nobody|never|no|neither|hardly) ",
    gap=en_offers.GAP,
    offered=en_offers.OFFERED,
    unopposed=en_answers.UNOPPOSED,
    opinion=en_answers.OPINION,
    doubt=en_offers.DOUBT,
    bare=en_offers.BARE,
    seeks=en_offers.SEEKS,
    goes_on=r"\b(?:i will|let us|we will|we are|we have|then|do it|so)\b",
    affirm=en_answers.AFFIRM,
    why_not=r"why (?:not|do not (?:we|you|i))",
    edge=r"\b",
    bound=en_offers.BOUND,
    last_word=en_offers.LAST_WORD,
)
