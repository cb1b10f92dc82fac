"""Streaming inference: builder, pipeline, what a stream asks for and what a step gives."""

from .factory.s2s_pipeline_builder import S2SPipelineBuilder
from .pipelines.streaming_s2s_pipeline import GenerateStepOutput, S2SRequestOptions, StreamingS2SPipeline

__all__ = ["GenerateStepOutput", "S2SPipelineBuilder", "S2SRequestOptions", "StreamingS2SPipeline"]
