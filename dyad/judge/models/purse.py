"""What a judge may spend: nothing new is claimed that could pass the ceiling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import Lock

from dyad.errors import ConfigError

from .cost import price_of, tokens, usd
from .types import ModelSettings, Reply, Request, Usage


class Purse:
    """Counts what was spent and what is under way, in US dollars."""

    def __init__(self, settings: ModelSettings, ceiling: float | None) -> None:
        """Raise ConfigError for a ceiling on a model whose price nobody knows."""
        self.price = settings.price or price_of(settings.model)
        self.ceiling, self.batch = ceiling, settings.in_batches
        self.spent, self.stopped = 0.0, False
        self._output = settings.expected_output
        self._reserved: dict[str, float] = {}
        self._lock = Lock()
        if ceiling is not None and self.price is None:
            raise ConfigError(
                f"budget.usd needs the price of '{settings.model}': "
                "set judge.price='{input: 5, output: 25}', in US dollars per million tokens"
            )

    def claiming(self, requests: Iterable[Request]) -> Iterator[Request]:
        """Yield requests until one could pass the ceiling; what is under way counts at its likely cost."""
        for request in requests:
            if not self._claim(request):
                return
            yield request

    def settle(self, reply: Reply) -> Reply:
        """Return a reply with its cost, and count it."""
        cost = usd(reply.usage, self.price, self.batch)
        with self._lock:
            self._reserved.pop(reply.key, None)
            self.spent += cost or 0.0
        return reply.model_copy(update={"usd": cost})

    def _claim(self, request: Request) -> bool:
        if self.ceiling is None:
            return True
        sent = tokens("".join(request.system)) + tokens(request.user)
        usage = Usage(input=sent, output=min(self._output, request.max_tokens))
        likely = usd(usage, self.price, self.batch)
        with self._lock:
            under_way = self.spent + sum(self._reserved.values()) + (likely or 0.0)
            if under_way > self.ceiling:
                self.stopped = True
                return False
            self._reserved[request.key] = likely or 0.0
            return True
