"""How alike names sound: what a recogniser would confuse must not stand in one scenario."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

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


# Kana in Hepburn romanisation. Small ones join the kana before them, in `_JOINS`.
_HIRAGANA = (
    "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん"
    "がぎぐげござじずぜぞだぢづでどばびぶべぼぱぴぷぺぽゔぁぃぅぇぉゃゅょゎ"
)
_LATIN = """
    a i u e o ka ki ku ke ko sa shi su se so ta chi tsu te to na ni nu ne no ha hi fu he ho
    ma mi mu me mo ya yu yo ra ri ru re ro wa o n
    ga gi gu ge go za ji zu ze zo da ji zu de do ba bi bu be bo pa pi pu pe po vu
    'a 'i 'u 'e 'o 'ya 'yu 'yo 'wa
"""
_KANA = dict(zip(_HIRAGANA, _LATIN.split(), strict=True))
_IS_KANA = re.compile("[ぁ-ゖァ-ヺｦ-ﾟ]")
_JOINS = (
    (r"(sh|ch|j)i'y", r"\1"),  # しゃ is sha
    (r"i'y", "y"),  # きゃ is kya
    (r"[aeiou]'", ""),  # ふぁ is fa
    (r"っ(?=([a-z]))", r"\1"),  # かっぱ is kappa
    (r"[っー']", ""),
)


def romaji(text: str) -> str:
    """Return a text with its kana written in Latin letters, without the long mark; all else stays."""
    if not _IS_KANA.search(text):
        return text
    hiragana = (chr(ord(c) - 0x60) if "ァ" <= c <= "ヴ" else c for c in unicodedata.normalize("NFKC", text))
    latin = "".join(_KANA.get(c, c) for c in hiragana)
    for kana, joined in _JOINS:
        latin = re.sub(kana, joined, latin)
    return latin


def plain(text: str) -> str:
    """Return the lower-case letters of a text, kana as romaji, without accents; other signs become spaces."""
    bare = unicodedata.normalize("NFKD", romaji(text).lower()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z]+", " ", bare).strip()


@lru_cache(maxsize=4096)  # a name stands in many pairs
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


@lru_cache(maxsize=65536)
def edit_distance(a: str, b: str) -> int:
    """Return the Levenshtein distance of two names, letters only."""
    a, b = plain(a), plain(b)
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return row[-1]
