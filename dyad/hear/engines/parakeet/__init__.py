"""NVIDIA's Parakeet through NeMo, in an environment of its own."""
