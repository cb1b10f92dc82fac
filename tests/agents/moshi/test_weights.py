"""Loading is strict, and says in one line what is wrong; random weights are seeded and alive."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")

from moshi.models import loaders  # noqa: E402
from moshi.models.lm import LMModel  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

from dyad.agents.moshi.architecture import FULL, MID, TINY, Architecture, lm_parameters  # noqa: E402
from dyad.agents.moshi.checkpoints import MIMI, MODEL, TOKENIZER  # noqa: E402
from dyad.agents.moshi.engine.convert import lm_layout, mimi_layout  # noqa: E402
from dyad.agents.moshi.engine.random_weights import assert_lively, mimi_config, random_lm, random_mimi  # noqa: E402
from dyad.agents.moshi.engine.weights import Loaded, load_model, read_lm  # noqa: E402
from dyad.agents.moshi.params import MoshiParams  # noqa: E402

Refused = Callable[..., str]


def load(folder: Path, **more: Any) -> Loaded:
    return load_model(MoshiParams(weights=str(folder), **more), "cpu")


def spoil(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the tensors of a file."""
    state = load_file(path)
    change(state)
    save_file(state, path)


# What is read


def test_a_published_folder_gives_the_same_model(folder: Path) -> None:
    loaded, drawn = load(folder), random_lm(TINY, 0, "cpu", torch.float32)
    for name, tensor in drawn.state_dict().items():
        assert torch.equal(loaded.lm.state_dict()[name], tensor), name
    codec = random_mimi(mimi_config("tiny"), 0, "cpu").state_dict()
    read = loaded.new_mimi().state_dict()
    assert all(torch.equal(read[name], tensor) for name, tensor in codec.items())
    assert (loaded.architecture, loaded.label, loaded.lm.dep_q) == (TINY, "folder", 8)
    assert not loaded.lm.training
    assert not any(p.requires_grad for p in loaded.lm.parameters())
    assert loaded.words.encode("the lamp")


def test_agents_share_weights_but_no_stream(folder: Path) -> None:
    loaded, other = load(folder), load(folder, temp=0.0)
    assert loaded.lm is other.lm
    assert load(folder, dtype="bfloat16").lm is not loaded.lm
    a, b = loaded.new_mimi(), loaded.new_mimi()
    assert next(a.parameters()).data_ptr() == next(b.parameters()).data_ptr()
    with torch.no_grad(), a.streaming(1), b.streaming(2):
        assert a.encode(torch.zeros(1, 1, 1920)).shape == (1, 8, 1)
        assert b.encode(torch.zeros(2, 1, 1920)).shape == (2, 8, 1)


def test_number_formats(folder: Path) -> None:
    loaded = load(folder, dtype="bfloat16")
    assert {p.dtype for p in loaded.lm.parameters()} == {torch.bfloat16}
    assert {p.dtype for p in loaded.new_mimi().parameters()} == {torch.float32}


def test_a_depth_of_16_steps_gives_the_first_8(tmp_path: Path) -> None:
    both = LMModel(**TINY.lm_kwargs() | {"dep_q": 16})
    save_file(fuse(both.state_dict()), tmp_path / MODEL)
    state, given = read_lm(tmp_path / MODEL, TINY, "cpu", torch.float32).state_dict(), both.state_dict()
    assert (len(given), len(state)) == (211, 123)
    assert all(torch.equal(given[name], tensor) for name, tensor in state.items())


def fuse(state: dict[str, Any]) -> dict[str, Any]:
    """Join the depth transformer's projections as PersonaPlex's file has them."""
    joined: dict[str, list[Any]] = {}
    for name, tensor in state.items():
        stem, _, rest = name.partition("_projs.")
        fused = {"in": "in_proj_weight", "out": "out_proj.weight"}.get(stem.rpartition(".")[2], "")
        joined.setdefault(f"{stem.rpartition('.')[0]}.{fused}" if rest else name, []).append(tensor)
    return {name: torch.cat(parts) if len(parts) > 1 else parts[0].clone() for name, parts in joined.items()}


def test_older_names_of_codebooks_are_known() -> None:
    shapes = {"a._codebook.embed_sum": (4, 2), "a._codebook.cluster_usage": (4,), "a._codebook.inited": (1,)}
    assert set(mimi_layout(shapes)) == {
        "a._codebook.embedding_sum", "a._codebook.cluster_usage", "a._codebook._initialized",
    }  # fmt: skip
    assert lm_layout({}) == {}


@pytest.mark.parametrize("shape", [TINY, MID, FULL])
def test_parameters_are_counted_right(shape: Architecture) -> None:
    with torch.device("meta"):
        lm = LMModel(device="meta", **shape.lm_kwargs())
    assert sum(p.numel() for p in lm.parameters()) == lm_parameters(shape)


def test_the_full_architecture_is_the_package_s() -> None:
    kwargs = FULL.lm_kwargs()
    assert {key: kwargs[key] for key in loaders._lm_kwargs} == loaders._lm_kwargs


# What is refused


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        (MODEL, lambda s: s.pop("text_emb.weight"), "1 missing (first: text_emb.weight)"),
        (MODEL, lambda s: s.update(extra=torch.zeros(2)), "1 unknown (first: extra)"),
        (MODEL, lambda s: s.update({"emb.3.weight": torch.zeros(9, 64)}), "1 of another shape (first: emb.3"),
        (MODEL, lambda s: s["linears.2.weight"].fill_(float("nan")), "'linears.2.weight' holds NaN"),
        (MIMI, lambda s: s["decoder.model.0.conv.conv.bias"].fill_(float("inf")), "holds NaN or infinite"),
        (MIMI, lambda s: s.pop("upsample.convtr.convtr.convtr.weight"), "1 missing (first: upsample"),
    ],
)
def test_wrong_tensors_are_named(
    folder: Path, name: str, change: Callable[[dict[str, Any]], object], says: str, refused: Refused
) -> None:
    spoil(folder / name, change)
    line = refused(load, folder)
    assert says in line
    assert str(folder / name) in line


def test_another_architecture_is_refused(folder: Path, refused: Refused) -> None:
    (folder / "config.json").unlink()
    assert f"{folder / MIMI} is of another architecture" in refused(load, folder)
    config = {**TINY.model_dump(mode="json"), "dim": 128, "mimi_config_name": "codec.json"}
    (folder / "config.json").write_text(json.dumps(config))
    line = refused(load, folder)
    assert f"{folder / MODEL} is of another architecture: tensors " in line
    assert "of another shape (first: depformer_in.0.weight)" in line


@pytest.mark.parametrize("content", [b"PK\x03\x04...", b"\x80\x02}q\x00."])
def test_a_pickle_is_not_opened(folder: Path, content: bytes, refused: Refused) -> None:
    (folder / MODEL).write_bytes(content)
    assert "is a pickle of torch.save, which is not opened; save it as safetensors" in refused(load, folder)


@pytest.mark.parametrize("cut", [0, 6, 2000])
def test_a_cut_file_is_refused(folder: Path, cut: int, refused: Refused) -> None:
    (folder / MODEL).write_bytes((folder / MODEL).read_bytes()[:cut])
    assert "model.safetensors is no whole safetensors file" in refused(load, folder)


def test_a_codec_of_another_model_is_refused(folder: Path, refused: Refused) -> None:
    (folder / "codec.json").write_text("{}")
    assert "codec.json describes no codec (KeyError" in refused(load, folder)
    config = mimi_config("tiny")
    assert config
    (folder / "codec.json").write_text(json.dumps(config | {"sample_rate": 16_000}))
    assert "codec.json describes" in refused(load, folder)
    config["quantizer"]["bins"] = 32
    (folder / "codec.json").write_text(json.dumps(config))
    codec = random_mimi(config, 0, "cpu").state_dict()
    save_file({name: tensor.contiguous() for name, tensor in codec.items()}, folder / MIMI)
    assert "has 32 codes, the model 64; use the model's own codec" in refused(load, folder)


def test_a_tokenizer_of_another_model_is_refused(folder: Path, refused: Refused) -> None:
    (folder / TOKENIZER).write_bytes(b"")
    assert "is no SentencePiece model" in refused(load, folder)


# Random weights


def test_a_seed_draws_the_same_weights_and_nothing_else() -> None:
    before = torch.get_rng_state()
    first, again, other = (random_lm(TINY, seed, "cpu", torch.float32).state_dict() for seed in (1, 1, 2))
    codecs = [random_mimi(mimi_config("tiny"), seed, "cpu").state_dict() for seed in (1, 1, 2)]
    assert torch.equal(torch.get_rng_state(), before)
    for a, b, c in (first.values(), again.values(), other.values()), codecs_of(codecs):
        assert all(torch.equal(x, y) for x, y in zip(a, b, strict=True))
        assert sum(torch.equal(x, y) for x, y in zip(a, c, strict=True)) < len(a) / 2


def codecs_of(states: list[dict[str, Any]]) -> tuple[Any, ...]:
    """Only the tensors that are drawn: norms, biases and counters are equal in all."""
    drawn = [name for name in states[0] if name.endswith(("conv.weight", "embedding_sum"))]
    return tuple([state[name] for name in drawn] for state in states)


def test_random_weights_load_as_any_others() -> None:
    loaded = load_model(MoshiParams(weights="random:tiny", random_seed=5), "cpu")
    assert (loaded.label, loaded.voices, loaded.architecture) == ("random:tiny", None, TINY)
    assert loaded.lm is load_model(MoshiParams(weights="random:tiny", random_seed=5), "cpu").lm
    assert loaded.lm is not load_model(MoshiParams(weights="random:tiny", random_seed=6), "cpu").lm
    assert_lively(loaded.new_mimi())


@pytest.mark.parametrize("seed", range(5))
def test_random_codecs_are_lively(seed: int) -> None:
    assert_lively(random_mimi(mimi_config("tiny"), seed, "cpu"))


def test_a_codec_that_is_constant_is_found_out(refused: Refused) -> None:
    untuned = loaders.get_mimi(None, mimi_config("tiny"), num_codebooks=8)
    assert "the random codec is nearly constant (1 semantic codes" in refused(assert_lively, untuned)
    for name, buffer in untuned.named_buffers():
        if name.endswith(("embedding_sum", "_initialized")):
            buffer.copy_(torch.randn(buffer.shape, generator=torch.Generator().manual_seed(0)).abs())
    for module in untuned.modules():
        if hasattr(module, "_embedding"):
            module.register_buffer("_embedding", None, persistent=False)
    assert "the random codec is nearly constant" in refused(assert_lively, untuned)
