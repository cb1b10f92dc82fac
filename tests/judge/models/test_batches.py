"""Message Batches through the real client, against a stand-in for the API in a process of its own."""

from __future__ import annotations

import json
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dyad.errors import BudgetReached, ConfigError
from dyad.judge.models import batches as module
from dyad.judge.models.anthropic import AnthropicSettings, Messages
from dyad.judge.models.batches import Batches
from dyad.judge.models.journal import Journal
from dyad.judge.models.types import Reply, Request
from dyad.judge.protocol import Desk
from tests.forks import Forks, forking
from tests.judge.models.batch_child import collect, kept, requests
from tests.judge.wire.running import Server

KEY = "sk-ant-secret-0123456789abcdef"


def fields(server: Server, **changes: Any) -> dict[str, Any]:
    base = {"model": "claude-opus-5", "base_url": server.url, "batch": True, "poll_s": 0.02, "timeout_s": 1.5}
    return base | changes


def backend(
    server: Server,
    folder: Path,
    said: list[str] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    **changes: Any,
) -> Batches:
    say = (said if said is not None else []).append
    return Batches(AnthropicSettings(**fields(server, **changes)), Desk("claude", folder, say=say), sleep)


def ask(server: Server, folder: Path, wanted: list[Request], **changes: Any) -> list[Reply]:
    batches = backend(server, folder, **changes)
    try:
        return list(batches.answer(wanted))
    finally:
        batches.close()


def paid_once(server: Server, n: int) -> None:
    """Every request was handed in once, and no other."""
    assert server.get("stats")["custom_ids"] == {request.key: 1 for request in requests(n)}


def events(folder: Path) -> Counter[str]:
    lines = (folder / "claude.batches.jsonl").read_text("utf-8").splitlines()
    return Counter(json.loads(line)["what"] for line in lines)


def test_replies_come_in_any_order(server: Server, tmp_path: Path) -> None:
    server.change(shuffle=True, polls=2)
    replies = ask(server, tmp_path, requests(20))
    assert {reply.key for reply in replies} == {request.key for request in requests(20)}
    assert [reply.key for reply in replies] != [request.key for request in requests(20)]
    assert {(reply.stop, reply.batch) for reply in replies} == {("end_turn", "msgbatch_00000000")}
    assert all(json.loads(reply.text) == {"label": False} for reply in replies)
    assert all(reply.request_id.startswith("msg_") and reply.usage.output for reply in replies)
    assert server.asked("retrieve") >= 3
    paid_once(server, 20)
    assert events(tmp_path) == {"intent": 1, "submitted": 1, "done": 1}


def test_many_requests_make_several_batches(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(ask(server, tmp_path / "a", requests(25), batch_size=10)) == 25
    assert server.asked("create") == 3
    server.change(forget=True)
    monkeypatch.setattr(module, "MOST_BYTES", 3000)
    assert len(ask(server, tmp_path / "b", requests(25))) == 25
    bodies = [body for body in server.get("bodies")[3:] if "requests" in body]
    assert len(bodies) > 1
    assert all(len(json.dumps(body)) < 4500 for body in bodies)


@pytest.mark.parametrize("do", ["errored", "expired", "canceled"])
def test_what_a_batch_left_undone_is_handed_in_once_more(server: Server, tmp_path: Path, do: str) -> None:
    server.change(rules=[{"on": "item", "do": do, "times": 2}])
    failed = [reply for reply in ask(server, tmp_path, requests(5)) if reply.failure]
    assert [reply.failure for reply in failed] == [do, do]
    collect(tmp_path, requests(5), fields(server))
    assert {reply.key for reply in kept(tmp_path)} == {request.key for request in requests(5)}
    counts = server.get("stats")["custom_ids"]
    assert {key for key, n in counts.items() if n == 2} == {reply.key for reply in failed}


@pytest.mark.parametrize(
    ("do", "stop", "detail"),
    [("refusal", "refusal", "cyber"), ("truncated", "max_tokens", ""), ("thinking", "end_turn", "")],
)
def test_stop_reasons_of_items(server: Server, tmp_path: Path, do: str, stop: str, detail: str) -> None:
    server.change(rules=[{"on": "item", "do": do}])
    first, second = sorted(ask(server, tmp_path, requests(2)), key=lambda reply: reply.key)
    assert (first.stop, first.detail, first.failure) == (stop, detail, "")
    assert second.stop == "end_turn"


def test_items_that_no_model_can_read(server: Server, tmp_path: Path) -> None:
    server.change(rules=[{"on": "item", "do": "errored", "message": "prompt is too long: 9 tokens > 8"}])
    replies = sorted(ask(server, tmp_path, requests(2)), key=lambda reply: reply.key)
    assert [reply.stop for reply in replies] == ["model_context_window_exceeded", "end_turn"]


def test_a_result_that_is_missing_is_handed_in_again(server: Server, tmp_path: Path) -> None:
    server.change(rules=[{"on": "item", "do": "missing", "match": requests(1)[0].key, "times": 4}])
    said = collect(tmp_path, requests(3), fields(server))
    assert len(kept(tmp_path)) == 3
    assert server.asked("create") == 2
    assert said


@pytest.mark.parametrize("do", ["cut", "drop", "hang"])
def test_results_that_break_off_are_read_again(server: Server, tmp_path: Path, do: str) -> None:
    server.change(rules=[{"on": "results", "do": do, "times": 2}])
    replies = ask(server, tmp_path, requests(9))
    assert Counter(reply.stop for reply in replies) == {"end_turn": 9}
    assert server.asked("results") == 3
    paid_once(server, 9)


def test_results_that_never_come_whole_can_be_fetched_later(server: Server, tmp_path: Path) -> None:
    server.change(rules=[{"on": "results", "do": "cut", "times": None}])
    replies = ask(server, tmp_path, requests(9))
    assert Counter(reply.failure for reply in replies)["transport"] > 0
    server.change(rules=[])
    left = [request for request in requests(9) if request.key in {r.key for r in replies if r.failure}]
    assert {reply.stop for reply in ask(server, tmp_path, left)} == {"end_turn"}
    paid_once(server, 9)


@pytest.mark.parametrize("on", ["retrieve", "results"])
@pytest.mark.parametrize("status", [429, 500, 529])
def test_errors_while_waiting_pass(server: Server, tmp_path: Path, on: str, status: int) -> None:
    server.change(rules=[{"on": on, "do": "status", "status": status, "times": 2}])
    assert [reply.stop for reply in ask(server, tmp_path, requests(2))] == ["end_turn"] * 2
    paid_once(server, 2)


def test_a_lasting_error_leaves_the_batch_for_later(server: Server, tmp_path: Path) -> None:
    server.change(rules=[{"on": "retrieve", "do": "status", "status": 503, "times": None}])
    replies = ask(server, tmp_path, requests(2), deadline_s=0.2)
    assert [(reply.failure, reply.batch) for reply in replies] == [("transport", "msgbatch_00000000")] * 2
    server.change(rules=[])
    assert {reply.stop for reply in ask(server, tmp_path, requests(2))} == {"end_turn"}
    paid_once(server, 2)


@pytest.mark.parametrize("do", ["drop", "late"])
def test_an_answer_that_is_lost_is_looked_for(server: Server, tmp_path: Path, do: str) -> None:
    """The API took the batch, but nobody heard of it; in the list it stands behind others."""
    for i in range(3):
        ask(server, tmp_path / f"other{i}", requests(i + 1))
    server.change(rules=[{"on": "create", "do": do, "delay_s": 4 if do == "late" else 0}])
    before = server.asked("create")
    replies = ask(server, tmp_path, requests(6))
    assert [reply.stop for reply in replies] == ["end_turn"] * 6
    assert server.asked("create") == before + 1
    assert events(tmp_path) == {"intent": 1, "submitted": 1, "done": 1}


@pytest.mark.parametrize("rule", [{"do": "drop_before"}, {"do": "status", "status": 500}, {"do": "hang"}])
def test_what_was_never_taken_is_handed_in_again(
    server: Server, tmp_path: Path, rule: dict[str, Any]
) -> None:
    server.change(rules=[{"on": "create", **rule}])
    assert [reply.stop for reply in ask(server, tmp_path, requests(3))] == ["end_turn"] * 3
    paid_once(server, 3)
    assert events(tmp_path) == {"intent": 2, "absent": 1, "submitted": 1, "done": 1}


def test_too_many_requests_wait(server: Server, tmp_path: Path) -> None:
    rule = {"on": "create", "do": "status", "status": 429, "headers": {"retry-after": "0.3"}}
    server.change(rules=[rule])
    start = time.monotonic()
    assert len(ask(server, tmp_path, requests(3))) == 3
    assert time.monotonic() - start > 0.3
    server.change(rules=[rule | {"headers": {"retry-after": "900"}}])
    replies = ask(server, tmp_path, [*requests(4)[3:]], deadline_s=60)
    assert [reply.failure for reply in replies] == ["transport"]


def test_a_batch_of_somebody_else_is_not_ours(server: Server, tmp_path: Path) -> None:
    """As many requests, at the same time, but other ones: it is waited for, then left alone."""
    server.change(polls=3)
    theirs = backend(server, tmp_path / "theirs")
    stream = theirs.answer(requests(5)[2:])
    server.change(rules=[{"on": "create", "do": "drop_before", "after": 1}])
    next(stream)
    assert [reply.stop for reply in ask(server, tmp_path, requests(8)[5:])] == ["end_turn"] * 3
    theirs.close()
    assert events(tmp_path) == {"intent": 2, "foreign": 1, "absent": 1, "submitted": 1, "done": 1}


def test_clocks_may_differ(server: Server, tmp_path: Path) -> None:
    server.change(shift_s=-1200, rules=[{"on": "create", "do": "drop"}])
    assert len(ask(server, tmp_path, requests(2))) == 2
    paid_once(server, 2)


def test_old_batches_are_not_searched(server: Server, tmp_path: Path) -> None:
    server.change(shift_s=-90_000)
    ask(server, tmp_path / "old", requests(2))
    server.change(shift_s=0, rules=[{"on": "create", "do": "drop_before"}])
    ask(server, tmp_path, requests(4)[2:])
    assert events(tmp_path)["foreign"] == 0


@pytest.mark.parametrize("change", ["forget", "archive"])
def test_results_that_are_gone_are_made_anew(server: Server, tmp_path: Path, change: str) -> None:
    ask(server, tmp_path, requests(3))
    server.change(**{change: True})
    said = collect(tmp_path, requests(3), fields(server))
    assert len(kept(tmp_path)) == 3
    assert any("no results any more" in line for line in said)
    assert events(tmp_path)["lost"] == 1
    assert server.asked("create") == 2


def test_only_what_is_asked_for_is_yielded(server: Server, tmp_path: Path) -> None:
    """The rest of a batch stays there for whoever asks later, also when it was read before."""
    server.change(polls=1_000_000)
    stopped = backend(server, tmp_path)
    with pytest.raises(BudgetReached):
        list(stopped.answer(_then_stop(requests(6))))
    stopped.close()
    assert server.asked("create") == 0
    server.change(polls=0)
    ask(server, tmp_path, requests(6))
    first = ask(server, tmp_path, requests(6)[:2])
    assert [reply.key for reply in first] == [request.key for request in requests(2)]
    assert {reply.key for reply in ask(server, tmp_path, requests(8))} == {r.key for r in requests(8)}
    paid_once(server, 8)


def _then_stop(wanted: list[Request]) -> Iterator[Request]:
    yield from wanted
    raise BudgetReached("enough")


def test_an_interrupt_says_how_to_go_on(server: Server, tmp_path: Path) -> None:
    server.change(polls=1_000_000)
    said: list[str] = []

    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    batches = backend(server, tmp_path, said, interrupted)
    with pytest.raises(KeyboardInterrupt):
        list(batches.answer(requests(4)))
    batches.close()
    assert "4 requests stay in batches" in said[-1]
    assert "run the same command again" in said[-1]
    alone = Messages(AnthropicSettings(**fields(server, batch=False)), Desk("claude", tmp_path))
    with pytest.raises(ConfigError, match=r"lies in a batch .* judge.batch=true"):  # it would be paid twice
        list(alone.answer(requests(4)))
    alone.close()
    assert server.asked("messages") == 0
    server.change(polls=0)
    assert len(ask(server, tmp_path, requests(4))) == 4
    paid_once(server, 4)


def test_two_processes(server: Server, tmp_path: Path) -> None:
    first = backend(server, tmp_path)
    assert len(list(first.answer(requests(2)))) == 2
    with pytest.raises(ConfigError, match="another process works with"):
        ask(server, tmp_path, requests(2))
    first.close()
    assert len(ask(server, tmp_path, requests(2))) == 2


@pytest.mark.parametrize(
    ("status", "says"),
    [(400, "correct the judge's settings"), (401, "not accepted"), (413, r"lower judge\.batch_size")],
)
def test_a_refused_batch_stops_the_judge(server: Server, tmp_path: Path, status: int, says: str) -> None:
    server.change(rules=[{"on": "create", "do": "status", "status": status, "message": f"no, {KEY}"}])
    with pytest.raises(ConfigError, match=says) as raised:
        ask(server, tmp_path, requests(2))
    assert KEY not in str(raised.value)
    assert events(tmp_path) == {"intent": 1, "absent": 1}


def test_an_address_that_nobody_listens_at(server: Server, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ConfigError, match=f"nobody answers at {url}"):
        ask(server, tmp_path, requests(2), base_url=url)
    assert events(tmp_path) == {"intent": 3, "absent": 3}
    assert len(ask(server, tmp_path, requests(2))) == 2


def test_a_lost_list_stops_the_judge_without_a_second_batch(server: Server, tmp_path: Path) -> None:
    server.change(rules=[{"on": "create", "do": "drop"}, {"on": "list", "do": "status", "status": 500,
                                                          "times": None}])  # fmt: skip
    with pytest.raises(ConfigError, match="run again later"):
        ask(server, tmp_path, requests(2), deadline_s=0.3)
    server.change(rules=[])
    assert len(ask(server, tmp_path, requests(2))) == 2
    paid_once(server, 2)


def test_no_key_in_the_folder(server: Server, tmp_path: Path) -> None:
    server.change(rules=[{"on": "item", "do": "errored", "message": f"key {KEY}"}])
    collect(tmp_path, requests(3), fields(server))
    written = [path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 2
    assert KEY not in "".join(written)


# Killed at every point


@pytest.fixture(scope="module")
def children() -> Iterator[Forks]:
    """Processes that ask for replies in batches and keep each at once."""
    main = """
from pathlib import Path
import anthropic
from tests.judge.models.batch_child import collect, requests
def main(folder, n, settings, slow_s):
    collect(Path(folder), requests(n), settings, slow_s)
"""
    with forking(main, ANTHROPIC_API_KEY=KEY) as forks:
        yield forks


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 200
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def lines(folder: Path) -> int:
    return len(kept(folder))


Setting = tuple[dict[str, Any], Callable[[Server, Path], bool]]
POINTS: dict[str, Setting] = {
    "before the API took it": (
        {"rules": [{"on": "create", "do": "hang"}]},
        lambda server, folder: server.asked("create") == 1,
    ),
    "after the API took it": (
        {"rules": [{"on": "create", "do": "late", "delay_s": 60}]},
        lambda server, folder: len(server.get("stats")["batches"]) == 1,
    ),
    "while it is waited for": (
        {"polls": 1_000_000},
        lambda server, folder: server.asked("retrieve") > 2,
    ),
    "between two results": ({"shuffle": True}, lambda server, folder: lines(folder) >= 5),
}


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.xdist_group("batches")  # one worker forks for all points
def test_a_killed_process_loses_nothing_and_pays_once(
    server: Server, children: Forks, tmp_path: Path, point: str
) -> None:
    n = 12
    change, reached = POINTS[point]
    server.change(**change)
    child = children.start(str(tmp_path), n, fields(server, timeout_s=1.5), 0.05)
    until(lambda: reached(server, tmp_path))
    children.kill(child)
    assert lines(tmp_path) < n
    server.change(rules=[], polls=1)
    collect(tmp_path, requests(n), fields(server, timeout_s=1.5))
    assert sorted(reply.key for reply in kept(tmp_path)) == [request.key for request in requests(n)]
    paid_once(server, n)


def test_a_batch_that_nobody_asks_for_now_is_told_once(server: Server, tmp_path: Path) -> None:
    earlier = Journal(tmp_path / "claude.batches.jsonl")
    earlier.note("submitted", earlier.intend(["1" * 64, "2" * 64]), id="msgbatch_other")
    old = earlier.intend(["3" * 64])
    earlier.note("submitted", old, id="msgbatch_read")
    earlier.note("done", old)
    earlier.close()
    said: list[str] = []
    batches = backend(server, tmp_path, said)
    for wanted in (requests(2), requests(4)[2:]):
        assert len(list(batches.answer(wanted))) == 2
    batches.close()
    (told,) = [text for text in said if "not asked for now" in text]
    assert "batch msgbatch_other of " in told
    assert "has 2 requests" in told


def test_a_line_that_a_crash_cut_off_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    taken = journal.intend(["a", "b"])
    journal.note("submitted", taken, id="msgbatch_1")
    journal.close()
    path.write_bytes(path.read_bytes()[:-20])
    again = Journal(path)
    assert [batch.nonce for batch in again.unresolved()] == [taken.nonce]
    again.note("submitted", taken, id="msgbatch_1")
    again.close()
    last = Journal(path)
    assert not last.unresolved()
    found = last.holder("a")
    assert found is not None
    assert (found.id, last.holder("c")) == ("msgbatch_1", None)
    last.note("done", found, keys=["b"])
    assert last.holder("b") is None
    assert last.holder("a") is not None
    last.close()
