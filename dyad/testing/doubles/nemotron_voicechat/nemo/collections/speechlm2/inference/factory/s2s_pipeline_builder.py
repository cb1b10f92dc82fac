"""Makes a pipeline and the model behind it."""

from __future__ import annotations

from typing import Any

from ..model_wrappers.engine_selection import precision_matches_cfg
from ..model_wrappers.nemotron_voicechat_inference_wrapper import NemotronVoicechatInferenceWrapper
from ..pipelines.streaming_s2s_pipeline import StreamingS2SPipeline


class S2SPipelineBuilder:
    """Refuses to load weights before the precision is set."""

    @classmethod
    def build_pipeline(cls, cfg: Any) -> StreamingS2SPipeline:
        if not precision_matches_cfg(cfg.s2s):
            raise RuntimeError("the precision that cfg.s2s asks for is not in effect")
        return StreamingS2SPipeline(cfg, NemotronVoicechatInferenceWrapper(model_cfg=cfg.s2s))
