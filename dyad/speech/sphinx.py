"""PocketSphinx: cheap streaming guesses per tick, whole-utterance recognition, and word alignment.

A decoder for a grammar holds only the grammar's words (about 10 ms and 3 MB each); a decoder with the
language model holds the whole dictionary (about 0.3 s and 60 MB each).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from .engines import need
from .pronounce import pronunciations, spoken
from .types import Floats

RATE = 16_000
MAX_PHRASES = 2_000
_FRAME = RATE // 100
_EARLY = RATE * 45 // 1000  # the decoder's words lie 45 ms before their sound; measured on synthetic speech
_FILLER = re.compile(r"[<\[(+]")
_VARIANT = re.compile(r"\(\d+\)$")  # `word(2)` is the second pronunciation of `word`

Place = tuple[int, int]
Timed = tuple[str, int, int]


class PartialsSphinx:
    """Streaming recogniser of one row (`types.Partials`).

    `phrases`: sentences and names that may be said, in any order and number; None takes the package's
    general English language model, which is slower and mishears names.
    """

    def __init__(self, phrases: Sequence[str] | None = None) -> None:
        self._make = _free_decoder if phrases is None else partial(_grammar_decoder, tuple(phrases))
        self._decoder = self._make()
        self._open, self._text = False, ""

    def feed(self, pcm16k: Floats) -> str:
        """Hear samples at 16 kHz (a tick is 1,280) and return the best text so far."""
        if not self._open:
            self._decoder.start_utt()
            self._open, self._text = True, ""
        self._decoder.process_raw(_int16(pcm16k))
        self._text = _best(self._decoder) or self._text
        return self._text

    def end(self) -> str:
        """Close the utterance and return its text; the next `feed` starts a new one."""
        if not self._open:
            return ""
        self._decoder.end_utt()
        self._open = False
        # A cut sentence may not reach the end of any phrase; then the last partial is the best there is.
        return _best(self._decoder) or self._text

    def reset(self) -> None:
        """Forget everything, so a row repeats bit for bit.

        A new decoder is the only sure way: means, noise estimate and search keep traces of what was heard.
        """
        self._decoder = self._make()
        self._open, self._text = False, ""


def free_recogniser() -> Callable[[Floats], list[Timed]]:
    """Return a recogniser of one channel's utterances: (word, start, end) in samples at 16 kHz.

    It uses the language model and carries traces from one utterance to the next, so a result that must
    repeat takes a new one (0.3 s).
    """
    decoder = _free_decoder()

    def recognise(pcm16k: Floats) -> list[Timed]:
        _hear_whole(decoder, pcm16k)
        found = _segments(decoder)
        places = _shift([(start, end) for _, start, end in found], len(pcm16k))
        return [(_VARIANT.sub("", word), *at) for (word, _, _), at in zip(found, places, strict=True)]

    return recognise


def align(pcm16k: Floats, words: Sequence[str]) -> list[Place] | None:
    """Find where each known word lies in an utterance: [start, end) in samples at 16 kHz, or None.

    Punctuation and numbers are understood. A token that is not spoken gets an empty place after the word
    before it.
    """
    parts = [spoken(word) for word in words]
    said = [part for token in parts for part in token]
    if not said or len(pcm16k) < 10 * _FRAME:
        return None
    decoder = _align_decoder()
    _add_words(decoder, said)
    decoder.set_align_text(" ".join(said))
    _hear_whole(decoder, pcm16k)
    places = [(start, end) for _, start, end in _segments(decoder)]
    if len(places) != len(said):
        return None
    return _per_token(_shift(places, len(pcm16k)), [len(token) for token in parts])


def _shift(places: Iterable[Place], samples: int) -> list[Place]:
    return [(min(start + _EARLY, samples), min(end + _EARLY, samples)) for start, end in places]


def _per_token(places: Sequence[Place], counts: Sequence[int]) -> list[Place]:
    """Join the places of a token's words: `counts[i]` words belong to token i."""
    joined: list[Place] = []
    at, last = 0, places[0][0]
    for count in counts:
        first = places[at][0] if count else last
        last = places[at + count - 1][1] if count else last
        joined.append((first, last))
        at += count
    return joined


def _grammar_decoder(phrases: Sequence[str]) -> Any:
    sentences = _sentences(phrases)
    decoder = _bare_decoder()
    _add_words(decoder, [word for sentence in sentences for word in sentence])
    decoder.add_fsg("phrases", decoder.create_fsg("phrases", 0, 0, _prefix_tree(sentences)))
    decoder.activate_search("phrases")
    return decoder


def _prefix_tree(sentences: Sequence[tuple[str, ...]]) -> list[tuple[int, int, float, str]]:
    """Return the arcs (from, to, probability, word) of a loop over equally likely sentences.

    Sentences share their beginnings, which is what keeps large grammars cheap; each ends where all start.
    """
    arcs: dict[tuple[int, str, bool], int] = {}
    through: Counter[tuple[int, str, bool]] = Counter()
    passing = Counter({0: len(sentences)})
    for sentence in sentences:
        state = 0
        for k, word in enumerate(sentence, start=1):
            ends = k == len(sentence)
            arc = (state, word, ends)
            state = arcs.setdefault(arc, 0 if ends else len(arcs) + 1)
            through[arc] += 1
            if not ends:
                passing[state] += 1
    return [(arc[0], to, through[arc] / passing[arc[0]], arc[1]) for arc, to in arcs.items()]


def _sentences(phrases: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the distinct word sequences of phrases, at most MAX_PHRASES, in order; never none."""
    known = dict.fromkeys(tuple(spoken(phrase)) for phrase in phrases)
    known.pop((), None)
    return list(known)[:MAX_PHRASES] or [("okay",)]


def _bare_decoder(**options: int) -> Any:
    # The package's whole dictionary would cost 27 MB in each row; words are added as they are needed.
    sphinx = need("pocketsphinx")
    return sphinx.Decoder(loglevel="FATAL", lm=None, dict=None, fwdflat=False, bestpath=False, **options)


def _free_decoder() -> Any:
    sphinx = need("pocketsphinx")
    decoder = sphinx.Decoder(loglevel="FATAL", lm=None, fwdflat=False, bestpath=False)
    decoder.add_lm("english", _language_model())
    decoder.activate_search("english")
    return decoder


def _add_words(decoder: Any, words: Iterable[str]) -> None:
    for word in dict.fromkeys(words):
        if decoder.lookup_word(word) is None:
            for k, phones in enumerate(pronunciations(word), start=1):
                decoder.add_word(word if k == 1 else f"{word}({k})", phones, False)


def _hear_whole(decoder: Any, pcm16k: Floats) -> None:
    decoder.reinit_feat()  # or the noise estimate of what was heard before would move words
    decoder.start_utt()
    decoder.process_raw(_int16(pcm16k), full_utt=True)
    decoder.end_utt()


def _segments(decoder: Any) -> list[Timed]:
    found = decoder.seg() or ()
    return [
        (s.word, s.start_frame * _FRAME, (s.end_frame + 1) * _FRAME)
        for s in found
        if not _FILLER.match(s.word)
    ]


def _best(decoder: Any) -> str:
    hypothesis = decoder.hyp()
    return str(hypothesis.hypstr) if hypothesis else ""


def _int16(pcm: Floats) -> bytes:
    return (np.clip(pcm, -1, 1) * 32767).astype(np.int16).tobytes()


@cache
def _language_model() -> Any:
    sphinx, decoder = need("pocketsphinx"), _bare_decoder()
    path = sphinx.get_model_path("en-us/en-us.lm.bin")
    return sphinx.NGramModel(decoder.config, decoder.logmath, path)


@cache
def _align_decoder() -> Any:
    return _bare_decoder(topn=2)  # half of the Gaussians: a third cheaper, and known words lie where they lay
