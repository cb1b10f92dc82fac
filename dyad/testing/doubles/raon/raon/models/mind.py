"""What stands in for the network: ears, a wish for the next token, a voice, and a codec."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import torch

from ..utils.processor import FIRST_WORD, WORDS
from ..utils.state_machine import BC, GO_ON, ONSET, SIL, DuplexMachineState, DuplexPhase

FRAME, RATE, GROUPS, CARD = 1_920, 24_000, 8, 2_048
VOCABULARY = 151_680
LOUD = 0.02  # root mean square from which a frame is speech
TURN, PAUSE, LISTEN = 6, 4, 20  # frames: of a turn at least, of the gap after it, between two backchannels
ECHO, LEVEL = 0.25, 0.1
WANTED = 30.0  # logit of what it would do


@dataclass
class Ear:
    """The encoder's cache: what it hears it hands on one frame later, and counts speech and pauses."""

    frame: Any = field(default_factory=lambda: torch.zeros(FRAME))
    loud: int = 0  # frames of the other's turn
    quiet: int = PAUSE + 1

    def hear(self, frame: Any) -> Any:
        """Take a frame, float [1920], and return the one before it."""
        before, self.frame = self.frame, frame
        if before.square().mean().sqrt() > LOUD:
            self.loud, self.quiet = self.loud + 1, 0
        else:
            self.quiet += 1
            self.loud = self.loud if self.quiet <= PAUSE else 0
        return before


class Codec:
    """Gives every sound codes of its own, and knows them again; code 0 is silence."""

    def __init__(self) -> None:
        self._sounds = [torch.zeros(FRAME)]

    def codes(self, sound: Any) -> Any:
        """Return the codes of a sound of 1,920 samples, int64 [8]."""
        self._sounds.append(sound.detach().float().clone())
        digits = [(len(self._sounds) - 1) // CARD**group % CARD for group in range(GROUPS)]
        return torch.tensor(digits)

    def sound(self, codes: Any) -> Any:
        """Return the sound of codes, float32 [1, 1920]."""
        place = sum(int(code) * CARD**group for group, code in enumerate(codes.flatten()))
        return self._sounds[place][None]


def wishes(machine: DuplexMachineState, ear: Ear, said: int) -> Any:
    """Return logits of the next token, [VOCABULARY]: `said` words of the own turn are said."""
    logits = torch.full((VOCABULARY,), -WANTED)
    words = range(FIRST_WORD, FIRST_WORD + len(WORDS))
    if machine.phase is DuplexPhase.SIL:
        answers = ear.loud >= TURN and ear.quiet == PAUSE
        nods = ear.loud > 0 and ear.loud % LISTEN == 0
        logits[ONSET if answers else SIL] = WANTED
        if nods:
            logits[BC] = WANTED  # as likely as silence
    elif machine.context in (ONSET, BC):
        logits[words] = WANTED
    elif said < 0:  # a backchannel, which one word is
        logits[SIL] = WANTED
    else:
        logits[SIL] = WANTED if said >= 2 else -WANTED
        logits[words] = WANTED - 1.0 if machine.context else -WANTED
        logits[GO_ON if machine.context else ONSET] = WANTED
    return logits


def voice(frame: int, hz: float) -> Any:
    """Return frame number `frame` of a steady voice, float32 [1920]."""
    at = torch.arange(frame * FRAME, (frame + 1) * FRAME, dtype=torch.float64)
    return (LEVEL * torch.sin(2 * math.pi * hz / RATE * at)).float()
