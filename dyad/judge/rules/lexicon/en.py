"""English, in the folded form of `speech.plain`: lower case, contractions spelled out, "ok" for okay, "yes"
for yeah.
"""

from __future__ import annotations

from .lexicon import Lexicon, any_of, whole, words

LONG_FORMS = (
    (r"\blet'?s\b", "let us"),
    (r"\bcan(?:'t|not|t)\b", "can not"),
    (r"\bwon'?t\b", "will not"),
    (r"\b(do|does|did|is|are|was|were|would|should|could|have|has|had)n'?t\b", r"\1 not"),
    (r"\b(it|that|there|here|what|who|he|she)'s\b", r"\1 is"),
    (r"'ll\b", " will"),
    (r"'re\b", " are"),
    (r"'ve\b", " have"),
    (r"'d\b", " would"),
    (r"\bi'm\b", "i am"),
    (r"\bokay\b", "ok"),
    (r"\balright\b", "all right"),
    (r"\b(?:yeah|yep|yup)\b", "yes"),
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
    come came keep kept name person hello goodbye sorry mister nor she him
    """
)

HEDGE = whole(
    r"""
    maybe / perhaps / might / could / possibly / probably / not sure / unsure / let me think
    think about it / thinking about / depends / unless / suppose / whether / not decided / undecided
    what if / either / if(?! you (?:like|insist|agree|want|must|wish|say so))
    """
)

# words of the other side, up to the outcome that they name
QUOTED = (
    whole(
        r"""
    you (?:just |already |always )?(?:said|say|told|mean|meant|want|wanted|think|thought|keep|asked|mentioned)
    you (?:proposed|suggested|prefer|offer|offered) / are you saying / did you
    do you (?:want|mean|say|think) / i hear / i heard / (?:he|she|they) (?:said|says)
    """
    )
    + r"(?: \w+){0,4} @\w+"
)
TAG = (
    r"\b(?:do|would|can|could|shall|are) (?:you|we)(?: both| all)? (?:agree|agreed|have a deal|settled|ok)\b"
    r"(?! (?:on|to|with))"
)
CHECK = r"(?:so |and )?(?:is|are|was|does|did) "  # "is it clay?" asks and offers nothing

# before an outcome: decisions, then offers
SETTLE = any_of(
    r"""
    take / choose / pick / go with / go for / going with / going for / settle on / settle for / write
    write down / put down / note down / make it / book / sign / sign for / agree on / agree to
    agreed on / deal at / deal for / deal on / accept / call it / it is / that is / must be
    has to be / have to be / can only be / answer is / choice is / winner is / decision is / line is
    leaves / left with / live with / happy with / fine with / ok with / good with / you can have
    read back / let it be
    """
)
OFFER = any_of(
    r"""
    should be / ought to be / say / want / prefer / rather have / stay with / how about / vote for
    vote is / pick is / favourite is / suggest / propose / recommend / i am for / must say
    need it to be / what about(?= @\d) / offer / asking / start at / yours for / only accept / up to
    down to / give you
    """
)
# after an outcome: decisions, then consent that counts only as an answer
DONE = whole(
    r"""
    it is(?! \w) / then$ / then please / it shall be / wins / will do / agreed / is agreed / is settled
    is a deal / it is a deal / deal / done / is our \w+ / is the (?:one|answer|choice|name|winner|only one)
    is left / is what is left / is what remains
    """
)
FINE = whole(
    r"""
    (?:is|are|works|suits|sounds)(?: \w+)? ?(?:fine|ok|good|me|us|well|great|acceptable) / works
    """
)
OUT = (
    r"(?:(?:is|are|was|has|can|will|does|did|would|had) )?(?:(?:really|simply|now|also|already|far) )?"
    + whole(
        """
    out / not / no / off / never / gone / impossible / excluded / eliminated / too
    """
    )
)
AWAY = (
    whole(
        """
    not / no / never / without / against / forget / drop / scratch / strike / cross off / cross out
    rule out / rules out / ruled out / instead of / rather than / over / anything but
    """
    )
    + r" (?:(?:the|for|with|at|on) ){0,2}@(\w+)"
)
NEGATED = r"\b(?:not|never|no|refuse|nobody|without|against|far from)(?: \w+){0,3} $"
# a bound is no price, "not a cent below 135" is one
BOUND = r"\b(?:than|below|above|under|over|beyond|least|most|from|started at|reach) @(\w+)"
LAST_WORD = r"\b(?:not|no) (?:\w+ ){1,3}(?:below|above|under|over) @(\w+)"

# answers that name no outcome
ASSENT = whole(
    r"""
    i agree / agreed / we agree / deal / it is a deal / settled / shake on / you win / have it your way
    have your way / i give in / i give up / as you (?:like|wish) / that works / works for me / sounds good
    suits me / let us do (?:that|it) / i accept / you (?:have )?convinced me / same here / i am convinced
    done / sold / i take it / i will take it / it is yours / fine by me
    """
)
NOD = (
    r"^"
    + any_of(
        r"""
    yes / ok / all right / fine / sure / of course / absolutely / exactly / certainly / very well
    good
    """
    )
    + r"\b"
)
# with these, a nod only says that one was heard
HEARD = whole(
    r"""
    hear you / i see / understand / good point / fair point / know / true / nice / listen / thing
    question / idea / morning / evening / bye / goodbye / see you
    """
)
NO = r"^(?:no|nope|never|not yet|wait|i can not)\b(?! (?:problem|worries|idea|wonder|doubt|hurry|rush))"
DISAGREE = whole(
    r"""
    disagree / (?:not|never|nobody) (?:\w+ )?(?:agree|agreed|accept|settled|done|convinced|convince)
    no deal / no way
    """
)
RECANT = whole(
    r"""
    no deal / changed my mind / take that back / take it back / not agreed / disagree / not agree / wait no
    no wait
    """
)

AFTER_PRICE = words(
    """
    and but then for is it at if or please agreed deal done that i you we no not my as to so in a an the
    flat too cash each euro pound dollar crown franc tops max ok yes all only final would was sounds
    works will right
    """
)

# of a demand: what carries no thing
EMPTY_VERBS = words("take turn borrow lend give let get move sign put bring tell show do")
PARTICLES = words("me my you your the a an that this it up down off on in out over which to")
# requests and their answers
REQUEST = whole(
    """
    please / any chance / can i / could i / may i / can you / could you / would you / will you / i need
    i want / let me / give me / lend / i would like / i have to have / i am asking / i must have
    """
)
DEMAND = whole(
    r"""
    which / what / where / tell me / give me / name / just say / i need to know / i want to know / who
    """
)
NO_REQUEST = r"\b(?:not ask|not asking|not need|not want|never ask|never asked|no need)"
GRANT = whole(
    r"""
    go ahead / help yourself / have your way / it is yours / you have it / consider it done
    here you go / you (?:can|may)(?: (?:have|take|borrow|use) (?:it|that|the \w+))?$ / take it / borrow it
    i will do (?:it|that) / no problem / no worries / of course you can / yes of course / be my guest
    """
)
YES = r"^(?:(?:yes|sure|of course|certainly|absolutely|ok yes|ok fine|fine|all right|please do) ?)+$"
WILL = r"\b(?:i will|i am going to|yes|all right|of course|sure|fine)\b"
REFUSAL = whole(
    r"""
    no way / forget it / you can not / i can not(?! (?:hear|see|say|tell|talk|think)) / i will not
    can not have / not going to / absolutely not / certainly not / i refuse / not today / not tonight
    out of the question / the answer is no / find somebody else / ask somebody else / ask someone else
    ^no(?! (?:problem|worries|idea|wonder|hurry|rush|doubt|time))
    """
)
LATER = whole(
    r"""
    minute / moment / second / later / maybe / perhaps / in a bit / we will see / let me / after
    when i / first / soon / once i / not so fast / might / could / if / until / yet / say yes / say no
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
    \b(?:both|the 2|these 2) speakers\b / \bspeaker (?:b|a(?= (?:has|is|did|said|kept|never|played|must|should|agreed|told|gave|and)\b|$))\b
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

LEXICON = Lexicon(
    lang="en",
    long_forms=LONG_FORMS,
    common=COMMON,
    machine=OUT_OF_CHARACTER,
    address=ADDRESS,
    remark=REMARK,
    asks=TAG,
    tag=TAG,
    check=CHECK,
    quoted=QUOTED,
    hedge=HEDGE,
    recant=RECANT,
    but=r"\bbut\b",
    settle=SETTLE,
    offer=OFFER,
    negated=NEGATED,
    away=AWAY,
    done=DONE,
    fine=FINE,
    out=OUT,
    assent=ASSENT,
    nod=NOD,
    heard=HEARD,
    no=NO,
    disagree=DISAGREE,
    link=r" (?:or|and|nor) ",
    alone=r"(?:so|then)(?: then| the)* @(\w+)(?: please)?",
    lead=r"^(?:(?:no|nope|oh|well|wait) )+(?!@|way|deal|more|less|one|cent)",
    negation=" not ",
    gap=r"(?:(?:the|us|just|only|with|for|on|to|a|an|it|at|that|is|name|line|then) ){0,3}",
    why_not="why not",
    edge=r"\b",
    bound=BOUND,
    last_word=LAST_WORD,
)
