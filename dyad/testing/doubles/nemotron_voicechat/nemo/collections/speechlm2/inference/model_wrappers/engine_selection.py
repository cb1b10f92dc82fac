"""The precision of the process, which is global."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_in_effect: dict[str, Any] = {}


def _settings(model_cfg: Mapping[str, Any]) -> dict[str, Any]:
    stock = {"allow_tf32": True, "matmul_precision": "medium", "deterministic": False}
    return {name: model_cfg.get(name, value) for name, value in stock.items()}


def precision_matches_cfg(model_cfg: Mapping[str, Any]) -> bool:
    """Tell whether the process is as the configuration asks."""
    return _in_effect == _settings(model_cfg)


@contextmanager
def inference_precision_from_cfg(model_cfg: Mapping[str, Any]) -> Iterator[None]:
    """Set the process as the configuration asks, until the block ends."""
    _in_effect.update(_settings(model_cfg))
    try:
        yield
    finally:
        _in_effect.clear()
