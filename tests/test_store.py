"""The store: write-once, published by one rename, nothing lost, nothing left over, nothing outside."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dyad.errors import ConfigError, DyadError
from dyad.spec import Piece, Segment
from dyad.store import TMP, Store, jsonl, read_jsonl, write_atomic

FILES = {"manifest.json": b"{}", "audio.flac": b"sound"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path)
    made.prepare()
    return made


def test_publish_makes_a_run_once(store: Store) -> None:
    assert not store.has("one")
    assert store.publish("one", FILES)
    assert store.has("one")
    assert not store.publish("one", {"manifest.json": b"other"})
    assert (store.run_dir("one") / "manifest.json").read_bytes() == b"{}"
    assert store.ids() == ["one"]
    assert not list(store.runs.glob(".*"))


def test_many_writers_of_one_run_leave_one_copy(store: Store) -> None:
    contents = [{"manifest.json": str(k).encode(), "audio.flac": str(k).encode()} for k in range(16)]
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda files: store.publish("one", files), contents))
    assert sum(won) == 1
    kept = {p.read_bytes() for p in store.run_dir("one").iterdir()}
    assert len(kept) == 1  # both files are of the same writer


def test_sidecars_are_added_and_never_edited(store: Store) -> None:
    store.publish("one", FILES)
    store.add_sidecar("one", "segments/vad.jsonl", [Segment(seat="a", start=1, end=3)])
    store.add_sidecar("one", "segments/vad.jsonl", [Segment(seat="b", start=5, end=9)])
    assert read_jsonl(store.sidecar("one", "segments/vad.jsonl"), Segment) == [
        Segment(seat="a", start=1, end=3)
    ]


@given(st.text(min_size=1, max_size=30))
def test_no_name_leaves_its_folder(name: str) -> None:
    store = Store(Path("/nowhere/store"))
    for lookup in (store.run_dir, store.study_dir, lambda n: store.sidecar("one", n)):
        try:
            path = lookup(name)
        except ConfigError:
            continue
        assert path.is_relative_to("/nowhere/store")
        assert ".." not in path.parts
        assert path not in (store.runs, store.root / "studies", store.run_dir("one"))


@pytest.mark.parametrize("name", ["..", "../x", "/etc/passwd", ".", "", "a/../../b"])
def test_names_that_would_leave_are_refused(store: Store, name: str) -> None:
    with pytest.raises(ConfigError):
        store.run_dir(name)


def test_sweep_takes_only_what_dead_writers_left(store: Store) -> None:
    store.publish("one", FILES)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    host = socket.gethostname()
    gone = store.runs / f"{TMP}{host}~{dead.pid}~abc~two"
    mine = store.runs / f"{TMP}{host}~{os.getppid()}~abc~three"
    far = store.runs / f"{TMP}elsewhere~{dead.pid}~abc~four"
    for folder in (gone, mine, far):
        folder.mkdir()
    side = store.run_dir("one") / "words" / f"{TMP}{host}~{dead.pid}~abc~whisper.jsonl"
    write_atomic(side.parent / "x.jsonl", b"")
    side.write_bytes(b"half")
    store.prepare()
    assert [p.exists() for p in (gone, mine, far, side)] == [False, True, True, False]
    assert store.ids() == ["one"]


def test_sweep_beside_a_driver_that_publishes(store: Store) -> None:
    code = (
        "import sys; from pathlib import Path; from dyad.store import Store\n"
        "for k in range(80): Store(Path(sys.argv[1])).publish(f'r{k}', {'manifest.json': b'{}'})"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(store.root)]) as other:
        while other.poll() is None:
            store.prepare()
    assert other.returncode == 0
    assert len(store.ids()) == 80


def test_names_are_checked_whatever_the_path_of_the_store(tmp_path: Path) -> None:
    store = Store(tmp_path / "x" / ".." / "y")
    assert store.run_dir("one") == store.root / "runs" / "one"


def test_failures_are_kept_one_by_one(store: Store) -> None:
    for k in range(3):
        store.fail("one", {"error": str(k)})
    assert store.failures("one") == 3
    found = [json.loads(p.read_text())["error"] for p in sorted((store.root / "failed/one").iterdir())]
    assert found == ["0", "1", "2"]
    assert store.last_error("one") == "2"
    assert store.last_error("two") is None
    assert not store.has("one")


def test_find_by_prefix_or_hash(store: Store) -> None:
    store.publish("x__y-aaaa", FILES)
    store.publish("x__z-bbbb", FILES)
    assert store.find("bbbb") == "x__z-bbbb"
    assert store.find("x__y") == "x__y-aaaa"
    with pytest.raises(ConfigError, match="2 runs"):
        store.find("x__")
    with pytest.raises(ConfigError, match="no run"):
        store.find("nothing")


def test_unwritable_store_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ConfigError, match="not writable"):
        Store(tmp_path / "file" / "store").prepare()


def test_broken_record_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "text.jsonl"
    path.write_bytes(jsonl([Piece(seat="a", at=0, s="x")]) + b'{"seat":"c"}\n')
    with pytest.raises(DyadError, match=r"text\.jsonl:2"):
        read_jsonl(path, Piece)
