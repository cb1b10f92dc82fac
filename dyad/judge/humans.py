"""People as judges: their answers on disk, one line each, and the labels and weights that follow from them.

`runs/<id>/judgments/<rubric>--human_<INITIALS>-<read>.jsonl`, where `read` is a digest of everything that
judges of the run are shown: labels of one transcript are never read as labels of another. Lines are only ever
added; of several answers to one question about one seat the last counts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from dyad.errors import ConfigError, naming
from dyad.spec import Frozen, Label, Seat, canonical_json
from dyad.store import Store

UNSURE = "unsure"  # the status of a label that a person did not want to give
_INITIALS = r"[A-Z0-9]{1,8}"

Asked = tuple[str, Seat | None]  # a question, and the bridge seat that it is about
Say = Callable[[str], None]


class Answer(Frozen):
    """One answer. `weight` is the inverse of the probability with which the item was drawn."""

    label: Label
    by: str = Field(pattern=f"^{_INITIALS}$")
    utc: str
    seconds: float = Field(ge=0)  # in front of the question
    weight: float = Field(ge=1)
    sample: str  # the name of the sample that the item was drawn into
    seed: int

    @property
    def asked(self) -> Asked:
        """What was answered."""
        return self.label.question, self.label.seat


@dataclass(frozen=True)
class Shown:
    """What a person is shown of one run: `rubric` by its key, `read` a digest of all that any judge reads."""

    store: Store
    run_id: str
    rubric: str
    read: str

    def file(self, by: str) -> Path:
        """Return where the answers of a person lie."""
        return self.store.sidecar(self.run_id, f"judgments/{self.rubric}--human_{by}-{self.read}.jsonl")

    def files(self) -> list[Path]:
        """Return the files of everybody who has answered, by initials."""
        return [self.file(by) for by in self.people()]

    def people(self) -> list[str]:
        """Return the initials of everybody who has answered, sorted."""
        start, end = f"{self.rubric}--human_", f"-{self.read}.jsonl"
        names = [path.name for path in self.store.sidecar(self.run_id, "judgments").glob("*.jsonl")]
        given = [
            name[len(start) : -len(end)] for name in names if name.startswith(start) and name.endswith(end)
        ]
        return sorted(by for by in given if re.fullmatch(_INITIALS, by))


def _silent(text: str) -> None:
    """Nobody waits for notes."""


def initials(text: str) -> str:
    """Return initials in capitals, in which they name a person; raise ConfigError for anything else."""
    if not text.isascii() or not re.fullmatch(_INITIALS, text.upper()):
        raise ConfigError(f"by = '{text}' must be 1 to 8 letters or digits, e.g. by=AB")
    return text.upper()


def judge_name(by: str) -> str:
    """Return the name under which a person's labels stand beside those of other judges."""
    return f"human:{by}"


def save(shown: Shown, answer: Answer) -> None:
    """Add an answer; when this returns, it is on the disk."""
    path = shown.file(answer.by)
    path.parent.mkdir(exist_ok=True)
    with naming(path), path.open("ab+") as file:
        start = b"" if _ends_whole(path) else b"\n"
        file.write(start + canonical_json(answer).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def answers(shown: Shown, by: str, say: Say = _silent) -> dict[Asked, Answer]:
    """Return a person's answers about one run, the last to each question.

    A line that is no answer, such as the last one of a killed writer, is left out, and `say` is told.
    """
    return {answer.asked: answer for answer in _stored(shown.file(by), say)}


def human_labels(shown: Shown, say: Say = _silent) -> dict[str, list[Label]]:
    """Return everybody's labels of one run, by the judge's name `human:<INITIALS>`."""
    found = {judge_name(by): answers(shown, by, say) for by in shown.people()}
    return {name: [answer.label for answer in given.values()] for name, given in found.items()}


def weights(shown: Shown) -> dict[str, dict[Asked, float]]:
    """Return the sampling weights of everybody's answers about one run, by the judge's name."""
    found = {judge_name(by): answers(shown, by) for by in shown.people()}
    return {name: {asked: answer.weight for asked, answer in given.items()} for name, given in found.items()}


def _stored(path: Path, say: Say) -> Iterator[Answer]:
    lines = path.read_bytes().splitlines() if path.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            yield Answer.model_validate_json(line)
        except ValueError:
            say(f"{path}:{number}: cut off or damaged, and left out; answer that question again")


def _ends_whole(path: Path) -> bool:
    """Whether a file ends with a whole line, and not with what a killed writer got done."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        return file.read(1) in (b"", b"\n")
