"""The tables of a study: from its tidy rows to numbers with intervals, tests, and what may be concluded.

`summary` computes them all; every table is also a function of its own.
"""

from .draws import Draws
from .frame import HEADLINE, conditions, of_judge
from .rows import COLUMNS, Row
from .study import summary

__all__ = ["COLUMNS", "HEADLINE", "Draws", "Row", "conditions", "of_judge", "summary"]
