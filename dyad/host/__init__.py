"""Host: an agent in another interpreter, behind a socket, one process or several per agent."""
