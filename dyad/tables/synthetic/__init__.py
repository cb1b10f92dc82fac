"""Studies of known effects: rows as `measure` would write them, drawn instead of played.

For trying tables and notebooks before anything was recorded, and to see that what went in comes out. In each
scenario the chance of a score is a draw from a Beta distribution around the true mean of its cell: so true
means hold exactly, and scenarios differ.
"""

from .effects import CUT, EFFECTS, Condition, Effects, truth
from .expected import Truth
from .labels import labels
from .made import MAIN, study, write
from .world import scenario_means

__all__ = [
    "CUT",
    "EFFECTS",
    "MAIN",
    "Condition",
    "Effects",
    "Truth",
    "labels",
    "scenario_means",
    "study",
    "truth",
    "write",
]
