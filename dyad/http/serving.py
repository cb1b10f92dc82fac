"""Which model answers at an address, as far as its server says: a name alone does not tell.

llama.cpp's server has one model and takes any name; Ollama's names are tags that a `pull` moves; vLLM serves
a folder under whatever name it is given. Sources: `/v1/models` of all three, `/api/tags` of Ollama.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dyad.spec import digest

if TYPE_CHECKING:
    import httpx2

TOLD = ("id", "root", "parent", "digest", "meta")  # the rest is of the moment: times, permissions
WEIGHTS = ("n_params", "size", "n_vocab", "n_embd", "n_ctx_train", "vocab_type", "ftype")


def model_at(client: httpx2.Client, base_url: str, model: str, timeout_s: float) -> str:
    """Return what the model behind a name is, in one line; empty where the server says no more than the name.

    Raises httpx2.HTTPError where nobody answers.
    """
    root = base_url.removesuffix("/v1")
    entries = _entries(client, f"{root}/v1/models", "data", timeout_s)
    if not entries or any(entry.get("owned_by") == "library" for entry in entries):  # Ollama
        tags = _entries(client, f"{root}/api/tags", "models", timeout_s)
        entries = [{"id": tag.get("name"), "digest": tag.get("digest")} for tag in tags] or entries
    return _named(model, _entry(entries, model))


def _entries(client: httpx2.Client, url: str, key: str, timeout_s: float) -> list[dict[str, Any]]:
    """Return a list of models; an answer of another form says nothing."""
    response = client.get(url, timeout=timeout_s)
    with suppress(ValueError, KeyError, TypeError):
        return [entry for entry in response.json()[key] if isinstance(entry, dict)]
    return []


def _entry(entries: list[dict[str, Any]], model: str) -> Mapping[str, Any]:
    """Return what is said of a model; a server that has one only gives it whatever the name."""
    wanted = (model, f"{model}:latest")
    alone = entries if len(entries) == 1 else []
    return next(iter([entry for entry in entries if entry.get("id") in wanted] or alone), {})


def _named(model: str, entry: Mapping[str, Any]) -> str:
    told = {key: entry[key] for key in TOLD if entry.get(key) not in (None, "", model)}
    if isinstance(weights := told.get("meta"), dict):
        told["meta"] = {key: weights[key] for key in WEIGHTS if key in weights}
    return f"{told.get('root') or told.get('id') or model} ({digest(told, 4)})" if told else ""
