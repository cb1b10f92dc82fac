"""What passes between a model judge and the service that answers: requests, replies, settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from pydantic import BaseModel, Field, field_validator

from dyad.spec import Frozen

from ..transcript import Mode

# How asking can end other than with a reply. `config` stops the whole judge, the others leave a task undone.
Failure = Literal["", "transport", "config", "expired", "canceled", "errored"]


class Price(Frozen):
    """US dollars per million tokens; the defaults of the rest hold where no discount is known.

    `cache_read`, `cache_write` (kept for an hour) and `batch` are shares of the full price, `cached_from` is
    the shortest prefix that is cached, in tokens.
    """

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float = Field(default=1.0, ge=0)
    cache_write: float = Field(default=1.0, ge=0)
    batch: float = Field(default=1.0, ge=0)
    cached_from: int = Field(default=0, ge=0)


class ModelSettings(Frozen):
    """Settings that every model judge has; a family adds its own."""

    model: str = Field(min_length=1)
    transcript: Mode = "marked"
    questions: Literal["merged", "single"] = "merged"  # all of an archetype in one call, or one call each
    draws: int = Field(default=1, ge=1, le=99)  # repetitions; the majority counts
    max_tokens: int = Field(default=4096, ge=16)
    concurrency: int = Field(default=8, ge=1, le=1024)  # requests under way at a time
    timeout_s: float = Field(default=120.0, gt=0)  # of one request
    deadline_s: float = Field(default=1800.0, gt=0)  # of one request with all its repetitions after errors
    base_url: str = ""
    key_env: str = ""  # the variable that holds the key; never the key itself
    price: Price | None = None  # of a model whose price is not known here

    @property
    def expected_output(self) -> int:
        """Tokens of a typical reply, for estimates: short labels with evidence."""
        return 250

    @property
    def in_batches(self) -> bool:
        """Whether replies come, and are billed, in batches."""
        return False

    @field_validator("key_env")
    @classmethod
    def _name_of_a_variable(cls, value: str) -> str:
        if value and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
            raise ValueError("must be the name of a variable of the environment, never the key itself")
        return value

    @field_validator("base_url")
    @classmethod
    def _no_credentials(cls, value: str) -> str:
        if "@" in value.removeprefix("http://").removeprefix("https://").partition("/")[0]:
            raise ValueError("must not hold a user name or a password; put the key into key_env")
        return value


LOCAL = ("concurrency", "timeout_s", "deadline_s", "base_url", "key_env", "price")


class Usage(Frozen):
    """Tokens that a reply was billed for. `input` leaves out what was read from or written to a cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True)
class Request:
    """One call. `key` is a hash of everything that could change its answer, in 64 hexadecimal digits.

    `system` are blocks of instructions from the most to the least shared; `user` is data only. `answer` is
    the model of what the reply must be.
    """

    key: str
    system: tuple[str, ...]
    user: str
    answer: type[BaseModel]
    max_tokens: int


class Reply(Frozen):
    """What came back for a request, as it is kept. `model` is the id that the service says it used.

    `stop` is in the words of Anthropic's API, whoever answered: `end_turn`, `max_tokens`, `refusal`,
    `model_context_window_exceeded`, …; `detail` says more, e.g. the category of a refusal. `failure` is empty
    for everything that was answered; a reply with a failure is not kept. `batch` is the service's id of the
    batch that it came in. `usd` None: the price is not known.
    """

    key: str
    requested: str
    model: str = ""
    text: str = ""
    stop: str = ""
    detail: str = ""
    failure: Failure = ""
    usage: Usage = Usage()
    request_id: str = ""
    batch: str = ""
    session: str = ""  # those that were asked together with one control; set by the judge
    obeyed: bool | None = None  # of a control: whether it followed what stands in its transcript
    utc: str = ""
    usd: float | None = None
    served: str = ""  # which model the server said it was, before it was asked


class Backend(Protocol):
    """A service that answers requests."""

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """Yield one reply per request, in any order, as soon as it is there.

        Draws from `requests` only what it is about to send, so that a caller can stop new work. Raises
        ConfigError for what fails every request alike: a key, a model, an address.
        """

    def close(self) -> None:
        """Release connections."""


def json_schema(answer: type[BaseModel]) -> Mapping[str, Any]:
    """Return the JSON Schema of an answer."""
    return answer.model_json_schema()
