"""The grid of a system prompt: what stands where. That it is the reference's is shown by test_golden."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")

from dyad.agents.moshi.architecture import DELAYS  # noqa: E402
from dyad.agents.moshi.engine.lengths import SPACER, length  # noqa: E402
from dyad.agents.moshi.engine.prefix import FREE  # noqa: E402
from dyad.agents.moshi.engine.system_prompt import (  # noqa: E402
    NO_VOICE,
    SILENCE,
    SINE,
    Voice,
    prompted,
    system_prompt,
)  # fmt: skip
from dyad.agents.moshi.engine.words import PAD  # noqa: E402

CARD, TEXT_CARD = 2048, 32_000
INITIAL = torch.tensor([TEXT_CARD, *[CARD] * 16])


def voice(frames: int, card: int = CARD) -> Voice:
    own = torch.randint(0, card, (8, frames), generator=torch.Generator().manual_seed(frames))
    return Voice(prompted(own, torch.full((frames,), PAD), card))


@given(frames=st.integers(0, 12), tokens=st.lists(st.integers(0, TEXT_CARD - 1), max_size=12))
def test_text_and_codes_stand_where_they_are_said(frames: int, tokens: list[int]) -> None:
    spoken, total = voice(frames), length(frames, len(tokens))
    prefix = system_prompt(INITIAL, DELAYS, spoken, tokens)
    own = torch.cat([spoken.codes, SILENCE[:, None].expand(-1, total - frames)], 1)
    text = [*[PAD] * (frames + SPACER), *tokens, *[PAD] * SPACER]
    assert prefix.length == total - 1
    assert prefix.grid[0].tolist() == [TEXT_CARD, *text[1:]]
    assert prefix.grid[1].tolist() == [CARD, *own[0, 1:].tolist()]
    for k in range(1, 8):
        assert prefix.grid[1 + k].tolist() == [CARD, CARD, *own[k, 1:-1].tolist()]
        assert prefix.grid[9 + k].tolist() == [CARD, CARD, *[int(SINE[k])] * (total - 2)]
    assert prefix.user.tolist() == SINE.tolist()
    assert prefix.own.tolist() == [FREE, *SILENCE[1:].tolist()]
    assert prefix.embeddings is None


def test_an_empty_prompt_is_two_pauses() -> None:
    prefix = system_prompt(INITIAL, DELAYS, NO_VOICE, [])
    assert prefix.length + 1 == length(0, 0) == 12
    assert prefix.grid[0, 1:].tolist() == [PAD] * 11


def test_embeddings_go_along() -> None:
    told = Voice(voice(4).frames, torch.ones(3, 16))
    assert system_prompt(INITIAL, DELAYS, told, [7]).embeddings is told.embeddings


def test_a_model_with_few_codes_is_given_no_others() -> None:
    initial = torch.tensor([48, *[64] * 16])
    prefix = system_prompt(initial, DELAYS, voice(3, 64), [1, 2])
    assert prefix.grid.max() <= 64
    assert prefix.own.max() < 64
    assert prefix.user.max() < 64
