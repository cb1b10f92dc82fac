"""NeMo, as far as one speech recogniser goes."""
