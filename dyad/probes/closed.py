"""Closed choices: which of the named outcomes a model picks, given some of what the two seats know.

The outcomes are listed in another order in each draw, so that a taste for the first one evens out.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from dyad.agents.cascade.llm import Ask
from dyad.library import aliases_of, options_of, prompt, role_of
from dyad.library.sheet import told
from dyad.spec import SEATS, Seat
from dyad.text import has_phrase, tokens

from .source import Bench

QUESTION = (
    "One of these has to be chosen: {names}. Going by the text above alone, which one should it be? "
    "Answer with that name only, and give one name even where you have to guess."
)
KNOWN = "What {name} has been told:\n{told}"
ARTICLES = ("the", "a", "an")


def null_pool(bench: Bench, seed: int) -> Sequence[str]:
    """Ask for the candidate with nothing but the setting."""
    return [_pooled(bench, seed, bench.scenario.setting)]


def solo(bench: Bench, seed: int, seat: Seat) -> Sequence[str]:
    """Ask for the candidate with what one seat is told."""
    return [_pooled(bench, seed, prompt(bench.library, bench.scenario, seat, opens=False).text)]


def oracle(bench: Bench, seed: int) -> Sequence[str]:
    """Ask for the candidate with what both seats are told."""
    roles = [role_of(bench.library, bench.scenario, seat) for seat in SEATS]
    known = [KNOWN.format(name=role.name, told=told(role)) for role in roles]
    return [_pooled(bench, seed, "\n\n".join([bench.scenario.setting, *known]))]


def null_option(bench: Bench, seed: int) -> Sequence[str]:
    """Ask for one of the two options with nothing but the setting: the letter of its seat, or unclear."""
    options, aliases = options_of(bench.scenario), aliases_of(bench.scenario)
    names: dict[str, Sequence[str]] = {seat: (_bare(options[seat]), *aliases[seat]) for seat in SEATS}
    return [_chosen(bench, seed, bench.scenario.setting, names) or "unclear"]


def _pooled(bench: Bench, seed: int, text: str) -> str:
    truth = bench.scenario.truth
    found = _chosen(bench, seed, text, {name: (name,) for name in truth["candidates"]})
    return "unclear" if found is None else "yes" if found == truth["answer"] else "no"


def _chosen(bench: Bench, seed: int, text: str, names: Mapping[str, Sequence[str]]) -> str | None:
    listed = [spellings[0] for spellings in names.values()]
    random.Random(f"{bench.scenario.id}/{seed}").shuffle(listed)
    ask: Ask = bench.asker(seed)
    question = QUESTION.format(names=", ".join(listed))
    return choice(ask(text, [{"role": "user", "content": question}]), names, bench.scenario.lang)


def choice(answer: str, names: Mapping[str, Sequence[str]], lang: str = "en") -> str | None:
    """Return the key of the one outcome that an answer names; None where it names none or several.

    `names` maps a key to the spellings of its outcome.
    """
    found = [key for key, spelled in names.items() if any(has_phrase(answer, s, lang) for s in spelled)]
    return found[0] if len(found) == 1 else None


def _bare(name: str) -> str:
    """A name without its English article, which an answer may leave out."""
    first, *rest = name.split() or [name]
    return " ".join(rest) if rest and tokens(first) and first.lower() in ARTICLES else name
