"""What the rules can act, in which language; who grants on a given ask, and who only listens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dyad.agents.cascade.rules import MINDS, make_rules
from dyad.agents.cascade.rules.lang import LANGUAGES
from dyad.agents.cascade.types import Policy, Temperament
from dyad.errors import ConfigError
from dyad.spec import Sheet

SHEET: dict[str, Any] = {"archetype": "t3_2", "name": "Mila", "setting": "Two gardens.", "opens": False}


def policy(seed: int = 0, temper: Temperament | None = None, **fields: Any) -> Policy:
    return make_rules(
        Sheet.model_validate(SHEET | fields), temper or Temperament(), np.random.default_rng(seed)
    )


@pytest.mark.parametrize("at", [1, 2, 4])
@pytest.mark.parametrize("compliance", [0.0, 1.0])
def test_an_avoider_grants_exactly_the_ask_that_its_role_names(at: int, compliance: float) -> None:
    for seed in range(10):
        mila = policy(seed, Temperament(compliance=compliance), kind="avoider", grants_at=at)
        granted = []
        for _ in range(at):
            granted.append("grant" in [s.act for s in mila.hear("Can you lend me the ladder, please?")])
        assert granted == [False] * (at - 1) + [True]


def test_what_is_no_ask_does_not_count() -> None:
    mila = policy(kind="avoider", grants_at=1)
    assert "grant" not in [s.act for s in mila.hear("The gutter drips.")]
    assert "grant" in [s.act for s in mila.hear("Can you lend me the ladder?")]


@pytest.mark.parametrize("lang", sorted(LANGUAGES))
def test_a_listener_says_nothing_ever(lang: str) -> None:
    quiet = policy(kind="listener", archetype="t1_2", opens=True, lang=lang)
    said = [
        *quiet.open(),
        *quiet.hear("Hello?"),
        *quiet.hear(""),
        *quiet.hear("Goodbye."),
        *quiet.partial("so"),
    ]
    said += [say for s in range(60) for say in quiet.silence(s)]
    assert said == []
    assert not quiet.finished


@pytest.mark.parametrize("lang", ["fr", "ja", "zh"])
def test_other_languages_have_poolers_only(lang: str) -> None:
    with pytest.raises(ConfigError, match=f"rules speak {lang} only in t2; use policy=llm"):
        policy(kind="presser", lang=lang)
    assert policy(kind="pooler", archetype="t2", lang=lang, candidates=("A", "B")).open()


def test_a_language_without_lines_is_refused() -> None:
    with pytest.raises(ConfigError, match="rules speak no 'de'"):
        policy(kind="pooler", lang="de")


def test_languages_have_the_same_lines_with_the_same_slots() -> None:
    slots = {purpose: _slots(lines) for purpose, lines in LANGUAGES["en"].pooler.items()}
    for language in LANGUAGES.values():
        assert {purpose: _slots(lines) for purpose, lines in language.pooler.items()} == slots
        assert {k for k in MINDS if k in language.kinds} | {"listener"} == language.kinds


def _slots(lines: tuple[str, ...]) -> set[str]:
    return {slot for line in lines for slot in ("{name}", "{names}", "{all}") if slot in line}


def test_a_pooler_without_facts_keeps_talking() -> None:
    empty = policy(kind="pooler", archetype="t2", candidates=("Amble", "Corvane", "Pemsey"))
    for _ in range(20):
        assert empty.hear("What do you know?")
