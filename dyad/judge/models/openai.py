"""The judge that asks a chat-completions service: OpenAI, vLLM, llama.cpp's server, or Ollama."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from threading import Event
from typing import TYPE_CHECKING, Any

from dyad.errors import ConfigError
from dyad.http.client import opened, proxied
from dyad.http.serving import model_at

from ..protocol import Desk, Judge, JudgeFamily, identity
from .chat import OpenAISettings, body_of, error_text, fields_of, messages, url_of
from .service import Say, Waits, asked_wait_s, key_in, side_by_side, told_apart, utc, wait_s
from .types import LOCAL, Reply, Request

if TYPE_CHECKING:
    import httpx2

PASSING = (408, 409, 429)  # statuses that pass, as do all from 500 on
UNREACHED = 3  # attempts at an address that nobody has answered at
UNREADABLE = 3  # answers that are no chat completion: each may be paid for
SHOWN = 300  # characters of an error
TOO_LONG = re.compile(r"context[_ ](length|size|window)|exceeds? the (available )?context", re.IGNORECASE)


@dataclass(frozen=True)
class Again:
    """A try that another one may repair. `asked_s`: the wait that the service asks for, with `status`."""

    why: str
    asked_s: float | None = None
    unreached: bool = False
    unreadable: bool = False
    status: int | None = None


class OpenAI:
    """A service at one address; satisfies `Backend`."""

    def __init__(self, settings: OpenAISettings, say: Say = lambda text: None) -> None:
        self._settings, self._say, self._waits = settings, say, Waits(say)
        self._client: httpx2.Client | None = None
        self._key = ""
        self._reached, self._answered = False, Event()

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """Yield one reply per request; raises ConfigError for a key, a model or an address that is wrong."""
        ask = partial(self._ask, self._opened())
        replies = side_by_side(requests, ask, self._settings.concurrency, self._say)
        yield from told_apart(replies, self._answered)

    def count(self, request: Request) -> int | None:
        """Return the input tokens that vLLM counts; other services do not say."""
        if self._settings.schema_as != "structured_outputs":
            return None
        body = {"model": self._settings.model, "messages": messages(self._settings, request)}
        url = f"{self._settings.base_url.removesuffix('/v1')}/tokenize"
        import httpx2

        with suppress(httpx2.HTTPError, ValueError, KeyError, TypeError):
            return int(self._opened().post(url, json=body).json()["count"])
        return None

    def serves(self) -> str | None:
        """Return what `model_at` says of the model that answers; None where nobody does, or without a key."""
        import httpx2

        settings = self._settings
        with suppress(httpx2.HTTPError), closing(self):
            if not settings.key_env or os.environ.get(settings.key_env):
                return model_at(
                    self._opened(), settings.base_url, settings.model, min(30, settings.timeout_s)
                )
        return None

    def close(self) -> None:
        """Release connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _opened(self) -> httpx2.Client:
        if self._client is None:
            import httpx2

            settings, most = self._settings, self._settings.concurrency
            self._key = key_in(settings.key_env) if settings.key_env else ""
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most)
            self._client = opened(
                settings.base_url, headers=headers, limits=limits, timeout=settings.timeout_s
            )
        return self._client

    def _ask(self, client: httpx2.Client, request: Request, stop: Event) -> Reply:
        """Try until there is a reply, it is no use, or the deadline would pass."""
        body, end = body_of(self._settings, request), time.monotonic() + self._settings.deadline_s
        unreadable = 0
        for attempt in count():
            timeout_s = max(0.01, min(self._settings.timeout_s, end - time.monotonic()))
            outcome = self._once(client, request, body, timeout_s)
            if isinstance(outcome, Reply):
                return outcome
            self._check_address(outcome, attempt)
            unreadable += outcome.unreadable
            if unreadable == UNREADABLE:
                return self._reply(request, failure="config", detail=outcome.why)
            pause_s = wait_s(attempt, outcome.asked_s)
            if time.monotonic() + pause_s < end:
                self._waits.tell(str(outcome.status or outcome.why), pause_s)
                if not stop.wait(pause_s):
                    continue
            return self._reply(request, failure="transport", detail=outcome.why)
        raise AssertionError

    def _once(self, client: httpx2.Client, request: Request, body: bytes, timeout_s: float) -> Reply | Again:
        import httpx2

        headers = {"Content-Type": "application/json"}
        try:
            response = client.post(url_of(self._settings), content=body, headers=headers, timeout=timeout_s)
        except httpx2.HTTPError as error:
            why = self._line(f"{type(error).__name__} {error}")
            return Again(why, unreached=isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout))
        self._reached = True
        if response.status_code == 200:
            return self._read(request, response)
        return self._refused(request, response)

    def _read(self, request: Request, response: httpx2.Response) -> Reply | Again:
        """Return the reply of a body; one that was cut off or is of another kind is worth another try."""
        try:
            return self._reply(request, **fields_of(self._settings, response.json()))
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            why = self._line(f"no chat completion in the answer: {response.text}")
            return Again(why, unreadable=True)

    def _refused(self, request: Request, response: httpx2.Response) -> Reply | Again:
        """Return what an error means for this request; raises ConfigError for what all others would meet."""
        status, text = response.status_code, self._line(error_text(response.text))
        if status == 413 or TOO_LONG.search(text):
            return self._reply(request, stop="model_context_window_exceeded", detail=text)
        if "content_filter" in text:
            return self._reply(request, stop="refusal", detail=text)
        if status in (401, 402, 403, 404) or "insufficient_quota" in text:
            raise _error(self._settings, status, text)
        why = f"HTTP {status} {text}".rstrip()
        if status in PASSING or status >= 500:
            return Again(why, asked_wait_s(response.headers), status=status)
        return self._reply(request, failure="config", detail=why)

    def _check_address(self, outcome: Again, attempt: int) -> None:
        if outcome.unreached and not self._reached and attempt + 1 >= UNREACHED:
            raise ConfigError(
                f"judge.base_url: nothing answers at {self._settings.base_url} ({outcome.why})"
                f"{proxied(self._settings.base_url)}; start the server, or correct the address"
            )

    def _reply(self, request: Request, **fields: Any) -> Reply:
        return Reply(key=request.key, requested=self._settings.model, utc=utc(), **fields)

    def _line(self, text: str) -> str:
        """Return a text from outside as one short line that does not hold the key."""
        shown = text.replace(self._key, "…") if self._key else text
        return " ".join(shown.split())[:SHOWN]


def _error(settings: OpenAISettings, status: int, text: str) -> ConfigError:
    where = f"judge '{settings.model}': {url_of(settings)} answered {status}"
    key = f"the key in {settings.key_env}" if settings.key_env else "a request without a key (judge.key_env)"
    advice = {
        401: f"it does not admit {key}; set a valid one",
        403: f"it does not admit {key}; use a key with access to the model",
        404: "it has no such model; pull or serve it there, or correct judge.model, or judge.base_url "
        "(which mostly ends in /v1)",
    }
    return ConfigError(
        f"{where}: {advice.get(status, f'{text}; add credit to the account, or raise its limit')}"
    )


def _open(settings: OpenAISettings, desk: Desk) -> Judge:
    from .session import asking

    return asking(OpenAI(settings, desk.say), settings, desk, identity(FAMILY, settings))


FAMILY = JudgeFamily(
    about="a model behind chat completions: OpenAI, vLLM, llama.cpp, Ollama",
    version="1",
    params=OpenAISettings,
    open=_open,
    local=LOCAL,
    model=True,
    serves=lambda settings: OpenAI(settings).serves(),
)
