"""The stages after simulation, wired to the store: each reads recordings and sidecars and only adds files."""

from .account import Account, account
from .conversations import case, conversation, talks, transcript
from .hearing import hear, heard_ids, unheard
from .judging import family_of, judge, judgeable, judgments, labels_of, opened, shown_labels, unjudged
from .measuring import measure, measured, read_labels, read_table
from .serving import answering
from .study import Study, asr_name, check, of_ids, of_plan, of_recording, retakes, unplayed, vad_name
from .tables import table_rows

__all__ = [
    "Account",
    "Study",
    "account",
    "answering",
    "asr_name",
    "case",
    "check",
    "conversation",
    "family_of",
    "hear",
    "heard_ids",
    "judge",
    "judgeable",
    "judgments",
    "labels_of",
    "measure",
    "measured",
    "of_ids",
    "of_plan",
    "of_recording",
    "opened",
    "read_labels",
    "read_table",
    "retakes",
    "shown_labels",
    "table_rows",
    "talks",
    "transcript",
    "unheard",
    "unjudged",
    "unplayed",
    "vad_name",
]
