"""Stand-in for the package of Raon-SpeechChat: the names, signatures, checks and delays of its step API."""
