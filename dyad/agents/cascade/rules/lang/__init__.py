"""The languages that the rules speak, one module of data each."""

from .en import LANGUAGE as _EN
from .fr import LANGUAGE as _FR
from .ja import LANGUAGE as _JA
from .language import Language, Lines
from .zh import LANGUAGE as _ZH

LANGUAGES = {language.lang: language for language in (_EN, _FR, _JA, _ZH)}

__all__ = ["LANGUAGES", "Language", "Lines"]
