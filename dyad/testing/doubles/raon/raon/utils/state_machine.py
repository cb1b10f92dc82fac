"""The two phases, and which token may follow which."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from .special_tokens import (
    ALL_SPECIAL_TOKENS,
    AUDIO_INPUT_PLACEHOLDER,
    AUDIO_OUTPUT_BC,
    AUDIO_OUTPUT_END_PAD,
    AUDIO_OUTPUT_PAD,
    AUDIO_OUTPUT_PLACEHOLDER,
    DUPLEX_SIL,
)

SIL, ONSET, BC, GO_ON = DUPLEX_SIL.id, AUDIO_OUTPUT_END_PAD.id, AUDIO_OUTPUT_BC.id, AUDIO_OUTPUT_PAD.id
HEARD, SAID = AUDIO_INPUT_PLACEHOLDER.id, AUDIO_OUTPUT_PLACEHOLDER.id
STRUCTURE = {token.id for token in ALL_SPECIAL_TOKENS}


class DuplexPhase(enum.Enum):
    """Silence or speech."""

    SIL = "SIL"
    SPEECH = "SPEECH"


@dataclass
class DuplexMachineState:
    """A phase, and the tokens of the last frame: heard, said, and one between them where there is one."""

    phase: DuplexPhase
    last_frame_tokens: list[int]

    @property
    def num_input_tokens(self) -> int:
        """How many tokens the last frame has."""
        return len(self.last_frame_tokens)

    @property
    def context(self) -> int | None:
        """The token of the last frame that is neither what was heard nor what was said."""
        return self.last_frame_tokens[1] if len(self.last_frame_tokens) == 3 else None


def may_follow(state: DuplexMachineState, token: int) -> bool:
    """Say whether upstream's mask leaves a token as the next of a state."""
    if state.phase is DuplexPhase.SIL:
        return token in (SIL, ONSET, BC)
    if state.context in (ONSET, BC):
        return token not in STRUCTURE
    return token in (SIL, ONSET, GO_ON) or (state.context is not None and token not in STRUCTURE)


def transition(state: DuplexMachineState, token: int) -> DuplexMachineState:
    """Return the state after a token."""
    if token == SIL:
        return DuplexMachineState(DuplexPhase.SIL, [HEARD, SAID])
    between = [] if token == GO_ON else [token]
    return DuplexMachineState(DuplexPhase.SPEECH, [HEARD, *between, SAID])
