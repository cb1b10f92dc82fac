"""`fdb_mini`: a small stimulus set of our own in the form of Full-Duplex-Bench, made when first asked for."""

from .folders import METHOD, REFERENCES, build, folder_of
from .texts import SETS

__all__ = ["METHOD", "REFERENCES", "SETS", "build", "folder_of"]
