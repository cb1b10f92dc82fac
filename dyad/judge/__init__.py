"""Judging recorded conversations: what a judge reads, what it is asked, and a judge made of rules."""
