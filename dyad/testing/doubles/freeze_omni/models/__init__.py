"""Its models."""
