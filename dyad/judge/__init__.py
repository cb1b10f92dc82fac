"""Judging recorded conversations: what a judge reads, what it is asked, and a judge made of rules."""

from .mechanical import JUDGE, judge_run
from .questions import rubric, rubric_key

__all__ = ["JUDGE", "judge_run", "rubric", "rubric_key"]
