"""How a pipeline is made."""
