"""The verb `scenarios probe`: measures scenarios with a text model or the speech parts, and records it."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from dyad.agents.cascade.types import LlmParams
from dyad.cli.args import Args
from dyad.cli.compose import compose
from dyad.cli.output import wide_console
from dyad.errors import ConfigError, DyadError, RunsFailed
from dyad.library import Library, load_library, select
from dyad.probes import MEASURES, Order, Record, Source, measures_named, probe, speech_source, text_source
from dyad.spec import ARCHETYPES, Scenario

USAGE = (
    "probe [archetype=…] [ids=…] [lang=en] [split=…] [measures=…] [n=…] [out=DIR] [force=true] "
    "backend=openai|anthropic|gguf model=NAME [base_url=…] [key_env=…] [gguf=FILE] "
    "[max_tokens=…] [timeout_s=…]"
)
_MODEL = ("backend", "model", "base_url", "key_env", "gguf", "max_tokens", "timeout_s")
KEYS = {
    "archetype": "only these archetypes",
    "ids": "only these scenarios",
    "lang": "of the scenarios; default en",
    "split": "only this split; sealed ones are sent nowhere unless they are named",
    "measures": f"what is measured: {','.join(dict.fromkeys(m.name for m in MEASURES))}",
    "n": "draws per measurement",
    "out": "the folder for the records; default: the library's",
    "force": "true: measure anew what is recorded",
    "backend": "openai, anthropic or gguf",
    "model": "its name",
    "base_url": "where it is served",
    "key_env": "the variable that holds the key",
    "gguf": "the file of a local model",
    "max_tokens": "of one reply; default 200",
    "timeout_s": "of one reply",
}
_TEXT = tuple(dict.fromkeys(m.name for m in MEASURES if m.needs == "text"))
MAX_TOKENS = 200  # of one reply; a model that thinks first needs more
MOST_DRAWS = 1000
_COLUMNS = ("scenario", "measure", "value", "n", "unclear", "target", "ok")


def scenarios_probe(args: Args, own: Mapping[str, str]) -> int:
    """Measure, store and print; 0 whatever the values are.

    Raises RunsFailed (exit code 3) where a model fails: what was measured until then is stored and printed.
    """
    if args.words:
        raise ConfigError(f"'{args.words[0]}' is too much here; usage: python -m dyad scenarios {USAGE}")
    order = _order(own)
    library = load_library(compose(args.overrides, args.config_dirs).studies[0].scenarios.dirs)
    chosen = _chosen(library, own)
    records = probe(library, chosen, _sources(own, {m.needs for m in order.measures}), order)
    done: list[Record] = []
    try:
        for record in records:
            done.append(record)
            _note(record)
    except ConfigError:
        raise
    except DyadError as error:
        raise RunsFailed(f"{error}; run again to go on: {len(done)} measurement(s) are stored") from None
    finally:
        _print(done, args.json)
    return 0


def _order(own: Mapping[str, str]) -> Order:
    measures = measures_named(_listed(own["measures"]) if "measures" in own else _TEXT)
    n = _count(own["n"]) if "n" in own else None
    out = Path(own["out"]) if "out" in own else None
    force = own.get("force", "false")
    if force not in ("true", "false"):
        raise ConfigError(f"force = '{force}' must be true or false")
    return Order(measures, n, out, force == "true")


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_DRAWS:
        raise ConfigError(f"n = '{text}' must be a whole number from 1 to {MOST_DRAWS}")
    return int(text)


def _listed(value: str) -> list[str]:
    """Read `a,b` or, as lists are written elsewhere, `[a,b]`."""
    return [word for word in value.strip("[]").split(",") if word]


def _chosen(library: Library, own: Mapping[str, str]) -> list[Scenario]:
    """What is held out or sealed is sent to no model unless it is named."""
    ids, split = _listed(own.get("ids", "")), own.get("split")
    archetypes = _listed(own.get("archetype", "")) or ARCHETYPES
    found = select(library, archetypes, split=split, ids=ids, lang=own.get("lang", None if ids else "en"))
    return [scenario for scenario in found if ids or split or scenario.split != "sealed"]


def _sources(own: Mapping[str, str], needs: Collection[str]) -> dict[str, Source]:
    made: dict[str, Source] = {}
    if "text" in needs:
        made["text"] = text_source(_params(own))
    if "speech" in needs:
        made["speech"] = speech_source()
    return made


def _params(own: Mapping[str, str]) -> LlmParams:
    needed = {"backend", "gguf" if own.get("backend") == "gguf" else "model"}
    if missing := sorted(needed - own.keys()):
        raise ConfigError(f"{missing[0]} is missing; usage: python -m dyad scenarios {USAGE}")
    given = {key: own[key] for key in _MODEL if key in own}
    try:
        return LlmParams.model_validate({"max_tokens": MAX_TOKENS, **given})
    except ValidationError as error:
        detail = error.errors()[0]
        raise ConfigError(f"{detail['loc'][0]} = {detail['input']!r}: {detail['msg'].lower()}") from None


def _note(record: Record) -> None:
    """Say what goes on to who waits in front of a screen."""
    if sys.stderr.isatty():
        print(f"{record.scenario} {record.measure}: {_shown(record.value)}", file=sys.stderr)


def _print(records: Sequence[Record], as_json: bool) -> None:
    if as_json:
        print(json.dumps([record.model_dump(mode="json") for record in records], ensure_ascii=False))
        return
    from rich.table import Table

    table = Table(*_COLUMNS)
    for record in records:
        row = [_shown(getattr(record, name)) for name in _COLUMNS]
        table.add_row(*row)
    if records:
        wide_console().print(table)
    met = sum(record.ok is True for record in records)
    print(f"{met} of {len(records)} measurement(s) meet their target; recorded, and blocking nothing")


def _shown(value: object) -> str:
    match value:
        case None:
            return "–"
        case bool():
            return "ok" if value else "NO"
        case float():
            return f"{value:.2f}"
    return str(value)
