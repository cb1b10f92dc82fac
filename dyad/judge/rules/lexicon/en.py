"""English, in the folded form of `speech.plain`: lower case, contractions spelled out, "ok" for okay, "yes"
for yeah.
"""

from __future__ import annotations

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
    come came keep kept name person hello goodbye sorry mister nor she him
    """
)

# puts off, or binds to something that is not known yet
DOUBT = whole(
    r"""
    maybe / perhaps / possibly / not sure / unsure / depends / unless / not decided / undecided / only if
    let me (?:think|see|ask|check|look) / think (?:about it|it over) / sleep on it / we will see / not know
    (?:have|need|want|like) to (?:think|ask|check|see|look|measure|know|talk) / (?:must|will|should) ask / ask my
    get back to / (?:ring|call) you back / up to (?:my|him|her|them|the \w+)$ / more thoughts? / later
    """
)
HEDGE = (
    whole(
        r"""
    might / could / probably / thinking about it / suppose / whether / what if / either / otherwise / i guess
    if(?! you (?:like|insist|agree|want|must|wish|say so|are|do|think so)| that is (?:ok|fine|all right)| so)
    """
    )
    + rf"|{DOUBT}"
)

# asks for a yes to what was just said; any other question asks for something else
SEEKS = whole(
    r"""
    what do you (?:say|think) / (?:ok|right|yes|no|deal|fine|agreed|all right)$ / agree / (?:is|would|does|will|could) that
    shall (?:we|i) / sounds? / how about (?:it|that) / (?:and )?you$ / your (?:opinion|view|vote) / settled / decided
    say yes / happy / objections? / against / mind / any good / will you / would you / can we / could we / do we / done
    """
)

# words of the other side, up to the outcome that they name
QUOTED = (
    whole(
        r"""
    (?<!would )(?<!do )(?<!if )you (?:just |already |always )?(?:said|say|told|mean|meant|want|wanted|think|thought|keep|asked|mentioned)
    you (?:proposed|suggested|prefer|offer|offered|like|would like) / are you saying / did you
    do you (?:want|mean|say|think)(?! (?:to|of|about|we)\b) / i hear / i heard / (?:he|she|they) (?:said|says)
    """
    )
    + r"(?: \w+){0,4} @\w+"
)
TAG = (
    r"\b(?:do|would|can|could|shall|are) (?:you|we)(?: both| all)? (?:agree|agreed|have a deal|settled|ok)\b"
    r"(?! (?:on|to|with))"
    r"|(?<=\w )\b(?:do|does|did|is|are|was|has|have|will|would|can|could|should|shall)(?: not)?"
    r" (?:i|you|he|she|it|they|we)$"
    r"|\bif (?:you (?:are|do|agree|do not mind|think so)|that is (?:ok|fine|all right)(?: (?:with|by) you)?)$"
)
CHECK = r"(?:so |and )?(?:is|are(?! you (?:happy|ok|fine|all right|good|for|in favour))|was|does(?! @\w+ (?:suit|work))|did) "  # "is it clay?" asks and offers nothing

GAP = (
    r"(?:(?:the|us|just|only|with|for|on|to|a|an|it|at|that|is|name|line|then|your|my|our|his|her|this|one|1|in) )"
    r"{0,3}"
)
# what one does with words or to undo something settles nothing
_ELSE = any_of(
    r"""
    not / never / be / being / an? / the / sure / afraid / sorry / so / too / still / very / here / just / only
    think\w* / say\w* / tell\w* / ask\w* / know\w* / wonder\w* / consider\w* / talk\w* / look\w* / see\w* / hear\w*
    listen\w* / wait\w* / check\w* / leav\w+ / drop\w* / skip\w* / cross\w* / strik\w* / rul\w+ / forget\w* / avoid\w*
    los\w+ / miss\w* / hop\w+ / want\w* / need\w* / ask\w* / worr\w+ / tired / calling / find\w* / understand / doubt\w*
    offer\w* / suggest\w* / propos\w+ / prefer\w* / rather / leaning / inclined / against / mention\w* / mean\w*
    """
)
_WITH = r"(?: (?:ahead|along|down|in|up|out|over|back|it|this|that|him|her))*"
# who says what will be done with it has chosen: "let us engrave", "I am posting"
_DOING = (
    r"(?:let us|shall (?:we|i)|(?:i|we) (?:will|shall|am|are)(?: going to)?)(?: (?:now|then|all|both))*"
    rf" (?!{_ELSE}\b)\w+{_WITH}"
)
# before an outcome: decisions, then offers
SETTLE = (
    any_of(
        r"""
    let us say / say yes to / go ahead with / go along with / stick with / meet you at / come down on
    take / choose / pick / go with / go for / going with / going for / settle on / settle for / write
    write down / put down / note down / make it / book / sign / sign for / agree on / agree to
    agreed on / deal at / deal for / deal on / accept / call it / it is / that is / must be
    has to be / have to be / can only be / answer is / choice is / winner is / decision is / line is
    leaves / left with / live with / happy with / fine with / ok with / good with / you can have
    read back / let it be / put / putting / keep / keeping / settled on / sold (?:on|at|for) / with you on
    having / chosen / decided on / written / noted / come round to / i will have / we will have / taking
    """
    )
    + "|"
    + _DOING
)
SETTLE = f"(?:{SETTLE})"
OFFER = any_of(
    r"""
    should be / ought to be / say / want / prefer / rather have / stay with / how about / vote for
    vote is / pick is / favourite is / suggest / propose / recommend / i am for / must say
    need it to be / what about(?= @\d) / offer / asking / start at / yours for / only accept / up to
    down to / give you / anything against / objections? to / mind / like to see / in favour of / meet me at
    i (?:really |still |also )?(?:like|liked|fancy) / only / nobody but / no 1 but / none but / nothing but
    (?:think|say|suggest|propose|believe|feel)(?: that)? we(?: should| could| would| can)? \w+ / as far as / ask
    what do you (?:say|think)(?: to| of| about)? / what would you (?:say|think) (?:to|of|about) / my money is
    """
    + rf"""
    (?:i|we) (?:would|should|must|have to|ought to)(?: \w+ly)? (?!{_ELSE}\b|have to\b)\w+{_WITH}
    (?:choice|pick|vote|favourite|bet|suggestion|answer|winner) (?:is|would be|goes to|has to be) / reckon
    if (?:we|i) (?:\w+ )?(?:took|gave|went|chose|wrote|put|said|offered|made|picked)(?: with| for| you| down| it)*
    (?:would|could|can|will) you (?:live with|take|accept|settle for|go for|agree to|put down|write|be happy with)
    """
)
# after an outcome: decisions, then consent that counts only as an answer
_COMPLEMENT = r"(?:an?|the|not|in|on|too|so|very|out|only|really|also|still|been|always|what|where|because|going)"
DONE = whole(
    rf"""
    it is(?! {_COMPLEMENT}\b) / then$ / then please / (?:it )?shall be$ / it shall be / it will be / wins / will do
    agreed / is agreed / is settled / is decided / is a deal / it is a deal / deal / done / booked / sold
    is our \w+ / is the (?:1|one|answer|choice|name|winner|only 1|only one|last 1) / is yours / i mean
    is left / is what is left / is what remains / is the only 1 (?:left|that|who) / is what we
    stays(?! (?:in|out|with|where)) / gets (?:it|the \w+|my vote|our vote|that) / has my vote
    goes (?:on|in|up|down|there|to the \w+)(?: (?:the|it|to) \w+| then)?$ / (?:will|would|has to|must) be the (?:1|one)
    """
)
_BEST = r"(?:pick|choice|favourite|best|1|one|man|woman|vote|safest|obvious|right|only|answer|winner|bet)"
OFFERED = whole(
    rf"""
    how about (?:it|that|him|her) / what do you (?:say|think) / please$ / for (?:me|us)$
    (?:is|would be|will be|has to be|must be|seems|looks|sounds)(?: to be| like)? (?:my|our|the) {_BEST}
    (?:suit|suits) (?:you|us) / works? for you / (?:be )?(?:ok|fine|all right) (?:with|for|by) you
    """
)
_GLAD = any_of(
    r"""
    fine / perfect / lovely / great / cool / gladly / yes / agreed / sure / of course / excellent / wonderful / ok
    brilliant / splendid / marvellous / awesome / good / all right / thank you / thanks / with pleasure / done
    by all means / i accept / i agree / i can do / i can live with / no problem / why not / super / absolutely
    (?:is|would be|will be|sounds)(?: (?:an?|just|really|absolutely))? (?:lovely|fine|great|perfect|good|fair|nice)
    """
)
FINE = whole(
    r"""
    (?:is|are|works|suits|sounds) (?:\w+ )?(?:fine|ok|good|me|us|well|great|acceptable|fair|right) / works
    too$ / as well$ / also$
    """
    + rf"(?:it is )?{_GLAD}(?: (?:then|too|by me|with me|for me|indeed|thanks|thank you|choice|idea|1|one|\w+))?"
    + r"(?=$| @)"
)
OUT = (
    r"(?:(?:is|are|was|has|have|can|will|does|did|would|had) )?(?:(?:really|simply|now|also|already|far) )?"
    + whole(
        r"""
    out / not(?! an? \w+ (?:more|less)) / no / off(?! you go) / never / gone / impossible / excluded / eliminated / too(?= \w) / nothing
    """
    )
)
AWAY = (
    r"(?<!anything )(?<!nothing )(?<!something )(?<!nobody )(?<!why )"
    + whole(
        """
    not / no / never / without / against / forget / drop / scratch / strike / cross off / cross out
    rule out / rules out / ruled out / instead of / rather than / over / anything but / leave out
    """
    )
    + r" (?:(?:the|for|with|at|on) ){0,2}@(\w+)"
)
NEGATED = r"\b(?:not|never|no|refuse|nobody|without|against|far from)(?: \w+){0,3} $"
# a bound is no price, "not a cent below 135" is one
BOUND = r"\b(?:than|below|above|under|over|beyond|least|most|from|started at|reach) @(\w+)"
LAST_WORD = r"\b(?:not|no) (?:\w+ ){1,3}(?:below|above|under|over) @(\w+)"
# nothing but a name
_AROUND = r"(?:and|so|or|then|well|what|how|now|right|but|look|listen|about|the|an?|for|my|your|our|no|say|with)"
BARE = rf"(?:{_AROUND} )*@(\w+)(?: (?:then|please|thanks|thank you|for (?:you)|now|sir|madam|it))*"

# answers that name no outcome
_RECORD = r"(?:put|write|type|note|enter|print|book|order|sign|make|ring|sew|paint|engrave|take|have|send|keep|do|hang)"
ASSENT = whole(
    rf"""
    settled / shake on / you win / have it your way / have your way / i give in / i give up / as you (?:like|wish)
    that works / works for (?:me|us) / sounds (?:good|great|fine|perfect|lovely|right|like a plan) / suits (?:me|us)
    let us (?:just )?(?:do|take|have|use|go with|go for|settle on|say|keep|write|engrave|book) (?:that|it|this|so|him|her)
    i accept / you (?:have )?(?:convinced|persuaded|got|talked) me / same here / i am convinced / i am persuaded
    deal / it is a deal / done / sold / i(?: will)? (?:take|have) (?:it|that|him|her|them) / is (?:all )?yours / all yours
    fine (?:by|with) (?:me|us) / ok (?:by|with) (?:me|us) / good with me / you have (?:got )?(?:a|yourself a) deal
    (?:mine|me) too / so (?:do|would|am|is|was) i / as (?:do|would) i / likewise / i am with you / i am sold / i am in
    count me in / you are on / go on then / go ahead / be my guest / suit yourself / help yourself / by all means
    please do / gladly / with pleasure / my pleasure / consider it (?:done|settled) / (?:good|great|fine) choice
    (?:good|great|excellent|lovely|wonderful|splendid|brilliant) (?:idea|suggestion|plan) / makes (?:perfect )?sense
    that will do / that does it / my (?:thoughts|words) exactly / (?:is|was) my (?:pick|choice|favourite|vote) (?:too|also|as well)
    that is the (?:1|one) / is our (?:winner|choice|man|woman|answer|\w+) / that 1 (?:then|it is|please|will do)
    i can (?:live|work) with (?:that|it) / happy (?:with|to) (?:that|it|do|go|take|accept) / can do / will do$
    ^(?:so |then |just |and )*{_RECORD} (?:it|that|him|her|them)(?: (?:down|in|up|on|off|out|away|then|please|for \w+|round))*
    write it in / put it (?:in|down|on) / it is (?:written|noted|down|booked|done|decided|in the \w+$|on the \w+$)
    i (?:am|will) (?!not)\w+ (?:it|that|him|her|them) (?:up|down|in|on) / i will (?:bring|get|fetch) the money
    take it away / gone to the / here is your / that is what i (?:want|wanted|asked for|said|think|thought|had)
    (?:say|said|saying|think|thought|thinking) (?:just |exactly )?the same / if you (?:say so|insist|must|think so)
    (?:go|all) for it / (?:have|got) our (?:winner|man|woman|answer|choice) / you have my (?:vote|blessing|word)
    so be it / no argument / i am all for (?:it|that) / we have (?:got )?a (?:deal|winner) / as good as done
    """
)
# agrees to what was said, which may be no more than a reason
OPINION = whole(
    r"""
    i agree / agreed / we agree / i (?:fully|completely|quite) agree / could not agree more
    i will (?:tell|let) the (?!manager|boss|police|owner|council|landlord|press|others)\w+
    ^yes (?:please|let us|i think so|definitely|absolutely|exactly|perfect|good|of course|sure|great|why not|indeed)
    ^(?:perfect|absolutely|exactly|definitely|certainly|excellent|wonderful|splendid|brilliant|lovely)\b
    ^fine$ / ^(?:so |then )?all right(?: then)?$ / ^very well(?: then)?$ / ^sure(?: thing)?$ / ^of course$ / you are right
    """
)
# a yes in the form of a no
UNOPPOSED = whole(
    r"""
    no (?:problem|objections?|trouble|worries)(?: at all)? / (?:do|will|would) not mind / why not$
    (?:will|can|could) not (?:argue|object|say no|complain|deny|refuse) / nothing against (?:it|that|him|her|them)
    not a problem / nothing at all / ^none at all / no complaints / no reason not to / not (?:a )?bad (?:idea|choice)
    """
)
_OPENING = r"(?:(?:hm|and|so|well|right|then|now|but|you know what|look|thank you|thanks|that is) )*"
# answers a question with its own verb
AFFIRM = r"^(?:yes )?((?:he|she|it|they|we|i|that|there) (?:is|are|am|do|does|will|has|would) ?)+(?:yes|indeed|then|too)?$"
NOD = (
    rf"^{_OPENING}(?:"
    + any_of(
        r"""
    yes / ok / all right / fine / sure / of course / absolutely / exactly / certainly / very well
    good / perfect / great / lovely / wonderful / excellent / brilliant / splendid / marvellous / awesome / cool
    fantastic / go on
    """
    )
    + r"\b)"
)
# with these, a nod only says that one was heard
HEARD = whole(
    r"""
    hear you / i see / understand / good point / fair point / know / true / nice / listen / thing
    question / idea / morning / evening / bye / goodbye / see you / afternoon / to hear / heard
    """
)
NO = (
    r"^(?:(?:sorry|well|but|and|so|then|i am sorry|look) )*(?:no|nope|never|not yet|wait|i can not)\b"
    r"(?! (?:problem|worries|idea|wonder|doubt|hurry|rush|objection|objections|trouble|not at all|i do not mind))"
)
DISAGREE = whole(
    r"""
    disagree / (?:not|never|nobody|nothing is) (?:\w+ )?(?:agree|agreed|accept|settled|done|convinced|convince)
    no deal / no way / over my dead body / not a chance / no chance / absolutely not / certainly not / rather not
    i must decline / not (?:possible|enough) / too (?:much|little|expensive|high|low|cheap)
    """
)
RECANT = whole(
    r"""
    no deal / changed? my mind / (?:take|took) (?:that|it|this) back / not agreed / disagree / not agree / wait no
    no wait / (?:i am|just|only|was) (?:joking|kidding|teasing) / on second thoughts? / misheard / no hold on
    although no / actually no / yes no / leave (?:him|her|it|them) out / deal is off / forget (?:it|that|what i said)
    (?:i|we) (?:can|will|could) not (?:have|pay|do|take|accept|afford|agree to) (?:it|that|them|him|her|this)
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
    but=r"(?<!nobody )(?<!nothing )(?<!anything )(?<!no 1 )\bbut\b",
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
    link=r" (?:or|and|nor) (?:(?:the|your|my|an?) )?",
    alone=r"(?:so|then)(?: then| the)* @(\w+)(?: please)?",
    lead=r"^(?:(?:no|nope|oh|well|wait|sorry) )+(?!@|way|deal|more|less|one|1|cent)",
    negation=r" (?:not|nothing|nobody|never|no|neither|hardly) ",
    gap=GAP,
    offered=OFFERED,
    unopposed=UNOPPOSED,
    opinion=OPINION,
    doubt=DOUBT,
    bare=BARE,
    seeks=SEEKS,
    goes_on=r"\b(?:i will|let us|we will|we are|we have|then|do it|so)\b",
    affirm=AFFIRM,
    why_not=r"why (?:not|do not (?:we|you|i))",
    edge=r"\b",
    bound=BOUND,
    last_word=LAST_WORD,
)
