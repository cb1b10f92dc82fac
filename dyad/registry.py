"""Names → code, loaded when first used: built-in parts, then plug-ins (entry points `dyad.<group>`)."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from dyad.errors import ConfigError, near

BUILT_IN = {
    "agents": {
        "cascade": "dyad.agents.cascade.family:FAMILY",
        "scripted": "dyad.agents.scripted:FAMILY",
        "playback": "dyad.agents.playback:FAMILY",
        "recorded": "dyad.agents.playback:RECORDED",
        "silence": "dyad.agents.silence:FAMILY",
        "echo": "dyad.agents.echo:FAMILY",
        "oracle": "dyad.agents.oracle:FAMILY",
        "tone": "dyad.agents.tone:FAMILY",
        "moshi": "dyad.agents.moshi.family:MOSHI",
        "personaplex": "dyad.agents.moshi.family:PERSONAPLEX",
        "j_moshi": "dyad.agents.moshi.family:J_MOSHI",
        "llm_jp_moshi": "dyad.agents.moshi.family:LLM_JP_MOSHI",
        "raon": "dyad.agents.raon.family:FAMILY",
        "lychee_fd": "dyad.agents.lychee_fd.family:FAMILY",
        "nemotron_voicechat": "dyad.agents.nemotron_voicechat.family:FAMILY",
        "minicpm_o": "dyad.agents.minicpm_o.family:FAMILY",
        "freeze_omni": "dyad.agents.freeze_omni.family:FAMILY",
        "bayling_duplex": "dyad.agents.bayling_duplex.family:FAMILY",
        "vita": "dyad.agents.vita.family:FAMILY",
        "duplex_cascade": "dyad.agents.duplex_cascade.family:FAMILY",
    },
    "asr": {
        "none": "dyad.hear.engines.none:EARS",
        "sphinx": "dyad.hear.engines.sphinx:EARS",
        "whisper": "dyad.hear.engines.whisper:EARS",
        "faster_whisper": "dyad.hear.engines.faster_whisper:EARS",
        "parakeet": "dyad.hear.engines.parakeet.ears:EARS",
    },
    "suites": {
        "fdb_mini": "dyad.suites.fdb.family:MINI",
        "fdb_v1": "dyad.suites.fdb.family:V1",
        "fdb_v15": "dyad.suites.fdb.family:V15",
    },
    "judges": {
        "mechanical": "dyad.judge.rules:FAMILY",
        "given": "dyad.judge.given:FAMILY",
        "anthropic": "dyad.judge.models.anthropic:FAMILY",
        "openai": "dyad.judge.models.openai:FAMILY",
    },
}


def names(group: str) -> list[str]:
    """Return every name that `load` knows in a group (`agents`, `asr`, `judges`, `suites`)."""
    return sorted({*BUILT_IN.get(group, {}), *_plug_ins(group)})


def load(group: str, name: str) -> Any:
    """Return the object behind a name; raises ConfigError with the near name when there is none."""
    if target := BUILT_IN.get(group, {}).get(name):
        module, _, attribute = target.partition(":")
        return getattr(import_module(module), attribute)
    if plug_in := _plug_ins(group).get(name):
        try:
            return plug_in.load()
        except Exception as error:  # whatever its code does when it is imported
            raise ConfigError(
                f"plug-in '{name}' ({plug_in.value}) does not load: {type(error).__name__}: {error}; "
                "correct or uninstall it"
            ) from error
    raise ConfigError(f"no '{name}' among the {group}{near(name, names(group))}")


def _plug_ins(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=f"dyad.{group}")}
