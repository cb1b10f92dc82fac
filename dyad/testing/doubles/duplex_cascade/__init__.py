"""A stand-in for DuplexCascade: a server that speaks its protocol, and no models."""
