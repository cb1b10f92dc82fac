"""The sections that are made from table rows alone, so that rows without recordings have a page too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dyad.report.markup import Html
from dyad.tables.rows import Row

from .differences import contrasts, design
from .outcomes import outcomes
from .part import parts
from .scores import profiles, scores, side_by_side
from .times import times
from .turns import turns
from .variance import variance


def sections(
    rows: Sequence[Row], mode: str, flags: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Html]:
    """Return the sections of the tables by name: what `render` fills its template with.

    `flags` says of an archetype what must be said beside its scores.
    """
    found = parts(rows)
    return {
        "scores": scores(found, flags or {}),
        "profiles": profiles(found),
        "conditions": side_by_side(found),
        "contrasts": contrasts(found),
        "outcomes": outcomes(found),
        "turns": turns(found, mode),
        "times": times(found),
        "variance": variance(found),
        "design": design(found),
    }
