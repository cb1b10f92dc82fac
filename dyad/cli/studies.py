"""Study files of one's own: what a command line would say, in a file; `pairing: NAME` chooses as there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dyad.cli.overrides import key_of
from dyad.cli.pairings import seated
from dyad.errors import ConfigError
from dyad.library import builtin_root
from dyad.library.source import read_yaml

GROUPS = ("pairing", "task", "channel", "vad", "asr", "judge", "launcher", "suite")


def opened(override: str, folders: Sequence[Path], search: Sequence[str]) -> str:
    """Return `study=NAME` of a user's file as a choice that Hydra knows from then on; others as they are.

    To Hydra a group is chosen in `defaults` only, and a file that sets keys everywhere says so on top: both
    are written for the user. `search` are the overrides that find a user's files.
    """
    from hydra.core.config_store import ConfigStore

    name = override.partition("=")[2].strip("'\"")
    files = [path for folder in folders if (path := folder / f"study/{name}.yaml").is_file()]
    if key_of(override) != "study" or not files or (builtin_root() / f"conf/study/{name}.yaml").is_file():
        return override
    data = dict(read_yaml(files[0], anchors=True).data)
    chosen = {group: data.pop(group) for group in GROUPS if isinstance(data.get(group), (str, list, bool))}
    defaults = [
        *data.pop("defaults", []),
        *(_choice(group, of, files[0], search) for group, of in chosen.items()),
    ]
    node, label = {"defaults": defaults, **data}, f"[{name}]"  # no file is called so
    ConfigStore.instance().store(label, node, group="study", package="_global_")
    return f"{override.partition('=')[0]}='{label}'"


def _choice(group: str, value: Any, file: Path, search: Sequence[str]) -> dict[str, str]:
    if isinstance(value, bool):
        raise ConfigError(
            f"{file}: {group}: YAML takes yes, no, on and off for truth values; put it in quotes"
        )
    if isinstance(value, list):
        text = f"[{','.join(map(str, value))}]"
        if group != "pairing":
            raise ConfigError(f"{file}: {group}: {text} is a list; write grid: {{{group}: {text}}} to sweep")
        value = seated(f"pairing={text}", search).partition("=")[2].strip("'")
    return {f"override /{group}": value}
