"""`scenarios probe` as a user meets it: what is asked of whom, the table, JSON, exit codes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dyad.cli.args import Args
from dyad.cli.probe import scenarios_probe
from dyad.errors import ConfigError, RunsFailed
from tests.probes.chat import Chat, serving

KEY = "sk-of-nobody"


@pytest.fixture
def chat() -> Iterator[Chat]:
    with serving(lambda system, messages: "Tilbury") as served:
        yield served


@pytest.fixture
def call(chat: Chat, tmp_path: Path):
    def probe(
        as_json: bool = False, words: tuple[str, ...] = (), overrides: tuple[str, ...] = (), **own: str
    ):
        base = {"backend": "openai", "model": "tiny", "base_url": chat.url, "ids": "t2_minibus"}
        args = Args("scenarios", words=words, overrides=overrides, json=as_json)
        return scenarios_probe(args, base | {"out": str(tmp_path)} | own)

    return probe


def test_a_missed_target_blocks_nothing(call, capsys) -> None:
    assert call(measures="null,oracle", n="2") == 0
    shown = capsys.readouterr().out
    rows = [
        [cell.strip() for cell in line.split("│")[1:-1]]
        for line in shown.splitlines()
        if "t2_minibus" in line
    ]
    assert rows == [
        ["t2_minibus", "null", "1.00", "2", "0", "<= 0.766", "NO"],
        ["t2_minibus", "oracle", "1.00", "2", "0", ">= 0.95", "ok"],
    ]
    assert "1 of 2 measurement(s)" in shown


def test_without_measures_all_that_a_text_model_can_do(call, chat, capsys) -> None:
    assert call(as_json=True, ids="t2_minibus,t4_1_radio", n="1") == 0
    found = [(r["scenario"], r["measure"]) for r in json.loads(capsys.readouterr().out)]
    pool = [("t2_minibus", name) for name in ("null", "solo_a", "solo_b", "oracle", "dyad")]
    assert found == pool + [("t4_1_radio", name) for name in ("null", "parity", "dyad")]


def test_a_failing_model_is_one_line_and_exit_code_3(call, chat, monkeypatch, tmp_path, capsys) -> None:
    monkeypatch.setenv("SOME_KEY", KEY)
    chat.breaks_after = 3
    with pytest.raises(RunsFailed, match=r"500.*1 measurement\(s\) are stored") as caught:
        call(measures="null,oracle", n="2", key_env="SOME_KEY")
    assert caught.value.exit_code == 3
    assert chat.keys == [f"Bearer {KEY}"] * 4
    shown = capsys.readouterr().out
    stored = (tmp_path / "tiny.jsonl").read_text()
    assert "null" in shown
    assert stored.count("\n") == 1
    assert KEY not in shown + stored + str(caught.value)


def test_what_is_held_out_is_sent_nowhere_unless_named(call, chat, capsys) -> None:
    assert (
        call(as_json=True, ids="", archetype="t4_3", measures="null") == 0
    )  # only T2 and T4-1 have that one
    assert json.loads(capsys.readouterr().out) == []
    assert call(as_json=True, ids="", archetype="t2", measures="null", n="1") == 0
    plain = {r["scenario"] for r in json.loads(capsys.readouterr().out)}
    assert call(as_json=True, ids="", archetype="t2", measures="null", n="1", split="held_out") == 0
    held_out = {r["scenario"] for r in json.loads(capsys.readouterr().out)}
    assert plain
    assert held_out
    assert not plain & held_out


def test_another_language_is_asked_for(call, chat, capsys) -> None:
    assert call(as_json=True, ids="", archetype="t2", lang="fr", measures="null", n="1") == 0
    assert {r["scenario"][:5] for r in json.loads(capsys.readouterr().out)} == {"t2_fr"}


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"measures": "nul"}, "did you mean 'null'"),
        ({"force": "yes"}, "true or false"),
        ({"n": "0"}, "n = '0' must be a whole number from 1"),
        ({"backend": "gguf"}, "gguf is missing; usage"),
        ({"backend": "gguf", "gguf": "/no/such.gguf"}, "no file"),
        ({"backend": "opnai"}, "backend = 'opnai'"),
        ({"max_tokens": "few"}, "max_tokens = 'few'"),
        ({"key_env": "NO_SUCH_KEY"}, "NO_SUCH_KEY is not set"),
        ({"ids": "t2_minibuss"}, "did you mean 't2_minibus'"),
        ({"archetype": "t9"}, "t9"),
    ],
)
def test_errors_are_one_line_before_anything_is_asked(call, chat, own, told) -> None:
    with pytest.raises(ConfigError, match=told) as caught:
        call(**own)
    assert "\n" not in str(caught.value)
    assert not chat.asked


def test_a_model_must_be_named_for_text_and_words_are_refused(tmp_path, call) -> None:
    with pytest.raises(ConfigError, match="backend is missing"):
        scenarios_probe(Args("scenarios"), {"out": str(tmp_path)})
    with pytest.raises(ConfigError, match="'now' is too much"):
        call(words=("now",))
    with pytest.raises(ConfigError, match="unknown key 'colour'"):
        call(overrides=("colour=red",))
