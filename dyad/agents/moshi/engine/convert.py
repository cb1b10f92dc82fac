"""The layouts in which weights are published, and the one of `moshi` 0.2.13 that plays one speaker.

Files may hold attention fused over the steps of the depth transformer, older names of the codec's codebooks,
and (PersonaPlex) a depth transformer of 16 steps: the agent's codes, then the user's. The user's come last
and the true ones always replace them, so leaving out that half changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from dyad.agents.moshi.architecture import STREAMS

Shape = tuple[int, ...]

_FUSED = re.compile(r"(.*\.self_attn\.)(in_proj|out_proj)[._]weight")
_STEP = re.compile(r"(?:linears|depformer_in|depformer_emb|depformer\.layers\.\d+\.gating)\.(\d+)\.")
_CODEBOOK = {
    "inited": "_initialized",
    "cluster_size": "cluster_usage",
    "embed_avg": "embedding_sum",
    "embed_sum": "embedding_sum",
}


class Part(NamedTuple):
    """Rows `start` … `stop - 1` of a tensor in a file."""

    source: str
    start: int
    stop: int
    shape: Shape


def lm_layout(shapes: Mapping[str, Shape]) -> dict[str, Part]:
    """Return, for each tensor that a language model's file gives, where in the file it lies."""
    steps = _steps(shapes)
    parts: dict[str, Part] = {}
    for name, shape in shapes.items():
        fused = _FUSED.fullmatch(name)
        if fused:
            count = steps if name.startswith("depformer.") else 1
            parts |= _split(name, shape, f"{fused[1]}{fused[2]}s", count)
        elif not _is_users(name):
            parts[name] = _whole(name, shape)
    return parts


def mimi_layout(shapes: Mapping[str, Shape]) -> dict[str, Part]:
    """Return, for each tensor that a codec's file gives, where in the file it lies."""
    parts: dict[str, Part] = {}
    for name, shape in shapes.items():
        head, _, last = name.rpartition(".")
        fused = _FUSED.fullmatch(name)
        if fused:
            parts |= _split(name, shape, f"{fused[1]}{fused[2]}s", 1)
        elif head.endswith("_codebook"):
            parts[f"{head}.{_CODEBOOK.get(last, last)}"] = _whole(name, shape)
        else:
            parts[name] = _whole(name, shape)
    return parts


def _steps(shapes: Mapping[str, Shape]) -> int:
    """Return how many steps the depth transformer of a file has: it has one output head for each."""
    heads = [int(name.split(".")[1]) for name in shapes if re.fullmatch(r"linears\.\d+\.weight", name)]
    return max(heads, default=0) + 1


def _is_users(name: str) -> bool:
    """Whether a tensor serves only the steps of the other speaker."""
    step = _STEP.match(name)
    # the last code of a speaker is no input to the next step
    return step is not None and int(step[1]) >= STREAMS - name.startswith("depformer_emb.")


def _split(name: str, shape: Shape, stem: str, count: int) -> dict[str, Part]:
    rows = shape[0] // count
    return {
        f"{stem}.{i}.weight": Part(name, i * rows, (i + 1) * rows, (rows, *shape[1:]))
        for i in range(min(count, STREAMS))
    }


def _whole(name: str, shape: Shape) -> Part:
    return Part(name, 0, shape[0] if shape else 0, shape)
