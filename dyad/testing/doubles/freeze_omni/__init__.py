"""A stand-in for Freeze-Omni: the interface of its pipeline, speech decoder and gate, and no model."""
