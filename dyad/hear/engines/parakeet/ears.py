"""Parakeet's family: where it comes from, and how a worker in its environment is asked."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field

from dyad.errors import ConfigError, DyadError, Missing
from dyad.hear.align import AlignSettings, aligner_key, check_aligner, single_tokens
from dyad.hear.ears import Ears, Setting
from dyad.host.envs import lack_of, state_of
from dyad.host.family import DOUBLES
from dyad.host.home import Home, Weights, environment, interpreter, snapshot, unfinished
from dyad.host.process import Command, Timeouts, Worker
from dyad.spec.base import Frozen, canonical_json
from dyad.speech.engines import file_sha256
from dyad.speech.types import Floats
from dyad.speech.words import Chunk

NAME = "parakeet"
# What v3 knows besides English, which is all that v2 knows.
LANGUAGES = (
    "bg", "cs", "da", "de", "el", "es", "et", "fi", "fr", "hr", "hu", "it",
    "lt", "lv", "mt", "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sv", "uk",
)  # fmt: skip
LOCAL = {"env", "device", "timeout_s", "align"}  # parameters that the key leaves out, or names otherwise


class ParakeetParams(Frozen):
    """`model` is a repository of the hub; `env` an environment in place of the one that dyad makes."""

    model: str = Field(default="nvidia/parakeet-tdt-0.6b-v2", pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$")
    revision: str = Field(default="main", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    upstream: Literal["package", "double"] = "package"  # double: a stand-in that has only its interface
    env: str = ""
    device: str = Field(default="cuda", pattern=r"^(cpu|cuda(:\d{1,3})?)$")
    timeout_s: float = Field(default=600.0, gt=0)  # for one channel
    align: AlignSettings = AlignSettings()

    @property
    def weights(self) -> Weights:
        """The model as the hub has it."""
        return Weights(self.model, "CC-BY-4.0", 2.5, files=("*.nemo",))


HOME = Home(NAME, "3.10", weights=(ParakeetParams().weights,), gpu_gb=4.0)


def _check(setting: Setting) -> None:
    params: ParakeetParams = setting.params
    if params.model.endswith("-v2") and setting.lang != "en":
        raise ConfigError(
            f"{params.model} knows English, not '{setting.lang}'; "
            "set asr.params.model=nvidia/parakeet-tdt-0.6b-v3"
        )
    if params.model.endswith("-v3") and setting.lang not in ("en", *LANGUAGES):
        raise ConfigError(f"{params.model} does not know '{setting.lang}'; use asr=whisper")
    check_aligner(params.align, setting.lang)
    if params.upstream == "package":
        if (state := state_of(HOME, params.env)) != "ready":
            raise Missing([_lack(params, lack_of(HOME, state, params.env))])
        _model_file(setting)


def _lack(params: ParakeetParams, lack: str) -> str:
    """Say what an environment lacks as one of an ASR, whose settings are not those of agents."""
    return lack.replace(f"agent '{NAME}'", f"asr '{NAME}'").replace(f"agent.{NAME}.env", "asr.params.env")


def _model_file(setting: Setting) -> Path:
    """Return the checkpoint; raises ConfigError, with the way to get it, when it is not here."""
    weights, revision = setting.params.weights, setting.params.revision
    folder = Path(setting.model_dir).expanduser() if setting.model_dir else snapshot(weights, revision)
    files = sorted(folder.glob("*.nemo")) if folder and folder.is_dir() else []
    if folder is None or len(files) != 1 or (not setting.model_dir and unfinished(folder, weights)):
        what = f"{folder} holds {len(files)} .nemo files, not one" if setting.model_dir else "it is not here"
        lack = f"asr '{NAME}' needs {weights.repo}, but {what}; run: {weights.download} "
        where = f"({weights.size_gb:g} GB), or name a folder: asr.model_dir=FOLDER; {weights.terms}"
        raise Missing([lack + where])
    return files[0]


def _key(setting: Setting) -> list[str]:
    """Name the checkpoint by its digest where a folder is named, else by its repository and revision."""
    weights = file_sha256(_model_file(setting).resolve()) if setting.model_dir else ""
    params = canonical_json(setting.params.model_dump(exclude=LOCAL))
    return [weights, params, *aligner_key(setting.params.align)]


def _hear(tracks: Sequence[Floats], setting: Setting) -> list[list[Chunk]]:
    worker = _worker(setting)
    return [single_tokens(_heard(worker, track)) for track in tracks]


def _heard(worker: Worker, track: Floats) -> list[Chunk]:
    """Ask for the words of one channel: they come as events of the step that hears it whole."""
    if not len(track):
        return []
    answer = worker.call("step", 0, {"heard": track[None]}, played=[0])
    try:
        told = [json.loads(s) for _, _, s, _ in answer.head.get("text", ())]
        return [Chunk(str(s), float(start), float(end)) for s, start, end in told]
    except (TypeError, ValueError) as error:
        raise DyadError(f"asr '{NAME}': the worker's answer cannot be read: {error}") from error


def _worker(setting: Setting) -> Worker:
    """Return this process' worker with the model loaded, and a new one where the old one has died."""
    params: ParakeetParams = setting.params
    double = params.upstream == "double"
    options = {"model": params.model if double else str(_model_file(setting))}
    asked = (canonical_json(options), canonical_json(params.model_dump(exclude={"align"})), os.getpid())
    worker = _started(*asked)
    if not worker.alive:
        _started.cache_clear()
        worker = _started(*asked)
    return worker


@cache
def _started(options: str, settings: str, process: int) -> Worker:
    """Start a worker, once for each process; a fork of it must not share its line."""
    params = ParakeetParams.model_validate(json.loads(settings))
    command, device = _command(params)
    worker = Worker(command)
    try:
        worker.greet()
        worker.call("load", adapter=str(command.adapter), options=json.loads(options), device=device)
        worker.call("open", rows=[{"prompt": "", "voice": "", "seed": 0, "opens": False}])
    except BaseException:
        worker.stop()
        raise
    return worker


def _command(params: ParakeetParams) -> tuple[Command, str]:
    """Return how to start a worker, and its device: of several GPUs it is shown its own only."""
    double = params.upstream == "double"
    kind, _, number = params.device.partition(":")
    command = Command(
        name=NAME,
        python=Path(sys.executable) if double else interpreter(environment(NAME, params.env)),
        adapter=Path(__file__).with_name("inside.py"),
        path=(DOUBLES / NAME,) if double else (),
        timeouts=Timeouts(step_s=params.timeout_s),
    )
    if number:
        command = replace(command, env={"CUDA_VISIBLE_DEVICES": number})
    return command, "cpu" if double else kind


EARS = Ears(
    name=NAME,
    about="NVIDIA Parakeet through NeMo: what Full-Duplex-Bench scores with; v3 also hears French",
    hear=_hear,
    check=_check,
    key=_key,
    params=ParakeetParams,
    home=HOME,
)
