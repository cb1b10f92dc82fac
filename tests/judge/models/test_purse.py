"""What a judge may spend, and how the judges of one command share it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from dyad.errors import BudgetReached, ConfigError
from dyad.judge.case import Case
from dyad.judge.models.purse import Purse, size_of
from dyad.judge.models.session import asking
from dyad.judge.models.types import ModelSettings, Price, Reply, Request, Usage
from dyad.judge.protocol import Desk, Money, Task
from tests.judge.models.scripted import Scripted

SETTINGS = ModelSettings(model="m", price=Price(input=1000, output=4000))  # a token in costs 0.001 dollars


class Answer(BaseModel):
    """A reply."""

    label: bool


def request(number: int, words: int = 10) -> Request:
    return Request(f"{number:064x}", ("Rules.",), "word " * words, Answer, 4096)


def reply(asked: Request, share: float = 1.0) -> Reply:
    """A reply that costs a share of what was expected."""
    usage = Usage(input=int(share * size_of(asked)), output=int(share * SETTINGS.expected_output))
    return Reply(key=asked.key, requested="m", usage=usage)


def likely(asked: Request) -> float:
    return (size_of(asked) + 4 * SETTINGS.expected_output) / 1000


def spent(purse: Purse, wanted: Iterable[Request], shares: Sequence[float], at_once: int) -> list[Request]:
    """Ask for everything that the purse lets through, some at a time, the latest answered first."""
    sent: list[Request] = []
    under_way: list[Request] = []
    for one in purse.claiming(wanted):
        sent.append(one)
        under_way.append(one)
        if len(under_way) == at_once:
            purse.settle(reply(under_way.pop(), shares[len(sent) % len(shares)]))
    for one in under_way:
        purse.settle(reply(one, shares[0]))
    return sent


@given(
    ceiling=st.floats(0, 20),
    words=st.lists(st.integers(0, 400), max_size=30),
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=5),
    at_once=st.integers(1, 8),
)
def test_no_ceiling_is_passed_by_replies_up_to_what_was_expected(
    ceiling: float, words: list[int], shares: list[float], at_once: int
) -> None:
    money = Money(ceiling)
    wanted = [request(n, count) for n, count in enumerate(words)]
    sent = spent(Purse(SETTINGS, money), wanted, shares, at_once)
    assert money.spent <= ceiling + 1e-9
    assert sent == wanted[: len(sent)]


def test_what_is_under_way_counts(tmp_path: Path) -> None:
    wanted = [request(n) for n in range(9)]
    purse = Purse(SETTINGS, Money(3.5 * likely(wanted[0])))
    assert list(purse.claiming(wanted)) == wanted[:3]
    assert purse.stopped


def test_cheap_replies_make_room_for_more() -> None:
    wanted = [request(n) for n in range(9)]
    purse = Purse(SETTINGS, Money(1.5 * likely(wanted[0])))
    assert len(spent(purse, wanted, [0.05], 1)) == 9
    assert not purse.stopped


def test_a_request_is_drawn_only_when_there_is_room() -> None:
    drawn: list[int] = []

    def endless() -> Iterator[Request]:
        for number in range(1000):
            drawn.append(number)
            yield request(number)

    purse = Purse(SETTINGS, Money(2.5 * likely(request(0))))
    assert len(list(purse.claiming(endless()))) == 2
    assert drawn == [0, 1, 2]


def test_a_request_that_failed_gives_its_money_back() -> None:
    one, other = request(0), request(1)
    purse = Purse(SETTINGS, Money(1.5 * likely(one)))
    assert list(purse.claiming([one])) == [one]
    purse.settle(Reply(key=one.key, requested="m", failure="transport"))
    assert list(purse.claiming([other])) == [other]


def test_the_schema_of_a_reply_is_paid_for_too() -> None:
    class Longer(Answer):
        """A reply with one more field."""

        quote_of_what_was_said: str

    assert size_of(replace(request(0), answer=Longer)) > size_of(request(0)) + 10


def test_a_batch_is_claimed_at_its_price() -> None:
    from dyad.judge.models.anthropic import AnthropicSettings

    price = Price(input=1000, output=4000, batch=0.5)
    wanted = [request(n) for n in range(9)]
    money = Money(3 * likely(wanted[0]) + 1e-6)
    for batch, n in ((False, 3), (True, 6)):
        settings = AnthropicSettings(model="m", price=price, batch=batch, thinking="disabled")
        assert len(list(Purse(settings, money).claiming(wanted))) == n


def test_a_large_batch_is_claimed_quickly() -> None:
    """Under way are as many requests as a batch can hold: none of them is counted twice over."""
    wanted = [request(n, 1) for n in range(20_000)]
    purse, start = Purse(SETTINGS, Money(1e9)), time.process_time()
    assert len(list(purse.claiming(wanted))) == 20_000
    assert time.process_time() - start < 10  # seconds; the square of it would take minutes


@pytest.mark.parametrize("price", [Price(input=0, output=0), None])
def test_without_a_ceiling_everything_is_claimed(price: Price | None) -> None:
    purse = Purse(ModelSettings(model="m", price=price), Money())
    assert len(list(purse.claiming([request(0)]))) == 1
    kept = purse.settle(reply(request(0)))
    assert kept.usd == (None if price is None else 0)


def test_a_ceiling_needs_a_price() -> None:
    with pytest.raises(ConfigError, match=r"budget.usd needs the price of 'm': set judge.price"):
        Purse(ModelSettings(model="m"), Money(1.0))


def test_judges_of_one_command_share_the_money(tmp_path: Path, case: Callable[..., Case]) -> None:
    money, services = Money(0.003), [Scripted(), Scripted()]
    settings = ModelSettings(model="m", price=Price(input=10, output=10))
    talk = [("a", "Lend me the ladder, please."), ("b", "All right, go ahead.")]
    tasks = [Task(str(n), case("t3_2_ladder", [*talk, ("a", f"Thanks {n} times")])) for n in range(5)]
    for name, service in zip("xy", services, strict=True):
        with pytest.raises(BudgetReached, match=r"budget.usd=0.003 reached after \$0.00"):
            list(asking(service, settings, Desk(name, tmp_path, money), name)(tasks))
    assert money.spent <= 0.003
    alone = Scripted()
    with pytest.raises(BudgetReached):
        list(asking(alone, settings, Desk("z", tmp_path, Money(0.003)), "z")(tasks))
    assert sum(len(service.sent) for service in services) == len(alone.sent)
