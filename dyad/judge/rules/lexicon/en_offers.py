"""What English speakers say of an outcome, in the folded form of `speech.plain`: offers and decisions."""

from __future__ import annotations

from .lexicon import any_of, whole

# puts off, or binds to something that is not known yet
DOUBT = whole(
    r"""
    maybe / perhaps / possibly / not sure / unsure / depends
    unless(?! you (?:object|mind|shout|disagree|say|stop|have)) / not decided / undecided / only if
    let me (?:think|see|ask|check|look) / think (?:about it|it over) / sleep on it / we will see / not know
    (?:have|need|want|like) to (?:think|ask|check|see|look|measure|know|talk) / (?:must|will|should) ask
    ask my / get back to / (?:ring|call) you back / up to (?:my|him|her|them|the \w+)$ / more thoughts?
    later
    """
)
HEDGE = (
    whole(
        r"""
    might / could / probably / thinking about it / suppose / whether / what if / either / otherwise / i guess
    if(?! you (?:like|insist|agree|want|must|wish|say so|are|do|ask me)| that is (?:ok|fine)| so)
    """
    )
    + rf"|{DOUBT}"
)

# asks for a yes to what was just said; any other question asks for something else
SEEKS = whole(
    r"""
    what do you (?:say|think) / (?:ok|right|yes|no|deal|fine|agreed|all right)$ / agree
    (?:is|would|does|will|could) that / shall (?:we|i) / sounds? / how about (?:it|that) / (?:and )?you$
    your (?:opinion|view|vote) / settled / decided / say yes / happy / objections? / against / mind / any good
    will you / would you / can we / could we / do we / done
    """
)

# words of the other side, up to the outcome that they name
QUOTED = (
    whole(
        r"""
    (?<!would )(?<!do )(?<!if )you (?:just |already |always )?(?:said|say|told|mean|meant|want|wanted|think)
    you (?:just |already |always )?(?:thought|keep|asked|mentioned)
    you (?:proposed|suggested|prefer|offer|offered|like|would like) / are you saying / did you
    do you (?:want|mean|say|think)(?! (?:to|of|about|we)\b) / i hear / i heard / (?:he|she|they) (?:said|says)
    """
    )
    + r"(?: \w+){0,4} @\w+"
)
TAG = (
    r"\b(?:do|would|can|could|shall|are) (?:you|we)(?: both| all)? (?:agree|agreed|have a deal|settled|ok)\b"
    r"(?! (?:on|to|with))"
    r"|(?<=\w )(?<!so )(?<!as )(?<!nor )\b(?:does|did|is|are|was|has|will|would|can|could|should|shall"
    r"|(?:do|have)(?= (?:not|i|you|they|we)\b))(?: not)? (?:i|you|he|she|it|they|we)$"
    r"|\bif (?:you (?:are|do|agree|do not mind|think so)|that is (?:ok|fine|all right)(?: (?:with|by) you)?)$"
)
# a question with or without its mark
ASKS = (
    rf"{TAG}|^(?!so \w+ i$)(?:(?:so|and|well|ok|then|or|but) )*(?:(?:what|how) about\b"
    r"|why do not (?:we|you)\b"
    r"|(?:shall|could|can|would|should|do|did|are|will|may|might|have) (?:we|you|i|they)\b(?! not agree))"
)
_SUITS = r"(?:ok|fine|all right|good|acceptable)"
# "is it clay?" asks and offers nothing, "is clay all right with you?" offers it
CHECK = (
    rf"(?:so |and )?(?:is(?! @\w+ {_SUITS}(?: (?:for|with|by) you|$))|was|does(?! @\w+ (?:suit|work))|did"
    rf"|are(?! (?:you|we)(?: both| all)? (?:{_SUITS}|happy|for|in favour|settled))) "
)

GAP = (
    r"(?:(?:the|us|just|only|with|for|on|to|a|an|it|at|that|is|name|line|then|your|my|our|his|her|this|one|1|in)"
    r" ){0,3}"
)
# what one does with words or to undo something settles nothing
_ELSE = any_of(
    r"""
    not / never / be / being / an? / the / sure / afraid / sorry / so / too / still / very / here / just
    only / think\w* / say\w* / tell\w* / ask\w* / know\w* / wonder\w* / consider\w* / talk\w* / look\w*
    see\w* / hear\w* / listen\w* / wait\w* / check\w* / leav\w+ / drop\w* / skip\w* / cross\w* / strik\w*
    rul\w+ / forget\w* / avoid\w* / los\w+ / miss\w* / hop\w+ / want\w* / need\w* / ask\w* / worr\w+ / tired
    calling / find\w* / understand / doubt\w* / offer\w* / suggest\w* / propos\w+ / prefer\w* / rather
    leaning / inclined / against / mention\w* / mean\w*
    """
)
_WITH = r"(?: (?:ahead|along|down|in|up|out|over|back|it|this|that|him|her|you|for|with))*"
# who says what will be done with it has chosen: "let us engrave", "I am posting"
_DOING = (
    r"(?:let us|shall (?:we|i)|(?:i|we) (?:will|shall|am|are)(?: going to)?)(?: (?:now|then|all|both))*"
    rf" (?!{_ELSE}\b)\w+{_WITH}"
)
# before an outcome: decisions, then offers
SETTLE = (
    any_of(
        rf"""
    let us say / say yes to / go ahead with / go along with / stick with / meet you at / come down on / take
    choose / pick / go with / go for / going with / going for / settle on / settle for / write / write down
    put down / note down / make it / book / sign / sign for / agree on / agree to / agreed on / deal at
    deal for / deal on / accept / call it / it is / that is / must be / has to be / have to be / can only be
    answer is / choice is / winner is / decision is / line is / leaves / left with / live with / happy with
    fine with / ok with / good with / you can have / read back / let it be / put / putting / keep / keeping
    settled on / sold (?:on|at|for) / with you on / tell (?:them|him|her|the \w+) / i second / makes it
    let you have / you get / let(?= @\w+ (?:have|do|be|come|go|play|get)) / give(?= @\w+ (?:the|it|our|my))
    ^(?:(?:then|so|ok|go and) )*(?:have|ring|call|phone|invite|hire|appoint|order|fetch)
    (?:i|we) can (?:do|offer|manage|give you|agree to|accept) / you (?:can|may|shall|will) (?:have|keep|get)
    (?:goes|go|given|give it|hand it|award it|award this|going) to
    (?:let us|(?:i|we) will) (?!{_ELSE}\b)\w+ (?:\w+ ){{1,3}}(?:to|for|beside) / having / chosen / decided on
    written / noted / come round to / i will have / we will have / taking
    """
    )
    + "|"
    + _DOING
)
SETTLE = f"(?:{SETTLE})"
OFFER = any_of(
    r"""
    should be / ought to be / say / want / prefer / rather have / stay with / how about / vote for / vote is
    pick is / favourite is / suggest / propose / recommend / i am for / must say / need it to be
    what about(?= @\d) / offer / asking / start at / yours for / only accept / up to / down to / give you
    anything against / objections? to / mind / like to see / in favour of / meet me at
    i (?:really |still |also )?(?:like|liked|fancy) / only / nobody but / no 1 but / none but / nothing but
    (?:think|say|suggest|propose|believe|feel)(?: that)? we(?: should| could| would| can)? \w+ / as far as
    ask / what do you (?:say|think)(?: to| of| about)? / what would you (?:say|think) (?:to|of|about)
    my money is
    """
    + rf"""
    (?:i|we) (?:would|should|must|have to|ought to)(?: \w+ly)? (?!{_ELSE}\b|have to\b)\w+{_WITH}
    (?:choice|pick|vote|favourite|bet|suggestion|answer|winner) (?:is|would be|goes to|has to be) / reckon
    i (?:get|make it|end up with|arrive at|come to) / how (?:do|would) you feel about
    (?:points|comes down|boils down) to / (?:left|choice) but
    if (?:we|i) (?:\w+ )?(?:took|gave|went|chose|wrote|put|said|offered|made|picked){_WITH}
    (?:should|could|would|can|may) (?:we|i)(?: \w+ly)? (?!{_ELSE}\b)\w+{_WITH}
    (?:would|could|can|will) you (?:live with|take|accept|settle for|go for|agree to|put down|write)
    (?:would|could|can|will) you be happy with
    """
)
# after an outcome: decisions, then consent that counts only as an answer
_COMPLEMENT = (
    r"(?:an?|the|not|in|on|too|so|very|out|only|really|also|still|been|always|what|where|because|going)"
)
DONE = whole(
    rf"""
    it is(?! {_COMPLEMENT}\b) / then$ / then please / (?:it )?shall be$ / it shall be / it will be / wins
    will do / agreed / is agreed / is settled / is decided / is a deal / it is a deal / deal / done / booked
    sold / is our \w+ / is the (?:1|one|answer|choice|name|winner|only 1|only one|last 1) / is yours / i mean
    is left / is what is left / is what remains / is the only 1 (?:left|that|who) / is what we
    is (?:booked|chosen|hired|picked|noted|written down|in$|on the (?:form|list|card|sheet|poster|slip|paper))
    and (?:that is|let that be) (?:that|final|settled|it|all)
    (?:would|will) do (?:nicely|fine|well|the job|it) / stays(?! (?:in|out|with|where))
    gets (?:it|the \w+|my vote|our vote|that) / has my vote
    goes (?:on|in|up|down|there|to the \w+)(?: (?:the|it|to) \w+| then)?$
    (?:will|would|has to|must) be the (?:1|one)
    """
)
_BEST = r"(?:pick|choice|favourite|best|1|one|man|woman|vote|safest|obvious|right|only|answer|winner|bet)"
OFFERED = whole(
    rf"""
    or (?:nobody|nothing|no 1) / has (?:everything|all) (?:that )?we / is (?:just |exactly )?what we
    how about (?:it|that|him|her) / what do you (?:say|think) / please$ / for (?:me|us)$
    (?:is|would be|will be|has to be|must be|seems|looks|sounds)(?: to be| like)? (?:my|our|the) {_BEST}
    (?:is on|fits|meets|matches|ticks|passes|suits) (?:both|all|every\w*) / (?:suit|suits) (?:you|us)
    works? for you / (?:be )?(?:ok|fine|all right) (?:with|for|by) you
    """
)
_GLAD = any_of(
    r"""
    fine / perfect / lovely / great / cool / gladly / yes / agreed / sure / of course / excellent / wonderful
    ok / brilliant / splendid / marvellous / awesome / good / all right / thank you / thanks / with pleasure
    done / by all means / i accept / i agree / i can do / i can live with / no problem / why not / super
    absolutely
    (?:is|would be|will be|sounds)(?: (?:an?|just|really))? (?:lovely|fine|great|perfect|good|fair|nice)
    """
)
FINE = whole(
    r"""
    (?:is|are|works|suits|sounds) (?:\w+ )?(?:fine|ok|good|me|us|well|great|acceptable|fair|right) / works
    too$ / as well$ / also$ / would (?:work|suit (?:me|us)|do)
    """
    + rf"(?:it is )?{_GLAD}(?: (?:by me|with me|for me|thank you|\w+))?"
    + r"(?=$| @)"
)
OUT = (
    r"(?:(?:is|are|was|has|have|can|will|does|did|would|had) )?(?:(?:really|simply|now|also|already|far) )?"
    + whole(
        r"""
    out / not(?! an? \w+ (?:more|less)) / no / off(?! you go) / never / gone / impossible / excluded
    eliminated / too(?= \w) / nothing
    """
    )
)
AWAY = (
    r"(?<!anything )(?<!nothing )(?<!something )(?<!nobody )(?<!why )"
    + whole(
        """
    not / no / never / without / against / forget / drop / scratch / strike / cross off / cross out / rule out
    rules out / ruled out / instead of / rather than / over / anything but / leave out
    """
    )
    + r" (?:(?:the|for|with|at|on) ){0,2}@(\w+)"
)
NEGATED = r"\b(?:not|never|no|refuse|nobody|without|against|far from)(?: \w+){0,3} $"
# a bound is no price, "not a cent below 135" is one
BOUND = r"\b(?:than|below|above|under|over|beyond|least|most|from|started at|reach) @(\w+)"
LAST_WORD = r"\b(?:not|no) (?:\w+ ){1,3}(?:below|above|under|over) @(\w+)"
# nothing but a name
_AROUND = (
    r"(?:and|so|or|then|well|what|how|now|right|but|look|listen|about|the|an?|for|my|your|our|no|say|with)"
)
BARE = rf"(?:{_AROUND} )*@(\w+)(?: (?:then|please|thanks|thank you|for (?:you)|now|sir|madam|it))*"
