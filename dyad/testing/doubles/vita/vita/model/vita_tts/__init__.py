"""Its voice."""
