"""The bridge: two agents hear each other's last 80 ms (layer 1)."""

from .loop import play
from .recorder import Recording
from .session import AgentFault

__all__ = ["AgentFault", "Recording", "play"]
