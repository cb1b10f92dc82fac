"""BayLing-Duplex in its own interpreter: ten tokens heard, five written, ten spoken, every 800 ms.

Upstream makes tokens of whole files, in segments of 30 s. Here the segment that grows is made into tokens
anew with every block, and those of the new block are taken: past tokens stay as the model knows them, and the
segments are upstream's. The tokenizer looks ahead where it can, so tokens may differ from those that it would
have found in the whole file.

The vocoder fades each call's first 5 tokens into the last 5 of the call before, which it had held back, so
every call repeats them. What comes out lags by that, and is cut to the length of a block.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from dyad.host.worker import RATE, Floats, Line, Said, Units

MODEL, TOKENIZER, DECODER = (
    "BayLing-Models/BayLing-Duplex",
    "zai-org/glm-4-voice-tokenizer",
    "zai-org/glm-4-voice-decoder",
)
RATE_IN, RATE_OUT = 16_000, 22_050
BLOCK_IN, BLOCK_OUT = 12_800, 17_640  # samples of 800 ms
SEGMENT = 30 * RATE_IN  # samples that the tokenizer takes at once
OVERLAP = 5  # tokens that two calls of the vocoder share
LATE = 9_045  # samples of a call of the vocoder that belong to the block before
TEXT_STEP = 160 * RATE // 1000  # samples at 24 kHz: five text tokens share a block
FOREVER = 1 << 30  # replies, after which upstream would stop
LONGEST = 4  # tokens that one character may be spread over


class Model:
    """Upstream's model; what it knows of a row is in the row's state, and in its vocoder by a name."""

    def __init__(self, options: dict[str, Any], device: str) -> None:
        from bayling_duplex import BayLingDuplex  # type: ignore[import-not-found]

        folders = options["weights"]
        self.upstream = BayLingDuplex(
            model_path=folders[MODEL],
            speech_tokenizer_path=folders[TOKENIZER],
            decoder_path=folders[DECODER],
            interleave_ratio="10:5:10",
            device=device,
        )
        self.sampling = {name: options[name] for name in ("temperature", "top_p", "silence_penalty")}
        self._opened = 0

    def open(self, prompt: str, voice: str, seed: int, opens: bool) -> Row:
        """Start a row; the model is told nothing."""
        self._opened += 1
        return Row(self, f"row-{self._opened}")

    def numerics(self) -> dict[str, str]:
        """Return what could change the last bits."""
        import torch

        place = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
        return {"torch": torch.__version__, "device": place}

    def tokens(self, audio: Floats) -> list[int]:
        """Return the tokens of float32 [n ≤ 480000] at 16 kHz, 12.5 a second."""
        import torch

        found, _ = self.upstream.tokenize_audio((torch.from_numpy(audio)[None], RATE_IN))
        return list(found)

    def sound(self, tokens: list[int], stream: str) -> Floats:
        """Return what a stream's vocoder says to more tokens, float32 [n] at 22.05 kHz."""
        speech = self.upstream.stream_tokens_to_audio(tokens, stream)
        return np.asarray(speech.float().numpy().reshape(-1)).clip(-1.0, 1.0)

    def caches(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what the vocoder holds, by stream."""
        decoder = self.upstream.decoder
        return decoder.mel_overlap_dict, decoder.hift_cache_dict


class Row:
    """One dialogue."""

    def __init__(self, model: Model, stream: str) -> None:
        """`stream` names the row in the vocoder."""
        self._model, self._stream = model, stream
        self._state = model.upstream.create_stream_state()
        self._units, self._line = Units(BLOCK_IN), Line(RATE_OUT)
        self._segment, self._known = np.zeros(0, np.float32), 0  # what is heard, and how many tokens of it
        self._last: list[int] = []  # tokens that the vocoder is to hear again
        self._letters: list[int] = []  # tokens of a character that is not whole yet

    def step(self, tick: int, heard: Floats, played: int) -> Said:
        """Return a block's sound in the tick that completes it."""
        said = Said(speaking=self._talks)
        for unit in self._units(heard):
            if not self._state.stop_requested:
                said = self._block(unit, tick, played)
        said.finished = self._state.stop_requested
        return said

    def save(self) -> tuple[dict[str, Any], list[Any]]:
        """Return a copy of everything that is this row's."""
        own = {key: value for key, value in vars(self).items() if key not in ("_model", "_stream")}
        return copy.deepcopy((own, [cache.get(self._stream) for cache in self._model.caches()]))

    def restore(self, state: tuple[dict[str, Any], list[Any]]) -> None:
        """Become a saved row."""
        own, held = copy.deepcopy(state)
        vars(self).update(own)
        for cache, value in zip(self._model.caches(), held):  # noqa: B905
            cache[self._stream] = value

    def close(self) -> None:
        """Let the vocoder forget the row."""
        for cache in self._model.caches():
            cache.pop(self._stream, None)

    @property
    def _talks(self) -> bool:
        return bool(self._state.assistant_count > self._state.epad_count)

    def _block(self, unit: Floats, tick: int, played: int) -> Said:
        written, spoken = list[str](), list[int]()
        for event in self._model.upstream.stream_audio_tokens(
            self._tokens(unit), state=self._state, max_epad_count=FOREVER, **self._model.sampling
        ):
            if event.kind == "text":
                written.append(self._spelled(event))
            else:
                spoken += event.audio_tokens
        at = self._line.starts(tick, played) + LATE * RATE // RATE_OUT
        text = [(at + index * TEXT_STEP, s, "own") for index, s in enumerate(written) if s]
        pcm = self._sound(spoken)
        self._line.give(len(pcm))
        return Said(pcm, text, self._talks)

    def _spelled(self, event: Any) -> str:
        """Return whole characters, where upstream shows each token of a character as U+FFFD."""
        self._letters = [*self._letters, event.token_id] if event.text else []
        text: str = self._model.upstream.tokenizer.decode(self._letters) if self._letters else ""
        if text.endswith("\N{REPLACEMENT CHARACTER}") and len(self._letters) < LONGEST:
            return ""
        self._letters = []
        return text

    def _tokens(self, unit: Floats) -> list[int]:
        """Return the tokens of a block; one that ends a segment begins the next."""
        self._segment = np.concatenate([self._segment, unit])
        new = self._unknown(self._segment[:SEGMENT])
        if len(self._segment) >= SEGMENT:
            self._segment, self._known = self._segment[SEGMENT:], 0
            new += self._unknown(self._segment) if len(self._segment) else []
        return new

    def _unknown(self, audio: Floats) -> list[int]:
        tokens = self._model.tokens(audio)
        new, self._known = tokens[self._known :], len(tokens)
        return new

    def _sound(self, tokens: list[int]) -> Floats:
        """Return the sound of a block, which begins with what was held back of the one before."""
        pcm = self._model.sound(self._last + tokens, self._stream)
        self._last = tokens[-OVERLAP:]
        return _fitted(pcm, BLOCK_OUT)


def _fitted(pcm: Floats, size: int) -> Floats:
    """Bring to `size` samples: silence before a dialogue's first block, of which much is held back.

    A token is 6.89 frames of the vocoder, and its frames are whole: every other block comes 24 samples too
    long, and is cut where the sound before the cut goes best with that after it.
    """
    extra = len(pcm) - size
    if extra <= 0:
        return np.concatenate([np.zeros(-extra, np.float32), pcm])
    place = int(np.abs(pcm[:size] - pcm[extra:]).argmin())
    return np.concatenate([pcm[:place], pcm[place + extra :]])
