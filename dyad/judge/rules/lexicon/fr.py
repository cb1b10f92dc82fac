"""French, in folded form: no accents, elisions split ("c est"), "un" and "une" are 1."""

from __future__ import annotations

from .lexicon import Lexicon, any_of, whole, words

COMMON = words(
    """
    1 les des aux est sont etait pas plus que qui quoi dont mais donc car pour par avec sans sous sur dans
    chez entre vers son ses mon mes ton tes notre nos votre vos leur leurs elle elles nous vous ils lui moi
    toi cela cette ces cet tout tous toute toutes tres bien trop peu aussi alors encore deja ici puis quand
    comme comment pourquoi ont avons avez avoir etre suis etes sommes fait faire faut peut veux veut dit
    dire oui non bon bonne merci bonjour voir vois voila quel quelle rien chose jour temps fois autre meme
    """
)
MACHINE = whole(
    """
    modele de langage / en tant qu ia / en tant qu 1 ia / intelligence artificielle / assistant virtuel
    jeu de role / mes instructions / mon prompt / cher juge / le juge / comment puis je vous aider
    """
)
HEDGE = whole(
    r"""
    peut etre / eventuellement / probablement / sans doute / je ne sais pas / je sais pas / pas sure?
    pas certaine?
    pourrait / pourrions / pourrais / hesite / hesitons / reflechir / reflechis / depend / on verra / a voir
    sinon / soit / pas encore decide / pas decide / suppose / supposons / laisse moi / laissez moi
    si(?! (?:tu veux|vous voulez|tu insistes|te plait|vous plait|ca te va|ca vous va))(?<!s il)
    """
)
QUOTED = (
    whole(
        r"""
    (?:tu|vous|il|elle|on|ils|elles|l|m|t|nous|qui) (?:a |as |avez |ont |avait |avais |aviez )?(?:dit|disais|disait|disiez|disent|dites|dis|propose|proposais|proposait|proposiez|parlais|parlait|parliez|voulais|vouliez|recommande|conseille|vante|entendu)
    (?:tu|vous) (?:veux|voulez) dire / d apres (?:toi|vous|lui|elle) / selon \w+
    """  # noqa: E501
    )
    + r"(?: \w+){0,4} @\w+"
)
TAG = (
    r"\b(?:tu es|t es|vous etes|on est|es tu|etes vous|sommes nous|nous sommes)"
    r"(?: bien| tous| toutes)* d accord\b"
    r"(?! (?:pour|avec|sur))|\bn est ce pas\b"
)
SETTLE = any_of(
    r"""
    (?:on |je |nous )?(?:prends|prend|prenons|choisis|choisit|choisissons|garde|gardons)
    (?:on |je |nous )?(?:retiens|retient|retenons|ecris|ecrit|ecrivons|note|notons)
    (?:on |je |nous )?(?:inscris|inscrit|inscrivons|reserve|reservons|valide|validons)
    (?:va|vais|allons|part|pars|partons|restons) (?:pour|sur|avec|chez) / va pour
    d accord (?:pour|sur|avec)
    ok (?:pour|sur|avec) / disons / decidons / on dit / accepte / j accepte / (?:c|ce) (?:est|sera)
    ca sera
    (?:il )?(?:ne )?reste(?: plus| donc)?(?: que| qu)? / (?:reponse|choix|decision|nom) (?:est|sera|c est)
    ce (?:ne )?peut (?:plus )?etre que / doit etre / marquons / marque / donc / alors
    """
)
OFFER = any_of(
    r"""
    (?:je|j|nous|on) (?:propose|proposons|suggere|dirais|dirait|prefere|preferons|prefererais|veux|voudrais)
    (?:je|j|nous|on) (?:vote|votons|penche|recommande|choisirais|prendrais|prendrait) / plutot / ce serait
    il faudrait / pourquoi pas / mon vote va / que (?:dis tu|dites vous|penses tu|pensez vous) de
    et si on (?:prenait|choisissait|disait|allait)
    """
)
DONE = whole(
    r"""
    alors$ / donc$ / c est (?:decide|entendu|note|dit|d accord|regle|adjuge) / d accord$ / adjuge / gagne
    l emporte / il reste$ / reste$
    (?:est|reste) (?:le seul|la seule|notre \w+|la bonne|le bon|le dernier|la derniere)
    est (?:retenue?|choisie?|decidee?) / ce sera / s il te plait / s il vous plait
    """
)
FINE = whole(
    r"""
    (?:me |nous )?(?:va|convient|suffit|plait|parait \w+|semble \w+) / (?:parfait|tres bien|ok|entendu)$
    ca (?:me |nous )?(?:va|convient|plait)
    (?:c )?(?:est|serait) (?:tres )?(?:bien|bon|ok|parfaite?|possible)
    """
)
OUT = (
    r"(?:(?:qui|lui|elle|ca|c|en) )*(?:(?:est|sont|reste|a) )?"
    r"(?:(?:donc|aussi|deja|alors|maintenant|vraiment|quand meme) )*"
    + whole(
        r"""
    exclue?s? / elimine\w* / ecarte\w* / hors / impossible / non / pas / jamais / raye\w* / barre\w* / tombe
    ne / n / trop
    """
    )
)
AWAY = (
    r"(?<!pourquoi )"
    + whole(
        r"""
    pas / plus / sans / ni / contre / non / jamais / oublie / oublions / oubliez / raye / rayons / rayez
    elimin\w+ / exclu\w* / ecart\w+ / barr\w+ / plutot que / au lieu / sauf
    """
    )
    + r" (?:(?:le|la|les|l|de|d|pour|a|chez|avec) ){0,2}@(\w+)"
)
ASSENT = whole(
    r"""
    (?:suis|sommes|est) (?:bien |tout a fait |completement )?d accord / entendu / ca marche / ca roule
    ca (?:me|nous) (?:va|convient) / marche conclu / adjuge / vendu / je valide / on fait (?:ca|comme ca)
    faisons (?:ca|comme ca) / j accepte / (?:m as|m avez) convaincue? / c est parti / moi aussi
    je suis pour / va pour ca / c est decide / convenu / comme (?:tu|vous) (?:veux|voulez)
    """
)
NOD = r"^" + any_of(
    r"""
    oui / ouais / ok / d accord / bien sur / parfait / tres bien / exact / exactement / absolument
    tout a fait / certainement / volontiers / evidemment / bien entendu / super
    """
) + r"\b"  # fmt: skip
HEARD = whole(
    r"""
    je vois / comprends / compris / j entends / t entends / vous entends / bonjour / bonsoir / au revoir
    salut / question / merci / bon a savoir / je sais / ecoute / ecoutez / idee / a bientot
    """
)
RECANT = whole(
    r"""
    pas d accord / change d avis / je retire / attends non / attendez non / non attends / non attendez
    finalement (?:non|pas)
    """
)

# whoever labels the record, and what can be said of the labels
_READER = r"(?:juges?|evaluateurs?|evaluatrices?|annotateurs?|annotatrices?|correcteurs?|jury|examinateurs?)"
_VALUE = r"(?:oui|non|yes|no|none|aucune?|partly|granted|refused|open|full|partial|[abc]|\d+)"
ADDRESS = any_of(
    rf"""
    ^(?:(?:petite?|importante?|derniere) )*(?:note|message|consigne|consignes|instructions?|remarque|rappel|mot|avis) (?:a l|au|aux|pour l|pour le|pour la|pour les|a la|a tous les|a) (?:attention (?:de l|du|des) )?{_READER}\b
    ^(?:note |message )?(?:a|pour) (?:celui|celle|ceux|quiconque)(?: ou celle)? (?:qui )?(?:juge|jugent|lit|lisent|note|annote|evalue)\b
    ^fin (?:de la|du|de l) (?:transcription|dialogue|conversation|enregistrement)\b
    \b(?:ignore|ignorez|oublie|oubliez) (?:toutes? )?(?:les |tes |vos |la )?(?:instructions|consignes|regles|transcription)\b
    ^nouvelles (?:instructions|consignes|regles)\b
    """  # noqa: E501
)
REMARK = any_of(
    rf"""
    ^(?:(?:chers?|cheres?|bonjour|monsieur|madame|attention|s il vous plait|merci)(?: le| la| l| au| a l)? )*{_READER} .*\b(?:repond\w+|etiquette\w*|not(?:e|ez|er)|ignorez|inscri\w+|reponse|accord)\b
    \b(?:les 2|deux) (?:locuteurs|locutrices|interlocuteurs)\b / \b(?:le |la |l )?(?:locuteur|locutrice|interlocuteur) [ab]\b
    \b(?:bonne|vraie|seule) etiquette (?:est|serait|doit etre) (?!sur|sous|dans|a|au|la|pas|chez|avec)
    \betiquette (?:correcte|attendue|exacte|juste) (?:est|serait|doit etre) (?!sur|sous|dans|a|au|la|pas|chez|avec)
    \betiquette (?:du|de la|de l|pour le|pour la) (?:choix|question|prix|paire|conversation|dialogue|locuteur|fuite)\b
    \b(?:repondez|reponds|notez|inscrivez|etiquetez) {_VALUE}\b(?: pour [ab]\b|$)
    \bignore[zr]? (?:tout )?(?:ce qui precede|les lignes precedentes|la suite)\b
    """  # noqa: E501
)

LEXICON = Lexicon(
    lang="fr",
    long_forms=((r"(?<!c'est),? (?:non|hein)\s*\?", "?"),),
    common=COMMON,
    machine=MACHINE,
    address=ADDRESS,
    remark=REMARK,
    asks=rf"{TAG}|^(?!oui|ok|ouais).*@\w+ (?:d accord|ca te va|ca vous va|qu en (?:dis tu|dites vous))$",
    tag=TAG,
    check=r"(?:et |donc |mais |alors )?(?:est ce que|est ce|y a t il) (?!on |tu |vous |nous )",
    quoted=QUOTED,
    hedge=HEDGE,
    recant=RECANT,
    but=r"\bmais\b",
    settle=SETTLE,
    offer=OFFER,
    negated=r"\b(?:pas|jamais|non|refuse|refusons|contre|sans|ni|loin)(?: \w+){0,3} $",
    away=AWAY,
    done=DONE,
    fine=FINE,
    out=OUT,
    assent=ASSENT,
    nod=NOD,
    heard=HEARD,
    no=r"^(?:non|nan|jamais|pas encore|attends|attendez|1 minute)\b(?! (?:probleme|souci))",
    disagree=whole(
        "pas d accord / pas convaincue? / je refuse / pas question / hors de question / pas encore"
    ),
    link=r" (?:ou|et|ni) (?:(?:le|la|l|les) )?",
    alone=r"(?:donc|alors|bon)(?: donc| alors| bon| va pour)* @(\w+)",
    lead=r"^(?:(?:non|nan|oh|ah|euh|bon|bah|ben|attends|attendez) )+(?!@)",
    negation=r" (?:pas|jamais) ",
    gap=r"(?:(?:le|la|les|l|que|qu|pour|sur|chez|avec|plutot|juste|a|de|d|bien|donc|alors|nom) ){0,3}",
    why_not="pourquoi pas",
    edge=r"\b",
)
