"""Its collections."""
