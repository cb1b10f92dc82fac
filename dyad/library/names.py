"""How alike names sound: what a recogniser would confuse must not stand in one scenario."""

from __future__ import annotations

import re
import unicodedata

# Spellings of one sound, in this order. A coarse consonant key of our own, not Double Metaphone.
_SOUNDS = (
    (r"^(kn|gn|pn)", "n"),
    (r"^wr", "r"),
    (r"ph", "f"),
    (r"gh(?=[^aeiouy]|$)", ""),
    (r"tch|ch|sh|ti(?=o)|ci(?=a)", "X"),
    (r"th", "0"),
    (r"dg|g(?=[eiy])", "j"),
    (r"ck|qu?|c(?![eiy])|x", "k"),
    (r"c|z", "s"),
    (r"v", "f"),
    (r"d", "t"),
    (r"b", "p"),
    (r"g", "k"),
)


def plain(text: str) -> str:
    """Return the lower-case letters of a text without accents; other signs become single spaces."""
    bare = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z]+", " ", bare).strip()


def sound_key(name: str) -> str:
    """Return the consonants of a name as sounds, voiced and unvoiced alike, and its leading vowel as A."""
    key = plain(name).replace(" ", "")
    for spelling, sound in _SOUNDS:
        key = re.sub(spelling, sound, key)
    key = re.sub(r"^[aeiouy]", "A", key)
    key = re.sub(r"[aeiouyhw]", "", key)
    return re.sub(r"(.)\1+", r"\1", key)


def syllables(name: str) -> int:
    """Return the number of syllables of an English-looking name, by its groups of vowels."""
    word = re.sub(r"qu", "q", plain(name))
    silent = re.search(r"[^aeiouyl]e$|[aeiouy]le$", word)
    return len(re.findall(r"[aeiouy]+", word)) - bool(silent)


def edit_distance(a: str, b: str) -> int:
    """Return the Levenshtein distance of two names, letters only."""
    a, b = plain(a), plain(b)
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return row[-1]
