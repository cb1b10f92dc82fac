"""What Freeze-Omni's server knows of a user; the role of one who has given none is in its code."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from .vad import VAD


class GlobalParams:
    """A user, who has taken a pipeline and a speech decoder from the server's pools."""

    def __init__(self, tts_pool: Any, pipeline_pool: Any) -> None:
        """Tell the pipeline the default role."""
        self.tts_pool, self.pipeline_pool = tts_pool, pipeline_pool
        self.tts_obj, self.pipeline_obj = tts_pool.acquire(), pipeline_pool.acquire()
        told = self.pipeline_obj.pipeline_proc.speech_dialogue(None, stat="pre", role="Answer briefly.")
        self.system_role = deepcopy(told)
        self.wakeup_and_vad = VAD()
