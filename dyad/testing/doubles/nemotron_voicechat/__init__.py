"""A stand-in for NemotronLabs VoiceChat: the interface of its streaming pipeline, and no model."""
