"""The seams inside the cascade: temperament, parameters, and what a dialogue policy is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from dyad.spec import Frozen


class Temperament(Frozen):
    """What makes one cascade behave unlike another. Every trait lies in [0, 1]; 0.5 is neutral.

    talkativeness: length of turns, filling of silences, backchannels
    yielding: how soon it stops when spoken over (0 = talks on, 1 = at once)
    patience: how long it waits in silence and before it interrupts (0 = cuts in)
    compliance: how easily it grants, concedes, or gives in under pressure
    disclosure: how readily it says what it privately knows, secrets included
    """

    talkativeness: float = Field(default=0.5, ge=0, le=1)
    yielding: float = Field(default=0.5, ge=0, le=1)
    patience: float = Field(default=0.5, ge=0, le=1)
    compliance: float = Field(default=0.5, ge=0, le=1)
    disclosure: float = Field(default=0.5, ge=0, le=1)


class LlmParams(Frozen):
    """Where the text model of `policy: llm` runs. Keys come from the environment, never from a file."""

    backend: Literal["openai", "anthropic", "gguf"] = (
        "openai"  # openai: any compatible endpoint, Ollama included
    )
    model: str = "llama3.2"
    base_url: str = "http://127.0.0.1:11434/v1"
    key_env: str = ""  # name of the environment variable that holds the key
    gguf: str = ""  # file for the local backend
    max_tokens: int = Field(default=60, gt=0)
    temperature: float = Field(default=0.7, ge=0)
    timeout_s: float = Field(default=30.0, gt=0)

    @field_validator("base_url")
    @classmethod
    def _no_secret(cls, value: str) -> str:
        if "@" in urlsplit(value).netloc:  # it is stored with every run, and printed in errors
            raise ValueError("holds a user or password; name the key's variable in key_env")
        return value


class CascadeParams(Frozen):
    """Parameters of the cascade; all of them are part of a run's identity."""

    ears: Literal["auto", "whisper", "sphinx"] = "auto"
    whisper_dir: str = ""
    policy: Literal["rules", "llm"] = "rules"
    llm: LlmParams = LlmParams()
    voice: Literal["hibari", "kokoro", "openjtalk", "piper", "espeak", "flite"] = "hibari"
    preset: str = "heart"  # a named voice of the engine
    pace: float = Field(default=1.0, gt=0.5, lt=2.0)
    latency: Literal["fixed", "measured", "none"] = "fixed"
    latency_ms: int = Field(default=240, ge=0)  # end point to first sample, when latency is `fixed`
    endpoint_ms: int = Field(default=480, gt=0)  # silence that ends the other's turn
    barge_in_ms: int = Field(default=640, gt=0)  # overlap after which it stops, at yielding 0.5
    vad_threshold: float = Field(default=0.5, gt=0, lt=1)
    backchannels: bool = True
    early: bool = True  # may take the floor on a partial result
    hang_up: bool = False  # report `finished` after goodbyes
    temperament: Temperament = Temperament()


@dataclass(frozen=True)
class Say:
    """One sentence to speak. `act` names its dialogue act, e.g. `disclose:i1`, `ask`, `agree:Belmery`."""

    text: str
    act: str = ""


class Policy(Protocol):
    """A dialogue policy: text in, sentences out. It never sees audio and never reads a clock."""

    def open(self) -> Sequence[Say]:
        """Return the first turn of a seat that opens the conversation."""

    def hear(self, text: str) -> Sequence[Say]:
        """React to what was understood of the other's turn (possibly wrong, possibly empty)."""

    def partial(self, text: str) -> Sequence[Say]:
        """React early to an unfinished turn; anything returned is said over the other."""

    def silence(self, seconds: float) -> Sequence[Say]:
        """React to silence on both sides."""

    def spoken(self, say: Say, share: float) -> None:
        """Learn how much of a sentence was really said (1.0 = all; less = cut off)."""

    @property
    def words(self) -> Sequence[str]:
        """Words that the ears should expect: names, options, numbers of the role sheet."""

    @property
    def phrases(self) -> Sequence[str]:
        """Sentences that the partner is likely to say, for the grammar of the light ears (lower case)."""

    @property
    def finished(self) -> bool:
        """Whether the conversation is over for this side."""
