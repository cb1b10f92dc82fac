"""How English speakers take up what broke in on them or leave it, in the folded form of `speech.plain`."""

from __future__ import annotations

from .lexicon import any_of, whole, words

# say that one did not hear, or ask to hear it again
UNCLEAR = whole(
    r"""
    (?:could|did|can) not (?:quite |really |fully |properly )?(?:catch|hear|get|understand|make out|follow)
    (?:missed|lost) (?:that|what|it|you|the (?:last|end|first|beginning)|some of|part of|a (?:bit|part))
    (?:could|can|would|will|please) (?:you )?(?:\w+ )?(?:say|repeat|ask) (?:that|it|this|your|what|the)
    repeat (?:that|it|yourself|your question|what you|the (?:last|question))
    (?:i|you) beg (?:your )?pardon / ^(?:(?:sorry|excuse me|i am sorry) )*pardon(?: me)?$ / come again
    what (?:was|is) that(?: again)?$ / what did you (?:just )?say / say again / 1 more time / once more please
    (?:did|do|were|are) you (?:just )?(?:say|saying|ask|asking) (?:something|anything)
    not (?:sure|certain|clear) (?:what|who|(?:that |if |whether )?i (?:heard|got|caught|understood))
    (?:trouble|difficulty|problems?|hard time) (?:hearing|understanding|following) / hard to hear
    (?:speak|talk) (?:up|louder|a bit louder|more (?:slowly|clearly)) / breaking up / too (?:noisy|much noise)
    what do you mean / (?:clarify|rephrase) (?:that|what|it|your|the) / repeat please
    ^(?:sorry )?(?:what|huh)$ / ^(?:i am )?(?:so )?sorry$ / ^excuse me$ / (?:talking|speaking) to me
    """
)
# opens a return to what one was saying
RETURNS = whole(
    r"""
    ^(?:(?:so|ok|right|well|and|but|sorry|yes|now) )*anyways? / anyhow / in any case / as for the / on we go
    as i (?:was )?(?:saying|said|mentioned|explained) / ^(?:so |ok |right |now )*back to
    (?:i was|we were) (?:just )?(?:saying|talking about|telling|explaining|at|about to|going to)
    where (?:was i|were we|did i stop|i left off|we left off|i stopped|we were)
    (?:get|getting|got|go|going|come|coming|turning) (?:right )?back to
    to (?:continue|go on|carry on|get on|pick up|resume|return|finish)
    (?:let me|let us|i will|shall i) (?:continue|go on|carry on|resume|finish)
    (?:continuing|carrying on|moving on|going on)
    """
)
# at its start: goes on with a list or a sentence
GOES_ON = (
    r"^(?:and|then|next|after that|afterwards|finally|besides|because|which|until|also|secondly|lastly)\b"
)
# at its start: takes a question or a wish up
ANSWERS = (
    r"^(?:(?:oh|ah|well|hm|um|ok|right|good question|great question|thanks|thank you|sorry|i see|now) )*"
    + any_of(
        r"""
    yes / no(?! (?:1|one)\b) / sure / of course / certainly / absolutely / definitely
    not (?:really|quite|at all|yet) / unfortunately / i am afraid / i do not / i can not / in that case
    got it / understood / no problem / gladly
    good (?:point|idea) / i see / that (?:changes|makes|helps|depends) / then (?:i|you|we|it|let|take|try|go)
    """
    )
    + r"\b"
)
# answers somebody of whom one cannot be sure that it is meant for oneself
REACTS = whole(
    r"""
    take your time / no (?:rush|hurry|worries) / i will wait
    you are (?:very |most )?welcome / glad (?:you|to hear|that you|it) / thank you for / congratulations
    did you mean / you (?:mentioned|said|asked|want to know|were asking) / sorry to hear / sounds like
    in that case / that changes
    """
)
# at its start, after a question: speaks of what it asked about
SPEAKS_OF = r"^(?:so |well |i think )*(?:it|they|that|those|these|he|she|you|there|about|only|at|around|by)\b"
COUNTS = (
    r"\b(?:how (?:many|much|long|far|old|often|late|big|soon|high)|when|what (?:time|day|year)|price|cost)\b"
)
WISHES = (
    r"\b(?:please|can you|could you|would you|i (?:mean|meant|need|want|only|forgot|would)|let me|tell me)\b"
)
# names what it is about to speak of
NAMES = (
    r"\b(?:when it comes to|with|without|for|in|if|on|as for|about|since|because|regarding|by|during"
    r"|instead of|against|to|at|then)\b"
)
# speaks to the one who asked
ADVISES = (
    r"\b(?:you|your|let us|i (?:would|will|can|suggest|recommend)|instead|try)\b"
    r"|^(?:so |then |just |simply |first |yes |no |ok |sure )*"
    r"(?:take|use|go|make|put|try|start|turn|ask|keep|get|look|choose|pick|leave|wear|bring|cut|add|drop|visit|see)\b"
)
VAGUE = whole(
    r"""
    depends? / things? / something / in general / generally / a lot to say / like everything / and so on
    one can / 1 can / usually / probably / sometimes / simple / normal / always / many / various / whatever
    important / helps? / should be (?:fine|possible|ok|all right) / different / possible / take your time
    """
)
# carry a turn and no topic; beside `common`, which they extend
EMPTY = words(
    """
    happy help glad question questions moment second begin start started wait sorry stop hold hang actually
    mean meant forgot mention add ask saying talk talking speak continue anyway well pardon excuse answer
    idea ideas point matter matters course problem fine okay interesting important depends depend able
    always usually often sometimes still quickly bit little lots lot around else simply simple people work
    works working use want wants wanted need needs comes case better best sound sounds yet
    instead general different normal possible probably perhaps anything everything change changes leave end
    mind explain everybody anybody seem seems keep turn move
    """
)
