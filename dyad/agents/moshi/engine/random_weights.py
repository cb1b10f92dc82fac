"""Seeded random weights of the real architecture, for tests and benchmarks: nothing to download.

Drawn from uniform numbers by generators of their own, so that every CPU draws the same and no one else's
random numbers change.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from moshi.models import loaders
from moshi.models.compression import MimiModel
from moshi.models.lm import LMModel
from torch import Tensor, nn

from dyad.agents.moshi.architecture import RANDOM_ARCHITECTURES, Architecture
from dyad.agents.moshi.engine.graphs import plainly
from dyad.errors import ConfigError
from dyad.spec.base import TICK

HEAD_GAIN = 6.0  # spreads the logits, so that round-off does not decide between near-tied tokens
BURSTS_S = 8.0  # of noise from which the codec is tuned
OUTPUT_GAIN = 0.12  # brings decoded noise near the level of speech
FRAMES_PER_S = 12.5


def random_lm(
    shape: Architecture, seed: int, device: str, dtype: torch.dtype, draw_on: str = "cpu"
) -> LMModel:
    """Return a language model with weights drawn on `draw_on`."""
    with torch.device("meta"):
        lm = LMModel(device="meta", dtype=dtype, **shape.lm_kwargs())
    lm.to_empty(device=draw_on)
    generator = torch.Generator(draw_on).manual_seed(seed)
    for name, parameter in lm.named_parameters():
        _draw(parameter.data, _bound(name, parameter), generator)
    return lm.to(device)


def _bound(name: str, parameter: Tensor) -> float:
    """Return the half-width of a weight's distribution; 0 for a norm, which is all ones."""
    if name.endswith("alpha"):
        return 0.0
    if "emb" in name.split(".")[0]:
        return math.sqrt(3)  # of variance 1
    gain = HEAD_GAIN if name.startswith(("linears.", "text_linear.")) else 1.0
    return gain / math.sqrt(parameter.shape[-1])


def _draw(tensor: Tensor, bound: float, generator: torch.Generator) -> None:
    if bound:
        tensor.uniform_(-bound, bound, generator=generator)
    else:
        tensor.fill_(1.0)


def mimi_config(size: str) -> dict[str, Any] | None:
    """Return the codec's configuration for a size of random weights; None is the released one (79 M)."""
    if size == "7b":
        return None
    config: dict[str, Any] = copy.deepcopy(loaders._mimi_config)
    config["seanet"].update(dimension=32, n_filters=4)
    card = RANDOM_ARCHITECTURES[size].card
    config["quantizer"].update(dimension=16, n_q=8, bins=card, input_dimension=32, output_dimension=32)
    config["transformer"].update(d_model=32, num_heads=2, num_layers=2, dim_feedforward=64)
    config["transformer"].update(input_dimension=32, output_dimensions=[32])
    return config


@torch.no_grad()
def random_mimi(config: dict[str, Any] | None, seed: int, device: str) -> MimiModel:
    """Return a codec that codes different sounds differently, which plain random weights do not."""
    with torch.device("meta"):
        mimi = loaders.get_mimi(None, config, device="meta")
    mimi.to_empty(device=device)
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in mimi.named_parameters():
        parameter.copy_(_mimi_weight(name, parameter, generator))
    _liven(mimi, _noise(generator).to(device), generator)
    return mimi


def _mimi_weight(name: str, parameter: Tensor, generator: torch.Generator) -> Tensor:
    if parameter.dim() > 1:
        bound = 1 / math.sqrt(math.prod(parameter.shape[1:]))
        return torch.empty(parameter.shape).uniform_(-bound, bound, generator=generator)
    value = {"bias": 0.0, "scale": 0.01}.get(name.rpartition(".")[2], 1.0)  # biases, layer scales, norms
    return torch.full(parameter.shape, value)


def _noise(generator: torch.Generator) -> Tensor:
    """Return bursts of noise [1, 1, N], each frame as loud as chance has it."""
    frames = int(BURSTS_S * FRAMES_PER_S)
    level = torch.rand(1, 1, frames, generator=generator)
    level = torch.where(level > 0.4, torch.rand(1, 1, frames, generator=generator), 0.0)
    white = torch.rand(1, 1, frames * TICK, generator=generator) * 2 - 1
    return 0.7 * white * level.repeat_interleave(TICK, -1)


def _liven(mimi: MimiModel, noise: Tensor, generator: torch.Generator) -> None:
    """Scale every convolution to unit output on noise; take codebooks from what the encoder makes of it."""
    with plainly(), _unit_gain([mimi.encoder, mimi.downsample]):
        latent = mimi._encode_to_unquantized_latent(noise)
    for quantizer in (mimi.quantizer.rvq_first, mimi.quantizer.rvq_rest):
        _fill_codebooks(quantizer, latent, generator)
    with plainly(), _unit_gain([mimi.upsample, mimi.decoder]):
        mimi.decode(mimi.quantizer.encode(latent))
    _convolutions([mimi.decoder])[-1].weight.mul_(OUTPUT_GAIN)


def _convolutions(modules: Iterable[nn.Module]) -> list[nn.Conv1d | nn.ConvTranspose1d]:
    found = [part for module in modules for part in module.modules()]
    return [part for part in found if isinstance(part, nn.Conv1d | nn.ConvTranspose1d)]


@contextmanager
def _unit_gain(modules: Iterable[nn.Module]) -> Iterator[None]:
    """Divide each convolution by the spread of its own output, once, as a signal passes through."""

    def tune(module: Any, inputs: Any, output: Tensor) -> Tensor:
        spread = output.std().clamp_min(1e-6)
        module.weight.div_(spread)
        return output / spread

    hooks = [part.register_forward_hook(tune) for part in _convolutions(modules)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _fill_codebooks(quantizer: Any, latent: Tensor, generator: torch.Generator) -> None:
    """Take each codebook from the residuals [N, D] that the ones before it leave, a little apart."""
    left = quantizer.input_proj(latent).transpose(1, 2).reshape(-1, quantizer.dimension)
    for layer in quantizer.vq.layers:
        book = layer._codebook
        chosen = torch.randint(len(left), (book.codebook_size,), generator=generator).to(left.device)
        apart = torch.rand(book.embedding_sum.shape, generator=generator).to(left) - 0.5
        book.embedding_sum.copy_(left[chosen] + 0.07 * apart)
        book.cluster_usage.fill_(1.0)
        book._initialized.fill_(1.0)
        left = left - book.decode(book.encode(left))


@torch.no_grad()
def assert_lively(mimi: MimiModel) -> None:
    """Raise ConfigError unless different noises get different codes, and different codes sound different.

    A codec that is nearly constant would make every test of the models that use it pass for no reason.
    """
    device = next(mimi.parameters()).device
    codes = [mimi.encode(_noise(torch.Generator().manual_seed(seed)).to(device)) for seed in (1, 2)]
    semantic = len({code for half in codes for code in half[0, 0].tolist()})
    sounds = [mimi.decode(code) for code in codes]
    change = float((sounds[0] - sounds[1]).std())
    differ = float((codes[0] != codes[1]).float().mean())
    if semantic < 8 or differ < 0.5 or change < 1e-3:
        raise ConfigError(
            f"the random codec is nearly constant ({semantic} semantic codes; with the noise {differ:.0%} of "
            f"the codes change, and the sound by {change:.1e}); take another random_seed"
        )
