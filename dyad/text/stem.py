"""Stems: the part of a word that its inflections share."""

from __future__ import annotations

import re
from functools import lru_cache

_FRENCH_ENDING = re.compile(r"(?:e[rz]|e{0,2}[sx]?)$")  # "réservé", "réservées" and "réserver" sound the same


@lru_cache(maxsize=16384)
def stem(w: str, lang: str = "en") -> str:
    """Return the stem of one folded word: inflections only (Porter 1980, steps 1a, 1b, 1c and 5a).

    In French, the ending of a verb, participle or plural that nobody hears.
    """
    if len(w) < 3 or not w.isalpha():
        return w
    if lang == "fr":
        return _FRENCH_ENDING.sub("", w) if len(w) > 3 else w
    return _final(_verbal(_plural(w)))


def _plural(w: str) -> str:
    if w.endswith(("sses", "ies")):
        return w[:-2]
    return w[:-1] if w.endswith("s") and not w.endswith("ss") else w


def _verbal(w: str) -> str:
    if w.endswith("eed"):
        return w[:-1] if _syllables(w[:-3]) else w
    for ending in ("ed", "ing"):
        base = w.removesuffix(ending)
        if base != w and "v" in _shape(base):
            return _restored(base)
    return w


def _restored(base: str) -> str:
    """Undo what an ending did to its verb: hopp(ing) → hop, hop(ing) → hope."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-2:-1] == base[-1:] and base[-1] not in "aeioulsz":
        return base[:-1]
    return base + "e" if _syllables(base) == 1 and _short(base) else base


def _final(w: str) -> str:
    if w.endswith("y") and "v" in _shape(w[:-1]):
        return w[:-1] + "i"
    base = w.removesuffix("e")
    count = _syllables(base)
    return base if base != w and (count > 1 or (count == 1 and not _short(base))) else w


def _shape(w: str) -> str:
    """Consonants as c and vowels as v; y is a vowel after a consonant."""
    shape = ""
    for letter in w:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _syllables(w: str) -> int:
    """Porter's measure: how often a vowel is followed by a consonant."""
    return _shape(w).count("vc")


def _short(w: str) -> bool:
    return _shape(w).endswith("cvc") and w[-1] not in "wxy"
