"""Tokens of NVIDIA's own personaplex on tiny weights, from a row in the middle of a busy batch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")

from dyad.agents.moshi.architecture import Architecture  # noqa: E402
from dyad.agents.moshi.engine.lengths import length  # noqa: E402
from dyad.agents.moshi.engine.prefix import FREE, Prefix, no_prefix  # noqa: E402
from dyad.agents.moshi.engine.rows import Rows  # noqa: E402
from dyad.agents.moshi.engine.sampling import GREEDY, Sampling  # noqa: E402
from dyad.agents.moshi.engine.system_prompt import Voice, prompted, system_prompt  # noqa: E402
from dyad.agents.moshi.engine.voices import read_voice  # noqa: E402
from dyad.agents.moshi.engine.weights import read_lm  # noqa: E402
from dyad.agents.moshi.engine.words import PAD  # noqa: E402

GOLDEN = Path(__file__).parents[2] / "golden" / "personaplex_tiny"
TOLD = json.loads((GOLDEN / "tokens.json").read_text("utf-8"))
USER = torch.tensor(TOLD["user_codes"])  # [8, 30]
ROW = 1  # of three


@pytest.fixture(scope="module")
def lm() -> Any:
    """The agent's half of the reference's weights, in float32."""
    shape = Architecture.model_validate(TOLD["lm_kwargs"])
    return read_lm(GOLDEN / "model.safetensors", shape, "cpu", torch.float32)


def initial(lm: Any) -> Any:
    return lm._get_initial_token()[0, :, 0]


def said_voice(lm: Any) -> Voice:
    own = torch.tensor(TOLD["voice_codes"])
    return Voice(prompted(own, torch.full((own.shape[1],), PAD), lm.card))


def filed_voice(lm: Any) -> Voice:
    return read_voice((GOLDEN / "voice.pt").read_bytes(), "voice.pt", lm)


def play(lm: Any, prefix: Prefix, user: Any) -> list[list[int]]:
    """Return what the row gives: in its hand-over call, then in one call per frame of `user` [8, F].

    Its neighbours, one sampled and one with another prompt, are ahead of it and hear other things.
    """
    rows, noise = Rows(lm, 3, 128), torch.Generator().manual_seed(5)
    rows.start(0, no_prefix(initial(lm)), 7, Sampling())
    rows.start(2, system_prompt(initial(lm), lm.delays, said_voice(lm), [9, 8]), 0, GREEDY)
    for _ in range(5):
        rows.step(torch.randint(0, 2048, (3, 8), generator=noise))
    rows.start(ROW, prefix, 0, GREEDY)
    returned = []
    for call in range(1 + user.shape[1]):
        heard = torch.randint(0, 2048, (3, 8), generator=noise)
        own = torch.full((3, 8), FREE)
        heard[ROW] = user[:, call - 1] if call else prefix.user
        own[ROW] = FREE if call else prefix.own
        returned.append(rows.step(heard, own=own)[ROW].tolist())
    return returned


def test_plain(lm: Any) -> None:
    """The reference drops its first frame and returns everything one call later."""
    theirs = TOLD["out_plain"]
    ours = play(lm, no_prefix(initial(lm)), USER[:, 1:-1])
    assert theirs[:2] == [None, None]
    assert ours[0] == [FREE] * 9
    assert len(theirs) == 30
    assert ours[1:] == theirs[2:]


def test_prompted(lm: Any) -> None:
    tokens, theirs = TOLD["text_tokens"], TOLD["out_prompted"]
    prefix = system_prompt(initial(lm), lm.delays, said_voice(lm), tokens)
    assert prefix.length + 1 == length(len(TOLD["voice_codes"][0]), len(tokens))
    assert len(theirs) == 25
    assert play(lm, prefix, USER[:, :24]) == theirs


def test_from_a_voice_file(lm: Any) -> None:
    voice = filed_voice(lm)
    prefix = system_prompt(initial(lm), lm.delays, voice, TOLD["text_tokens"])
    assert len(TOLD["out_from_pt"]) == 25
    assert play(lm, prefix, USER[:, :24]) == TOLD["out_from_pt"]


def test_a_voice_file_holds_the_end_of_its_voice(lm: Any) -> None:
    """Of its last frame everything, of the one before the acoustic codes that stand beside it."""
    told, said = filed_voice(lm), said_voice(lm)
    assert torch.equal(told.frames[:, -2:], said.frames[:, -2:])
    theirs = system_prompt(initial(lm), lm.delays, told, [])
    ours = system_prompt(initial(lm), lm.delays, said, [])
    kept = len(told.embeddings)
    assert torch.equal(theirs.grid[:, kept:], ours.grid[:, kept:])
    embedded = Rows(lm, 1, 64).embed(ours.grid[:, :kept].T)
    torch.testing.assert_close(embedded, told.embeddings, atol=1e-5, rtol=0)


def test_the_prompt_matters(lm: Any) -> None:
    tokens = [*TOLD["text_tokens"][:-1], 5]
    prefix = system_prompt(initial(lm), lm.delays, said_voice(lm), tokens)
    assert play(lm, prefix, USER[:, :24]) != TOLD["out_prompted"]
