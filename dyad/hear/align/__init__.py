"""Forced alignment: where the words that an engine heard lie in the sound.

By utterance, and by an aligner that the study chooses; where it fails, the engine's own times stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from pydantic import Field

from dyad.errors import ConfigError
from dyad.hear.ears import RATE
from dyad.hear.pack import Pack, Place
from dyad.hear.utterances import packs_of
from dyad.spec.base import Frozen
from dyad.speech.engines import file_sha256
from dyad.speech.places import tokens_of
from dyad.speech.types import Floats
from dyad.speech.words import Chunk

from . import ctc, mfa
from .sphinx import align_pieces as by_sphinx

Piece = tuple[Floats, Sequence[str]]  # an utterance at 16 kHz, and its words
Places = list[list[Place] | None]  # of each piece's words, in samples; None where alignment failed


class AlignSettings(Frozen):
    """Which aligner: none (the engine's own times), sphinx (English), mfa or ctc.

    mfa: `dictionary` and `acoustic_model` as `mfa align` takes them. ctc: `model_dir`, a folder with a CTC
    model and its processor as transformers saves them.
    """

    by: Literal["none", "sphinx", "mfa", "ctc"] = "none"
    dictionary: str = Field(default="", max_length=300)
    acoustic_model: str = Field(default="", max_length=300)
    model_dir: str = ""


class _Words(NamedTuple):
    """The words of a channel that lie in one utterance, by their number in the channel."""

    row: int
    pack: Pack
    numbers: list[int]


def check_aligner(setting: AlignSettings, lang: str) -> None:
    """Raise ConfigError unless an aligner is there and knows a language."""
    if setting.by == "sphinx" and lang != "en":
        raise ConfigError(f"asr.params.align.by=sphinx aligns English only, not '{lang}'; use mfa or ctc")
    if setting.by == "mfa":
        mfa.check(setting.dictionary, setting.acoustic_model)
    if setting.by == "ctc":
        ctc.check(setting.model_dir)


def aligner_key(setting: AlignSettings) -> list[str]:
    """Return what names an aligner's words apart; a model's folder counts by what it holds."""
    if setting.by == "none":
        return []
    weights = file_sha256(ctc.weights_of(setting.model_dir)) if setting.by == "ctc" else ""
    return [setting.by, setting.dictionary, setting.acoustic_model, weights]


def align_words(track16k: Floats, words: Sequence[Chunk], lang: str, by: AlignSettings) -> list[Chunk]:
    """Return the words of one channel, float32 [N] at 16 kHz, with times by an aligner."""
    return aligned([track16k], [words], by, lang)[0]


def aligned(
    tracks: Sequence[Floats], heard: Sequence[Sequence[Chunk]], by: AlignSettings | None, lang: str
) -> list[list[Chunk]]:
    """Return the words of several channels with times by an aligner, which is called once for all."""
    found = [list(words) for words in heard]
    if by is None or by.by == "none" or not any(found):
        return found
    check_aligner(by, lang)
    groups = list(chain.from_iterable(_by_utterance(p, found[p.row]) for p in packs_of(tracks)))
    pieces = [(group.pack.pcm, [found[group.row][n].text for n in group.numbers]) for group in groups]
    for group, places in zip(groups, _aligner(by)(pieces), strict=True):
        for number, (a, b) in zip(group.numbers, group.pack.in_track(places or []), strict=False):
            found[group.row][number] = found[group.row][number]._replace(start=a / RATE, end=b / RATE)
    return [sorted(words, key=lambda word: word.start or 0.0) for words in found]


def _aligner(by: AlignSettings) -> Callable[[Sequence[Piece]], Places]:
    if by.by == "mfa":
        return lambda pieces: mfa.align_pieces(pieces, by.dictionary, by.acoustic_model)
    if by.by == "ctc":
        return lambda pieces: ctc.align_pieces(pieces, by.model_dir)
    return by_sphinx


def _by_utterance(channel: Pack, words: Sequence[Chunk]) -> list[_Words]:
    """Give each word to the utterance that is nearest to its middle; those without a start have none."""
    packs = channel.alone()
    groups = [_Words(channel.row, pack, []) for pack in packs]
    for number, word in enumerate(words):
        if word.start is not None and groups:
            middle = (word.start + (word.start if word.end is None else word.end)) / 2 * RATE
            groups[_nearest(packs, middle)].numbers.append(number)
    return [group for group in groups if group.numbers]


def _nearest(packs: Sequence[Pack], at: float) -> int:
    far = [max(pack.spans[0, 0] - at, at - pack.spans[0, 1], 0.0) for pack in packs]
    return far.index(min(far))


def single_tokens(words: Sequence[Chunk]) -> list[Chunk]:
    """Split words of a script without spaces into its characters, which share the time evenly."""
    return [part for word in words for part in _parts(word)]


def _parts(word: Chunk) -> list[Chunk]:
    tokens = tokens_of(word.text)
    if len(tokens) < 2 or word.start is None or word.end is None:
        return [word]
    step = (word.end - word.start) / len(tokens)
    starts = [word.start + k * step for k in range(len(tokens) + 1)]
    return [word._replace(text=s, start=starts[k], end=starts[k + 1]) for k, s in enumerate(tokens)]
