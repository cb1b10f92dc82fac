"""For authors of agents: a contract suite, fakes that are awkward on purpose, and lanes to play them on."""

from .contract import check_agent
from .fakes import PROMPT, Bursts, Paced, Units, agents_of, lane

__all__ = ["PROMPT", "Bursts", "Paced", "Units", "agents_of", "check_agent", "lane"]
