"""Its frameworks, one per back end."""
