"""Judges that ask a language model: what it is told, how its answer is checked, what it costs."""
