"""Its gate."""
