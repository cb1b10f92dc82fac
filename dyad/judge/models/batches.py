"""Message Batches: half the price, results within a day, and no request is ever paid for twice.

Before a batch is handed in, a journal says so. Where the answer to that is lost, in whatever way, the batch
is looked for among those that the API lists: one with as many requests, made since then, that nobody knows.
Only its results tell whose it is, so a candidate is waited for. A request that lies in a batch is never
handed in again, unless that batch has no answer to it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from dyad.errors import ConfigError

from ..protocol import Desk
from .anthropic import AnthropicSettings, params, reply_of
from .anthropic_api import Api, broken_streams, is_fatal, is_unsure, passes, pause_s, stop_of
from .journal import Batch, Journal, journal_of
from .service import utc, wait_s
from .types import Failure, Reply, Request

if TYPE_CHECKING:
    from anthropic import APIError
    from anthropic._decoders.jsonl import JSONLDecoder
    from anthropic.pagination import SyncPage
    from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse

MOST_BYTES = 200_000_000  # of one batch; the API takes 256 MiB
CLOCKS = timedelta(hours=1)  # by which two clocks may differ
LOOK_S = 5.0  # between two looks for a batch that may have arrived
PAGE = 100  # batches that the API lists at a time
READINGS = 4  # of results that break off or lack rows
Waiting = dict[str, set[str]]  # nonce of a batch → keys that are asked for


class Batches:
    """The backend that hands requests in together and collects the results when they are there."""

    def __init__(
        self, settings: AnthropicSettings, desk: Desk, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._sleep = sleep
        self._settings, self._desk, self._api = settings, desk, Api(settings, desk.say)
        self._journal: Journal | None = None
        self._told: set[str] = set()  # batches that need not be spoken of again

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """Yield one reply per request when its batch has ended; see `Backend`.

        All requests are drawn first, in batches. Raises ConfigError where another process does the same.
        """
        if self._journal is None:
            self._journal = Journal(journal_of(self._desk))
        journal, waiting = self._journal, Waiting()
        try:
            for batch in journal.unresolved():
                self._look_for(journal, batch)
            yield from self._handed_in(journal, requests, waiting)
            self._tell_unread(journal, waiting)
            yield from self._collected(journal, waiting)
        finally:
            if left := _left(waiting):
                self._say(
                    f"{left} requests stay in batches that go on without this process; "
                    "run the same command again to collect them"
                )

    def close(self) -> None:
        """Release connections, and the journal for others."""
        self._api.close()
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _tell_unread(self, journal: Journal, waiting: Waiting) -> None:
        """Say once of each batch from before that it is paid for and nobody asks for it now."""
        for batch in journal.unread():
            if batch.nonce not in waiting and batch.nonce not in self._told:
                self._say(
                    f"batch {batch.id} of {batch.utc:%Y-%m-%d %H:%M} has {len(batch.keys)} requests that are "
                    "not asked for now; with the study and the settings of that time they are collected"
                )
            self._told.add(batch.nonce)

    def _handed_in(self, journal: Journal, requests: Iterable[Request], waiting: Waiting) -> Iterator[Reply]:
        """Hand in what lies in no batch, note in `waiting` where each request is, yield what none took."""
        for part in self._parts(journal, requests, waiting):
            batch = self._submit(journal, part)
            if batch:
                waiting[batch.nonce] = set(part)
            else:
                yield from self._failed(None, set(part), "transport", "the API took no batch in time")

    def _parts(
        self, journal: Journal, requests: Iterable[Request], waiting: Waiting
    ) -> Iterator[dict[str, dict[str, Any]]]:
        """Yield parameters by key, as many as fit into one batch, of requests that lie in none."""
        part: dict[str, dict[str, Any]] = {}
        size = 0
        for request in requests:
            if batch := journal.holder(request.key):
                waiting.setdefault(batch.nonce, set()).add(request.key)
                continue
            sent = params(self._settings, request)
            more = len(json.dumps(sent))  # escaped, so never less than is sent
            if part and (size + more > MOST_BYTES or len(part) == self._settings.batch_size):
                yield part
                part, size = {}, 0
            part[request.key], size = sent, size + more
        if part:
            yield part

    def _submit(self, journal: Journal, part: dict[str, dict[str, Any]]) -> Batch | None:
        """Hand requests in; None where the API takes them at no time before the deadline."""
        end = time.monotonic() + self._settings.deadline_s
        for attempt in count():
            batch = journal.intend(part)
            error = self._create(journal, batch, part)
            if error is None:
                self._say(f"batch {batch.id} has {len(part)} requests")
                return batch
            self._api.tell_unreachable(error, attempt)
            rest_s = pause_s(error, attempt)
            if rest_s is None or time.monotonic() + rest_s >= end:
                return None
            self._api.tell_wait(error, rest_s)
            self._sleep(rest_s)
        raise AssertionError

    def _create(self, journal: Journal, batch: Batch, part: dict[str, dict[str, Any]]) -> APIError | None:
        """Make one attempt. Returns the error where nothing was taken; ConfigError for one that stays."""
        from anthropic import APIError

        rows: Any = [{"custom_id": key, "params": sent} for key, sent in part.items()]
        try:
            made = self._api.open().messages.batches.create(requests=rows)
        except APIError as error:
            if is_unsure(error):
                return None if self._look_for(journal, batch) else error
            journal.note("absent", batch)
            if is_fatal(error) or not passes(error):
                raise self._api.config_error(error) from None
            return error
        journal.note("submitted", batch, id=made.id)
        return None

    def _look_for(self, journal: Journal, batch: Batch) -> bool:
        """Find out whether a batch was taken although no answer says so; one that was shows in timeout_s."""
        from anthropic import APIError

        self._say(f"looking whether {len(batch.keys)} requests were taken before the connection was lost")
        try:
            while not self._found(journal, batch):
                if (datetime.now(UTC) - batch.utc).total_seconds() > self._settings.timeout_s:
                    journal.note("absent", batch)
                    return False
                self._sleep(min(LOOK_S, self._settings.poll_s, self._settings.timeout_s))
        except APIError as error:
            if not passes(error):
                raise self._api.config_error(error) from None
            problem = self._api.explained(error)
            raise ConfigError(
                f"nobody knows yet whether a batch was taken ({problem}); run again later"
            ) from None
        return True

    def _found(self, journal: Journal, batch: Batch) -> bool:
        for listed in self._since(batch.utc - CLOCKS):
            if listed.id not in journal.known and _total(listed) == len(batch.keys):
                ours = self._is(listed.id, batch)
                journal.note("submitted" if ours else "foreign", batch, id=listed.id)
                if ours:
                    return True
        return False

    def _since(self, start: datetime) -> Iterator[MessageBatch]:
        """Yield what the API lists, the newest first, back to a time."""
        batches = self._api.open().messages.batches
        page = self._api.patiently(lambda timeout_s: batches.list(limit=PAGE, timeout=timeout_s))
        while True:
            for listed in page.data:
                if listed.created_at < start:
                    return
                yield listed
            if not page.has_next_page():
                return
            page = self._api.patiently(partial(_next_page, page))

    def _is(self, id: str, batch: Batch) -> bool:
        """Wait for a batch and tell by its first result whether it is ours."""
        self._say(f"batch {id} may be the one: waiting for its results to tell")
        while (found := self._retrieved(id)).processing_status != "ended":
            self._sleep(self._settings.poll_s)
        if not found.results_url:
            return False
        results = self._api.open().messages.batches.results
        first = self._api.patiently(lambda timeout_s: _first(results(id, timeout=timeout_s)))
        return first in batch.keys

    def _collected(self, journal: Journal, waiting: Waiting) -> Iterator[Reply]:
        """Yield the replies of all batches as these end; what is left in `waiting` was not collected."""
        if waiting:
            self._say(f"{_left(waiting)} requests are in batches; mostly these take less than an hour")
        while waiting:
            for nonce in list(waiting):
                yield from self._looked_at(journal, journal.batch(nonce), waiting)
            if waiting:
                self._sleep(self._settings.poll_s)

    def _looked_at(self, journal: Journal, batch: Batch, waiting: Waiting) -> Iterator[Reply]:
        """Yield the replies of a batch if it has ended, and take it out of `waiting`."""
        from anthropic import APIError

        keys = waiting[batch.nonce]
        try:
            found = self._retrieved(batch.id)
            if found.processing_status != "ended":
                return
            if found.results_url:
                yield from self._results(journal, batch, keys)
            else:
                yield from self._lost(journal, batch, keys)
        except APIError as error:
            if getattr(error, "status_code", 0) == 404:
                yield from self._lost(journal, batch, keys)
            elif passes(error):
                yield from self._failed(batch, keys, "transport", self._api.explained(error))
            else:
                raise self._api.config_error(error) from None
        del waiting[batch.nonce]

    def _results(self, journal: Journal, batch: Batch, keys: set[str]) -> Iterator[Reply]:
        """Yield results as they stream in, in whatever order. A reading that breaks off is begun again."""
        without: set[str] = set()
        broken = ""
        for attempt in range(READINGS):
            if attempt:
                self._sleep(wait_s(attempt - 1))
            try:
                broken = ""
                yield from self._read(batch, keys, without)
            except broken_streams() as error:
                if not passes(error):
                    raise
                broken = self._api.explained(error)
            if not keys:
                break
        if keys and broken:
            yield from self._failed(batch, keys, "transport", broken)
            return
        without |= keys
        yield from self._failed(batch, keys, "errored", "the batch has no result for it")
        journal.note("done", batch, keys=sorted(without))

    def _read(self, batch: Batch, keys: set[str], without: set[str]) -> Iterator[Reply]:
        """Yield the replies of one reading, taking them out of `keys`."""
        timeout_s = self._settings.timeout_s
        for row in self._api.open().messages.batches.results(batch.id, timeout=timeout_s):
            if row.custom_id in keys:
                keys.discard(row.custom_id)
                reply = self._reply(row, batch.id)
                if reply.failure:
                    without.add(reply.key)
                yield reply

    def _reply(self, row: MessageBatchIndividualResponse, batch: str) -> Reply:
        key, result, model = row.custom_id, row.result, self._settings.model
        blank = Reply(key=key, requested=model, batch=batch, utc=utc())
        if result.type == "succeeded":
            try:
                return reply_of(result.message, key, model, request_id=result.message.id, batch=batch)
            except (AttributeError, TypeError, ValueError):  # paid for, so kept: asked again it costs again
                return blank.model_copy(update={"stop": "end_turn", "detail": "its message is none"})
        if result.type == "errored":
            detail = self._api.explained(Exception(result.error.error.message))
            if stop := stop_of(400, detail):
                return blank.model_copy(update={"stop": stop, "detail": detail})
            return blank.model_copy(update={"failure": "errored", "detail": detail})
        return blank.model_copy(update={"failure": result.type})

    def _lost(self, journal: Journal, batch: Batch, keys: set[str]) -> Iterator[Reply]:
        journal.note("lost", batch)
        self._say(f"batch {batch.id} has no results any more; its requests are handed in anew")
        return self._failed(batch, keys, "expired", "the results of its batch are gone")

    def _retrieved(self, id: str) -> MessageBatch:
        batches = self._api.open().messages.batches
        return self._api.patiently(lambda timeout_s: batches.retrieve(id, timeout=timeout_s))

    def _failed(self, batch: Batch | None, keys: set[str], failure: Failure, detail: str) -> Iterator[Reply]:
        """Yield one failure for each key, taking them out of `keys`."""
        model, name = self._settings.model, batch.id if batch else ""
        while keys:
            key = keys.pop()
            yield Reply(key=key, requested=model, failure=failure, detail=detail, batch=name, utc=utc())

    def _say(self, text: str) -> None:
        self._desk.say(f"{self._desk.name}: {text}")


def _left(waiting: Waiting) -> int:
    return sum(map(len, waiting.values()))


def _next_page(page: SyncPage[MessageBatch], timeout_s: float) -> SyncPage[MessageBatch]:
    return page.get_next_page()


def _first(rows: JSONLDecoder[MessageBatchIndividualResponse]) -> str:
    """Return the name of the first result, and leave the others unread."""
    try:
        return next((row.custom_id for row in rows), "")
    finally:
        rows.close()


def _total(batch: MessageBatch) -> int:
    counts = batch.request_counts
    return counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
