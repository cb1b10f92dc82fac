"""Folding of spoken text: one idea of "the same words" for agents, judges and measures.

Two texts are the same when they fold to the same tokens: case, accents, punctuation, possessive endings and
spelling-out ("c-o-p-p-e-r") do not count, and numbers are digits ("one hundred and fifty" is "150").
Phrases are compared on stems, word by word, so `car` is in "two cars" and not in "Oscar".

Chinese and Japanese write no spaces: each of their characters is a token, so a phrase is found as adjacent
characters. Katakana folds to hiragana. Their script says which they are; French words do not, so French is
named by `lang`: it splits elisions ("l'eau" is "l eau") and reads its own number words.
"""

from .fold import find_numbers, fold, has_phrase, joined, met, similarity, stems, tokens, word_count
from .lex import CJK
from .numerals import MAX_NUMBER, number_words
from .stem import stem

__all__ = [
    "CJK",
    "MAX_NUMBER",
    "find_numbers",
    "fold",
    "has_phrase",
    "joined",
    "met",
    "number_words",
    "similarity",
    "stem",
    "stems",
    "tokens",
    "word_count",
]
