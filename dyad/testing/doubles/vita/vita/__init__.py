"""Its package."""
