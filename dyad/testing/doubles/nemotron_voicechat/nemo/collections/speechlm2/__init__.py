"""Speech language models."""
