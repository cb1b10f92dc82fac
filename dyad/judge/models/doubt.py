"""Whether a model's replies can stand at all: where none does, it is asked no more, and told why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from dyad.errors import ConfigError
from dyad.spec import Label

from ..protocol import Judged

ALIKE = 4  # tasks that fail in the same way, before any other outcome
NOT_ITS_OWN = {"injected", "no_speech"}  # statuses that say nothing against the form of replies
ADVICE = {
    "invalid_json": "no reply holds one JSON object: take a model that follows schemas, or set schema_as",
    "invalid_schema": "no reply has the fields asked for: take one that follows schemas, or set schema_as",
    "truncated": "every reply is cut off: raise judge.max_tokens",
    "context": "every prompt is too long for it: serve it with a longer context",
    "refusal": "it refuses everything: choose another model",
}


def unusable(judge: str, why: Iterable[str]) -> str:
    """Return the line about a judge none of whose answers can stand, from the statuses of its labels."""
    named = ", ".join(sorted(set(why)))
    return f"judge '{judge}': none of its answers can stand ({named}); {ADVICE.get(named, 'choose another')}"


@dataclass
class Doubt:
    """Holds back tasks without one label until another outcome comes; all work of one judge shares it."""

    judge: str
    settled: bool = False
    held: list[Judged] = field(default_factory=list)
    why: set[str] = field(default_factory=set)

    @property
    def hopeless(self) -> bool:
        """Whether the first tasks failed alike, so that others would as well."""
        return not self.settled and len(self.held) >= ALIKE

    def sifted(self, judged: Judged, answers: Sequence[Sequence[Label]]) -> Iterator[Judged]:
        """Yield a task, and those held back where they did not all fail alike."""
        self.why |= {label.status for answer in answers for label in answer}
        self.settled = self.settled or len(self.why) != 1 or bool(self.why & {"ok", *NOT_ITS_OWN})
        self.held.append(judged)
        if self.settled:
            yield from self.rest()

    def check(self) -> None:
        """Raise ConfigError where it is hopeless."""
        if self.hopeless:
            raise ConfigError(unusable(self.judge, self.why))

    def rest(self) -> Iterator[Judged]:
        """Yield what is still held."""
        held, self.held = self.held, []
        yield from held
