"""Nobody listens: only the agents' own text is scored."""

from __future__ import annotations

from dyad.hear.ears import Ears

EARS = Ears(
    name="none",
    about="nobody listens",
    hear=lambda tracks, setting: [[] for _ in tracks],
    method=2,
    key=lambda setting: [""],
)
