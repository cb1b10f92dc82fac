"""A service in this process whose answers a test decides."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dyad.errors import ConfigError
from dyad.judge.models.types import ModelSettings, Price, Reply, Request, Usage
from tests.judge.wire.answers import answer_for

Script = Callable[[Request], dict[str, Any]]
"""What is different about the reply to a request; `negative`, `wrong` and `without` change its text."""

SETTINGS = ModelSettings(model="m", price=Price(input=1, output=1))


class Scripted:
    """A `Backend`. `sent` are the requests it was sent; whatever the script leaves open is answered well."""

    def __init__(self, script: Script = lambda request: {}) -> None:
        self.script, self.sent, self.closed = script, list[Request](), 0

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        for request in requests:
            self.sent.append(request)
            yield self._reply(request)

    def close(self) -> None:
        self.closed += 1

    @property
    def users(self) -> list[str]:
        """What the user's messages said."""
        return [request.user for request in self.sent]

    def _reply(self, request: Request) -> Reply:
        change = dict(self.script(request))
        if change.pop("raises", False):
            raise ConfigError("the key is not valid")
        text = json.dumps(said(request, **{k: change.pop(k) for k in ("negative", "wrong") if k in change}))
        whole = {"model": "m-1", "stop": "end_turn", "text": text, "usage": Usage(input=100, output=10)}
        return Reply.model_validate({"key": request.key, "requested": "m", **whole, **change})


def said(request: Request, negative: bool = False, wrong: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return an answer that stands, but for the quotes of `wrong` fields."""
    schema, system = request.answer.model_json_schema(), "\n".join(request.system)
    found = answer_for(schema, system, request.user, negative)
    for name in wrong:
        found[name]["evidence"] = [{**item, "quote": "nobody said it"} for item in found[name]["evidence"]]
    return found
