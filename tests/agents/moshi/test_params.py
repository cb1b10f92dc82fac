"""Parameters of the Moshi family: what is refused, and what follows from them."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from dyad.agents.moshi.checkpoints import CHECKPOINTS, checkpoint_of
from dyad.agents.moshi.params import (
    AnyParams,
    JMoshiParams,
    LlmJpMoshiParams,
    MoshiParams,
    PersonaPlexParams,
    device_of,
    dtype_of,
    prompt_frames,
)

EACH: list[type[AnyParams]] = [MoshiParams, PersonaPlexParams, JMoshiParams, LlmJpMoshiParams]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"weights": "random:huge"}, "no random weights of this size"),
        ({"weights": "random:66n"}, "did you mean '66m'?"),
        ({"weights": " "}, "needs hub, random:SIZE or a folder"),
        ({"checkpoint": "moshiku"}, "did you mean 'moshiko'?"),
        ({"checkpoint": "j-moshi"}, "no such checkpoint"),
        ({"device": "gpu"}, "needs cpu, cuda or cuda:N"),
        ({"device": "cuda:x"}, "needs cpu, cuda or cuda:N"),
        ({"revision": "../main"}, "pattern"),
        ({"temp": -0.1}, "greater than or equal to 0"),
        ({"top_k": 0}, "greater than or equal to 1"),
        ({"threads": 0}, "greater than or equal to 1"),
        ({"prompt_frames": 10}, "Extra inputs"),
    ],
)
def test_what_is_wrong_is_said(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValidationError) as caught:
        MoshiParams(**wrong)
    assert says in caught.value.errors()[0]["msg"]


def test_official_sampling_is_the_default() -> None:
    for params in (kind() for kind in EACH):
        assert (params.temp, params.temp_text, params.top_k, params.top_k_text) == (0.8, 0.7, 250, 25)


def test_every_checkpoint_belongs_to_one_family() -> None:
    assert sorted(name for kind in EACH for name in kind.official) == sorted(CHECKPOINTS)
    assert all(kind().checkpoint == kind.official[0] for kind in EACH)
    assert checkpoint_of(MoshiParams(checkpoint="moshika")).repo == "kyutai/moshika-pytorch-bf16"


def test_kinds_of_weights() -> None:
    hub, drawn, local = (MoshiParams(weights=w) for w in ("hub", "random:tiny", "hub/weights"))
    assert [p.random_size for p in (hub, drawn, local)] == ["", "tiny", ""]
    assert [p.folder for p in (hub, drawn, local)] == ["", "", "hub/weights"]


def test_device_and_number_format() -> None:
    plain, placed = MoshiParams(), MoshiParams(device="cuda:1")
    assert [device_of(plain, d) for d in ("", "cpu", "cuda")] == ["cpu", "cpu", "cuda"]
    assert device_of(placed, "cpu") == "cuda:1"
    assert [dtype_of(p, "cpu") for p in (plain, placed)] == ["float32", "bfloat16"]
    assert dtype_of(MoshiParams(dtype="float32"), "cuda") == "float32"


def test_only_personaplex_keeps_frames_for_prompts() -> None:
    assert [prompt_frames(kind()) for kind in EACH] == [0, 512, 0, 0]
