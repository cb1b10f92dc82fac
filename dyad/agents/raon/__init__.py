"""`raon`: KRAFTON's Raon-SpeechChat 9B, full duplex in frames of 80 ms, in its own interpreter."""
