"""Freeze-Omni's pipeline: a state goes in, a state comes out, and `stat` says what may come next."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

WORDS = ["oh", " yes", " no", " I do", " ok", " so", ",", "."]
OK, COMMA, STOP, WIDTH = 4, 6, 7, 3584
SPOKEN = 5  # words of a sentence; the reply has two, or one if the role says "briefly"
QUIET = 3e-3  # mean level of what is no speech
HEARD, BEGAN, OWN = 0.0, 1.0, 2.0  # what a position of the memory holds
Cache = tuple[tuple[torch.Tensor, torch.Tensor], ...]


class Tokenizer:
    """Words that say nothing."""

    def encode(self, text: str) -> list[int]:
        """Return the words of a text."""
        found: list[int] = []
        while text:
            index = next((i for i, word in enumerate(WORDS) if text.startswith(word)), None)
            found += [] if index is None else [index]
            text = text[1 if index is None else len(WORDS[index]) :]
        return found

    def decode(self, tokens: list[torch.Tensor], skip_special_tokens: bool = False) -> str:
        """Return the text of tokens."""
        return "".join(WORDS[int(token)] for token in tokens)


def embed_tokens(tokens: torch.Tensor) -> torch.Tensor:
    """Return int64 [n] as [n, 3584]."""
    if tokens.dtype != torch.int64:
        raise RuntimeError(f"expected tensor for argument 'indices' to be Long, not {tokens.dtype}")
    return tokens.float().unsqueeze(1).expand(-1, WIDTH)


class inferencePipeline:
    """Listens, decides who speaks, and writes; all it knows is in the state."""

    def __init__(self, args: Any) -> None:
        """`args` has what its command line has."""
        self.args = (args.model_path, args.llm_path, args.top_k, args.top_p, args.temperature)
        decoder = SimpleNamespace(model=SimpleNamespace(embed_tokens=embed_tokens))
        self.model = SimpleNamespace(tokenizer=Tokenizer(), llm_decoder=decoder)

    def post_process(self, text: str) -> str:
        """Return a text that ends as a sentence does."""
        return text if text.endswith(".") else text.rstrip(",") + "."

    def speech_dialogue(
        self,
        audio: torch.Tensor | None,
        role: str | None = None,
        stat: str = "sl",
        past_key_values: Cache | None = None,
        last_id: torch.Tensor | None = None,
        past_tokens: list[torch.Tensor] | None = None,
        adapter_cache: torch.Tensor | None = None,
        encoder_cache: list[torch.Tensor] | None = None,
        pe_index: int = 0,
    ) -> dict[str, Any]:
        """Take the next step that `stat` names."""
        if stat == "pre":
            assert past_key_values is None, "past key values already exist!!!"
            cache = _grown(None, [float(ord(c)) for c in role or ""] or [0.0], OWN)
            return _state(cache, "sl", None, None, None, pe_index)
        assert past_key_values is not None, "must set system role first!!!"
        if stat in ("sl", "cl"):
            assert audio is not None
            cache, decided = _listen(past_key_values, audio, stat, fresh=encoder_cache is None)
            return _state(cache, decided, None, torch.zeros(1, 2, 4), [torch.zeros(1)], pe_index + 4)
        if stat not in ("ss", "cs"):
            raise UnboundLocalError(f"cannot go on from stat '{stat}'")
        spoken = past_tokens or []
        cache = _grown(past_key_values, [0.0 if last_id is None else float(last_id[0][0])], OWN)
        token = _next(spoken, cache)
        hidden = torch.full((1, 1, WIDTH), _loudness(cache))
        if token is None:
            return _state(cache, "sl", None, adapter_cache, encoder_cache, pe_index)
        spoken.append(token[0][0])
        out = _state(cache, "cs", token, adapter_cache, encoder_cache, pe_index)
        text = self.model.tokenizer.decode(spoken, skip_special_tokens=True)
        return {**out, "hidden_state": hidden, "text": text, "past_tokens": spoken}


def _state(
    cache: Cache, stat: str, last_id: Any, adapter: Any, encoder: Any, pe_index: int
) -> dict[str, Any]:
    return {
        "past_key_values": cache,
        "stat": stat,
        "last_id": last_id,
        "adapter_cache": adapter,
        "encoder_cache": encoder,
        "pe_index": pe_index,
    }


def _grown(cache: Cache | None, values: list[float], kind: float) -> Cache:
    """Return a memory that is longer by some positions, and leave the old one alone."""
    keys = torch.tensor(values).reshape(1, 1, -1, 1)
    kinds = torch.full_like(keys, kind)
    if cache is None:
        return ((keys, kinds),)
    return ((torch.cat([cache[0][0], keys], 2), torch.cat([cache[0][1], kinds], 2)),)


def _listen(cache: Cache, audio: torch.Tensor, stat: str, fresh: bool) -> tuple[Cache, str]:
    if audio.shape != (1, 19, 80) or audio.dtype != torch.float32:
        raise RuntimeError(f"features must be float32 [1, 19, 80], not {audio.dtype} {list(audio.shape)}")
    assert fresh == (stat == "sl"), "a turn begins with no caches, and goes on with those of its last step"
    if stat == "sl":
        cache = _grown(cache, [0.0], BEGAN)
    cache = _grown(cache, audio[0, 3:].reshape(4, 4, 80).mean((1, 2)).tolist(), HEARD)
    return cache, _decision(cache)


def _turn(cache: Cache) -> torch.Tensor:
    """Return what was heard since the last turn of the other began, per 40 ms."""
    keys, kinds = (part.reshape(-1) for part in cache[0])
    began = int((kinds == BEGAN).nonzero().max())
    return keys[began + 1 :][kinds[began + 1 :] == HEARD]


def _decision(cache: Cache) -> str:
    """The other ends a turn by half a second of silence; a turn shorter than 0.3 s is none."""
    loud = _turn(cache) > QUIET
    if not loud.any() or loud[-12:].any():
        return "cl"
    return "ss" if int(loud.sum()) > 7 else "el"


def _loudness(cache: Cache) -> float:
    heard = _turn(cache)
    return float(heard[heard > QUIET].mean())


def _next(spoken: list[torch.Tensor], cache: Cache) -> torch.Tensor | None:
    """Draw the next token, [1, 1]; None ends the reply. A reply after another begins with "ok"."""
    keys, kinds = (part.reshape(-1) for part in cache[0])
    own = keys[kinds == OWN].tolist()
    brief = "briefly" in "".join(chr(int(key)) for key in own)
    if sum(int(token) == STOP for token in spoken) == 2 - brief:
        return None
    if not spoken and STOP in own:
        return torch.tensor([[OK]])
    if len(spoken) % (SPOKEN + 1) == SPOKEN:
        return torch.tensor([[STOP]])
    return torch.multinomial(torch.ones(COMMA), 1).unsqueeze(0)
