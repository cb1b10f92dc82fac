"""Files of tensors, which here hold only their shapes: row n of a table is full of n."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch


class Tensors:
    """The tensors of a file."""

    def __init__(self, shapes: dict[str, tuple[int, int]]) -> None:
        self._shapes = shapes

    def get_tensor(self, name: str) -> torch.Tensor:
        """Return a tensor in bfloat16's place; no memory is taken for it."""
        if name not in self._shapes:
            raise KeyError(f"File does not contain tensor {name}")
        rows, width = self._shapes[name]
        return torch.arange(rows).float().unsqueeze(1).expand(-1, width)


@contextmanager
def safe_open(filename: Path, framework: str, device: str = "cpu") -> Iterator[Tensors]:
    """Open a file."""
    if framework != "pt":
        raise ValueError(f"framework {framework} is invalid")
    yield Tensors(json.loads(Path(filename).read_text("utf-8")))
