"""Lychee-FD: streams of text, speech and control side by side, 25 positions a second."""
