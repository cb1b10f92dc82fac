"""Measures of one conversation: pure functions of segments, words and labels, and the tidy rows they give."""
