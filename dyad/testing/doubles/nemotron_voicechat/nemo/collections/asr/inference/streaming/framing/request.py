"""One request of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Frame:
    """Sound of a stream; an empty first frame only prepares it."""

    samples: Any
    stream_id: int
    is_first: bool = False
    is_last: bool = False
    length: int = -1
    vad_segments: Any = None
    options: Any = None
