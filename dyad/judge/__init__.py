"""Judging recorded conversations: what a judge reads, what it is asked, and who answers.

`rules` holds the judge that is always there, `models` those that ask a language model, `known` conversations
with known answers.
"""

from .questions import rubric, rubric_key
from .rules import JUDGE, judge_run

__all__ = ["JUDGE", "judge_run", "rubric", "rubric_key"]
