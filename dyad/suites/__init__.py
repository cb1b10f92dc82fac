"""Fixed-stimulus suites: one seat plays sounds with known events, the other is the model that is tested."""
