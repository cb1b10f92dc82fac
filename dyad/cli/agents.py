"""The verb `agents`: what each can do and what of it is here; makes the environment of a hosted one."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from dyad import registry
from dyad.bridge.protocol import Family, Part, PartKind, default_params, family_of
from dyad.cli.args import Args
from dyad.cli.output import WIDTH, wide_console
from dyad.cli.overrides import key_of
from dyad.errors import ConfigError, near
from dyad.hear.ears import ears_of
from dyad.host.family import HostedFamily
from dyad.host.home import Home
from dyad.library import builtin_root
from dyad.spec import AgentSpec

if TYPE_CHECKING:
    from rich.table import Table

HEADS = ("family", "prompt", "voice", "force", "snapshot", "clock", "chunk", "lag", "batch", "environment",
         "weights", "licence", "about")  # fmt: skip
NARROW = ("family", "prompt", "environment", "weights", "lag", "licence")  # what fits into 80 columns
SETTINGS = {
    "python": "which Python makes the environment",
    "force": "true: make it anew",
}
USAGE = "python -m dyad agents install NAME [python=PATH] [force=true]"


def agents(args: Args) -> int:
    """List the agents, or make the environment of one."""
    word, *rest = args.words or ("list",)
    if word == "install":
        return _install(args, rest)
    if word != "list" or rest:
        raise ConfigError(f"agents {' '.join(args.words)}: no such word{near(word, ['install', 'list'])}")
    return _list(args)


def _list(args: Args) -> int:
    """Print the families, what of each is on this machine, and the configured agents."""
    folders = [builtin_root() / "conf", *args.config_dirs]
    names = sorted(p.stem for folder in folders for p in (folder / "agent").glob("*.yaml"))
    rows = [_row(family_of(name)) for name in registry.names("agents")]
    if args.json:
        print(json.dumps({"agents": names, "families": rows}))
        return 0
    console, cells = wide_console(), [_cells(row) for row in rows]
    table = _table(HEADS, cells)
    if console.measure(table, options=console.options.update(width=WIDTH)).maximum > console.width:
        short = [own | {"licence": _short(own["licence"])} for own in cells]
        table = _table(NARROW, short, caption="more in a wider window, or with --json")
    console.print(table)
    print("configured (agent@pairing.a=NAME):", ", ".join(names))
    return 0


def _table(heads: Sequence[str], cells: Sequence[Mapping[str, str]], caption: str = "") -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title="families", caption=caption, box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in heads:
        table.add_column(head, no_wrap=head not in ("licence", "about"))
    for row in cells:
        table.add_row(*(row[head] for head in heads))
    return table


def _cells(row: Mapping[str, Any]) -> dict[str, str]:
    """Return a row as a table shows it, by the heads of the table."""
    shown = {"force": "+".join(row["force"]) or "none"}
    shown |= {head: f"{row[f'{head}_ms']} ms" for head in ("chunk", "lag")}
    return {head: shown.get(head) or str(row[head]) for head in HEADS}


def _short(licence: str) -> str:
    """Return the name of a licence, without its conditions and those of parts."""
    return licence.partition(";")[0].partition(" (")[0]


def _row(family: Family) -> dict[str, Any]:
    params = default_params(family.params)
    caps, parts = family.caps(params), _parts(family, params)
    return {
        "family": family.name,
        "prompt": caps.prompt,
        "voice": caps.voice,
        "force": sorted(caps.force),
        "snapshot": caps.snapshot,
        "clock": caps.clock,
        "chunk_ms": _number(caps.chunk_ms),
        "lag_ms": _number(caps.lag_ms),
        "batch": caps.max_batch,
        "environment": _state(parts, "environment", "packages"),
        "weights": {"fetched": "missing", "ready": "here"}.get(own := _state(parts, "weights"), own),
        "licence": caps.licence,
        "about": family.about,
    }


def _number(ms: int | Fraction) -> float:
    """Return a time as a number to be read."""
    return int(ms) if ms == int(ms) else round(float(ms), 1)


def _parts(family: Family, params: Mapping[str, Any]) -> list[Part]:
    return list(family.parts(AgentSpec(name=family.name, adapter=family.name, params=dict(params)), "cpu"))


def _state(parts: list[Part], *kinds: PartKind) -> str:
    """Return the state of some parts of an agent, the worst of them; 'not needed' where there are none."""
    states = [part.state for part in parts if part.kind in kinds]
    return next((state for state in states if state != "ready"), "ready" if states else "not needed")


def _install(args: Args, names: list[str]) -> int:
    """Make the environment of a hosted agent, and say how far it is."""
    if len(names) != 1:
        raise ConfigError(f"name one agent: {USAGE}")
    settings, rest = args.parted(SETTINGS)
    if unknown := [key_of(override) for override in rest.overrides]:
        raise ConfigError(f"agents install takes no '{unknown[0]}'{near(unknown[0], SETTINGS)}")
    if settings.get("force", "false") not in ("true", "false"):
        raise ConfigError(f"force={settings['force']}: give true or false")
    home = _home(names[0])
    from dyad.host.install import install

    say = partial(print, file=sys.stderr if args.json else sys.stdout, flush=True)
    folder = install(home, settings.get("python", ""), settings.get("force") == "true", say)
    if args.json:
        print(json.dumps({"agent": home.name, "environment": str(folder)}))
    return 0


def _home(name: str) -> Home:
    """Return what makes the environment of a hosted agent, or of an ASR that has one."""
    own = ears_of(name).home if name in registry.names("asr") else None
    return own or _hosted(name).home


def _hosted(name: str) -> HostedFamily:
    """Return the family of an agent that has an environment of its own; raises ConfigError for others."""
    known = registry.names("agents")
    hosted = {n: family for n in known if isinstance(family := family_of(n), HostedFamily)}
    if name in hosted:
        return hosted[name]
    if name in known:
        lacks = [part.lack for part in _parts(family_of(name), default_params(family_of(name).params))]
        todo = next((lack for lack in lacks if "pip install" in lack), "it needs nothing but dyad")
        raise ConfigError(f"agent '{name}' has no environment of its own: {todo}")
    raise ConfigError(f"no agent '{name}' among those with an environment of their own{near(name, hosted)}")
