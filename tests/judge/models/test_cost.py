"""Prices, costs, and the estimate of tokens against a real encoding."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dyad.errors import ConfigError
from dyad.judge.case import Case
from dyad.judge.known import known_answers
from dyad.judge.models import cost
from dyad.judge.models.cost import Estimate, estimate, price_of, tokens, total, usd
from dyad.judge.models.prompt import Style, calls
from dyad.judge.models.types import Price, Usage, json_schema
from dyad.library import load_library, prompt
from dyad.spec import Frozen

RUNS = 1080  # of an archetype in the full suite
MERGED = 2 * RUNS + 5 * RUNS  # both seats of T1-1; T1-2, T2, T3-2, T4-1 and T4-2
SINGLE = 4 * RUNS + 2 * RUNS + RUNS + 2 * RUNS + RUNS + RUNS
PLAIN, THINKING = 250, 900  # output tokens of a reply
FULL_SUITE = [  # model, tokens of a reply, in batches → US dollars and how they are rounded
    ("claude-opus-5", PLAIN, False, 121, 0), ("claude-opus-5", THINKING, False, 244, 0),
    ("claude-opus-5", PLAIN, True, 60.48, 2), ("claude-opus-5", THINKING, True, 122, 0),
    ("claude-opus-5-5", PLAIN, False, 97, 0), ("claude-opus-5-5", THINKING, False, 195, 0),
    ("claude-opus-5-5", PLAIN, True, 48, 0), ("claude-opus-5-5", THINKING, True, 98, 0),
    ("claude-sonnet-5", PLAIN, False, 48, 0), ("claude-sonnet-5", THINKING, False, 98, 0),
    ("claude-sonnet-5-5", PLAIN, True, 24, 0), ("claude-sonnet-5-5", THINKING, True, 49, 0),
    ("claude-haiku-5-5", PLAIN, False, 2.4, 1), ("claude-haiku-5-5", THINKING, False, 4.9, 1),
    ("claude-haiku-5-5", PLAIN, True, 1.2, 1), ("claude-haiku-5-5", THINKING, True, 2.4, 1),
]  # fmt: skip
COUNTS = st.integers(0, 10**7)
USAGES = st.builds(Usage, input=COUNTS, output=COUNTS, cache_read=COUNTS, cache_write=COUNTS)
TALK = {
    "en": "marina office, the desk is mine tonight | the owner sent me to pump it | which berth is it",
    "fr": "je suis désolé, on m'a demandé de garder ça pour nous | qu'est-ce qu'il vous faut | à quel quai",
    "ja": "では石川さんにしましょう、賛成ですか？ | もしかしたら石川さんでいいかもしれません。 | 異議なし。",
    "zh": "那就选李明吧，你同意吗？ | 也许可以，让我再想一想。 | 好的，我没有意见，就这么定了。",
}
# Of any text below. Measured, of all together: roles en -1, fr -1, ja +1, zh +1 %; transcripts en 0, fr +3,
# ja +3, zh -2 %; whole prompts with schemas en +2, fr +2, ja 0, zh 0 %, none of them beyond 4 %.
ERROR, PROMPT_ERROR = 0.15, 0.06


@pytest.mark.parametrize(("model", "output", "batch", "dollars", "digits"), FULL_SUITE)
def test_cost_of_the_full_suite(model: str, output: int, batch: bool, dollars: float, digits: int) -> None:
    costs = estimate([1950] * MERGED, price_of(model), output, batch=batch)
    assert costs.calls == 7560
    assert costs.usd is not None
    assert round(costs.usd, digits) == dollars


def test_one_call_per_question_costs_half_as_much_again() -> None:
    merged, single = (estimate([1950] * calls, price_of("claude-opus-5"), 250) for calls in (MERGED, SINGLE))
    assert single.calls == 11_880
    assert merged.usd == pytest.approx(120.96)
    assert single.usd == pytest.approx(190.08)
    assert single.usd / merged.usd == pytest.approx(1.571, abs=5e-4)


def test_the_price_of_a_snapshot_is_that_of_its_model() -> None:
    assert price_of("claude-opus-5-20260724") == price_of("claude-opus-5")
    assert price_of("claude-opus-5-20260724") != price_of("claude-opus-5-5")
    assert price_of("gpt-5.4-mini-2026-03-17") == price_of("gpt-5.4-mini")
    assert price_of("gpt-4o-2024-11-20") == price_of("gpt-4o")
    assert price_of("gpt-4o-2024-05-13") != price_of("gpt-4o"), "this snapshot has a price of its own"


@pytest.mark.parametrize(
    ("model", "cost"), [("gpt-5.4", 17.5), ("gpt-6.1-terra", 6.0), ("gpt-5-mini", 2.25), ("o3", 10.0)]
)
def test_a_million_tokens_in_and_out_of_openai(model: str, cost: float) -> None:
    assert usd(Usage(input=10**6, output=10**6), price_of(model)) == pytest.approx(cost)


def test_what_openai_caches_costs_less_to_read_and_more_to_write() -> None:
    price = price_of("gpt-5.6-terra")
    assert usd(Usage(cache_read=10**6), price) == pytest.approx(0.2)
    assert usd(Usage(cache_write=10**6), price) == pytest.approx(2.5)


@pytest.mark.parametrize(
    "model", ["", "claude-opus", "claude-opus-5-1", "my-claude-opus-5", "qwen3:4b", "gpt", "gpt-5.9"]
)
def test_a_model_that_is_not_listed_has_no_price(model: str) -> None:
    assert price_of(model) is None
    assert usd(Usage(input=10**6, output=10**6), price_of(model)) is None
    assert estimate([1950], price_of(model), 250) == Estimate(1, 1950, 250, None)


def test_tokens_of_a_cache_have_their_own_price() -> None:
    opus = price_of("claude-opus-5")
    million = 10**6
    assert usd(Usage(cache_read=million), opus) == pytest.approx(0.50)
    assert usd(Usage(cache_write=million), opus) == pytest.approx(10)
    assert usd(Usage(input=million, output=million), opus, batch=True) == pytest.approx(15)


def test_a_price_of_ones_own_has_no_discount_that_it_does_not_name() -> None:
    own = Price(input=1, output=2)
    million = 10**6
    assert usd(Usage(cache_read=million, cache_write=million, output=million), own, batch=True) == 4


def test_a_shared_prefix_is_written_once_and_read_by_the_others() -> None:
    opus = price_of("claude-opus-5")
    cached = estimate([2000] * 3, opus, prefix_tokens=1500)
    assert cached.usd == usd(Usage(input=1500, cache_write=1500, cache_read=3000), opus)
    assert estimate([2000] * 3, opus, prefix_tokens=1023) == estimate([2000] * 3, opus)


def test_a_total_is_unknown_when_a_part_is() -> None:
    known, unknown = Estimate(2, 20, 4, 1.5), Estimate(1, 10, 2, None)
    assert total([known, known]) == Estimate(4, 40, 8, 3.0)
    assert total([known, unknown]) == Estimate(3, 30, 6, None)
    assert total([]) == Estimate(0, 0, 0, 0)


@given(USAGES, USAGES, st.booleans())
def test_costs_add_up_and_a_batch_costs_no_more(one: Usage, other: Usage, batch: bool) -> None:
    opus = price_of("claude-opus-5")
    both = Usage(**{name: getattr(one, name) + getattr(other, name) for name in Usage.model_fields})
    parts = [usd(usage, opus, batch) for usage in (one, other)]
    assert usd(both, opus, batch) == pytest.approx(sum(part for part in parts if part is not None))
    assert (usd(one, opus, True) or 0) <= (usd(one, opus) or 0)


@given(st.lists(st.integers(0, 5000)), st.integers(0, 6000))
def test_a_cached_prefix_loses_no_tokens(counts: list[int], prefix: int) -> None:
    plain = Price(input=1, output=1)
    assert estimate(counts, plain, 0, prefix).usd == pytest.approx(sum(counts) / 1e6)


def test_shipped_prices_are_dated_and_name_their_source() -> None:
    shipped = yaml.safe_load(cost.Path(cost.__file__).with_name("prices.yaml").read_text("utf-8"))
    assert set(shipped) == {"anthropic", "openai"}
    for service in shipped.values():
        assert service["date"].isoformat() >= "2026-11-30"
        assert "https://" in service["source"]
        assert all({"input", "output", "batch", "cached_from"} <= set(p) for p in service["models"].values())


@cache
def _encode() -> Callable[[str], int]:
    """Count the tokens of a text with the tokenizer of the packaged Whisper model."""
    tokenizers = pytest.importorskip("tokenizers")
    from dyad.speech.weights import need_whisper

    try:
        file = need_whisper().folder / "tokenizer.json"
    except ConfigError as missing:
        pytest.skip(str(missing))
    encoding = tokenizers.Tokenizer.from_file(str(file))
    return lambda text: len(encoding.encode(text, add_special_tokens=False).ids)


def _off(text: str) -> float:
    return tokens(text) / _encode()(text) - 1


@pytest.mark.parametrize("lang", ["en", "fr", "ja", "zh"])
def test_estimated_tokens_of_roles(lang: str) -> None:
    library = load_library()
    own = [s for s in library.scenarios.values() if s.lang == lang and not s.free][:40]
    told = [prompt(library, s, seat, opens=True, window_s=120.0).text for s in own for seat in s.seats]
    assert len(told) > 10
    assert abs(_off("\n".join(told))) < 0.04
    assert max(abs(_off(text)) for text in told) < ERROR


@pytest.mark.parametrize("lang", ["en", "fr", "ja", "zh"])
def test_estimated_tokens_of_transcripts(lang: str) -> None:
    said = enumerate(TALK[lang].split(" | "), 1)
    lines = [
        f"A{n} [{2.4 * n:.2f}-{2.4 * n + 1.92:.2f}] A: {text} | inside B{n}, B{n} keeps the floor"
        for n, text in said
    ]
    assert abs(_off("\n".join(lines))) < ERROR


@pytest.mark.parametrize("lang", ["en", "fr", "ja", "zh"])
def test_estimated_tokens_of_whole_prompts(lang: str) -> None:
    subjects = [known.subject for known in known_answers(load_library())]
    cases = [case for case in subjects if isinstance(case, Case) and case.lang == lang][:40]
    sheets = [sheet for case in cases for sheet in calls(case, Style("marked", "merged"))]
    whole = ["\n".join((*s.system, s.user, json.dumps(json_schema(s.answer)))) for s in sheets]
    assert len(whole) > 4
    assert max(abs(_off(text)) for text in whole) < PROMPT_ERROR


def test_estimated_tokens_of_a_schema() -> None:
    class Cited(Frozen):
        line: str
        quote: str

    class Answer(Frozen):
        evidence: list[Cited]
        entry_line: str | None
        swapped: bool
        label: Literal["yes", "partly", "no"]

    assert abs(_off(json.dumps(Answer.model_json_schema()))) < ERROR


@given(st.text(), st.text())
def test_more_text_takes_more_tokens(one: str, other: str) -> None:
    assert 0 <= tokens(one) <= tokens(f"{one}\n{other}") <= tokens(one) + tokens(other) + 8
