"""The embedded aligner: PocketSphinx with its dictionary and letter-to-sound rules for English."""

from __future__ import annotations

from collections.abc import Sequence

from dyad.hear.pack import Place
from dyad.speech.sphinx import align
from dyad.speech.types import Floats


def align_pieces(pieces: Sequence[tuple[Floats, Sequence[str]]]) -> list[list[Place] | None]:
    """Return the place of each word of each utterance at 16 kHz, in samples; None where that failed."""
    return [align(pcm, words) for pcm, words in pieces]
