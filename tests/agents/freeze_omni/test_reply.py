"""Where a reply is cut into phrases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dyad.agents.freeze_omni.inside import MOST_TOKENS, Reply


class Script:
    """A model that writes given tokens, and speaks a sample for each of them."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def write(self, state: dict[str, Any]) -> dict[str, Any]:
        at = len(state["past_tokens"])
        if at == len(self.tokens):
            return {"stat": "sl", "past_tokens": []}
        past = self.tokens[: at + 1]
        return {"stat": "cs", "past_tokens": past, "text": "".join(past), "hidden_state": at}

    def speak(self, phrase: str, hidden: list[Any], first: bool) -> np.ndarray:
        return np.zeros(len(hidden), np.float32)


def phrases(tokens: list[str]) -> list[tuple[str, int]]:
    model = Script(tokens)
    state = model.write({"past_tokens": []})
    reply, found = Reply(state, [state["hidden_state"]]), []
    while not reply.over:
        phrase, sound = reply.next(model)  # type: ignore[arg-type]
        found += [(phrase, len(sound))] if phrase else []
    return found


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        # the first phrase may end with a comma, the next may not; a phrase has four tokens at least
        (["a", "b", "c", ",", "d", "e", "f", ",", "g", "."], [("abc,", 4), ("def,g.", 6)]),
        (["a", ".", "b", "c", "."], [("a.bc.", 5)]),
        # a long one may end with a comma again
        (["a", "b", "c", "."] + ["d"] * 19 + [",", "e"], [("abc.", 4), ("d" * 19 + ",", 20), ("e", 1)]),
        # not the point within a number; and a character that is not whole yet is waited for
        (["a", "b", "c", "3", ".", "5", "!"], [("abc3.5!", 7)]),
        (["a", "b", "c", "\ufffd"], [("abc", 4)]),
    ],
)
def test_a_reply_is_cut_at_the_ends_of_phrases(tokens: list[str], expected: list[tuple[str, int]]) -> None:
    assert phrases(tokens) == expected


def test_an_endless_reply_is_cut() -> None:
    ((phrase, tokens),) = phrases(["a"] * 1000)
    assert len(phrase) == tokens == MOST_TOKENS + 1
