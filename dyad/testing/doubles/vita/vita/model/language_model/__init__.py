"""Its language model."""
