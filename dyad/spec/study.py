"""The study: what one command asks for, validated. Hydra composes it; everything later reads only this."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import Field, field_validator

from .base import TICK_S, Frozen, Seat, Slug, digest
from .run import LEAD_TICKS, MOST, AgentSpec, ChannelSpec
from .suite import SuiteSettings

PANEL = "panel"  # the name under which the majority of several judges is shown


class Pairing(Frozen):
    """Which agent sits in which seat."""

    name: Slug
    a: AgentSpec
    b: AgentSpec


class TaskChoice(Frozen):
    """Which archetypes a task plays."""

    name: Slug
    archetypes: tuple[str, ...] = Field(min_length=1)


class Design(Frozen):
    """The counterbalancing: role assignments × openers × repetitions within each pairing (DyaFDB §1.3)."""

    openers: tuple[Seat, ...] = Field(min_length=1)
    assignments: Literal["both", "first"] = "both"  # self-play has only one
    repetitions: int = Field(ge=1, le=10_000)


class Selection(Frozen):
    """Which scenarios of an archetype are played. Empty fields mean all of them, but for held-out ones."""

    ids: tuple[str, ...] = ()
    split: str | None = None
    twin: str | None = None  # this twin of each scenario, in its place
    limit: int | None = Field(default=None, ge=1)
    dirs: tuple[str, ...] = ()
    lang: str = "en"


class VadSettings(Frozen):
    """Energy VAD (DyaFDB App. C): thresholds on the RMS of 80 ms frames of a signal in [−1, 1]."""

    name: Slug
    start_rms: float = Field(gt=0)
    stop_rms: float = Field(gt=0)
    min_frames: int = Field(ge=1)
    merge_frames: int = Field(ge=0)
    order: Literal["drop_then_merge", "merge_then_drop"]
    normalise: bool = False  # scale each channel's speech to the same loudness first

    @field_validator("stop_rms")
    @classmethod
    def _below_start(cls, value: float, info: object) -> float:
        start = getattr(info, "data", {}).get("start_rms")
        if start is not None and value > start:
            raise ValueError(f"stop_rms = {value} must not exceed start_rms = {start}")
        return value


class AsrSettings(Frozen):
    """Which recogniser hears the recordings; `none` scores the agents' own text only.

    `retakes` is how often a run is recorded again in which it finds a seat's speech garbled (DyaFDB §1.7 of
    its protocol allows five); 0: never, and nothing is dropped for it.
    """

    name: Slug
    engine: str = Field(min_length=1)  # known to the registry; `dyad.hear.asr.check_asr` asks it
    model_dir: str = ""
    params: dict[str, Any] = Field(default_factory=dict)  # the engine's own
    retakes: int = Field(default=0, ge=0, le=100)

    @property
    def watch(self) -> int:
        """How many retakes there can be: none where nobody hears the words."""
        return 0 if self.engine == "none" else self.retakes


class JudgeSettings(Frozen):
    """Who labels the conversations: a family of judges and its settings, complete."""

    name: Slug
    backend: str = "mechanical"
    params: dict[str, Any] = Field(default_factory=dict)
    identity: str = ""  # a digest of everything that could change a label; where and how fast is not in it
    served: str = ""  # which model answered, where its server says more than the name

    @property
    def key(self) -> str:
        """What stands for the judge in the names of its labels and in the keys of its replies."""
        return digest([self.identity, self.served]) if self.served else self.identity


class LauncherSettings(Frozen):
    """How the work is spread over this machine."""

    name: str
    workers: int = Field(ge=0)  # processes; 0 = one per core
    lanes: int = Field(ge=1)  # conversations per batch
    device: str = "cpu"

    @field_validator("device")
    @classmethod
    def _device(cls, value: str) -> str:
        if not re.fullmatch(r"cpu|cuda(:\d{1,3})?", value):
            raise ValueError("needs cpu, cuda or cuda:N")
        return value


class ReportSettings(Frozen):
    """What the report carries."""

    embed_audio: Literal["auto", "always", "never"] = "auto"
    embed_limit_min: float = Field(default=60.0, ge=0)
    bootstrap: int = Field(default=2000, ge=0)  # resamples of scenarios behind intervals
    permutations: int = Field(default=10_000, ge=0)  # behind p values
    correction: Literal["ppi", "rogan_gladen"] = "ppi"  # of a judge's shares, by human labels


class Budget(Frozen):
    """Ceilings; reaching one stops new work with exit code 4."""

    wall_min: float | None = Field(default=None, gt=0)
    usd: float | None = Field(default=None, gt=0)  # on judging


class StudyConfig(Frozen):
    """One composed command: one pairing, one task, one seed. A sweep is a list of these."""

    name: Slug | None = None
    store: str = Field(min_length=1)
    seed: int = Field(ge=0, le=MOST)
    window_s: float = Field(gt=LEAD_TICKS * TICK_S, le=86_400)  # in the lead-in only the opener is heard
    tell_window: bool = False
    mode: Literal["paper", "strict"] = "paper"
    pairing: Pairing
    task: TaskChoice
    design: Design
    scenarios: Selection
    channel: ChannelSpec
    vad: VadSettings
    asr: AsrSettings
    judges: tuple[JudgeSettings, ...] = Field(min_length=1)  # tables show the first, or the panel of all
    panel: bool = False
    launcher: LauncherSettings
    report: ReportSettings
    budget: Budget = Budget()
    suite: SuiteSettings | None = None  # fixed stimuli in place of task, design and scenarios

    @property
    def judge(self) -> str:
        """The name of the judge whose labels the tables show."""
        return PANEL if self.panel else self.judges[0].name
