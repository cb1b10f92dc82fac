"""Who answers: a text model, or the packaged voice together with the recogniser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dyad.agents.cascade.llm import BACKENDS, Ask, gguf_file
from dyad.agents.cascade.types import LlmParams
from dyad.errors import DyadError
from dyad.library import Library
from dyad.spec import Scenario, digest

Asker = Callable[[int], Ask]  # seed of a draw → a way to ask


@dataclass(frozen=True)
class Source:
    """A model under its name. `backend` says what reaches it; `asker` makes a way to ask for each draw."""

    model: str
    backend: str
    asker: Asker
    settings: str = ""  # digest of what else could change an answer: address, temperature, length


@dataclass(frozen=True)
class Bench:
    """One scenario before one model."""

    library: Library
    scenario: Scenario
    asker: Asker


def text_source(params: LlmParams) -> Source:
    """Return a text model; raises ConfigError for a missing key, package or file before anything is asked."""
    model = gguf_file(params).stem if params.backend == "gguf" else params.model
    settings = digest(params.model_dump(exclude={"key_env", "timeout_s", "gguf"}), 4)
    return Source(model, params.backend, _asker(params), settings)


def _asker(params: LlmParams) -> Asker:
    """An endpoint takes a seed with each request. The others are opened once and draw on by themselves."""
    backend = BACKENDS[params.backend]
    once = backend(params, 0)
    return (lambda seed: backend(params, seed)) if params.backend == "openai" else (lambda seed: once)


def speech_source() -> Source:
    """Return the packaged voice and the Whisper model found here, named by its weights."""
    from dyad.speech.weights import need_whisper

    return Source(f"hibari-whisper-{need_whisper().sha256[:8]}", "speech", _no_asker)


def _no_asker(seed: int) -> Ask:
    raise DyadError("a measure of speech asks no text model")
