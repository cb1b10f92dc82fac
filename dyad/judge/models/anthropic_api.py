"""Anthropic's API with one key: patience with errors that pass, one clear line for those that do not.

The client's own repetitions are off: it obeys a `retry-after` of any length, whatever deadline there is, and
it would hand in a batch twice. Facts of the client: the package `anthropic`, 2.14.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from itertools import count
from threading import Event
from typing import TYPE_CHECKING, TypeVar

from dyad.errors import ConfigError
from dyad.http.client import breaking_named, is_loopback, proxied

from .service import Say, Waits, asked_wait_s, key_in, wait_s
from .types import ModelSettings

if TYPE_CHECKING:
    from anthropic import Anthropic

PASSING = (408, 409, 429)  # statuses that pass, as do all from 500 on
ADDRESS = "https://api.anthropic.com"
UNREACHED = 3  # attempts at an address that nobody has answered at
T = TypeVar("T")


class Api:
    """Anthropic's API with one key, which is read when the first request is sent."""

    def __init__(self, settings: ModelSettings, say: Say = lambda text: None) -> None:
        self.settings, self._waits = settings, Waits(say)
        self.reached = False
        self._key = ""
        self._client: Anthropic | None = None

    def open(self) -> Anthropic:
        """Return the client; ConfigError where the package, the key or a proper address is missing.

        To be called first by one thread alone.
        """
        if self._client is None:
            self._key = key_in(self.settings.key_env)
            self._client = _connected(self._key, self.settings)
        return self._client

    def close(self) -> None:
        """Release connections; the next request opens new ones."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def patiently(self, call: Callable[[float], T], stop: Event | None = None) -> T:
        """Return what a call returns, made again after errors that pass, until `deadline_s` is over.

        The call gets the seconds that it may take. Raises the client's last error, at once where the next
        attempt would come too late or `stop` is set, and ConfigError where nobody answers at the address.
        """
        end = time.monotonic() + self.settings.deadline_s
        for attempt in count():
            try:
                found = call(max(0.01, min(self.settings.timeout_s, end - time.monotonic())))
                self.reached = True
                return found
            except _client_error() as error:
                self.tell_unreachable(error, attempt)
                rest_s = pause_s(error, attempt)
                if rest_s is None or time.monotonic() + rest_s >= end:
                    raise
                self.tell_wait(error, rest_s)
                if (stop or Event()).wait(rest_s):
                    raise
        raise AssertionError

    def explained(self, error: Exception) -> str:
        """Return an error in one line, without the key."""
        text = " ".join((getattr(error, "api_message", None) or str(error)).split())
        return text.replace(self._key, "(key)") if self._key else text

    def config_error(self, error: Exception) -> ConfigError:
        """Return what to do about an error that every request would meet."""
        model = self.settings.model
        advice = {
            401: f"the key in {self.settings.key_env} is not accepted; set a valid one",
            402: "the account cannot pay; add credit or raise its limit in Anthropic's console",
            403: f"the key in {self.settings.key_env} may not do this; use a key with access to the model",
            404: f"there is no '{model}' there; correct judge.model, or judge.base_url (no /v1)",
            413: "a batch was too large; lower judge.batch_size",
            429: "a spend limit of the account is reached; raise it in Anthropic's console",
        }
        status = getattr(error, "status_code", 0)
        todo = advice.get(status, "correct the judge's settings")
        return ConfigError(f"judge '{model}': {self.explained(error)} ({status}): {todo}")

    def tell_wait(self, error: Exception, rest_s: float) -> None:
        """Say what is waited for, where that takes long."""
        self._waits.tell(str(getattr(error, "status_code", 0) or type(error).__name__), rest_s)

    def tell_unreachable(self, error: Exception, attempt: int) -> None:
        """Raise ConfigError for an address that nobody listens at, which no patience helps."""
        self.reached = self.reached or hasattr(error, "status_code")
        if _is_unconnected(error) and not self.reached and attempt + 1 >= UNREACHED:
            url = self.open().base_url
            raise ConfigError(
                f"judge '{self.settings.model}': nobody answers at {url.scheme}://{url.netloc.decode()} "
                f"({error.__cause__}){proxied(str(url))}; check judge.base_url and the network"
            ) from None


def stop_of(status: int, text: str) -> str:
    """Return why a model would have stopped, where an error is about one prompt; else nothing.

    The API has no codes for these; its words are the only sign.
    """
    text = text.lower()
    if status == 413 or (status == 400 and ("too long" in text or ("context" in text and "limit" in text))):
        return "model_context_window_exceeded"
    return "refusal" if status == 400 and "content filter" in text else ""


def passes(error: Exception) -> bool:
    """Whether an error may be gone at another attempt: no answer, too much to do, a fault of the server."""
    status = getattr(error, "status_code", 0)
    return status == 0 or status in PASSING or status >= 500


def is_unsure(error: Exception) -> bool:
    """Whether a request may have been carried out although an error came back."""
    status = getattr(error, "status_code", 0)
    return status == 408 or status >= 500 or (status == 0 and not _is_unconnected(error))


def is_fatal(error: Exception) -> bool:
    """Whether the account, the key or the model is to blame."""
    status, code = getattr(error, "status_code", 0), getattr(error, "error_code", None) or ""
    return status in (401, 402, 403, 404) or (status == 429 and "spend_limit" in code)


def pause_s(error: Exception, attempt: int) -> float | None:
    """Return the seconds after which a call may be made again, None where that is no use."""
    response = getattr(error, "response", None)
    if response is None:  # no answer: a lost connection or a time-out
        return wait_s(attempt)
    told = response.headers.get("x-should-retry")
    if told == "false" or is_fatal(error) or (told != "true" and not passes(error)):
        return None
    return wait_s(attempt, asked_wait_s(response.headers))


def broken_streams() -> tuple[type[Exception], ...]:
    """Return the errors with which results break off: of the API, of the line, half a line of JSON."""
    from anthropic import APIError
    from httpx2 import HTTPError

    return APIError, HTTPError, ValueError


def _is_unconnected(error: Exception) -> bool:
    from httpx2 import ConnectError, ConnectTimeout

    return isinstance(error.__cause__, ConnectError | ConnectTimeout)


def _client_error() -> type[Exception]:
    from anthropic import APIError

    return APIError


def _connected(key: str, settings: ModelSettings) -> Anthropic:
    try:
        from anthropic import Anthropic, DefaultHttpxClient
    except ImportError:
        raise ConfigError(
            "this judge needs the package anthropic; pip install 'anthropic>=2.10,<3'"
        ) from None
    if settings.base_url and not settings.base_url.startswith(("http://", "https://")):
        raise ConfigError(f"judge.base_url={settings.base_url} is no address; begin it with https://")
    # What the client warns of is kept with the replies. This filter is for the whole process, because a local
    # one is not safe with threads.
    warnings.filterwarnings("ignore", message="The model '", category=DeprecationWarning)
    warnings.filterwarnings("ignore", message="Using Claude with", category=UserWarning)
    url = settings.base_url or os.environ.get("ANTHROPIC_BASE_URL") or ADDRESS
    with breaking_named(url):
        return Anthropic(
            api_key=key,
            base_url=url,
            max_retries=0,
            timeout=settings.timeout_s,
            http_client=DefaultHttpxClient(trust_env=not is_loopback(url)),
            open_telemetry=False,  # transcripts and spans stay here
        )
