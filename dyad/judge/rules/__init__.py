"""The mechanical judge: rules on words, always available, and never mixed with the labels of models."""

from .mechanical import FAMILY, JUDGE, judge_run, label, reads

__all__ = ["FAMILY", "JUDGE", "judge_run", "label", "reads"]
