"""The stage `hear`: a recording's audio in, sidecar records out. Pure; the caller reads and writes files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dyad.audio import Pcm
from dyad.spec import Segment, Word

from .asr import check_asr, transcribe
from .vad import segments, vad_setting


def check_hear(vads: Sequence[str], asrs: Sequence[str]) -> None:
    """Raise ConfigError unless all named settings exist and all recognisers are installed."""
    for vad in vads:
        vad_setting(vad)
    for asr in asrs:
        check_asr(asr)


def hear_run(
    pcm: Pcm, vads: Sequence[str], asrs: Sequence[str], hotwords: Sequence[str] = ()
) -> Mapping[str, Sequence[Segment | Word]]:
    """Return a run's sidecars, file name → records, from int16 [2, N] at 24 kHz.

    Names are `segments/<vad>.jsonl` and `words/<asr>.jsonl`; the ASR `none` gives no file.
    """
    check_hear(vads, asrs)
    heard: dict[str, Sequence[Segment | Word]] = {}
    for vad in vads:
        heard[f"segments/{vad}.jsonl"] = segments(pcm, vad_setting(vad))
    for asr in asrs:
        if asr != "none":
            heard[f"words/{asr}.jsonl"] = transcribe(pcm, asr, hotwords)
    return heard
