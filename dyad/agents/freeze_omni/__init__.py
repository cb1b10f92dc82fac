"""Freeze-Omni: a frozen language model with ears, a turn-taking head and a speech decoder."""
