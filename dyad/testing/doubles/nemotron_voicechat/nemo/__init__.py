"""NeMo, as far as its streaming speech-to-speech pipeline goes."""
