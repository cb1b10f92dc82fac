"""The rows of a study's tables: computed once, then printed, drawn and exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dyad.tables import Draws, Row, of_judge, summary

from .account import account_rows
from .study import Study
from .trials import suite_rows

if TYPE_CHECKING:
    import pandas as pd


def table_rows(study: Study, frame: pd.DataFrame) -> list[Row]:
    """Return the rows of all tables by the judge that the study shows, with the draws of its settings."""
    own, wish = of_judge(frame, study.config.judge), study.config.report
    if study.suite is not None:
        return suite_rows(study, own)
    made = summary(own, Draws(wish.bootstrap, wish.permutations)) if len(own) else []
    return [*made, *account_rows(study)]
