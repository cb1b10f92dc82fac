"""Names of number formats."""

from __future__ import annotations

import torch


def resolve_dtype(dtype_str: str) -> torch.dtype:
    """Return the dtype of a name; raises KeyError."""
    return {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}[dtype_str]
