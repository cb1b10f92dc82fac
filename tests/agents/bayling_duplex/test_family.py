"""What the family of BayLing-Duplex says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from dyad.agents.bayling_duplex.family import FAMILY, HOME
from dyad.host.envs import lock_of, packages_of
from dyad.spec import AgentSpec, Prompt


def test_its_caps_are_of_blocks_of_ten_ticks() -> None:
    caps = FAMILY.caps({})
    assert (caps.rate_in, caps.rate_out, caps.chunk_ms, caps.lag_ms) == (16_000, 22_050, 800, 1130)
    assert (caps.prompt, caps.voice, caps.force, caps.snapshot) == ("none", "none", frozenset(), "state")
    assert caps.max_seconds == pytest.approx(261.6)


def test_its_lock_has_what_the_tokenizer_among_its_weights_imports() -> None:
    names = {line.partition("==")[0] for line in packages_of(lock_of(HOME))}
    assert {"tiktoken", "regex", "transformers"} <= names  # GLM-4's tokenization_chatglm.py


def test_weights_that_the_hub_hides_are_said_to_be_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    spec = AgentSpec(name="it", adapter=HOME.name)
    told = [part.lack for part in FAMILY.parts(spec, "cuda") if part.kind == "licence"]
    hint = "still private: run hf auth login, or set HF_TOKEN"
    assert [hint in line for line in told] == [True, False, False]


def test_it_is_told_nothing() -> None:
    assert FAMILY.render(Prompt(text="You are Ann.")) == ""
