"""Judges that ask Anthropic's API: one call per request, or batches at half the price (`batches`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from threading import Event
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, Field, model_validator

from ..protocol import Desk, Judge, JudgeFamily, identity
from .anthropic_api import Api, is_fatal, passes, stop_of
from .journal import journal_of, unbatched
from .service import side_by_side, told_apart, utc
from .types import LOCAL, Failure, ModelSettings, Reply, Request, Usage

if TYPE_CHECKING:
    from anthropic import APIError
    from anthropic.types import Message

MARKS = 4  # blocks of a prompt that may end a cached prefix
BATCHED = 100_000  # tasks whose requests go into batches together


class AnthropicSettings(ModelSettings):
    """Settings of a judge that asks a Claude model."""

    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = "low"
    thinking: Literal["adaptive", "enabled", "disabled"] | None = None  # None: as the model does by itself
    thinking_tokens: int = Field(default=1024, ge=1024)  # at most so many; of `enabled` only
    batch: bool = False
    poll_s: float = Field(default=30.0, gt=0)  # between two looks at a batch
    batch_size: int = Field(default=10_000, ge=1, le=100_000)  # requests
    key_env: str = "ANTHROPIC_API_KEY"

    @property
    def expected_output(self) -> int:
        """Tokens of a typical reply, for estimates: thinking is output, and most models think unasked."""
        return 250 if self.thinking == "disabled" else 900

    @property
    def in_batches(self) -> bool:
        """Whether replies come, and are billed, in batches."""
        return self.batch

    @model_validator(mode="after")
    def _room(self) -> Self:
        if self.thinking == "enabled" and self.thinking_tokens >= self.max_tokens:
            raise ValueError("thinking_tokens must be less than max_tokens, which they count towards")
        return self


class Messages:
    """The backend that makes one call per request, `concurrency` at a time."""

    def __init__(self, settings: AnthropicSettings, desk: Desk | None = None) -> None:
        self._say = desk.say if desk else lambda text: None
        self._settings, self._api, self._answered = settings, Api(settings, self._say), Event()
        self._batches = journal_of(desk) if desk else None

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """Yield one reply per request as they come; see `Backend`.

        Raises ConfigError for a request that lies in a batch: it would be paid for twice.
        """
        self._api.open()  # here, before there are threads
        wanted = unbatched(requests, self._batches) if self._batches else requests
        replies = side_by_side(wanted, self._reply, self._settings.concurrency, self._say)
        return told_apart(replies, self._answered)

    def count(self, request: Request) -> int | None:
        """Return the input tokens of a request as the API counts them."""
        return count_tokens(self._api, self._settings, request)

    def close(self) -> None:
        """Release connections."""
        self._api.close()

    def _reply(self, request: Request, stop: Event) -> Reply:
        from anthropic import APIError

        create = self._api.open().messages.with_raw_response.create
        key, model, sent = request.key, self._settings.model, params(self._settings, request)
        try:
            raw = self._api.patiently(lambda timeout_s: create(**sent, timeout=timeout_s), stop)
            return reply_of(raw.parse(), key, model, request_id=raw.headers.get("request-id", ""))
        except APIError as error:
            return refused(self._api, error, key)
        except (AttributeError, TypeError, ValueError) as error:
            detail = f"what answers is not the Messages API ({type(error).__name__})"
            return Reply(key=key, requested=model, failure="config", detail=detail, utc=utc())


def params(settings: AnthropicSettings, request: Request) -> dict[str, Any]:
    """Return the parameters of a message, the same in a call and in a batch."""
    thinking: dict[str, Any] = {"type": settings.thinking}
    if settings.thinking == "enabled":
        thinking["budget_tokens"] = settings.thinking_tokens
    output: dict[str, Any] = {"format": {"type": "json_schema", "schema": _schema(request.answer)}}
    return {
        "model": settings.model,
        "max_tokens": request.max_tokens,
        "system": _marked(request.system),
        "messages": [{"role": "user", "content": [{"type": "text", "text": request.user}]}],
        "output_config": output | ({"effort": settings.effort} if settings.effort else {}),
    } | ({"thinking": thinking} if settings.thinking else {})


def reply_of(message: Message, key: str, requested: str, *, request_id: str, batch: str = "") -> Reply:
    """Return a message as a reply. Raises AttributeError, TypeError or ValueError for what is none."""
    used, details = message.usage, message.stop_details
    return Reply(
        key=key,
        requested=requested,
        model=message.model,
        text="".join(block.text for block in message.content if block.type == "text"),
        stop=message.stop_reason or "",
        detail=(details.category or "") if details else _deprecation(requested),
        usage=Usage(
            input=used.input_tokens,
            output=used.output_tokens,
            cache_read=used.cache_read_input_tokens or 0,
            cache_write=used.cache_creation_input_tokens or 0,
        ),
        request_id=request_id,
        batch=batch,
        utc=utc(),
    )


def refused(api: Api, error: APIError, key: str) -> Reply:
    """Return the reply that an error amounts to; raises ConfigError for one that all requests would meet."""
    if is_fatal(error):
        raise api.config_error(error) from None
    text, model = api.explained(error), api.settings.model
    if stop := stop_of(getattr(error, "status_code", 0), text):
        return Reply(key=key, requested=model, stop=stop, detail=text, utc=utc())
    failure: Failure = "transport" if passes(error) else "config"
    return Reply(key=key, requested=model, failure=failure, detail=text, utc=utc())


def count_tokens(api: Api, settings: AnthropicSettings, request: Request) -> int | None:
    """Return the input tokens of a request; None where the API does not say, ConfigError without access."""
    from anthropic import APIError

    sent = params(settings, request)
    del sent["max_tokens"]
    try:
        return api.open().messages.count_tokens(**sent, timeout=settings.timeout_s).input_tokens
    except APIError as error:
        if getattr(error, "status_code", 0) in (401, 402, 403):
            raise api.config_error(error) from None
        return None


def _open(settings: AnthropicSettings, desk: Desk) -> Judge:
    from .batches import Batches
    from .session import asking

    who = identity(FAMILY, settings)
    if settings.batch:
        return asking(Batches(settings, desk), settings, desk, who, BATCHED)
    return asking(Messages(settings, desk), settings, desk, who)


@lru_cache(256)
def _schema(answer: type[BaseModel]) -> dict[str, Any]:
    from anthropic import transform_schema

    return transform_schema(answer)


def _marked(system: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return blocks of instructions, the last four of them as ends of prefixes that the API may cache."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in system if text]
    for block in blocks[-MARKS:]:
        block["cache_control"] = {"type": "ephemeral", "ttl": "1h"}
    return blocks


@lru_cache(16)
def _deprecation(model: str) -> str:
    """Return what the client knows of a model's end, in words for a record; empty for most."""
    from anthropic.resources import messages

    end = getattr(messages, "DEPRECATED_MODELS", {}).get(model)
    return f"deprecated, ends {end}" if end else ""


FAMILY = JudgeFamily(
    about="a Claude model through Anthropic's API, one call at a time or in batches",
    version="1",
    params=AnthropicSettings,
    open=_open,
    local=(*LOCAL, "batch", "poll_s", "batch_size"),
    model=True,
)
