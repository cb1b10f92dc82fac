"""Its speech decoder."""
