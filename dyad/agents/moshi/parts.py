"""What a model of the Moshi family needs on this machine, asked without a network."""

from __future__ import annotations

from importlib.util import find_spec

from dyad.agents.moshi import hub, sources
from dyad.agents.moshi.architecture import FULL, lm_bytes
from dyad.agents.moshi.checkpoints import Checkpoint, checkpoint_of
from dyad.agents.moshi.params import AnyParams
from dyad.bridge.protocol import Part, PartState
from dyad.errors import ConfigError
from dyad.host.home import terms

GB = 1e9


def parts_of(params: AnyParams) -> list[Part]:
    """Return packages and weights, and the licence of the weights."""
    parts = [_packages()]
    if params.random_size:
        return parts
    if not params.folder:
        return parts + _hub_parts(params)
    try:
        sources.folder_source(params)
    except ConfigError as error:
        return [*parts, Part("weights", "missing", str(error))]
    return [*parts, Part("weights")]


def _packages() -> Part:
    try:
        sources.need_packages()
    except ConfigError as error:
        return Part("packages", "missing", str(error))
    return Part("packages")


def _hub_parts(params: AnyParams) -> list[Part]:
    """What the hub's cache lacks is fetched at the first run, if the hub lets this user have it."""
    client, checkpoint = find_spec("huggingface_hub") is not None, checkpoint_of(params)
    if client and sources.local_source(params):
        return [Part("weights"), Part("licence")]
    let = client and (not checkpoint.gated or hub.has_token())
    state: PartState = "fetched" if let else "missing"
    licence = Part("licence", state, terms(checkpoint.repo, checkpoint.licence, checkpoint.gated))
    return [Part("weights", state, _lack(checkpoint)), licence]


def _lack(checkpoint: Checkpoint) -> str:
    size = f"{lm_bytes(FULL, 'bfloat16') / GB:.0f} GB"
    return (
        f"the weights of agent '{checkpoint.adapter}' are not here; run: hf download {checkpoint.repo} "
        f"({size}), or give a folder: {hub.folder_option(checkpoint)}"
    )
