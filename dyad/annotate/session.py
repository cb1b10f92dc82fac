"""One person's session: which items, in which order, what was answered, and what comes next.

Nothing is remembered here. The sample lies in the study's folder and answers beside the runs, so a session
can end at any time, and the next one goes on where it ended.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dyad.audio import flac_bytes
from dyad.errors import ConfigError, DyadError, near
from dyad.judge.humans import Answer, answers, save
from dyad.judge.questions import questions_of
from dyad.pipeline import Study, case, judgeable, labels_of
from dyad.spec import ARCHETYPES, Frozen, Label, digest
from dyad.store import write_atomic

from .reply import Reply, label_of, reply_of
from .sample import Candidate, Drawn, Item, draw, in_order_of
from .view import Asking, Row, item_view

Say = Callable[[str], None]


class Sample(Frozen):
    """A drawn sample as it is kept: who annotates later, beside other machine labels, gets the same."""

    name: str
    n: int
    seed: int
    questions: tuple[str, ...]
    drawn: tuple[Drawn, ...]


@dataclass(frozen=True)
class Session:
    """A study as one person annotates it. Items are called by their place in this person's order, from 0."""

    study: Study
    by: str
    sample: Sample

    @cached_property
    def order(self) -> list[Drawn]:
        """The items in this person's order."""
        return in_order_of(self.sample.drawn, self.by)

    def view(self, place: int) -> Row:
        """Return what the page shows of an item, with the person's own last answer to it."""
        item = self.order[place].item
        asking = self._asking(item)
        given = answers(self.study.shown(item.run), self.by).get((item.question, item.seat))
        raw = np.frombuffer(self.study.store.peaks(item.run), np.int8).reshape(2, -1, 2)
        return item_view(asking, raw) | {"answer": given and reply_of(asking, given.label)}

    def sound(self, place: int) -> bytes:
        """Return the recording as a new FLAC file with the opener on the left, which tells no bridge seat."""
        run_id = self.order[place].item.run
        pcm = self.study.store.pcm(run_id)
        return flac_bytes(pcm if self.study.specs[run_id].opener == "a" else pcm[::-1])

    def save(self, place: int, reply: Reply) -> None:
        """Keep an answer; raise ValueError, in words for the person, for one that makes no sense."""
        drawn = self.order[place]
        answer = Answer(
            label=label_of(self._asking(drawn.item), reply),
            by=self.by,
            utc=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            seconds=round(reply.seconds, 1),
            **self._drawn(drawn),
        )
        save(self.study.shown(drawn.item.run), answer)

    def done(self, say: Say = lambda text: None) -> list[int]:
        """Return the places of the answered items; `say` is told of lines that cannot be read."""
        runs = dict.fromkeys(drawn.item.run for drawn in self.order)
        given = {
            (run_id, *asked) for run_id in runs for asked in answers(self.study.shown(run_id), self.by, say)
        }
        items = (drawn.item for drawn in self.order)
        return [i for i, item in enumerate(items) if (item.run, item.question, item.seat) in given]

    def adopt(self) -> None:
        """Let answers that this person gave in another sample count in this one, with its weights."""
        for drawn in self.order:
            shown, item = self.study.shown(drawn.item.run), drawn.item
            given = answers(shown, self.by).get((item.question, item.seat))
            if given and given.sample != self.sample.name:
                save(shown, given.model_copy(update=self._drawn(drawn)))

    def _drawn(self, drawn: Drawn) -> Row:
        return {"weight": drawn.weight, "sample": self.sample.name, "seed": self.sample.seed}

    def _asking(self, item: Item) -> Asking:
        asked = {question.id: question for question in questions_of(self.study.specs[item.run].archetype)}
        return Asking(case(self.study, item.run), asked[item.question], item.seat)


def asked_of_people() -> list[str]:
    """Return the questions that people are asked: all but those that rules count."""
    asked = (q for archetype in ARCHETYPES for q in questions_of(archetype) if not q.counted)
    return list(dict.fromkeys(q.id for q in asked))


def check_questions(names: Sequence[str]) -> None:
    """Raise ConfigError, with the near name, for a question that people are not asked."""
    known = asked_of_people()
    for name in names:
        if name not in known:
            raise ConfigError(f"questions: people are not asked '{name}'{near(name, known)}")


def sample_of(study: Study, n: int, seed: int, questions: Sequence[str] = ()) -> Sample:
    """Return the sample of a study, drawn at the first call and kept in `studies/<name>/annotate/`.

    Raises ConfigError where no judged run has such a question.
    """
    wanted = tuple(sorted(set(questions))) or tuple(sorted(asked_of_people()))
    read = {run_id: study.read_by_judges(run_id) for run_id in judgeable(study)}
    name = digest([n, seed, wanted, read])
    path = study.folder / "annotate" / f"{name}.json"
    if not path.exists():
        drawn = tuple(draw(list(candidates(study, wanted)), n, seed))
        if not drawn:
            what = f" about {', '.join(questions)}" if questions else ""
            raise ConfigError(
                f"study '{study.name}' has no judged run to ask people{what}; "
                f"run: python -m dyad judge study={study.name}"
            )
        sample = Sample(name=name, n=n, seed=seed, questions=wanted, drawn=drawn)
        write_atomic(path, (sample.model_dump_json(indent=1) + "\n").encode())
    try:
        return Sample.model_validate_json(path.read_bytes())
    except ValueError:
        raise DyadError(f"{path}: not a sample; restore that file") from None


def candidates(study: Study, questions: Sequence[str]) -> Iterator[Candidate]:
    """Yield what people can be asked: what judges were asked, but for answers that follow from a silence."""
    for run_id in judgeable(study):
        spec = study.specs[run_id]
        asked = {q.id: q for q in questions_of(spec.archetype) if q.id in questions and not q.counted}
        scored = spec.anchor and spec.seat_of_role(spec.anchor)  # questions about a seat are about this one
        first, *others = (labels_of(study, run_id, judge) for judge in study.config.judges)
        for label in first:
            seat_asked = not (label.seat and scored) or label.seat == scored
            if label.question in asked and label.status != "no_speech" and seat_asked:
                item = Item(run=run_id, question=label.question, seat=label.seat)
                kind = asked[label.question].listed(label.label) if label.label else None
                yield Candidate(item, spec.archetype, kind or "missing", _disputed(label, others))


def _disputed(label: Label, others: Sequence[Sequence[Label]]) -> bool:
    """Whether another judge gave another label; one that gave none disputes nothing."""
    asked = (label.question, label.seat)
    theirs = [x.label for labels in others for x in labels if (x.question, x.seat) == asked]
    return any(given not in (None, label.label) for given in theirs) if label.label else False
