"""Collections of NeMo."""
