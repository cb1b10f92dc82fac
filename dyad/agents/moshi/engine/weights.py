"""Loads the models of the Moshi family: strictly, and the language model once per process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import torch
from moshi.models import loaders
from moshi.models.compression import MimiModel
from moshi.models.lm import LMModel
from safetensors import SafetensorError, safe_open
from torch import Tensor

from dyad.agents.moshi.architecture import STREAMS, Architecture, read_json
from dyad.agents.moshi.checkpoints import checkpoint_of
from dyad.agents.moshi.engine.convert import Part, Shape, lm_layout, mimi_layout
from dyad.agents.moshi.engine.random_weights import assert_lively, mimi_config, random_lm, random_mimi
from dyad.agents.moshi.engine.words import RandomWords, SentenceWords, Words
from dyad.agents.moshi.params import AnyParams, device_of, dtype_of
from dyad.agents.moshi.sources import Source, shape_of, source_of
from dyad.errors import ConfigError
from dyad.spec.base import RATE, TICK

PICKLES = (b"PK\x03\x04", b"\x80")  # how files of torch.save begin
MIMI_RATE = (RATE, RATE / TICK)  # samples and frames per second

# Two agents that differ in sampling only share these: by weights, number format and device.
_language_models: WeakValueDictionary[tuple[str, ...], LMModel] = WeakValueDictionary()


@dataclass(frozen=True)
class Loaded:
    """A model, ready to play. `lm` makes one speaker's 8 codes and may be shared by agents.

    new_mimi: makes a codec with streaming state of its own; weights are shared. voices: the folder to look
    for voices in, None with random weights. label: where the weights come from, for a manifest.
    """

    lm: LMModel
    new_mimi: Callable[[], MimiModel]
    words: Words
    architecture: Architecture
    voices: Path | None
    label: str


def load_model(params: AnyParams, device: str) -> Loaded:
    """Load what some parameters describe; `device` is the launcher's. Raises ConfigError for bad weights."""
    place, dtype = device_of(params, device), getattr(torch, dtype_of(params, device))
    source = source_of(params)
    return _drawn(params, place, dtype) if source is None else _read(params, source, place, dtype)


def _drawn(params: AnyParams, device: str, dtype: torch.dtype) -> Loaded:
    size, seed, shape = params.random_size, params.random_seed, shape_of(params)
    big = size == "7b"  # drawn where it is used: 15 GB are not carried there
    config = mimi_config(size)
    mimi = random_mimi(config, seed, device if big else "cpu")
    if not big:
        assert_lively(mimi)
    state = {name: tensor.to(device) for name, tensor in mimi.state_dict().items()}
    lm = _shared(
        (params.weights, str(seed), str(dtype), device),
        lambda: random_lm(shape, seed, device, dtype, device if big else "cpu"),
    )
    return Loaded(
        lm, partial(_mimi, state, config), RandomWords(shape.text_card), shape, None, params.weights
    )


def _read(params: AnyParams, source: Source, device: str, dtype: torch.dtype) -> Loaded:
    shape, files, checkpoint = source.architecture, source.files, checkpoint_of(params)
    words = SentenceWords(files["tokenizer"], shape.text_card, checkpoint.spaced)
    config = _codec_config(source.mimi_config)
    state = read_mimi(files["mimi"], config, device)
    mimi = _mimi(state, config)
    if mimi.cardinality != shape.card:
        raise ConfigError(
            f"{files['mimi']} has {mimi.cardinality} codes, the model {shape.card}; use the model's own codec"
        )
    stamp = files["model"].stat()
    lm = _shared(
        (str(files["model"].resolve()), f"{stamp.st_size}/{stamp.st_mtime_ns}", str(dtype), device),
        lambda: read_lm(files["model"], shape, device, dtype),
    )
    return Loaded(lm, partial(_mimi, state, config), words, shape, source.voices, source.label)


def _shared(key: tuple[str, ...], make: Callable[[], LMModel]) -> LMModel:
    if (lm := _language_models.get(key)) is None:
        lm = _language_models[key] = make().eval().requires_grad_(False)
    return lm


def read_lm(path: Path, shape: Architecture, device: str, dtype: torch.dtype) -> LMModel:
    """Return the language model of a safetensors file, the half that plays one speaker.

    Raises ConfigError when the file is no such file, of another architecture, or holds NaN.
    """
    with torch.device("meta"):
        lm = LMModel(device="meta", dtype=dtype, **shape.lm_kwargs())
    lm.load_state_dict(_state(path, lm_layout, lm, device, dtype), strict=True, assign=True)
    return lm.eval().requires_grad_(False)


def read_mimi(path: Path, config: dict[str, Any] | None, device: str) -> dict[str, Tensor]:
    """Return a codec's weights, float32, from a safetensors file; raises ConfigError as `read_lm` does."""
    with torch.device("meta"):
        mimi = loaders.get_mimi(None, config, device="meta")
    return _state(path, mimi_layout, mimi, device, torch.float32)


def _mimi(state: Mapping[str, Tensor], config: dict[str, Any] | None) -> MimiModel:
    with torch.device("meta"):
        mimi = loaders.get_mimi(None, config, device="meta", num_codebooks=STREAMS)
    mimi.load_state_dict(state, strict=True, assign=True)
    return mimi.eval().requires_grad_(False)


def _codec_config(path: Path | None) -> dict[str, Any] | None:
    """Return a codec's configuration of Kyutai's form; None is the released codec."""
    if path is None:
        return None
    config = read_json(path)
    try:
        rates = (config["sample_rate"], config["frame_rate"])
        with torch.device("meta"):
            mimi = loaders.get_mimi(None, config, device="meta", num_codebooks=STREAMS)
    except Exception as error:  # whatever the package raises for what the file says
        why = " ".join(f"{type(error).__name__}: {error}".split())
        raise ConfigError(f"{path} describes no codec ({why}); fetch it again") from None
    if rates != MIMI_RATE or mimi.frame_size != TICK:
        raise ConfigError(f"{path} describes a codec of {rates} Hz; this agent needs {MIMI_RATE}")
    return config


def _state(
    path: Path,
    layout: Callable[[Mapping[str, Shape]], dict[str, Part]],
    model: torch.nn.Module,
    device: str,
    dtype: torch.dtype,
) -> dict[str, Tensor]:
    """Return a model's tensors out of a file: exactly those that it needs, all of them finite."""
    try:
        with safe_open(path, framework="pt", device=device) as file:
            parts = layout({name: tuple(file.get_slice(name).get_shape()) for name in file.keys()})  # noqa: SIM118
            _match(path, parts, {name: tuple(t.shape) for name, t in model.state_dict().items()})
            return {name: _tensor(path, file, part, dtype) for name, part in parts.items()}
    except SafetensorError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> ConfigError:
    """Say why a file gave no tensors. A pickle can run anything, so it is never opened as one."""
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith(PICKLES):
        return ConfigError(f"{path} is a pickle of torch.save, which is not opened; save it as safetensors")
    return ConfigError(f"{path} is no whole safetensors file ({error}); fetch it again")


def _match(path: Path, parts: Mapping[str, Part], wanted: Mapping[str, Shape]) -> None:
    """Refuse a file that does not hold exactly the tensors of the architecture."""
    other = [name for name in parts.keys() & wanted.keys() if parts[name].shape != wanted[name]]
    faults = {
        "missing": sorted(wanted.keys() - parts.keys()),
        "unknown": sorted(parts.keys() - wanted.keys()),
        "of another shape": sorted(other),
    }
    said = [f"{len(names)} {what} (first: {names[0]})" for what, names in faults.items() if names]
    if said:
        raise ConfigError(
            f"{path} is of another architecture: tensors {', '.join(said)}; give the weights of this model"
        )


def _tensor(path: Path, file: Any, part: Part, dtype: torch.dtype) -> Tensor:
    tensor: Tensor = (
        file.get_tensor(part.source)
        if not part.shape
        else file.get_slice(part.source)[part.start : part.stop]
    )
    tensor = tensor.to(dtype).contiguous()
    if not tensor.isfinite().all():
        raise ConfigError(f"{path}: '{part.source}' holds NaN or infinite numbers; fetch the file again")
    return tensor
