"""What turn-taking needs to know of each language: its hums, its listening noises, how names are listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dyad.errors import ConfigError, near

_HUMS = frozenset(
    ("mm", "hmm", "hm", "mhm", "mmhmm", "uh", "huh", "um", "ah", "oh", "mm-hmm", "uh-huh", "mhmm")
)
_HUMS_FR = frozenset(("hum", "hm", "hmm", "mm", "mmh", "mhm", "euh", "heu", "ah", "ha", "oh", "hein"))
_HUMS_JA = frozenset(
    ("ん", "うん", "うーん", "ふん", "ふうん", "ふーん", "へえ", "へー", "ああ", "あー", "え", "ほう")
)
_HUMS_ZH = frozenset(("嗯", "嗯嗯", "哦", "噢", "喔", "啊", "呃", "唉", "呀", "哎"))


@dataclass(frozen=True)
class Tongue:
    """A language as turn-taking hears and speaks it.

    murmurs: said under the other's speech; none could be a yes
    hums, backchannels: an utterance of nothing else is no turn; a hum is no word at all
    fillers: words that do not count in either
    """

    murmurs: tuple[str, ...]
    hums: frozenset[str]
    backchannels: frozenset[str]
    fillers: frozenset[str] = frozenset()
    comma: str = " "  # between words of a hint; real commas make Whisper put commas everywhere in English
    stop: str = "."


TONGUES: Mapping[str, Tongue] = MappingProxyType(
    {
        "en": Tongue(
            murmurs=("Mm-hmm.", "Right.", "Hmm."),
            hums=_HUMS,
            backchannels=_HUMS
            | {"right", "okay", "ok", "yeah", "yes", "sure", "really", "good", "fine", "i", "see"},
            fillers=frozenset(("a", "and", "the")),  # what the light ears make of a breath
        ),
        "fr": Tongue(
            murmurs=("Hum.", "Ah.", "Tiens."),
            hums=_HUMS_FR,
            backchannels=_HUMS_FR
            | {"oui", "ouais", "ok", "okay", "d'accord", "bien", "bon", "vraiment", "je", "vois", "tiens"},
        ),
        "ja": Tongue(
            murmurs=("へえ。", "ふうん。", "ほう。"),
            hums=_HUMS_JA,
            backchannels=_HUMS_JA
            | {"はい", "ええ", "なるほど", "そう", "そうですか", "そうですね", "そうなんですか", "本当"},
            comma="、",
            stop="。",
        ),
        "zh": Tongue(
            murmurs=("哦。", "啊。", "这样啊。"),
            hums=_HUMS_ZH,
            backchannels=_HUMS_ZH
            | {"是", "是的", "对", "对对", "好", "好的", "行", "明白", "知道了", "真的", "这样", "这样啊"},
            comma="、",
            stop="。",
        ),
    }
)


def tongue(lang: str) -> Tongue:
    """Return a language; raises ConfigError for one that the cascade does not speak."""
    if lang not in TONGUES:
        raise ConfigError(
            f"the cascade does not speak '{lang}'{near(lang, TONGUES)}; it speaks {', '.join(TONGUES)}"
        )
    return TONGUES[lang]
