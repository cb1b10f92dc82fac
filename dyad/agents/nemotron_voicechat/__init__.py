"""NemotronLabs VoiceChat: a frame of 80 ms in, a frame out, and the text of both sides."""
