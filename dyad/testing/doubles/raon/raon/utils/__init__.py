"""Tokens, processor, states, files."""
