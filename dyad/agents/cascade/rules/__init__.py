"""Dialogue by rules: every archetype acted from the role sheet, without a language model.

A turn is understood (`acts`, `names`), a mind of the archetype decides what to do (`pooler`, `trade`, …), and
the speaker picks the words (`talk`). `policy.Rules` adds the manners that all share.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dyad.errors import ConfigError, near
from dyad.spec import Sheet

from ..types import Policy, Temperament
from .acts import Act, Heard, understand
from .advocate import Advocate, claimant
from .attack import Attacker
from .chat import Chat
from .compete import Competitor
from .defend import Defender
from .digress import Digresser, Holder
from .engaged import Engaged
from .lang import LANGUAGES
from .listen import Listener
from .policy import Rules
from .pooler import Pooler
from .press import Avoider, Presser
from .talk import Mind, Talk
from .trade import Trader

MINDS: dict[str, Callable[[Talk], Mind]] = {
    "engaged": Engaged, "holder": Holder, "digresser": Digresser, "pooler": Pooler, "competitor": Competitor,
    "presser": Presser, "avoider": Avoider, "advocate": Advocate, "attacker": Attacker, "defender": Defender,
    "claimant": claimant, "payer": claimant, "seller": Trader, "buyer": Trader,
}  # fmt: skip

__all__ = ["MINDS", "Act", "Chat", "Heard", "check_spoken", "make_rules", "understand"]


def check_spoken(kind: str, lang: str) -> None:
    """Raise ConfigError for a language, or a kind of role in it, that the rules have no lines for."""
    language = LANGUAGES.get(lang)
    if language is None:
        raise ConfigError(f"rules speak no '{lang}'{near(lang, LANGUAGES)}; use policy=llm")
    if kind not in language.kinds:
        raise ConfigError(f"rules speak {lang} only in t2; use policy=llm")


def make_rules(sheet: Sheet, temperament: Temperament, rng: np.random.Generator) -> Policy:
    """Return the rule policy that acts a role sheet; equal arguments talk the same.

    Raises ConfigError as `check_spoken` does.
    """
    check_spoken(sheet.kind, sheet.lang)
    if sheet.kind == "listener":
        return Listener(sheet)
    talk = Talk(sheet, temperament, rng)
    return Rules(talk, MINDS[sheet.kind](talk))
