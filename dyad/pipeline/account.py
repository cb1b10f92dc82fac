"""What became of the runs of a plan: each is stored, failed or missing, and the three counts add up to it."""

from __future__ import annotations

from collections import Counter
from typing import Literal, NamedTuple

from dyad.tables.rows import Row, row

from .study import Study

TABLES = ("run_status", "run_absent")
MISSING = "not in the store: not played yet, or removed"


class Absent(NamedTuple):
    """A planned run that the store does not hold, and why: the last error of a failed one."""

    run_id: str
    status: Literal["failed", "missing"]
    reason: str


class Account(NamedTuple):
    """The runs of a plan by what became of them."""

    planned: int
    absent: tuple[Absent, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many runs are `planned`, and of these `stored`, `failed` and `missing`."""
        lost = Counter(one.status for one in self.absent)
        stored = self.planned - len(self.absent)
        return {"planned": self.planned, "stored": stored} | {s: lost[s] for s in ("failed", "missing")}

    @property
    def line(self) -> str:
        """The counts in words."""
        planned, *parts = self.counts.items()
        return f"{planned[1]} runs planned: {', '.join(f'{n} {what}' for what, n in parts)}"

    @property
    def lost(self) -> str:
        """How many runs are not there, in words."""
        parts = (f"{n} {what}" for what, n in self.counts.items() if n and what in ("failed", "missing"))
        return f"{len(self.absent)} of {self.planned} planned runs are not stored ({', '.join(parts)})"

    def reasons(self) -> dict[tuple[str, str], list[str]]:
        """Return the runs of each status and reason, the most frequent reason first."""
        found = dict[tuple[str, str], list[str]]()
        for one in self.absent:
            found.setdefault((one.status, one.reason), []).append(one.run_id)
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def account(study: Study) -> Account:
    """Return what became of every planned run of a study."""
    lost = sorted((absent(study, i) for i in study.missing), key=lambda one: one.status)  # failed ones first
    return Account(len(study.planned), tuple(lost))


def absent(study: Study, run_id: str) -> Absent:
    """Return why a planned run is not in the store."""
    error = study.store.last_error(run_id)
    return Absent(run_id, "missing", MISSING) if error is None else Absent(run_id, "failed", error)


def account_rows(study: Study) -> list[Row]:
    """Return the rows of the tables `run_status`, one for each count, and `run_absent`, one for each run."""
    found = account(study)
    counts = {what: n for what, n in found.counts.items() if what != "planned"}
    rows = [row("run_status", term=what, value=n, n=found.planned) for what, n in counts.items()]
    return rows + [
        row("run_absent", partner=one.run_id, term=one.status, note=one.reason) for one in found.absent
    ]
