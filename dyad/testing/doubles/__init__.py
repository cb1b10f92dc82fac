"""Stand-ins for models that run in their own interpreter: their interfaces, and none of their abilities."""
