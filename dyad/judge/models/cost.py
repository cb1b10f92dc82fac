"""What judging costs: prices of models, the cost of a reply, and an estimate before anything is sent.

A price belongs to the id of a model, wherever it is served. A model of one's own on a server of one's own has
none: its cost is unknown, never zero, unless the judge's `price` says what to count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from .types import Price, Usage

MILLION = 1_000_000
# A service may answer with the id of a snapshot: a name and a day.
_DATED = re.compile(r"-(\d{8}|\d{4}-\d\d-\d\d)$")

_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[^\W\d_{_CJK}]+")
_SHORT = 6  # letters of a word that cost nothing beyond the word
_WORD_TOKENS, _LATE_LETTER_TOKENS = 1.05, 0.1
_PIECE_TOKENS = (
    (re.compile(rf"[^\W\d_\x00-\x7f{_CJK}]"), 1.6),  # letters with accents split a word
    (re.compile(r"[\u3040-\u30ff]"), 0.575),  # kana
    (re.compile(r"[\u3400-\u9fff\uf900-\ufaff]"), 1.05),  # Chinese characters
    (re.compile(r"[\u3000-\u303f\uff00-\uffef]"), 2.5),  # full-width punctuation
    (re.compile(r"[^\w\s\u3000-\u303f\uff00-\uffef]+"), 1.75),
    (re.compile(r"\d+"), 0.1),  # beside the punctuation that numbers come with here
    (re.compile(r"\n"), 1.0),
    (re.compile(r"(?<=\s) "), 0.5),  # indentation
)


def price_of(model: str) -> Price | None:
    """Return what a model costs by its id, with or without a date at the end; None where it is not known."""
    return _prices().get(model) or _prices().get(_DATED.sub("", model))


@cache
def _prices() -> Mapping[str, Price]:
    shipped = yaml.safe_load(Path(__file__).with_name("prices.yaml").read_text("utf-8"))
    tables = (service["models"] for service in shipped.values())
    return {model: Price.model_validate(price) for table in tables for model, price in table.items()}


def usd(usage: Usage, price: Price | None, batch: bool = False) -> float | None:
    """Return what the tokens of a reply cost in US dollars; None without a price."""
    if price is None:
        return None
    as_input = usage.input + price.cache_read * usage.cache_read + price.cache_write * usage.cache_write
    full = (as_input * price.input + usage.output * price.output) / MILLION
    return full * price.batch if batch else full


def tokens(text: str) -> int:
    """Estimate how many tokens a text takes, without a tokenizer.

    Fitted to Whisper's multilingual byte-pair encoding on roles, transcripts and schemas in English, French,
    Japanese and Chinese. Models differ among themselves by more than this errs: ask a service that counts.
    """
    words = _WORD.findall(text)
    late = sum(len(word) - _SHORT for word in words if len(word) > _SHORT)
    pieces = sum(weight * len(pattern.findall(text)) for pattern, weight in _PIECE_TOKENS)
    return round(_WORD_TOKENS * len(words) + _LATE_LETTER_TOKENS * late + pieces)


@dataclass(frozen=True)
class Estimate:
    """Calls with their tokens, and what they cost in US dollars; None where no price is known."""

    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None


def estimate(
    input_tokens: Iterable[int],
    price: Price | None,
    output_tokens: int = 0,
    prefix_tokens: int = 0,
    batch: bool = False,
) -> Estimate:
    """Estimate calls that begin with the same prefix, from the input tokens of each.

    `output_tokens` are expected per call. The first call writes `prefix_tokens` into the service's cache and
    the others read them; say 0 where nothing is cached. A prefix too short for the cache is paid in full.
    """
    counts = list(input_tokens)
    sent, expected = sum(counts), output_tokens * len(counts)
    cached = prefix_tokens if price and prefix_tokens >= price.cached_from else 0
    written, read = min(cached, sum(counts[:1])), sum(min(cached, count) for count in counts[1:])
    usage = Usage(input=sent - written - read, output=expected, cache_read=read, cache_write=written)
    return Estimate(len(counts), sent, expected, usd(usage, price, batch))


def total(estimates: Iterable[Estimate]) -> Estimate:
    """Add up estimates; the cost of all is unknown as soon as one is."""
    parts = list(estimates)
    costs = [part.usd for part in parts]
    known = [cost for cost in costs if cost is not None]
    return Estimate(
        sum(part.calls for part in parts),
        sum(part.input_tokens for part in parts),
        sum(part.output_tokens for part in parts),
        sum(known) if len(known) == len(costs) else None,
    )
