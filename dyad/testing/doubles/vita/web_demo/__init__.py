"""Its demo."""
