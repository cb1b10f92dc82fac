"""DuplexCascade: the client of a cascade that is served elsewhere, in real time."""
