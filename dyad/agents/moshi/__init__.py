"""The Moshi family (Moshi, PersonaPlex, J-Moshi, LLM-jp-Moshi) on one batched engine over `moshi`."""
