"""The service of the demo, without its server."""
