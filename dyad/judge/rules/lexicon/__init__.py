"""The words by which a rule judge tells a yes from a no, an offer from a decision, and talk from content.

One module per language; what English says of outcomes, and how it answers, has its own. `asking` holds what
only English is asked for: requests, grants and refusals.
"""

from . import asking, en, en_answers
from .en import LEXICON as _EN
from .fr import LEXICON as _FR
from .ja import LEXICON as _JA
from .lexicon import Lexicon
from .zh import LEXICON as _ZH

LEXICONS = {found.lang: found for found in (_EN, _FR, _JA, _ZH)}

__all__ = ["LEXICONS", "Lexicon", "asking", "en", "en_answers"]
