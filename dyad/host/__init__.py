"""Host: an agent in another interpreter, behind a socket, one process or several per agent."""

from .family import Hosted, HostParams, hosted
from .home import Code, Home, Weights

__all__ = ["Code", "Home", "HostParams", "Hosted", "Weights", "hosted"]
