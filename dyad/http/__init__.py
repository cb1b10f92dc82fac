"""Services over HTTP: the client that all of them share, and which model answers at an address."""
