"""What is said in the stimuli: one file per set, original texts, released under CC0-1.0."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from dyad.library.source import read_yaml, validate
from dyad.spec import Frozen
from dyad.spec.suite import Kind

SETS = (  # v1.0, then v1.5; each name ends like that of the official set which it stands for
    "mini_pause_handling",
    "mini_backchannel",
    "mini_turn_taking",
    "mini_user_interruption",
    "mini_overlap_user_interruption",
    "mini_overlap_user_backchannel",
    "mini_overlap_talking_to_other",
    "mini_overlap_background_speech",
)
TURNS: dict[Kind, int] = {"pause": 2, "backchannel": 4, "turn_taking": 1, "interruption": 2, "overlap": 2}

Preset = Literal["heart", "bright", "light", "warm", "low", "deep"]
# Neither digits nor marks that a voice may read in several words: each token has its own place in the sound.
Line = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z' ,.?!]*[.,?!]$")]
Gap = Annotated[float, Field(ge=0.2, le=10)]


class Distance(Frozen):
    """How the second turn of an overlap sounds, compared with a turn to the model: softer, and duller."""

    gain_db: float = Field(default=0.0, ge=-30, le=0)
    cut_hz: int | None = Field(default=None, ge=500, le=11_000)


class Item(Frozen):
    """One stimulus: its turns (the later ones by `other`, if given) and the silences between, in seconds."""

    id: int = Field(ge=0)
    voice: Preset
    other: Preset | None = None
    turns: tuple[Line, ...]
    gaps: tuple[Gap, ...] = ()

    def voice_of(self, turn: int) -> Preset:
        """Return who speaks a turn, counted from 0."""
        return self.other if turn and self.other else self.voice


class TextSet(Frozen):
    """One set: what its stimuli ask for, the silences around them in seconds, and the stimuli."""

    kind: Kind
    version: Literal["v1_0", "v1_5"]
    lead_s: float = Field(default=0.2, ge=0, le=5)
    tail_s: float = Field(ge=0, le=20)
    event: Distance = Distance()
    items: tuple[Item, ...]

    @model_validator(mode="after")
    def _whole(self) -> TextSet:
        ids = [item.id for item in self.items]
        if ids != list(range(len(ids))):
            raise ValueError("items must have the ids 0, 1, 2 …")
        for item in self.items:
            if len(item.turns) != TURNS[self.kind] or len(item.gaps) != len(item.turns) - 1:
                raise ValueError(
                    f"item {item.id} must have {TURNS[self.kind]} turns, and a gap between each two"
                )
        return self


def load_set(name: str) -> TextSet:
    """Read one of `SETS`."""
    return validate(read_yaml(Path(__file__).parent / "texts" / f"{name}.yaml"), TextSet)
