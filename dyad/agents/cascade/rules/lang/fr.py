"""French: T2, between people who say "tu". No line agrees in gender with a name.

Whisper base hears "c'est non" and "qu'est-ce que" at the start as one strange word: lines do without.
"""

from __future__ import annotations

from .language import Language, Lines, any_of

POOLER: Lines = {
    "open": ("On doit choisir un nom : {all}", "Bonjour, il nous faut un nom : {all}"),
    "ask": ("Dis-moi ce que tu sais", "Et toi, qu'est-ce que tu sais ?", "Et toi, lesquels sont exclus ?",
            "Et toi, qu'est-ce que tu peux me dire ?"),
    "out": ("Donc {names}, c'est impossible", "On élimine {names}", "Donc pas {names}"),
    "both out": ("Donc {names}, c'est impossible", "On élimine {names}"),
    "noted": ("D'accord, pas {names}", "Je vois, on élimine {names}", "Bien, on oublie {names}"),
    "both noted": ("Je vois, il en reste moins", "C'est bon à savoir, la liste est courte"),
    "check": ("Est-ce que ça élimine {name} ?", "Est-ce qu'on oublie {name} ?"),
    "left": ("Pour moi {names}, c'est encore possible", "Je n'ai rien contre {names}"),
    "propose": ("Alors c'est {name}, tu es d'accord ?", "Il reste {name}, tu es d'accord ?",
                "Donc ce sera {name}, tu es d'accord ?"),
    "guess": ("On dit {name} ?", "Je dirais {name}, tu es d'accord ?"),
    "agree": ("Oui, je suis d'accord, c'est {name}", "D'accord, on prend {name}"),
    "confirm": ("Très bien, ce sera {name}", "Parfait, on prend {name}"),
    "no": ("Non, pas {name}", "Non, {name}, ce n'est pas possible"),
    "fine": ("Je n'ai rien contre {name}", "{name}, c'est toujours possible, je crois"),
    "not yet": ("Je n'en suis pas encore là", "Attends, c'est trop tôt pour moi"),
    "lost": ("J'ai dû mal entendre, lesquels sont exclus ?", "Il ne reste plus rien, lesquels sont exclus ?"),
    "alone": ("Je ne peux pas décider sans toi", "Je ne vais pas choisir sans ton avis"),
}  # fmt: skip

_NAMES = r"((?:@\d+ (?:et |ou |ni )?)+)"
_ONE = r"(@\d+) (?!(?:ou |et )?@)"  # one name, not the first of several
NAMED = {
    "out": (
        rf"{_NAMES}(?:c est |est |sont |ca fait )?(?:donc |aussi |deja |alors |tous |toutes )*"
        r"(?:non|exclue?s?|elimine\w*|impossibles?|hors \w+|raye\w*|barre\w*|ecarte\w*) ",
        r"(?:elimine|elimines|eliminons|raye|rayons|exclut|exclus|excluons|ecarte|ecartons|oublie|oublions|"
        rf"barre|barrons|enleve|retire|adieu) {_NAMES}",
        rf"(?<!pourquoi )pas {_NAMES}",
        rf"{_NAMES}(?:ce n est|c est|n est|ne sont|ce n etait) pas possibles? ",
        rf"{_NAMES}(?:ne (?:va|vont|convient|conviennent|marche|marchent) pas|tombent? a l eau)",
    ),
    "keep": (
        r"(?:seule?s?|que|qu|uniquement|seulement|restent?|entre) ((?:@\d+ (?:et |ou )?){2,})",
        r"((?:@\d+ (?:et |ou )?){2,})(?:seulement|uniquement)",
    ),
    "back": (
        rf"{_NAMES}(?:c est |est |sont |restent? )?(?:toujours|encore) (?:possibles?|libres?|la|en lice)",
        rf"rien contre {_NAMES}",
    ),
    "propose": (
        rf"(?:c est|ce sera|sera|(?<!ne )reste|choix|reponse|doit etre|reste que|reste plus que) "
        rf"(?:donc |alors |bien )?{_ONE}",
        r"(?:prends?|prenons|choisi[st]|choisissons|retien[st]|retenons|gardons|propose|proposons|va pour|"
        r"allons pour|part sur|partons sur|notes?|notons|ecri[st]|ecrivons|reserve|reservons|on dit|disons|"
        rf"dirais|d accord pour|d accord avec|vote pour|inscri[st]) (?:sur |pour |plutot )?{_ONE}",
        rf"{_ONE}(?:alors|donc|l emporte|gagne|ca me va|ca marche|d accord) ",
    ),
    "prefer": (rf"(?:prefere|veux|voudrais|aimerais|plutot) {_ONE}",),
    "praise": (
        rf"(?:que par|recommande|adore|aime|vante) {_ONE}",
        rf"{_ONE}.*\b(?:meilleure?|super|genial|belle|beau|sympa|grande?|jolie?|pratique|plait)\b",
    ),
}
PLAIN = {
    "repeat": any_of("repeter, peux repeter, redire, pardon, pas entendu, pas compris"),
    "greet": any_of("^bonjour, ^bonsoir, ^salut, ^allo"),
    "bye": any_of("au revoir, a bientot, bonne journee, bonne soiree"),
    "agree": any_of(
        "oui, ouais, d accord, entendu, ca marche, ca me va, parfait, tres bien, exactement, tout a fait"
    ),
    "disagree": any_of("^non, pas d accord, pas encore, pas sure?, attends, trop tot, faux"),
}

LANGUAGE = Language(
    lang="fr",
    kinds=frozenset(("pooler", "listener")),
    pooler=POOLER,
    unclear=(
        "Pardon, tu peux répéter ?", "Excuse-moi, je n'ai pas entendu.", "Je n'ai pas compris, redis-moi ça.",
    ),
    hello=("Allô ? Tu es là ?", "Tu m'entends ?", "Il y a quelqu'un ?", "Je ne t'entends pas du tout."),
    after=(
        "Bon, voilà une chose de réglée.", "Ça s'est bien passé, je trouve.",
        "Ça fait du bien quand c'est réglé.",
        "Je vais pouvoir prendre un café.", "Quelle journée, quand même.", "On a fait vite, finalement.",
    ),
    bye=("Merci, au revoir.", "Au revoir, bonne journée.", "Bonne soirée, au revoir."),
    again=("Comme je disais : {text}", "Et n'oublie pas : {text}", "Je t'assure : {text}",
           "Encore une fois : {text}"),
    resume=("Je disais donc : {text}", "Je disais : {text}", "{text}"),
    ask_again=("Je te redemande : {text}", "Alors dis-moi : {text}"),
    echo=("{word}, je vois", "{word}, oui", "Ah, {word}"),
    wait="Ah, attends.",
    expected=(
        "pardon tu peux répéter", "je n'ai pas entendu", "allô tu es là", "merci au revoir", "oui", "non",
        "d'accord", "je vois", "très bien",
    ),
    comma=", ",
    joints={"and": " et ", "or": " ou "},
    about_me=(
        (r"\btu es\b", "je suis"), (r"\btu as\b", "j'ai"), (r"\btu\b", "je"), (r"\btoi\b", "moi"),
        (r"\bton\b", "mon"), (r"\bta\b", "ma"), (r"\btes\b", "mes"), (r"\bte\b", "me"), (r"\bt'", "m'"),
        (r"\bvôtre", "nôtre"), (r"\bvotre\b", "notre"), (r"\bvos\b", "nos"), (r"\bvous\b", "nous"),
    ),
    article=r"(?:\b(?:le|la|les) |\bl['’])",
    named=NAMED,
    plain=PLAIN,
    open_question=r"^(?:et |alors |mais |bon )?(?:que|qu|quoi|qui|quand|comment|pourquoi|quel\w*|lesquel\w*|"
    r"est ce|combien)\b|"
    + any_of("et toi, et vous, dis moi, qu est ce que, que sais tu, lesquels, lesquelles"),
    yes_or_no=r"^(?:et |alors |donc )?(?:est ce que|est ce|y a t il) ",
    breaks=r",\s+(?=(?i:et toi|et vous|qu['’]est|que sais|lesquel|dis[ -]moi))",
    suggestion=r"^(?!.*\b(?:non|elimine\w*|exclu\w*)\b).*\b(?:on dit|prend|prends|prenons|dirais|alors|"
    r"choisi\w*|reste|c est|sera)\b",
    consent=r"d['’]accord\s*\?",
    tag=r"\b(?:tu es|t es|vous etes|on est|es tu|etes vous) d accord\b",
    small=(r"\b(?:le|la|les|l) (?=@)", ""),
)  # fmt: skip
