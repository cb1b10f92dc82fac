"""The demo's server, which cannot be imported beside another command line."""

from __future__ import annotations

import argparse
import re
from typing import Any

args = argparse.ArgumentParser("VITA").parse_args()

IMAGE_TOKEN_INDEX = 51000
AUDIO_TOKEN_INDEX = 51001
USER_PREFIX = "<|im_start|>user\n"
BOT_PREFIX = "<|im_start|>assistant\n"
EOS = "<|im_end|>\n"


def load_model_embemding(model_path: str) -> Any:
    """Return the language model's table of tokens."""
    from vita.model.language_model.vita_qwen2 import (  # type: ignore[import-not-found]
        VITAQwen2Config,
        VITAQwen2ForCausalLM,
    )

    config = VITAQwen2Config.from_pretrained(f"{model_path}/origin_config.json")
    model = VITAQwen2ForCausalLM.from_pretrained(model_path, config=config, low_cpu_mem_usage=True)
    return model.get_input_embeddings()


def tokenizer_image_audio_token(
    prompt: str,
    tokenizer: Any,
    image_token_index: int = IMAGE_TOKEN_INDEX,
    audio_token_index: int = AUDIO_TOKEN_INDEX,
    return_tensors: str | None = None,
) -> list[int]:
    """Return the tokens of a prompt, in which sounds have a token of their own."""
    pieces = re.split("(<audio>)", prompt)
    return [
        token
        for piece in pieces
        for token in ([audio_token_index] if piece == "<audio>" else tokenizer(piece).input_ids)
    ]


def merge_current_and_history(
    global_history: list[dict[str, Any]],
    current_request: dict[str, Any],
    skip_history_vision: bool = False,
    move_image_token_to_start: bool = False,
) -> dict[str, Any]:
    """Return a request that begins with the exchanges before it."""
    prompt, sounds = "<|im_start|>system\nVita<|im_end|>\n", []
    for exchange in [*global_history, current_request]:
        prompt += USER_PREFIX + exchange["prompt"] + EOS + BOT_PREFIX
        prompt += exchange["response"] + EOS if "response" in exchange else ""
        sounds += exchange["multi_modal_data"]["audio"]
    return {**current_request, "prompt": prompt, "multi_modal_data": {"audio": sounds}}
