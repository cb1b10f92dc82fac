"""The cascade as a family of agents that a configuration can name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dyad.agents.cascade.types import CascadeParams
from dyad.bridge.protocol import Agent, Caps, Demand, Family
from dyad.errors import ConfigError
from dyad.spec import AgentSpec, Prompt, canonical_json


def render(prompt: Prompt) -> str:
    """Return what the cascade acts on: the text for a language model, then the sheet for the rules."""
    return f"{prompt.text}\n{canonical_json(prompt.sheet)}"


def _caps(params: Mapping[str, Any]) -> Caps:
    from dyad.agents.cascade.agent import cascade_caps

    return cascade_caps(CascadeParams(**params))


def _make(params: Mapping[str, Any]) -> Agent:
    from dyad.agents.cascade.agent import Cascade

    return Cascade(CascadeParams(**params))


def _assets(params: Mapping[str, Any], voice: str) -> dict[str, str]:
    from dyad.agents.cascade.parts import assets

    return assets(CascadeParams(**params))


def _check(spec: AgentSpec, demand: Demand) -> None:
    from dyad.agents.cascade.parts import check_language

    params = CascadeParams(**spec.params)
    for lang in demand.langs:
        check_language(params, spec.voice, lang)
    if params.policy == "rules":
        sheets = (json.loads(prompt.rpartition("\n")[2]) for prompt in demand.prompts)
        for sheet in sheets:
            _check_rules(sheet, demand.langs)


def _check_rules(sheet: dict[str, Any] | None, langs: Sequence[str]) -> None:
    """Raise ConfigError unless the rules speak a sheet's language; without a sheet they have English only."""
    from dyad.agents.cascade.rules import check_spoken

    if sheet is not None:
        check_spoken(sheet["kind"], sheet["lang"])
    elif foreign := set(langs) - {"en"}:
        raise ConfigError(
            f"the cascade's rules talk without a role in English only, not '{min(foreign)}'; use policy=llm"
        )


FAMILY = Family(
    name="cascade",
    params=CascadeParams,
    caps=_caps,
    make=_make,
    render=render,
    assets=_assets,
    check=_check,
    local=("whisper_dir", "llm.gguf"),
    about="speech to text, a policy or language model, and text to speech, full duplex on a CPU",
)
