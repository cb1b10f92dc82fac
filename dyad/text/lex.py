"""From a text to its words: every accent, possessive ending, spelled letter and form of writing folded."""

from __future__ import annotations

import re
import unicodedata

BREAK = "|"  # where punctuation stood: a number never runs across it

_CJK = "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # noqa: E501
CJK = re.compile(f"[{_CJK}]")  # kana and Chinese characters, which are written without spaces
CJK_MARK = re.compile("[\u3000-\u3004\u3008-\u3040\u30fb\uff01-\uff0f\uff1a-\uff65]")  # their punctuation
_LETTER = rf"[^\W\d_{_CJK}]"
_SPELLED = re.compile(rf"(?<![^\W_])({_LETTER})([ .,-]+){_LETTER}(?:\2{_LETTER})+(?![^\W_])")
_LEX = re.compile(rf"\d+(?:,\d{{3}})*(?:\.\d+)?|[{_CJK}]|{_LETTER}+(?:'{_LETTER}+)*|[,.;:!?。、]")
_ELISION = re.compile(r"\b(qu|jusqu|lorsqu|puisqu|[cdjlmnst])'(?=\w)")
_MIXED = re.compile(r"(?<![\d.,])[1-9](?=[千百])")  # "3百円": one number
_CHINESE_DIGITS = dict(zip("123456789", "一二三四五六七八九", strict=True))
_HIRAGANA = {katakana: katakana - 0x60 for katakana in range(0x30A1, 0x30F7)}


def lex(s: str, lang: str) -> list[str]:
    """Return words, numbers and breaks of a text."""
    plain = "".join(map(_bare, unicodedata.normalize("NFKC", s.replace("’", "'")))).casefold()
    if lang == "fr":
        plain = _ELISION.sub(r"\1 ", plain.replace("œ", "oe"))
    plain = _MIXED.sub(lambda m: _CHINESE_DIGITS[m[0]], plain)
    joined = _SPELLED.sub(lambda m: re.sub(r"[ .,-]", "", m[0]), plain)
    return [_token(word) for word in _LEX.findall(joined.translate(_HIRAGANA))]


def _bare(character: str) -> str:
    """A character without its accents; the voicing marks of kana are no accents."""
    if character.isascii() or CJK.match(character):
        return character
    return "".join(c for c in unicodedata.normalize("NFKD", character) if not unicodedata.combining(c))


def _token(word: str) -> str:
    if CJK.match(word):
        return word
    if word[0].isdigit():
        return re.sub(r"\.0+$", "", word.replace(",", ""))
    if not word[0].isalpha():
        return BREAK
    return word.removesuffix("'s").replace("'", "")
