"""The decoder process, which here is none."""
