"""How English speakers say yes and no, in the folded form of `speech.plain`."""

from __future__ import annotations

from .en_offers import DOUBT
from .lexicon import any_of, whole

# answers that name no outcome
_RECORD = r"(?:put|write|type|note|enter|print|book|order|sign|make|ring|sew|paint|take|have|send|keep|do)"
ASSENT = whole(
    rf"""
    settled / shake on / you win / have it your way / have your way / i give in / i give up
    as you (?:like|wish) / that works / works for (?:me|us)
    sounds (?:good|great|fine|perfect|lovely|right|like a plan) / suits (?:me|us)
    let us (?:just )?(?:do|take|have|use|go with|go for|settle on|say|keep|write|book) (?:that|it|this|so|him)
    i accept / you (?:have )?(?:convinced|persuaded|got|talked) me / same here / i am convinced
    i am persuaded / deal / it is a deal / done / sold / i(?: will)? (?:take|have) (?:it|that|him|her|them)
    is (?:all )?yours / all yours / fine (?:by|with) (?:me|us) / ok (?:by|with) (?:me|us) / good with me
    you have (?:got )?(?:a|yourself a) deal / (?:mine|me|i) (?:too|as well|also)
    so (?:do|would|am|is|was|have|will) i / as (?:do|would) i / likewise / i am with you / i am sold / i am in
    count me in / you are on / go on then / go ahead / be my guest / suit yourself / help yourself
    by all means / please do / gladly / with pleasure / my pleasure / consider it (?:done|settled)
    (?:good|great|fine) choice
    (?:good|great|excellent|lovely|wonderful|splendid|brilliant) (?:idea|suggestion|plan)
    makes (?:perfect )?sense / that will do / that does it / my (?:thoughts|words) exactly
    (?:is|was) my (?:pick|choice|favourite|vote) (?:too|also|as well) / that is the (?:1|one)
    is our (?:winner|choice|man|woman|answer|\w+) / that 1 (?:then|it is|please|will do)
    i can (?:live|work) with (?:that|it) / happy (?:with|to) (?:that|it|do|go|take|accept) / can do / will do$
    ^(?:so |then |just |and )*{_RECORD} (?:it|that|him|her|them)(?: (?:down|in|up|on|off|out|then|please))*
    write it in / put it (?:in|down|on)
    it is (?:written|noted|down|booked|done|decided|in the \w+$|on the \w+$)
    i (?:am|will) (?!not)\w+ (?:it|that|him|her|them) (?:up|down|in|on) / i will (?:bring|get|fetch) the money
    take it away / gone to the / here is your
    that is what i (?:want|wanted|asked for|said|think|thought|had)
    (?:say|said|saying|think|thought|thinking) (?:just |exactly )?the same
    if you (?:say so|insist|must|think so) / (?:go|all) for it
    (?:have|got) our (?:winner|man|woman|answer|choice) / you have my (?:vote|blessing|word)
    (?:same|likewise|ditto|me too|for me too)(?: here| for me| with me| as well)*$ / on my list too
    that settles it
    (?:then|so|well|now|and) (?:we agree|we have it|that is (?:it|that|clear)|we are (?:done|agreed|there))
    problem solved / that is (?:decided|agreed) / (?:do|go|went|have) (?:it )?(?:my|your) way
    whatever you (?:say|like|want) / as you say / not (?:going to )?(?:argue|fight)(?: about it| any more)?
    worn me down / i (?:surrender|fold) / i am beaten / makes you happy / that is (?:who|what) we
    i will (?:ring|call|phone|book|tell|invite|hire|order|sign) (?:it|him|her|them)(?: (?:now|then|up|in))?$
    i second (?:that|it) / (?:i|would) say yes / yes from me / so be it / no argument
    i am all for (?:it|that) / we have (?:got )?a (?:deal|winner) / as good as done
    """
)
OWN_WORDS = r"\b(my|your) (?:1|one|idea|choice|name|colour|version|suggestion|proposal|option|line|plan)\b"
# gives in to whatever the other wants
YIELDS = whole(
    r"""
    you win / your way / i give (?:in|up) / you (?:have )?(?:convinced|persuaded|got) me / worn me down
    i surrender / suit yourself / i am beaten / whatever you (?:say|like|want) / as you (?:like|wish|say)
    """
)
# agrees to what was said, which may be no more than a reason
OPINION = whole(
    r"""
    i (?:do )?(?:think|believe|would think) so / i would agree / i agree / agreed / we agree
    i (?:fully|completely|quite) agree / could not agree more
    i will (?:tell|let) the (?!manager|boss|police|owner|council|landlord|press|others)\w+
    ^yes (?:please|let us|i think so|definitely|absolutely|exactly|perfect|good|of course|sure|great|why not)
    ^yes indeed
    ^(?:perfect|absolutely|exactly|definitely|certainly|excellent|wonderful|splendid|brilliant|lovely)\b
    ^fine$ / ^(?:so |then )?all right(?: then)?$ / ^very well(?: then)?$ / ^sure(?: thing)?$ / ^of course$
    you are right
    """
)
# a yes in the form of a no
UNOPPOSED = whole(
    r"""
    no (?:problem|objections?|trouble|worries)(?: at all)? / (?:do|will|would) not mind / why not$
    (?:will|can|could) not (?:argue|object|say no|complain|deny|refuse)
    nothing against (?:it|that|him|her|them) / not a problem / nothing at all / ^none(?: at all)?$
    will not (?:object|stop you|shout|complain) / no complaints / no reason not to
    not (?:a )?bad (?:idea|choice)
    """
)
_OPENING = r"(?:(?:hm|and|so|well|right|then|now|but|you know what|look|thank you|thanks|that is) )*"
# answers a question with its own verb
AFFIRM = (
    r"^(?:yes )?(?:(?:he|she|it|they|we|i|that|there)"
    r" (?:is|are|am|do|does|will|has|would|must|should|can|shall) ?)+(?:yes|indeed|then|too)?$"
)
NOD = (
    rf"^{_OPENING}(?:"
    + any_of(
        r"""
    yes / ok / all right / fine / sure / of course / absolutely / exactly / certainly / very well / good
    perfect / great / lovely / wonderful / excellent / brilliant / splendid / marvellous / awesome / cool
    fantastic / go on / super / correct / hooray / do$ / do (?:that|so)$ / that is (?:correct|right|it)$
    """
    )
    + r"\b)"
)
# with these, a nod only says that one was heard
HEARD = whole(
    r"""
    hear you / i see / understand / good point / fair point / know / true / nice / listen / thing / question
    idea / morning / evening / bye / goodbye / see you / tell me / why / afternoon / to hear / heard
    """
)
NO = (
    r"^(?:(?:sorry|well|but|and|so|then|i am sorry|look) )*(?:no|nope|never|not yet|wait|i can not)\b"
    r"(?! (?:problem|worries|idea|wonder|doubt|hurry|rush|objections?|trouble|not at all|i do not mind))"
)
DISAGREE = whole(
    r"""
    disagree
    (?:not|never|nobody|nothing is) (?:\w+ )?(?:agree|agreed|accept|settled|done|convinced|convince) / no deal
    no way / over my dead body / not a chance / no chance / absolutely not / certainly not / rather not
    i must decline / not (?:possible|enough) / too (?:much|little|expensive|high|low|cheap)
    """
)
RECANT = whole(
    r"""
    no deal / changed? my mind / (?:scrap|scratch) (?:that|it) / a joke
    let us (?:think|start) (?:again|over) / ^wait @\w+ (?:has|had|got) / back to the (?:list|start|beginning)
    (?:take|took) (?:that|it|this) back / not agreed / disagree / not agree / wait no / no wait
    (?:i am|just|only|was) (?:joking|kidding|teasing) / on second thoughts? / misheard / no hold on
    although no / actually no / yes no / leave (?:him|her|it|them) out / deal is off
    forget (?:it|that|what i said)
    (?:i|we) (?:can|will|could) not (?:have|pay|do|take|accept|afford|agree to) (?:it|that|them|him|her|this)
    """
    + rf"^(?:hold on|hang on|wait|actually|although|hm)\b.*{DOUBT}"
)
