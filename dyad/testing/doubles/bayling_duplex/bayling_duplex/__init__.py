"""Its package."""

from .duplex import BayLingDuplex, DuplexStreamEvent, DuplexStreamState

__all__ = ["BayLingDuplex", "DuplexStreamEvent", "DuplexStreamState"]
