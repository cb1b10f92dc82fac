"""How PersonaPlex is told its role."""

from __future__ import annotations

from dyad.spec import Prompt

TAG = "<system>"


def render_system(prompt: Prompt) -> str:
    """Return a role as PersonaPlex was trained with it: between two equal tags; nothing for no role."""
    text = prompt.text.strip()
    tagged = len(text) >= 2 * len(TAG) and text.startswith(TAG) and text.endswith(TAG)
    return text if tagged or not text else f"{TAG} {text} {TAG}"
