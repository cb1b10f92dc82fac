"""Agents: one module per family, each exporting `FAMILY` (layer 2)."""
