"""The decoder process, which here is none, and the encoder of voices."""
