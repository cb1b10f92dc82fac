"""Embedded speech parts for CPU: voice activity, recognisers, voices, word alignment (layer 1).

Everything here needs the extra `cascade`; each module imports its engine when it is first used and keeps
one copy per process.
"""
