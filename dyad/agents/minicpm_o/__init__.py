"""MiniCPM-o 4.5: one language model that listens and speaks in units of one second."""
