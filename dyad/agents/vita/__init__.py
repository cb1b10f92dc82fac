"""VITA-1.5: waits for the end of a turn, then answers; a half-duplex baseline."""
