"""A folder of weights as it is published, made of tiny random ones; and how a refusal reads."""

from __future__ import annotations

import copy
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dyad.errors import ConfigError

Refused = Callable[..., str]


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the user's caches, or uses a token of theirs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def refused() -> Refused:
    """Call something that must raise ConfigError; return its line."""

    def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
        with pytest.raises(ConfigError) as caught:
            function(*args, **kwargs)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return call


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a tiny Moshi in the form of the published ones: fused attention, a tokenizer, configs."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("moshi")
    from safetensors.torch import save_file

    from dyad.agents.moshi.architecture import TINY
    from dyad.agents.moshi.checkpoints import MIMI, MODEL, TOKENIZER
    from dyad.agents.moshi.engine.random_weights import mimi_config, random_lm, random_mimi

    folder = tmp_path_factory.mktemp("published")
    save_file(fused(random_lm(TINY, 0, "cpu", torch.float32).state_dict()), folder / MODEL)
    save_file(fused(random_mimi(mimi_config("tiny"), 0, "cpu").state_dict()), folder / MIMI)
    (folder / TOKENIZER).write_bytes(tokenizer(TINY.text_card))
    (folder / "codec.json").write_text(json.dumps(mimi_config("tiny")))
    config = {**TINY.model_dump(mode="json"), "mimi_config_name": "codec.json", "model_type": "moshi"}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.fixture(scope="session")
def tiny() -> Any:
    """A tiny Moshi of random weights, loaded as the agent loads it: its codec is lively, or loading fails."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("moshi")

    from dyad.agents.moshi.engine.weights import load_model
    from dyad.agents.moshi.params import MoshiParams

    torch.set_num_threads(1)
    return load_model(MoshiParams(weights="random:tiny"), "cpu")


@pytest.fixture(scope="session")
def forgetful() -> Callable[[], Any]:
    """Make tiny codecs, all of the same weights, whose own transformers look back over 12 frames only."""
    pytest.importorskip("moshi")

    from dyad.agents.moshi.engine.random_weights import assert_lively, mimi_config, random_mimi

    config = mimi_config("tiny")
    assert config is not None
    config["transformer"]["context"] = 24  # two positions per frame
    mimi = random_mimi(config, 0, "cpu").eval().requires_grad_(False)
    assert_lively(mimi)
    return lambda: copy.deepcopy(mimi)


@pytest.fixture
def folder(published: Path, tmp_path: Path) -> Path:
    """A copy of `published` that a test may spoil."""
    return Path(shutil.copytree(published, tmp_path / "weights"))


def fused(state: dict[str, Any]) -> dict[str, Any]:
    """Join the projections of each attention as published files have them."""
    import torch

    joined: dict[str, list[Any]] = {}
    for name, tensor in state.items():  # steps come in order
        name = re.sub(r"in_projs\.\d+\.weight", "in_proj_weight", name)
        joined.setdefault(re.sub(r"out_projs\.\d+\.weight", "out_proj.weight", name), []).append(tensor)
    return {name: torch.cat(parts) if len(parts) > 1 else parts[0].clone() for name, parts in joined.items()}


def tokenizer(pieces: int) -> bytes:
    """Train a SentencePiece model of so many pieces, with Moshi's padding at 3."""
    import io

    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["the lamp in the map room is old", "lock the stiff door twice, please"] * 8),
        model_writer=model,
        vocab_size=pieces,
        pad_id=3,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return model.getvalue()
