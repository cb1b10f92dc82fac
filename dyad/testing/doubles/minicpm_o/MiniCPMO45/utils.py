"""The language model's memory, and how tokens are drawn."""

from __future__ import annotations

from typing import Any, NamedTuple


class Place(NamedTuple):
    """A place of the memory: a token, or 100 ms of sound (token -1)."""

    token: int
    level: float = 0.0
    sound: Any = None


class StreamDecoder:
    """Feeds the language model, and draws its tokens."""

    def __init__(self, llm: Any, tokenizer: Any, forbidden_token_ids: list[int]) -> None:
        self.m, self.tokenizer = llm, tokenizer
        self.listen_id = tokenizer.eos_token_id
        self.chunk_eos_id = tokenizer.convert_tokens_to_ids("<|chunk_eos|>")
        self.turn_eos_id = tokenizer.convert_tokens_to_ids("<|turn_eos|>")
        self.forbidden_token_ids = [*forbidden_token_ids, self.chunk_eos_id]
        self.reset()

    def reset(self) -> None:
        """Forget the conversation."""
        self.cache: list[Place] = []
        self.generated_tokens: list[int] = []

    def embed_token(self, tid: int) -> list[Place]:
        """Return a token as the model takes it."""
        return [Place(tid)]

    def embed_tokens(self, token_ids: list[int]) -> list[Place]:
        """Return tokens as the model takes them."""
        return [Place(token) for token in token_ids]

    def feed(self, embeds: list[Place], return_logits: bool = False) -> Any:
        """Let the model read on; return logits [1, vocabulary] and what it knows of the sound."""
        self.cache.extend(embeds)
        return self.m(self.cache) if return_logits else None

    def decode(
        self,
        logits: Any,
        mode: str = "sampling",
        temperature: float = 0.7,
        top_k: int = 20,
        top_p: float = 0.8,
        listen_top_k: int | None = None,
        listen_prob_scale: float = 1.0,
        text_repetition_penalty: float = 1.05,
        text_repetition_window_size: int = 512,
        length_penalty: float = 1.1,
    ) -> Any:
        """Draw a token [1]: whether the unit ends, from all; then any other."""
        import torch

        logits = logits.clone()
        if _draw(torch, logits, mode).item() == self.chunk_eos_id:
            return torch.tensor([self.chunk_eos_id])
        logits[:, self.forbidden_token_ids] = -torch.inf
        recent = sorted(set(self.generated_tokens[-text_repetition_window_size:]))
        logits[:, recent] /= text_repetition_penalty
        logits[:, self.turn_eos_id] /= length_penalty
        if mode not in ("greedy", "sampling"):
            raise ValueError(f"Unsupported decode mode: {mode}")
        logits[logits < logits.topk(min(top_k or 1000, logits.shape[1])).values[:, -1:]] = -torch.inf
        token = _draw(torch, logits / temperature, mode)
        self.generated_tokens.append(int(token.item()))
        return token


def _draw(torch: Any, logits: Any, mode: str) -> Any:
    if mode == "greedy":
        return logits.argmax(-1)
    return torch.multinomial(torch.softmax(logits, -1), 1).squeeze(1)
