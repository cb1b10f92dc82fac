"""Faults of the authors' scripts (@d7336bd) that `compat` reproduces; each can be switched off alone."""

from __future__ import annotations

from collections.abc import Mapping

from . import acoustics, significance, timing

V1: dict[str, str] = {
    "bc_tor_last_wins": "backchannel: the last segment of speech decides whether the model took the turn",
    "bc_counts_turns": "backchannel: segments of up to 3 s count as backchannels, turns among them",
    "vad_sr_16k": "backchannel: the VAD takes a file of any rate for one at 16 kHz",
    "rating_counted_twice": "interruption: every rating is counted twice",
    "tor_retry_inflation": "interruption: a reply of the judge that cannot be read is one more takeover",
}

# Of all versions: what a command may name.
FLAGS: dict[str, str] = {**V1, **timing.FLAGS, **acoustics.FLAGS, **significance.FLAGS}


def is_on(flags: Mapping[str, bool], name: str) -> bool:
    """Whether a fault of v1.0 is reproduced, as it is unless switched off. KeyError for an unknown name."""
    if name not in V1:
        raise KeyError(name)
    return flags.get(name, True)
