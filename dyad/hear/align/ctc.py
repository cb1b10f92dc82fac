"""Alignment by a CTC model: the most probable way through its emissions that spells the words.

The model is a folder as transformers saves one (wav2vec 2.0 and its kin), given by the user; transformers
and torch are not among dyad's packages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyad.errors import ConfigError, Missing
from dyad.hear.ears import RATE
from dyad.hear.pack import Place
from dyad.speech.engines import need
from dyad.speech.types import Floats

Ints = NDArray[np.int64]
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_PACKAGES = "pip install torch transformers"


def check(model_dir: str) -> None:
    """Raise ConfigError unless there is a model and something to run it with."""
    weights_of(model_dir)
    need("torch", _PACKAGES)
    need("transformers", _PACKAGES)


def weights_of(model_dir: str) -> Path:
    """Return the file of a model's weights; raises ConfigError when the folder holds no model."""
    folder = Path(model_dir).expanduser()
    found = [folder / name for name in _WEIGHTS if (folder / name).is_file()]
    if not model_dir or not found or not (folder / "config.json").is_file():
        lack = (
            f"asr.params.align.model_dir: '{model_dir}' holds no CTC model (config.json and {_WEIGHTS[0]}); "
        )
        raise Missing([f"{lack}name a folder as transformers saves one"])
    return found[0]


def align_pieces(pieces: Sequence[tuple[Floats, Sequence[str]]], model_dir: str) -> list[list[Place] | None]:
    """Return the place of each word of each utterance at 16 kHz, in samples; None where that failed."""
    processor, model = _load(str(Path(model_dir).expanduser()))
    return [_align(pcm, words, processor, model) for pcm, words in pieces]


def viterbi(logprobs: NDArray[np.floating[Any]], labels: Sequence[int], blank: int) -> Ints | None:
    """Return which label each frame belongs to, int64 [T], −1 for a blank: the most probable CTC path.

    `logprobs` [T, symbols]; None where T is too short to spell `labels`, of which equal neighbours need a
    blank between them. (Graves et al. 2006; max in place of sum.)
    """
    frames, count = len(logprobs), len(labels)
    states = np.full(2 * count + 1, blank)
    states[1::2] = labels
    if frames < max(1, count + sum(a == b for a, b in pairwise(labels))):
        return None
    skip = np.zeros(len(states), bool)  # a label may follow the one before without a blank
    skip[3::2] = states[3::2] != states[1:-2:2]
    best = np.full(len(states), -np.inf)
    best[:2] = logprobs[0, states[:2]]
    came = np.zeros((frames, len(states)), np.int64)
    for t in range(1, frames):
        ways = np.stack([best, _later(best, 1), np.where(skip, _later(best, 2), -np.inf)])
        came[t] = np.argmax(ways, axis=0)
        best = ways.max(axis=0) + logprobs[t, states]
    return _path(best, came)


def _path(best: NDArray[np.floating[Any]], came: Ints) -> Ints:
    """Follow the steps back from the better of the two last states."""
    at = len(best) - 1 if len(best) < 2 or best[-1] >= best[-2] else len(best) - 2
    path = np.empty(len(came), np.int64)
    for t in range(len(came) - 1, -1, -1):
        path[t] = at // 2 if at % 2 else -1
        at -= came[t, at]
    return path


def _later(best: NDArray[np.floating[Any]], steps: int) -> NDArray[np.floating[Any]]:
    """Return the scores of the states so many steps before; there are none before the first."""
    return np.concatenate([np.full(steps, -np.inf), best])[: len(best)]


def word_frames(path: Ints, sizes: Sequence[int]) -> list[Place] | None:
    """Return the first frame and the frame after the last of each word, whose letters are `sizes` labels."""
    edges = np.concatenate([[0], np.cumsum(sizes)])
    places = []
    for first, after in pairwise(edges.tolist()):
        frames = np.flatnonzero((path >= first) & (path < after))
        if not len(frames):
            return None
        places.append((int(frames[0]), int(frames[-1]) + 1))
    return places


def spelled(words: Sequence[str], vocabulary: Mapping[str, int], upper: bool) -> list[list[int]] | None:
    """Return the symbols of each word; None where a word has no symbol that the model knows."""
    cased = [word.upper() if upper else word.lower() for word in words]
    spelling = [[vocabulary[c] for c in word if c in vocabulary] for word in cased]
    return spelling if all(spelling) else None


def _align(pcm: Floats, words: Sequence[str], processor: Any, model: Any) -> list[Place] | None:
    vocabulary = processor.tokenizer.get_vocab()
    spelling = spelled(words, _letters(vocabulary), upper="A" in vocabulary)
    if spelling is None:
        return None
    between = vocabulary.get(processor.tokenizer.word_delimiter_token)
    logprobs = _emissions(pcm, processor, model)
    frames = _frames(logprobs, spelling, between, processor.tokenizer.pad_token_id)
    if frames is None:
        return None
    step = len(pcm) / len(logprobs)
    return [(round(a * step), round(b * step)) for a, b in frames]


def _frames(
    logprobs: Floats, spelling: Sequence[list[int]], between: int | None, blank: int
) -> list[Place] | None:
    """Return the frames of each word; models that were taught a symbol between words are given it."""
    if between is None:
        parts, every = list(spelling), 1
    else:
        parts, every = [part for word in spelling for part in (word, [between])][:-1], 2
    path = viterbi(logprobs, [symbol for part in parts for symbol in part], blank)
    found = None if path is None else word_frames(path, [len(part) for part in parts])
    return None if found is None else found[::every]


def _letters(vocabulary: Mapping[str, int]) -> dict[str, int]:
    """Return the symbols that are part of words: letters and the apostrophe."""
    return {c: number for c, number in vocabulary.items() if len(c) == 1 and (c.isalpha() or c == "'")}


def _emissions(pcm: Floats, processor: Any, model: Any) -> Floats:
    torch = need("torch", _PACKAGES)
    given = processor(pcm, sampling_rate=RATE, return_tensors="pt")
    with torch.inference_mode():
        logits = model(given.input_values).logits[0]
    return np.asarray(torch.log_softmax(logits.float(), dim=-1).numpy(), np.float32)


@cache
def _load(folder: str) -> tuple[Any, Any]:
    transformers = need("transformers", _PACKAGES)
    try:
        processor = transformers.AutoProcessor.from_pretrained(folder, local_files_only=True)
        return processor, transformers.AutoModelForCTC.from_pretrained(folder, local_files_only=True).eval()
    except Exception as error:  # whatever a broken folder makes it raise
        raise ConfigError(f"the CTC model in '{folder}' cannot be loaded ({error}); name another") from error
