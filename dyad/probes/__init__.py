"""What text models and speech parts make of scenarios: numbers recorded beside them, which block nothing.

They tell what no rule can see: whether a scenario is guessed without its facts, solved with them, played
to an end by two text models, and heard right.
"""

from .measures import MEASURES, Measure, Target, measures_named
from .records import Record, content_digest, folder_of
from .run import Order, probe
from .source import Source, speech_source, text_source

__all__ = [
    "MEASURES", "Measure", "Order", "Record", "Source", "Target",
    "content_digest", "folder_of", "measures_named", "probe", "speech_source", "text_source",
]  # fmt: skip
