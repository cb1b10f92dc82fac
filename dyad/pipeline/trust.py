"""How far the judges of a study can be trusted: known answers, agreement, people, and what is missing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dyad.judge.check import Check, flags, load, shipped_check
from dyad.judge.humans import weights
from dyad.judge.panel import Labels, Pair, Panel, pairs, panels
from dyad.judge.reliability import Share
from dyad.measure.catalogue import questions_behind
from dyad.spec import Frozen
from dyad.spec.study import PANEL, JudgeSettings
from dyad.tables.corrected import HUMAN, Asked, corrected

from .judging import checked_as, checks_folder, family_of, judgeable, records_folder, unjudged
from .measuring import read_labels
from .study import Study

if TYPE_CHECKING:
    import pandas as pd


class Standing(Frozen):
    """A judge on one question. `known` are the known answers that it got right, None where none was asked.

    `flag` is what tables say beside a score that rests on it, "" where it can be trusted.
    """

    question: str
    known: Share | None
    flag: str

    @property
    def warning(self) -> str:
        """The flag where the number that it is about does not stand beside it."""
        if not self.flag or self.known is None or self.known.value is None:
            return self.flag
        return f"{self.known.value:.1%} of known answers right, {self.flag}"


class Spent(Frozen):
    """What the records of a judge hold so far, of all studies in a store. `usd` None: the cost is not known.

    `models` are the ids that answered, which may differ from the one that was asked for.
    """

    replies: int
    usd: float | None
    models: tuple[str, ...]


class About(Frozen):
    """A judge of a study. `kind` says in words who gives the labels; tables rest on `shown` judges."""

    name: str
    kind: str
    rules: bool  # on words, which read little but English
    shown: bool
    checked: str  # the day of its check, "" without one
    questions: tuple[Standing, ...]
    spent: Spent | None


class Missing(Frozen):
    """The labels that a judge did not give, `n` of the `of` that it was asked for, by their reason.

    `question` "" are whole runs.
    """

    judge: str
    question: str
    status: str
    n: int
    of: int


class Trust(Frozen):
    """All that a reader of a study's tables must know of its judges.

    `shown` is the name of the judge whose labels the tables show. `pairs` and `panels` are the agreement of
    all judges and people, `corrected` the shown judge's shares beside what they would be without its errors,
    where people have labelled runs (`CORRECTED`).
    """

    shown: str
    judges: tuple[About, ...]
    people: tuple[str, ...]
    pairs: tuple[Pair, ...]
    panels: tuple[Panel, ...]
    corrected: tuple[dict[str, Any], ...]
    missing: tuple[Missing, ...]

    def flags(self, measure: str, archetype: str) -> list[str]:
        """Return what must be said beside a measure: each shown judge that cannot be trusted with it."""
        asked = questions_behind(measure, archetype)
        return [warning for question, warning in self._flagged() if question in asked]

    @property
    def warnings(self) -> list[str]:
        """What must be said of all that the shown judges were asked."""
        return [warning for _, warning in self._flagged()]

    def _flagged(self) -> list[tuple[str, str]]:
        shown = ((judge.name, on) for judge in self.judges if judge.shown for on in judge.questions)
        return [(on.question, f"{name} on {on.question}: {on.warning}") for name, on in shown if on.flag]


def trust(study: Study, frame: pd.DataFrame) -> Trust:
    """Return what is known of the judges of a study, from its rows and the labels that `measure` wrote."""
    labels = read_labels(study)
    by_judge = _by_judge(labels)
    people = tuple(name for name in by_judge if name.startswith(HUMAN))
    scenarios = {run_id: spec.scenario for run_id, spec in study.specs.items()}
    voices = {name: given for name, given in by_judge.items() if name != PANEL}
    return Trust(
        shown=study.config.judge,
        judges=tuple(_about(study, judge, by_judge.get(judge.name, {})) for judge in study.config.judges),
        people=people,
        pairs=tuple(pair for pair in pairs(by_judge, scenarios) if _tells(pair)),
        panels=tuple(panels(voices, scenarios)),
        corrected=tuple(_corrected(study, frame, labels)) if people else (),
        missing=(*_missing(labels), *_unjudged(study)),
    )


def kind_of(judge: JudgeSettings) -> str:
    """Say in words who gives a judge's labels."""
    family = family_of(judge)
    model = judge.params.get("model") if family.model else None
    return f"model {model}" if model else family.about.partition(";")[0]


def _by_judge(labels: pd.DataFrame) -> dict[str, Labels]:
    """Labels by judge, of what judges were asked: on what follows from a silence nobody can disagree."""
    labels = labels[labels["status"] != "no_speech"]
    found: dict[str, dict[tuple[str, str, Any], str | None]] = {}
    columns = (labels[name] for name in ("judge", "run_id", "question", "seat", "label"))
    for judge, run_id, question, seat, label in zip(*columns, strict=True):
        given = label if isinstance(label, str) else None
        found.setdefault(judge, {})[run_id, question, seat or None] = given
    return dict(found)


def _tells(pair: Pair) -> bool:
    """A panel agrees with its members because they made it; how it agrees with people is news."""
    return PANEL not in pair.judges or any(name.startswith(HUMAN) for name in pair.judges)


def _about(study: Study, judge: JudgeSettings, labels: Labels) -> About:
    check, family = _check_of(study, judge), family_of(judge)
    return About(
        name=judge.name,
        kind=kind_of(judge),
        rules=judge.backend == "mechanical",
        shown=study.config.panel or judge.name == study.config.judge,
        checked=check.date if check else "",
        questions=tuple(_standing(check, name) for name in sorted({question for _, question, _ in labels})),
        spent=_spent(records_folder(study.store) / f"{judge.name}.jsonl") if family.model else None,
    )


def _check_of(study: Study, judge: JudgeSettings) -> Check | None:
    """The check in the store, else the one that comes with dyad, where it is of this judge."""
    shipped = shipped_check()
    if own := load(checks_folder(study.store), checked_as(judge)):
        return own
    unnamed = judge.model_copy(update={"name": judge.backend})
    return shipped if shipped and shipped.judge == checked_as(unnamed) else None


def _standing(check: Check | None, question: str) -> Standing:
    known = next((x.right for x in check.questions if x.question == question), None) if check else None
    return Standing(question=question, known=known, flag=flags(check, question))


def _spent(records: Path) -> Spent | None:
    replies = list(_records(records)) if records.exists() else []
    if not replies:
        return None
    costs = [reply.get("usd") for reply in replies]
    usd = None if None in costs else float(sum(filter(None, costs)))
    models = sorted({str(reply["model"]) for reply in replies if reply.get("model")})
    return Spent(replies=len(replies), usd=usd, models=tuple(models))


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as lines:
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:  # cut off by a crash, or just being written: the judge itself tells of it
                continue


def _corrected(study: Study, frame: pd.DataFrame, labels: pd.DataFrame) -> list[dict[str, Any]]:
    judge = study.config.judge
    quiet = labels[(labels["judge"] == judge) & (labels["status"] == "no_speech")]
    silent = set(zip(quiet["run_id"], quiet["question"], quiet["seat"], strict=True))
    shown_to = dict.fromkeys(labels.loc[labels["judge"].str.startswith(HUMAN), "run_id"])
    known: dict[Asked, float] = {}
    for item, weight in (found for run_id in shown_to for found in _weights(study, run_id)):
        known[item] = min(weight, known.get(item, weight))  # drawn twice: the better chance counts
    return corrected(frame, judge, known, study.config.report.correction, silent)


def _weights(study: Study, run_id: str) -> Iterator[tuple[Asked, float]]:
    for given in weights(study.shown(run_id)).values():
        for (question, seat), weight in given.items():
            yield (run_id, question, seat or ""), weight


def _missing(labels: pd.DataFrame) -> Iterator[Missing]:
    lost = labels[labels["label"].isna()]
    asked = Counter(zip(labels["judge"], labels["question"], strict=True))
    reasons = Counter(zip(lost["judge"], lost["question"], lost["status"], strict=True))
    for (judge, question, status), n in sorted(reasons.items()):
        yield Missing(judge=judge, question=question, status=status, n=n, of=asked[judge, question])


def _unjudged(study: Study) -> Iterator[Missing]:
    for judge in study.config.judges:
        if n := len(unjudged(study, judge)):
            of = len(judgeable(study))
            yield Missing(judge=judge.name, question="", status="not judged", n=n, of=of)
