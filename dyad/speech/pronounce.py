"""How words are said: spoken form of a token, and ARPAbet pronunciations for PocketSphinx."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any

from .engines import need, package_file

# Phoneme letters of hibari's American G2P → the 39 phones of CMUdict.
_HIBARI = (
    "A I W Y O Q ʤ ʧ ɑ a ɒ æ ʌ ə ɐ ᵊ ᵻ ɔ ɛ e ɜ ɚ ɪ i ʊ u o b d ð f ɡ h j k l m n ŋ p ɹ s ʃ t T ɾ θ v w z ʒ"
)
_PHONES = (
    "EY AY AW OY OW OW JH CH AA AA AA AE AH AH AH AH IH AO EH EH ER ER IH IY UH UW OW "
    "B D DH F G HH Y K L M N NG P R S SH T T D TH V W Z ZH"
)
_ARPABET = dict(zip(_HIBARI.split(), _PHONES.split(), strict=True))


def spoken(text: str) -> list[str]:
    """Return the words that a reader would say: lower case letters and apostrophes, numbers spelled out.

    A token may give several words (`$20` → `twenty`, `dollars`) or none (`—`).
    """
    plain = unicodedata.normalize("NFKD", text).replace("’", "'").lower()
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    plain = re.sub(r"\$\s?(\d+)", r"\1 dollars ", plain).replace("%", " percent ").replace("&", " and ")
    plain = re.sub(r"\d+", lambda number: f" {_cardinal(int(number[0]))} ", plain)
    plain = "".join(c for c in plain if not unicodedata.combining(c))  # é → e
    words = (word.strip("'") for word in re.findall(r"[a-z']+", plain))
    return [word for word in words if word]


@lru_cache(maxsize=20_000)
def pronunciations(word: str) -> tuple[str, ...]:
    """Return a word's ARPAbet pronunciations: CMUdict's, else those made by hibari's G2P."""
    guesses = (word, word.capitalize())  # the G2P may read a name otherwise than a common noun
    return _cmudict().get(word) or tuple(dict.fromkeys(_guess(guess) for guess in guesses))


def _guess(word: str) -> str:
    phones = [_ARPABET[letter] for letter in g2p()(word) if letter in _ARPABET]
    return " ".join(phones) or "AH"


@cache
def _cmudict() -> dict[str, tuple[str, ...]]:
    path = package_file("pocketsphinx", "model", "en-us", "cmudict-en-us.dict")
    found: dict[str, tuple[str, ...]] = {}
    for line in path.read_text("utf-8").splitlines():
        label, phones = line.split(" ", 1)
        word = label.split("(", 1)[0]  # `word(2)` is a second pronunciation
        found[word] = (*found.get(word, ()), phones)
    return found


@cache
def g2p() -> Any:
    """Return hibari's reader of American English (1 s and 100 MB to load, so one per process)."""
    return need("hibari.g2p").G2P()


def _cardinal(number: int) -> str:
    words: str = need("hibari.g2p.numbers").cardinal(number)
    return words.replace(" and ", " ")  # as the American reader says it
