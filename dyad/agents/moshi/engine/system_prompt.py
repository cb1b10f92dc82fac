"""What PersonaPlex lives through before a conversation: a voice, then its role as text, and a pause each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .context import laid_out
from .lengths import SPACER, length
from .prefix import Prefix
from .words import PAD

# One frame in the codes of the released Mimi, as PersonaPlex was trained with them (NVIDIA's personaplex).
SILENCE = torch.tensor([948, 243, 1178, 546, 1736, 1030, 1978, 2008])  # what the agent says in a pause
SINE = torch.tensor([430, 1268, 381, 1611, 1095, 1495, 56, 472])  # what its user says: 440 Hz at half scale


@dataclass(frozen=True)
class Voice:
    """A voice of T frames, as a system prompt begins with it.

    frames: int64 [17, T], text, own and user codes. embeddings: float [T - 1, dim] or None; a voice file
    has them in place of all frames but the last, and those frames are zeros wherever the file doesn't say.
    """

    frames: Tensor
    embeddings: Tensor | None = None

    @property
    def codes(self) -> Tensor:
        """What the voice says: int64 [8, T]."""
        return self.frames[1 : 1 + len(SILENCE)]


NO_VOICE = Voice(torch.zeros(1 + len(SILENCE) + len(SINE), 0, dtype=torch.long))


def prompted(own: Tensor, text: Tensor, card: int) -> Tensor:
    """Return the frames int64 [17, T] in which an agent says `own` [8, T] and `text` [T] to a prompter.

    card: codes that the model knows; models with random weights may know fewer than the constants need.
    """
    return torch.cat([text[None], own, (SINE % card)[:, None].expand(-1, len(text))])


def system_prompt(initial: Tensor, delays: Sequence[int], voice: Voice, tokens: Sequence[int]) -> Prefix:
    """Return the prefix that NVIDIA's personaplex leaves behind after its system prompts, token for token.

    initial: int64 [17], start tokens; the last one is also the number of codes. delays: 0 or 1 per stream.
    The hand-over call returns the last silent frame; the call after it is the first to hear a partner.
    """
    card = int(initial[-1])
    text = torch.full((length(0, len(tokens)),), PAD)
    text[SPACER : SPACER + len(tokens)] = torch.tensor(tokens, dtype=torch.long)
    quiet = prompted((SILENCE % card)[:, None].expand(-1, len(text)), text, card)
    frames = torch.cat([voice.frames, quiet], 1).to(initial.device)
    return laid_out(initial, delays, frames, voice.embeddings)
