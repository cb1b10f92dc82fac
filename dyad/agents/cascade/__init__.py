"""The cascade: recogniser, dialogue policy and voice in one full-duplex agent (STT–LLM–TTS)."""
