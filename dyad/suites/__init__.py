"""Fixed-stimulus suites: one seat plays sounds with known events, the other is the model under test (layer 3)."""
