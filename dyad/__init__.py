"""dyad: two full-duplex speech models on one line, and how each behaves because of the other."""

__version__ = "0.1.0"
