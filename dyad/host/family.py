"""Makes the family of a hosted agent from what is its own: parameters, capabilities, origin, adapter."""

from __future__ import annotations

import hashlib
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from pydantic import Field, field_validator
from soundfile import LibsndfileError

from dyad.audio import check_whole, facts
from dyad.bridge.protocol import Agent, Caps, Demand, Family, Part, Room
from dyad.errors import ConfigError, near
from dyad.spec import AgentSpec, Prompt
from dyad.spec.base import Frozen
from dyad.sums import sha256_of

from .agent import HostAgent, Hosting
from .envs import lack_of, state_of
from .home import Home, Weights, environment, interpreter, snapshot, unfinished
from .process import Command, Timeouts

DOUBLES = Path(__file__).parents[1] / "testing" / "doubles"
HUB = "hub"
# Parameters that say where and how a model runs; what it holds is named by its assets.
STEP_AUDIO_VOICE_S = 15.0  # a voice at most: its vocoder has room for 20 s, with the last 2 s and what comes
LOCAL = ("env", "weights", "device", "rows_per_worker", "load_timeout_s", "step_timeout_s")


class HostParams(Frozen):
    """What every hosted agent takes."""

    upstream: Literal["package", "double"] = "package"  # double: a stand-in that has only its interface
    env: str = ""  # folder of its virtual environment; empty = where `agents install` puts it
    weights: str = HUB  # hub | a folder
    revision: str = Field(default="main", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")  # of the hub
    device: str = ""  # cpu | cuda | cuda:N | cuda:N+M; empty = the launcher's
    rows_per_worker: int = Field(default=0, ge=0)  # 0 = all rows in one process
    load_timeout_s: float = Field(default=1800.0, gt=0)
    step_timeout_s: float = Field(default=60.0, gt=0)

    @field_validator("device")
    @classmethod
    def _device(cls, value: str) -> str:
        if value and not re.fullmatch(r"cpu|cuda(:\d{1,3}(\+\d{1,3})*)?", value):
            raise ValueError(
                "needs cpu, cuda, cuda:1, or cuda:0+1 for both; empty means the launcher's device"
            )
        return value


P = TypeVar("P", bound=HostParams)


@dataclass(frozen=True)
class Hosted(Generic[P]):
    """What is an agent's own. `inside` is the adapter file that runs in the worker.

    `engine` is raised by hand when the same weights and seed would speak otherwise through a new adapter.
    `langs` are the only languages that it speaks; empty: nobody has said.
    `row_gb`: what a row takes on a GPU by its voice, where that is not `home.row_gb` for all.
    """

    home: Home
    params: type[P]
    caps: Callable[[P], Caps]
    inside: Path
    about: str
    render: Callable[[Prompt], str] = lambda prompt: prompt.text
    check: Callable[[AgentSpec, Demand, P], None] = lambda spec, demand, params: None
    langs: tuple[str, ...] = ()
    engine: int = 1
    row_gb: Callable[[str], float] | None = None


@dataclass(frozen=True)
class HostedFamily(Family):
    """A family whose agents run in an environment of their own, which `agents install` makes from `home`."""

    home: Home = field(kw_only=True)


def hosted(own: Hosted[P]) -> HostedFamily:
    """Return the family of an agent in another interpreter."""

    def params(plain_params: Mapping[str, Any]) -> P:
        return own.params.model_validate(plain_params)

    def check(spec: AgentSpec, demand: Demand) -> None:
        if other := [lang for lang in demand.langs if own.langs and lang not in own.langs]:
            raise ConfigError(f"agent '{spec.name}' speaks {' and '.join(own.langs)}, not '{other[0]}'")
        own.check(spec, demand, params(spec.params))

    return HostedFamily(
        home=own.home,
        name=own.home.name,
        params=own.params,
        caps=lambda given: own.caps(params(given)),
        make=lambda given: _make(own, params(given)),
        render=own.render,
        assets=lambda given, voice: _assets(own, params(given), voice),
        check=check,
        room=lambda spec, demand: _room(own, spec, params(spec.params), demand),
        parts=lambda spec, device: _parts(own.home, spec.name, params(spec.params), device),
        local=LOCAL,
        langs=own.langs,
        about=own.about,
    )


def _make(own: Hosted[P], params: P) -> Agent:
    name, double = own.home.name, params.upstream == "double"
    folders = {w.repo: str(_folder(own.home, w, params)) for w in own.home.weights}
    command = Command(
        name=name,
        python=Path(sys.executable) if double else interpreter(environment(name, params.env)),
        adapter=own.inside,
        path=(DOUBLES / name,) if double else (),
        timeouts=Timeouts(params.load_timeout_s, params.step_timeout_s),
    )
    options = params.model_dump(mode="json") | {"weights": folders}
    device = "cpu" if double else params.device
    hosting = Hosting(command, options, own.render, params.rows_per_worker, device)
    return HostAgent(own.caps(params), hosting)


def _folder(home: Home, weights: Weights, params: HostParams) -> Path:
    """Return the folder that a worker is given; where a double reads any files, it brings them."""
    if params.upstream != "double":
        return folder_of(home, weights, params)
    given = DOUBLES / home.name if params.weights == HUB else Path(params.weights).expanduser()
    return given / weights.name


def folder_of(home: Home, weights: Weights, params: HostParams) -> Path:
    """Return the folder of some weights; raises ConfigError where they are not on this machine.

    A folder that the user gives holds one folder per repository, of its name, or the files themselves where
    there is one repository only.
    """
    given = None if params.weights == HUB else Path(params.weights).expanduser()
    if given is None:
        found = snapshot(weights, params.revision)
    else:
        within = [given / weights.name, *([given] if len(home.weights) == 1 else [])]
        found = next((folder for folder in within if folder.is_dir()), None)
    lost = unfinished(found, weights) if found else ""
    if found is None or lost:
        what = f"lacks {lost}" if lost else "is not here" if given is None else f"is no folder in {given}"
        own = f", or give a folder: agent.{home.name}.weights=FOLDER" if given is None else ""
        raise ConfigError(
            f"{weights.repo} (weights of agent '{home.name}') {what}; run: {weights.download} "
            f"({weights.size_gb:g} GB){own}"
        )
    return found


def _assets(own: Hosted[P], params: P, voice: str) -> dict[str, str]:
    """Name what decides what a model says: adapter, code, weights and voice, none of it by its place."""
    named = {"engine": str(own.engine)} | voice_asset(voice)
    if params.upstream == "double":
        return named | {"upstream": "double"}
    # nobody knows what a user's own environment holds
    code = {f"code:{code.name}": "own" if params.env else code.commit for code in own.home.code}
    return named | code | {w.repo: _revision(own.home, w, params) for w in own.home.weights}


def _revision(home: Home, weights: Weights, params: HostParams) -> str:
    """Name some weights by what they hold: the hub's commit, or a digest of all files of a user's folder."""
    folder = folder_of(home, weights, params)
    if params.weights == HUB:
        return folder.name
    found = sorted((path.relative_to(folder), path) for path in folder.rglob("*") if path.is_file())
    # what the hub's client and git keep for themselves says nothing of the weights
    shown = [(name, path) for name, path in found if not any(part.startswith(".") for part in name.parts)]
    told = "".join(f"{name.as_posix()} {sha256_of(path)}\n" for name, path in shown)
    return hashlib.sha256(told.encode()).hexdigest()


def check_voice(spec: AgentSpec, names: Iterable[str] = (), most_s: float = math.inf) -> None:
    """Raise ConfigError for a voice that is neither a file nor one of a model's own `names`, or too long."""
    if spec.voice and _is_name(spec.voice) and spec.voice not in names:
        raise ConfigError(
            f"agent '{spec.name}' has no voice '{spec.voice}'{near(spec.voice, names)}; "
            f"{'or ' if names else ''}give the path of a wav or flac file"
        )
    if (lasts := voice_seconds(spec.voice)) > most_s:
        raise ConfigError(
            f"voice {spec.voice} of agent '{spec.name}' lasts {lasts:.1f} s, and {most_s:g} s is the most "
            "that it can take; cut the recording"
        )


def voice_seconds(voice: str) -> float:
    """Return how long a recording lasts; 0 where there is none, or none yet, which `voice_asset` refuses."""
    import soundfile

    path = Path(voice).expanduser()
    if _is_name(voice) or not path.is_file():
        return 0.0
    try:
        return float(soundfile.info(path).duration)
    except soundfile.LibsndfileError as error:
        raise ConfigError(f"voice {voice} cannot be read ({error}); give a wav or flac file") from None


def _is_name(voice: str) -> bool:
    """Tell a voice of a model's own list, or none, from the path of a recording."""
    path = Path(voice)
    return not path.suffix and path.name == voice


def voice_asset(voice: str) -> dict[str, str]:
    """Name a voice that is a file by what it holds; a voice of a model's own list is its name already."""
    if _is_name(voice):
        return {}
    path = Path(voice).expanduser()
    if not path.is_file():
        raise ConfigError(f"voice {voice} does not exist; give the path of a wav or flac file")
    with suppress(LibsndfileError):  # whether it is a sound at all, its model will say
        check_whole(f"voice {voice}", facts(path))
    return {"voice": hashlib.sha256(path.read_bytes()).hexdigest()}


def _parts(home: Home, name: str, params: HostParams, device: str) -> list[Part]:
    """Return what must be on this machine; a double needs nothing but dyad."""
    if params.upstream == "double":
        return []
    state = state_of(home, params.env)
    parts = [Part("environment", state, "" if state == "ready" else lack_of(home, state, params.env))]
    for weights in home.weights:
        parts += _weights_parts(home, weights, params)
    if home.gpu_gb and not (params.device or device.startswith("cuda")):
        lack = (
            f"agent '{name}' needs a GPU with about {home.gpu_gb:g} GB, but is placed on '{device}'; set "
            f"launcher=gpu, or agent.{name}.device=cuda"
        )
        parts.append(Part("device", "missing", lack))
    return parts


def _weights_parts(home: Home, weights: Weights, params: HostParams) -> list[Part]:
    """Return the state of some weights, and of their licence, which whoever downloads them accepts."""
    try:
        folder_of(home, weights, params)
    except ConfigError as error:
        return [Part("weights", "missing", str(error)), Part("licence", "missing", weights.terms)]
    return [Part("weights"), Part("licence")]


def _room(own: Hosted[P], spec: AgentSpec, params: HostParams, demand: Demand) -> Room | None:
    """Return the memory of all workers on a GPU; on a CPU nobody has said."""
    device = (params.device or demand.device).partition("+")[0]
    if params.upstream == "double" or not device.startswith("cuda"):
        return None
    workers = math.ceil(demand.rows / (params.rows_per_worker or demand.rows))
    row_gb = own.row_gb(spec.voice) if own.row_gb else own.home.row_gb
    return Room(device, workers * int(own.home.gpu_gb * 1e9), int(row_gb * 1e9))
