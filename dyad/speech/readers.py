"""How French and Mandarin are said: a text to the phoneme letters that Kokoro was trained on."""

from __future__ import annotations

import re
import unicodedata

from dyad.text import MAX_NUMBER, number_words

from .engines import INSTALL_LANGUAGES, need
from .programs import espeak_phonemes

_CLAUSE = re.compile(r"[^.,!?;:…。、]+[.,!?;:…。、]*")
_TONES = {"1": "→", "2": "↗", "3": "↓", "4": "↘", "5": ""}
# Initials and finals of Hanyu Pinyin (`v` is ü) → Kokoro's letters.
_INITIALS = "b p m f d t n l g k h j q x zh ch sh r z c s"
_INITIAL_SOUNDS = "p pʰ m f t tʰ n l k kʰ x ʨ ʨʰ ɕ ꭧ ꭧʰ ʂ ɻ ʦ ʦʰ s"
_FINALS = (
    "a o e i u v ai ei ao ou an en ang eng ong er ia ie iao iou ian in iang ing iong "
    "ua uo uai uei uan uen uang ueng ve van vn"
)
_FINAL_SOUNDS = (
    "a wo ɤ i u y ai ei au ou an ən aŋ əŋ ʊŋ ɚ ja je jau jou jɛn in jaŋ iŋ jʊŋ "
    "wa wo wai wei wan wən waŋ wəŋ ɥe ɥɛn yn"
)
_SOUNDS = dict(
    zip(_INITIALS.split() + _FINALS.split(), _INITIAL_SOUNDS.split() + _FINAL_SOUNDS.split(), strict=True)
)
_BUZZED = frozenset(("zh", "ch", "sh", "r", "z", "c", "s"))  # after these, `i` is no [i]


def french(text: str) -> str:
    """Read French by the rules of espeak-ng, clause by clause, so that the marks between them stay."""
    clauses = ((part, part.rstrip(".,!?;:…。、")) for part in _CLAUSE.findall(text))
    said = [
        re.sub(r"\([a-z-]+\)|[-_]", "", espeak_phonemes("fr-fr", words)) + part[len(words) : len(words) + 1]
        for part, words in clauses
        if words.strip()
    ]
    return unicodedata.normalize("NFD", " ".join(said)).replace("g", "ɡ")


def mandarin(text: str) -> str:
    """Read Mandarin word by word, by the dictionary of pypinyin; numbers as they are counted."""
    marked = text.translate(str.maketrans("。、", ".,"))
    counted = re.sub(r"\d+", lambda number: _counted(int(number[0])), marked)
    words = need("pypinyin.seg.mmseg", INSTALL_LANGUAGES).seg.cut(counted)
    return re.sub(r" (?=[.,!?;:…])", "", " ".join(map(_word, words)))


def _counted(number: int) -> str:
    return number_words(number, "zh") if number <= MAX_NUMBER else " ".join(str(number))


def _word(word: str) -> str:
    pinyin = need("pypinyin", INSTALL_LANGUAGES)
    parts = [
        pinyin.lazy_pinyin(word, style=style, neutral_tone_with_five=True)
        for style in (pinyin.Style.INITIALS, pinyin.Style.FINALS_TONE3)
    ]
    return "".join(_syllable(initial, final) for initial, final in zip(*parts, strict=True))


def _syllable(initial: str, final: str) -> str:
    """Join an initial and a final such as `ang4`; the tone stands after the vowel, before a closing nasal."""
    if final[-1:] not in _TONES:
        return final  # not Chinese: marks, Latin letters
    sound = "ɨ" if final[:-1] == "i" and initial in _BUZZED else _SOUNDS.get(final[:-1], final[:-1])
    vowel = sound.rstrip("nŋ")
    return _SOUNDS.get(initial, initial) + vowel + _TONES[final[-1]] + sound[len(vowel) :]
