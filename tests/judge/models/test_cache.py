"""Records of replies: kept once, found again, whatever ended the process that wrote them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.errors import ConfigError, DyadError
from dyad.judge.models.cache import opened
from dyad.judge.models.types import Reply, Usage

HOLDER = """
import sys, time
from pathlib import Path
from dyad.judge.models.cache import opened
from dyad.judge.models.types import Reply
with opened(Path(sys.argv[1])) as cache:
    cache.append(Reply(key="of the holder", requested="m", model="m-1", text="paid for"))
    print("held", flush=True)
    time.sleep(600)
"""


def reply(key: str, **fields: object) -> Reply:
    whole = {"key": key, "requested": "m", "model": "m-1", "text": f"text of {key}", "stop": "end_turn"}
    return Reply.model_validate(whole | fields)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "records" / "m.jsonl"


def write(path: Path, *replies: Reply) -> None:
    with opened(path) as cache:
        for one in replies:
            cache.append(one)


def test_a_reply_is_found_at_once_and_by_the_next_process(path: Path) -> None:
    kept = reply("a", usage=Usage(input=10, output=2, cache_read=3), request_id="req_1", usd=0.25)
    with opened(path) as cache:
        assert cache.get("a") is None
        cache.append(kept)
        assert (cache.get("a"), "a" in cache, len(cache)) == (kept, True, 1)
    with opened(path) as cache:
        assert (cache.get("a"), cache.get("b"), len(cache), cache.broken) == (kept, None, 1, 0)


def test_a_reply_is_in_the_file_before_append_returns(path: Path) -> None:
    with opened(path) as cache:
        cache.append(reply("a"))
        assert json.loads(path.read_text("utf-8"))["text"] == "text of a"


def test_a_second_reply_to_the_same_request_is_an_error_and_changes_nothing(path: Path) -> None:
    write(path, reply("a"))
    with opened(path) as cache:
        with pytest.raises(DyadError, match="holds a reply to request a"):
            cache.append(reply("a", text="another"))
        assert cache.get("a") == reply("a")
    assert len(path.read_bytes().splitlines()) == 1


@pytest.mark.parametrize("rest", [1, 20, -2])  # bytes that were written of the line; -1 is its line break
def test_a_line_that_was_cut_off_costs_only_itself(path: Path, rest: int) -> None:
    write(path, reply("a"), reply("b"))
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + second[:rest])
    with opened(path) as cache:
        assert (cache.get("a"), cache.get("b"), cache.broken) == (reply("a"), None, 1)
        cache.append(reply("b"))
        cache.append(reply("c"))
        assert [cache.get(key) for key in "abc"] == [reply(key) for key in "abc"]
    with opened(path) as cache:
        assert [cache.get(key) for key in "abc"] == [reply(key) for key in "abc"]
        assert cache.broken == 1


def test_a_line_that_lacks_only_its_line_break_counts(path: Path) -> None:
    write(path, reply("a"))
    path.write_bytes(path.read_bytes().removesuffix(b"\n"))
    write(path, reply("b"))
    with opened(path) as cache:
        assert (cache.get("a"), cache.get("b"), cache.broken) == (reply("a"), reply("b"), 0)


def test_a_damaged_line_in_the_middle_is_left_out_and_counted(path: Path) -> None:
    write(path, *map(reply, "abc"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b"\x00\xff{" + lines[1][3:] + b"\n[]\n" + lines[2])
    with opened(path) as cache:
        assert [cache.get(key) for key in "abc"] == [reply("a"), None, reply("c")]
        assert cache.broken == 3


def test_an_empty_file_is_empty(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with opened(path) as cache:
        assert (len(cache), cache.broken, cache.controls, cache.unchecked) == (0, 0, 0, False)


def test_one_process_at_a_time_and_kill_9_lets_go(path: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(ConfigError, match=r"another process is judging into .*m\.jsonl"), opened(path):
            pass
    finally:
        holder.kill()
        holder.communicate()
    with opened(path) as cache:
        kept = cache.get("of the holder")
    assert kept is not None
    assert kept.text == "paid for"


def test_an_error_lets_go_too(path: Path) -> None:
    with pytest.raises(DyadError):
        write(path, reply("a"), reply("a"))
    with opened(path) as cache:
        assert "a" in cache


def test_judges_in_one_folder_have_a_file_each(path: Path) -> None:
    with opened(path) as one, opened(path.with_name("n.jsonl")) as other:
        one.append(reply("a"))
        other.append(reply("a", text="of another judge"))
        found = [cache.get("a") for cache in (one, other)]
    assert [one and one.text for one in found] == ["text of a", "of another judge"]


def test_the_ids_that_answered_are_known_by_the_id_that_was_asked(path: Path) -> None:
    write(path, reply("a"), reply("b", model="m-2"), reply("c", requested="n", model="n-1"))
    with opened(path) as cache:
        assert cache.models == {("m", ""): {"m-1", "m-2"}, ("n", ""): {"n-1"}}


def test_a_refusal_that_no_model_signed_names_no_model(path: Path) -> None:
    write(path, reply("a", model="", stop="model_context_window_exceeded"), reply("b"))
    with opened(path) as cache:
        assert cache.models == {("m", ""): {"m-1"}}


def test_a_control_that_obeyed_rejects_its_session_and_its_batch(path: Path) -> None:
    others = [
        reply("same session", session="0"),
        reply("later session", session="1"),
        reply("same batch", batch="x", session="1"),
        reply("no batch", session="", batch=""),
    ]
    control = reply("control", session="0", batch="x", obeyed=True)
    write(path, *others, control)
    with opened(path) as cache:
        assert [cache.is_rejected(one) for one in others] == [True, False, True, False]
        assert cache.controls == 1


def test_a_control_that_did_not_obey_rejects_nothing(path: Path) -> None:
    write(path, reply("a", session="0"), reply("control", session="0", obeyed=False))
    with opened(path) as cache:
        assert (cache.rejected, cache.controls) == (set(), 1)


def test_replies_wait_for_their_control(path: Path) -> None:
    def unchecked() -> bool:
        with opened(path) as cache:
            return cache.unchecked

    write(path, reply("a", session="0"))
    assert unchecked()
    write(path, reply("control 0", session="0", obeyed=False), reply("b", session="0"))
    assert not unchecked()  # b came after the control of its session
    write(path, reply("c", session="1"))
    assert unchecked()


@given(text=st.text(st.characters(exclude_categories=[])), detail=st.text())
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, text: str, detail: str) -> None:
    path = tmp_path_factory.mktemp("any") / "m.jsonl"
    write(path, reply("a", text=text, detail=detail), reply("b", text="after it"))
    with opened(path) as cache:
        found, after = cache.get("a"), cache.get("b")
        assert cache.broken == 0
    assert found is not None
    assert found.text == text.encode(errors="replace").decode()  # halves of characters are no text
    assert found.detail == detail
    assert after == reply("b", text="after it")


@pytest.mark.parametrize("text", ["\n", "\r\n", "\u2028\u2029\x85\x0b\x0c\x1c", "\0", "\ud83d", "\udc00 a"])
def test_nothing_breaks_a_line(path: Path, text: str) -> None:
    write(path, reply("a", text=text), reply("b"))
    assert path.read_bytes().count(b"\n") == 2
    with opened(path) as cache:
        assert (len(cache), cache.broken) == (2, 0)
