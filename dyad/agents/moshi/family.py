"""The Moshi family: four models that a configuration can name, on one engine."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from dyad.agents.moshi import sources
from dyad.agents.moshi.architecture import CONTEXT, STREAMS, Architecture, lm_bytes, ring_bytes, ring_frames
from dyad.agents.moshi.checkpoints import checkpoint_of
from dyad.agents.moshi.params import (
    LOCAL,
    AnyParams,
    JMoshiParams,
    LlmJpMoshiParams,
    MoshiParams,
    PersonaPlexParams,
    device_of,
    dtype_of,
    prompt_frames,
)
from dyad.agents.moshi.parts import parts_of
from dyad.agents.moshi.role import render_system
from dyad.bridge.protocol import Agent, Caps, Demand, Family, Room
from dyad.errors import ConfigError
from dyad.spec import TICK_S, AgentSpec, Prompt

MAX_BATCH = 256
PROMPTED_IN = ("en",)  # what PersonaPlex was trained on, and what its text tokenizer has pieces for
# Bytes of a codec's weights and of one row's streaming state: the released one, and the tiny random one.
CODEC = {"released": (403_000_000, 16_500_000), "tiny": (800_000, 270_000)}
# Bytes that torch takes for itself on a device, graphs and working space included.
OVERHEAD = {"cpu": 400_000_000, "cuda": 2_500_000_000}

KINDS: dict[str, type[AnyParams]] = {
    "moshi": MoshiParams,
    "personaplex": PersonaPlexParams,
    "j_moshi": JMoshiParams,
    "llm_jp_moshi": LlmJpMoshiParams,
}
ABOUT = {
    "moshi": "Kyutai's Moshi 7B (moshiko, moshika), free conversation in English",
    "personaplex": "NVIDIA's PersonaPlex 7B: Moshi with a role and a voice, in English",
    "j_moshi": "J-Moshi 7B of Nagoya University, free conversation in Japanese",
    "llm_jp_moshi": "LLM-jp-Moshi 7B of NII, free conversation in Japanese",
}


def caps_for(kind: str, params: AnyParams) -> Caps:
    """Return what a model of the family can do."""
    prompted = kind == "personaplex"
    return Caps(
        name=kind,
        lag_ms=80,
        max_batch=MAX_BATCH,
        prompt="text" if prompted else "none",
        voice="wav" if prompted else "none",
        force=frozenset({"text", "audio"}),
        snapshot="state",
        concurrent=params.device.startswith("cuda"),
        max_seconds=round((CONTEXT - prompt_frames(params)) * TICK_S, 2),
        licence=checkpoint_of(params).licence,
    )


def _render_nothing(prompt: Prompt) -> str:
    """Models of free conversation are told nothing."""
    return ""


def check(kind: str, spec: AgentSpec, demand: Demand) -> None:
    """Raise ConfigError when a conversation or a prompt is longer than the model's memory reaches."""
    params = KINDS[kind](**spec.params)
    context = sources.shape_of(params).context
    if demand.ticks + prompt_frames(params) > context:
        most_s = max(0, context - prompt_frames(params)) * TICK_S
        raise ConfigError(
            f"agent '{spec.name}' remembers {most_s:g} s, not {demand.ticks * TICK_S:g} s; shorten window_s"
        )
    if kind == "personaplex":
        _check_language(spec, demand.langs)
        _check_prompts(params, spec, demand.prompts)


def _check_language(spec: AgentSpec, langs: tuple[str, ...]) -> None:
    if other := [lang for lang in langs if lang not in PROMPTED_IN]:
        raise ConfigError(
            f"agent '{spec.name}' takes roles in English, not in '{other[0]}'; leave scenarios.lang at en"
        )


def _check_prompts(params: AnyParams, spec: AgentSpec, prompts: tuple[str, ...]) -> None:
    """Count the frames of every prompt; only where the files are here, as nothing is fetched for a plan."""
    source = sources.local_source(params)
    if source is None and not params.random_size:
        return
    from dyad.agents.moshi.engine.lengths import length, voice_frames
    from dyad.agents.moshi.engine.words import load_words

    tokenizer = source.files["tokenizer"] if source else None
    words = load_words(tokenizer, sources.shape_of(params).text_card, checkpoint_of(params).spaced)
    voice = voice_frames(spec.voice, source.voices if source else None)
    tokens = max((len(words.encode(prompt)) for prompt in prompts), default=0)
    if (needed := length(voice, tokens)) > prompt_frames(params):
        raise ConfigError(
            f"agent '{spec.name}': a prompt takes {needed} frames (voice {voice}, text {tokens}), but "
            f"{prompt_frames(params)} are kept; set agent.{spec.name}.prompt_frames={needed} or shorten it"
        )


def room(kind: str, spec: AgentSpec, demand: Demand) -> Room:
    """Return the memory that a model takes, from its architecture alone."""
    params = KINDS[kind](**spec.params)
    shape, dtype = sources.shape_of(params), dtype_of(params, demand.device)
    device = device_of(params, demand.device)
    codec, codec_row = CODEC["tiny" if params.random_size in ("tiny", "66m") else "released"]
    ring = ring_frames(shape.context, demand.ticks, prompt_frames(params))
    return Room(
        device=device,
        weights_bytes=lm_bytes(shape, dtype) + codec,
        row_bytes=ring_bytes(shape, ring, dtype) + codec_row + _working_bytes(shape),
        extra_bytes=OVERHEAD["cuda" if device.startswith("cuda") else "cpu"],
    )


def _working_bytes(shape: Architecture) -> int:
    """Bytes per row of logits, their sorted copies, and the depth transformer's keys and values, at most."""
    depth = shape.depformer_num_layers * STREAMS * 2 * shape.depformer_dim
    return 4 * (4 * shape.text_card + depth)


def _params(kind: str, plain: Mapping[str, Any]) -> AnyParams:
    return KINDS[kind](**plain)


def _make(kind: str, plain: Mapping[str, Any]) -> Agent:
    sources.need_packages()
    from dyad.agents.moshi.agent import MoshiAgent

    params = _params(kind, plain)
    return MoshiAgent(params, caps_for(kind, params))


def _family(kind: str) -> Family:
    return Family(
        name=kind,
        params=KINDS[kind],
        caps=lambda plain: caps_for(kind, _params(kind, plain)),
        make=partial(_make, kind),
        render=render_system if kind == "personaplex" else _render_nothing,
        assets=lambda plain, voice: sources.assets(_params(kind, plain), voice),
        check=partial(check, kind),
        room=partial(room, kind),
        parts=lambda spec, device: parts_of(_params(kind, spec.params)),
        local=LOCAL,
        langs=PROMPTED_IN if kind == "personaplex" else (),
        about=ABOUT[kind],
    )


MOSHI, PERSONAPLEX, J_MOSHI, LLM_JP_MOSHI = (_family(kind) for kind in KINDS)
