"""Whisper with a short context, utterance by utterance.

Times come from forced alignment, never from Whisper: its own word times err by up to seconds after a pause.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from functools import partial

from dyad.errors import ConfigError
from dyad.hear.ears import RATE, Ears, Setting
from dyad.hear.pack import Pack, Place
from dyad.hear.utterances import packs_of
from dyad.speech.engines import need
from dyad.speech.places import proportional, speakable, spread, tokens_of
from dyad.speech.sphinx import align
from dyad.speech.types import Floats
from dyad.speech.vad import BLOCK
from dyad.speech.weights import need_whisper
from dyad.speech.whisper import Heard, Whisper
from dyad.speech.words import Chunk
from dyad.text import CJK

from .parts import Placed, by_track, need_silero_and_sphinx, placed

# Whisper's cheapest context holds 8 s of speech. Short ones stay alone: in a pack Whisper leaves out some of
# them ("Mm-hmm."), and a word of a neighbour would be placed there.
_ALONE, _PACKED = 14 * BLOCK, 100 * BLOCK


def check_language(model_dir: str, lang: str) -> None:
    """Raise ConfigError unless there is a Whisper that knows a language."""
    model = need_whisper(model_dir)
    if lang != "en" and not model.multilingual:
        raise ConfigError(
            f"the Whisper model in '{model.folder}' knows English, not '{lang}'; set another asr.model_dir"
        )


def named_weights(model_dir: str) -> str:
    """Return the digest of weights whose folder is named, else nothing.

    Without a folder the weights that are found count as one and the same, so that a machine without the
    speech parts still finds the words of another.
    """
    named = model_dir or os.environ.get("DYAD_WHISPER_DIR", "")
    return need_whisper(named).sha256 if named else ""


def _check(setting: Setting) -> None:
    need_silero_and_sphinx()
    need("ctranslate2")
    need("tokenizers")
    check_language(setting.model_dir, setting.lang)


def _hear(tracks: Sequence[Floats], setting: Setting) -> list[list[Chunk]]:
    whisper = Whisper(need_whisper(setting.model_dir).folder, setting.lang)
    in_language = _in_english if setting.lang == "en" else _in_other
    return by_track(in_language(packs_of(tracks), whisper, setting.hotwords), len(tracks))


def _in_english(channels: Sequence[Pack], whisper: Whisper, hotwords: Sequence[str]) -> list[Placed]:
    packs = [part for channel in channels for part in channel.parts(_ALONE, _PACKED)]
    return _in_packs(packs, partial(whisper.hear_all, hint=", ".join(hotwords)))


def _in_other(channels: Sequence[Pack], whisper: Whisper, hotwords: Sequence[str]) -> list[Placed]:
    """Hear each utterance alone and spread its words over its sound: the aligner knows English only."""
    packs = [pack for channel in channels for pack in channel.alone()]
    hint = f"{'、'.join(hotwords)}。" if any(map(CJK.search, hotwords)) else ", ".join(hotwords)
    found: list[Placed] = []
    for pack, heard in zip(packs, whisper.hear_all([pack.pcm for pack in packs], hint), strict=True):
        words = [word for word in tokens_of(heard.text) if speakable(word)] if heard.speech else []
        found += placed(pack, words, spread(words, pack.pcm, RATE), _confidence(heard))
    return found


def _in_packs(packs: Sequence[Pack], hear_all: Callable[[list[Floats]], list[Heard]]) -> list[Placed]:
    """Hear all packs, and the utterances of a doubtful pack once more, each alone."""
    found: list[Placed] = []
    again: list[Pack] = []
    for pack, heard in zip(packs, hear_all([pack.pcm for pack in packs]), strict=True):
        words = [word for word in heard.text.split() if speakable(word)] if heard.speech else []
        places = _places(pack, words)
        if len(pack.spans) > 1 and doubtful(words, pack.holders(places), len(pack.spans)):
            again += pack.alone()
        else:
            found += placed(pack, words, places, _confidence(heard))
    return found + (_in_packs(again, hear_all) if again else [])


def doubtful(words: Sequence[str], holders: Sequence[int], utterances: int) -> bool:
    """Whether words seem to be placed in the wrong utterance of a pack; `holders[i]` is where word i lies.

    Where Whisper leaves something out, the aligner fills the hole with the nearest word: an utterance has no
    word, or a single word lies apart from the rest of its sentence.
    """
    if len(set(holders)) < utterances:
        return True
    ends = [word[-1] in ".?!…" for word in words]
    firsts = [i for i in range(1, len(words)) if holders[i] != holders[i - 1]]
    return any(not ends[i - 1] and (ends[i] or i == 1 or ends[i - 2]) for i in firsts)


def _places(pack: Pack, words: Sequence[str]) -> list[Place]:
    """Place words by forced alignment; where that fails in a single utterance, by their length."""
    places = align(pack.pcm, words) if words else None
    if places is None and len(pack.spans) == 1:
        return proportional(words, len(pack.pcm))
    return places or []


def _confidence(heard: Heard) -> float:
    return round(math.exp(heard.logprob), 3)


EARS = Ears(
    name="whisper",
    about="Whisper as packaged, with times from forced alignment in English",
    hear=_hear,
    check=_check,
    key=lambda setting: [named_weights(setting.model_dir)],
    method=2,
)
