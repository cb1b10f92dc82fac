"""BayLing-Duplex: one language model that hears, writes and speaks in turns of ten, five and ten tokens."""
