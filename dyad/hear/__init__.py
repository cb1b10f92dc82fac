"""From a recording to segments and words: what was said when, by anybody's account (layer 3).

Everything here is computed from the stored audio and text, and can be computed again with other settings.
"""
