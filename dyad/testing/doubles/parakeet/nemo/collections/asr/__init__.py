"""The collection of speech recognition."""
