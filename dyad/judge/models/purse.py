"""What a judge may spend: nothing new is claimed that is likely to pass the ceiling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from pydantic import BaseModel

from dyad.errors import ConfigError
from dyad.spec import canonical_json

from ..protocol import Money
from .cost import price_of, tokens, usd
from .prompt import Call
from .types import ModelSettings, Reply, Request, Usage, json_schema


class Purse:
    """Counts what requests under way are likely to cost, and what replies did cost, in US dollars."""

    def __init__(self, settings: ModelSettings, money: Money) -> None:
        """Raise ConfigError for a ceiling on a model whose price nobody knows."""
        self.money, self.stopped = money, False
        self._price = settings.price or price_of(settings.model)
        self._batch, self._output = settings.in_batches, settings.expected_output
        self._likely: dict[str, float] = {}  # of what is under way
        self._under_way = 0.0  # their sum: a batch has too many to add up for each
        if money.ceiling is not None and self._price is None:
            raise ConfigError(
                f"budget.usd needs the price of '{settings.model}': "
                "set judge.price='{input: 5, output: 25}', in US dollars per million tokens"
            )

    def claiming(self, requests: Iterable[Request]) -> Iterator[Request]:
        """Yield requests until one could pass the ceiling; what is under way counts at its likely cost."""
        for request in requests:
            if not self._claim(request):
                self.stopped = True
                return
            yield request

    def settle(self, reply: Reply) -> Reply:
        """Return a reply with its cost, and count it."""
        cost = usd(reply.usage, self._price, self._batch)
        self._under_way -= self._likely.pop(reply.key, 0.0)
        self.money.spent += cost or 0.0
        return reply.model_copy(update={"usd": cost})

    def _claim(self, request: Request) -> bool:
        if self.money.ceiling is None:
            return True
        shared = sum(map(tokens, request.system))  # the first to send it pays for writing it to a cache
        usage = Usage(
            input=size_of(request) - shared,
            cache_write=shared,
            output=min(self._output, request.max_tokens),
        )
        likely = usd(usage, self._price, self._batch) or 0.0
        if self.money.spent + self._under_way + likely > self.money.ceiling:
            return False
        self._likely[request.key] = likely
        self._under_way += likely
        return True


def size_of(asked: Call | Request) -> int:
    """Return the estimated input tokens of a call."""
    return sum(map(tokens, (*asked.system, asked.user))) + _schema_size(asked.answer)


@cache
def _schema_size(answer: type[BaseModel]) -> int:
    return tokens(canonical_json(json_schema(answer)))
