"""A stand-in for VITA-1.5: its interface and that of the packages it runs on, and no model."""
