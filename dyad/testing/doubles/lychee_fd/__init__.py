"""A stand-in for Lychee-FD: the interface of its frameworks, stream session and vocoder, and no model."""
