"""What English speakers ask for, grant and refuse, in the folded form of `speech.plain`."""

from __future__ import annotations

from .lexicon import any_of, whole, words

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
IT = r"(?:it|that|this|him|her|them|those|1)"
_WAY = r"(?:in|over|round|around|up|down|off|out|back|along|by|away|here|there|inside|with me|to me|at my)"
_DONE = r"(?:done|moved|off|open|unlocked|ready|yours)"
GRANT = whole(
    rf"""
    go ahead / go on then / help yourself / be my guest / suit yourself / have (?:it )?your (?:own )?way
    you win / i give (?:in|up) / (?:it|he|she|that|they|the \w+|this) (?:is|are) (?:all )?yours / all yours
    ^sold / you have (?:got )?it / you have (?:got )?(?:yourself )?a deal / consider it (?:done|yours)
    (?:here|there) you (?:go|are) / take it / borrow it
    you (?:can|may)(?: (?:have|take|borrow|use|keep) (?:{IT}|the \w+|mine|my \w+))?$
    you (?:will|shall) have (?:it|your|the|my)
    i will (?:do|take|have|bring|move|turn|open|finish|shift|swap|fix|sell|stop) {IT}
    (?:no|not a) (?:problem|worries|trouble|bother) / of course (?:you can|i will|i can|we can)
    yes of course / by all means / (?:my|with) pleasure / ^gladly / gladly$
    (?:happy|glad|delighted) to(?! (?:see|hear|meet|know|say|be)) / (?<!no )can do$ / will do$
    as you (?:like|wish) / (?:put|write|count|sign|pencil) me (?:down|in) / count on (?:me|it)
    leave {IT} (?:to|with) me / i am on it / on my way
    i am (?:coming(?! to)|doing it|getting up|moving (?:it|over|now))
    i will be (?:right )?(?:there|over|round|down|at your|with you)
    ^(?:(?:so|then|well|just|and|now) )*(?:bring|drop|wheel|send|hand|pass|leave|carry) {IT} {_WAY}
    come (?:on |right )?in(?: that way|$) / let us (?:do it|do that|swap|change|trade|switch) / ^deal$
    it is a deal / you have my word / ^(?:why not|please do)$ / you have (?:convinced|persuaded|talked) me
    ^(?:(?:there|ok|so|now|well) )*(?:it|he|she|that|the(?: \w+)? \w+) is (?:now )?{_DONE}(?: now|$)
    ^there (?:better|quieter|done|now|it is) / (?:right|straight) away / anything for you
    just (?:this|for) (?:once|1 time|you) / (?:do|would|will) not mind(?! (?:you|the|if))
    (?:he|she|it|they) can (?:stay|come) / ^very well(?! (?:done|made|said))
    i will (?:just )?(?:get|fetch|find) (?:the|my) (?:keys?|coat|jacket|shoes|bag|things)
    """
)
SHOWS = (
    r"^there (?:how is (?:that|this|it)|is (?:that|this|it) (?:\w+ )?(?:better|enough|\w+er))"  # what it did
)
_YES = (
    r"(?:yes|sure|of course|certainly|absolutely|fine|all right|very well|please do|no problem|why not|gladly"
    r"|definitely)"
)
YES = (
    rf"^(?:ok |well |well then )?(?:{_YES} ?)+(?:then|i (?:will|can|do|would)|you (?:can|may)|thank you"
    r"|madam|sir|dear|love|mate|darling|my dear|thing)?$"
)
WILL = r"\b(?:i will|i am|i have|i can|yes|all right|of course|sure|fine)\b"
# of the thing that is demanded: said to be given or done, or kept back
DOES = (
    r"^(?!.*\b(?:not|never|no|nobody)\b).*"
    r"\b(?:i will|i am|i have|let us|you can|you may|we can) (?!see|hear)"
)
DENIES = (
    r"\b(?:i|we|you|he|she|it|they|that|this|(?:the|my) \w+) (?:will|can|am|are|is|do|does|would) not"
    r"(?! (?:know|see|hear|think|understand|say|remember|sure|find|forget|mind|want to be|even|mean|ready"
    r"|done|only|just))"
    r"|\b(?:nobody|no 1) (?:will |is |\w+s )"
)
# gives way, and then says what will be done
_CONCEDED = (
    r"(?:fine|all right|very well|sure|of course|ok|yes|certainly|absolutely|you are right|go on|no problem)"
)
_BUSY = any_of(
    r"""
    not / listening / here / there / count\w* / busy / work\w* / sorry / afraid / just / still / try\w* / only
    sure / wait\w* / think\w* / look\w* / hear\w* / watch\w* / nearly / almost / a / the / in / on / at / so
    very / say\w* / see / tell\w* / ask
    """
)
ACTS = (
    rf"\b{_CONCEDED} (?:then |so |well |and )*(?:"
    rf"(?:i will|i am|i can|we can|we will|let us) (?!{_BUSY}\b)\w+"
    rf"|(?:bring|drop|wheel|send|hand|leave|carry|have|take|use|park|swap) (?:{IT}|mine|my) ?"
    r"|(?:come|sit|step|walk|go|hop|move) (?:in|over|round|here|up|along|down|through)"
    r"|(?:give|lend|help|write|put|count) me (?:a hand|in|down|with))"
)
# speaks of a point without making it
ANNOUNCES = whole(
    r"""
    (?:tell|talk|speak|hear|heard|say (?:something|a word)|ask|asked)(?: (?:to )?(?:you|me|us|them))? about
    (?:come|coming|get) to / wait (?:until|till) you / have not (?:even )?(?:mentioned|said|told)
    you (?:say|said|keep saying|claim) / so you / says you
    """
)
# gives something to guess by
CLUE = whole(
    r"""
    think of (?:an?|something|what|where|whatever|the \w+ (?:that|you|in|of)) / (?:named|called) after
    rhymes with / (?:starts|begins|ends) with / sounds like (?:an?|something)
    it is something (?:that|you|1|with|like|for|from) / let us (?:just )?say (?:that )?(?:it|she|he|they|you)
    i will (?:only |just )?say this(?: much)? / that is all you get
    if you (?:see|know|get|catch) (?:what i mean|my drift|my meaning)
    (?:here is|as|give you|get) (?:an?|1)(?: \w+)? (?:clue|hint) / (?:a|some) (?:kind|sort|type) of
    (?:what|where|something|anything) (?:that )?(?:you|1|one|people) (?:would|could|might)
    reminds? (?:me|you|1|one) of / it is (?:like|a bit like|close to) (?:an?|something|what)
    """
)
_NOT_NO = r"(?:problem|worries|idea|wonder|hurry|rush|doubt|time|trouble|bother|need|1|one|harm)"
REFUSAL = whole(
    rf"""
    no way / forget it / you can not
    (?:i|we) (?:really |just |simply |honestly )?can not(?! (?:hear|see|say|tell|talk|think|wait|find))
    (?:i|we) will not(?! (?:argue|be long|keep|say no|mind|forget)) / can not have / not going to
    absolutely not / certainly not / of course not / i refuse / not today / not tonight / out of the question
    the answer is (?:still )?no / (?:find|ask|try) (?:somebody|someone) else
    (?:not a|no|not the slightest|fat) chance / no can do / over my dead body / not for sale
    not (?:possible|happening|on offer|available|going anywhere|negotiable|moving|swapping|selling|giving)
    impossible / i am afraid not / rather not / prefer not / would prefer to (?:keep|stay) / nothing doing
    not likely / (?:am|are) keeping (?:mine|it|this|him|her|my)
    stays?(?: right| exactly| just)? (?:where|put|here|on|open|as it)
    i (?:must|have to|will have to) (?:decline|refuse|say no|turn you down) / no means no / i said no
    it is a no / nope / i do not (?:lend|sell|swap|give|want to|think so|have (?:the )?time|take|do that)
    that will not (?:work|do|be possible) / not now / ^never$ / unfortunately not / could not possibly
    can not be done / ^not .* no$ / does not (?:work|suit)
    i am not (?!saying|asking|making|joking|listening|hearing|being|finding|getting|seeing)\w+ing(?! to do)
    count me out / not (?:with me|me|in a million years|on your life|for (?:all|any)) / too late for that
    never in my
    ^(?:(?:sorry|i am sorry|well|but|and|look|listen|honestly|really|again|madam|sir) )*no(?! {_NOT_NO})
    """
)
LATER = whole(
    r"""
    minute / moment / second / later / maybe / perhaps / in a bit / we will see / after / tomorrow / next week
    let me(?! (?:just )?(?:get|fetch|help|take|bring|open|give)) / when i / first / soon / once i
    not so fast / might / could / if(?! you (?:insist|must|like|want|really|say so))
    until(?! (?:\w+day|tomorrow|then|tonight)) / yet / say yes / say no / depends / up to (?:my|the|him|her)
    not sure / i suppose / ask my / not (?:decided|know)
    """
)
