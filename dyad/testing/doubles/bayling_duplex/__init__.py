"""A stand-in for BayLing-Duplex: its interface, and no model."""
