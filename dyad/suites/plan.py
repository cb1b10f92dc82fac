"""From the stimuli of a suite to runs: seat a is the model, seat b plays the stimulus from its file.

The stimulus is said one tick early, so that the model hears its first sample at the tick from which all is
counted: no latency holds the delay of the bridge.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import soundfile

from dyad import registry
from dyad.audio import facts
from dyad.bridge.protocol import family_of
from dyad.errors import ConfigError, near
from dyad.spec import RATE, TICK, AgentSpec, Prompt, RunSpec, Seat, SeatSpec, ticks_at_least
from dyad.spec.study import StudyConfig
from dyad.spec.suite import Stimulus, SuiteSettings

from .protocol import SuiteFamily
from .transcripts import inside

GRID = 25  # ticks: windows are rounded up to 2 s, so that stimuli of about one length share a batch
LONGEST_S = 3600.0  # of a recorded answer
RECORDED = "recorded"  # the adapter that plays what another system said
PLAYERS = (RECORDED, "playback")


def family(settings: SuiteSettings) -> SuiteFamily:
    """Return the code behind a suite; raises ConfigError with the near name."""
    found: SuiteFamily = registry.load("suites", settings.family)
    if unknown := [name for name in settings.flags if name not in found.flags]:
        raise ConfigError(f"suite.flags: no bug '{unknown[0]}'{near(unknown[0], found.flags)}")
    return found


def stimuli_of(settings: SuiteSettings, store: Path) -> list[Stimulus]:
    """Return the stimuli that a command asks for, in the suite's order.

    `store` is where a suite keeps what it makes itself. Raises ConfigError when there is none.
    """
    known = family(settings).stimuli(settings, store / ".cache" / "suites")
    tasks = list(dict.fromkeys(stimulus.task for stimulus in known))
    for task in settings.tasks:
        if task not in tasks:
            raise ConfigError(f"suite.tasks: no '{task}' in suite '{settings.name}'{near(task, tasks)}")
    taken, chosen = Counter[str](), []
    for stimulus in known:
        of = f"{stimulus.task} {stimulus.clean}"
        if stimulus.task in (settings.tasks or tasks) and taken[of] < (settings.limit or len(known)):
            taken[of] += 1
            chosen.append(stimulus)
    return chosen


def start_tick(settings: SuiteSettings) -> int:
    """Return the tick at which the model hears the first sample of a stimulus."""
    return ticks_at_least(settings.lead_s) + 1


def scored_samples(settings: SuiteSettings, stimulus: Stimulus) -> int:
    """Return how long a recording is scored from `start_tick` on, in samples at 24 kHz."""
    return round((stimulus.duration_s + settings.tail_s) * RATE)


def expand(study: StudyConfig, stimuli: Sequence[Stimulus]) -> Iterator[RunSpec]:
    """Yield the runs of a study's suite: stimulus × repetition. What cannot be played has none."""
    settings = study.suite
    assert settings is not None
    for stimulus in stimuli:
        if playable(study, stimulus):
            for repetition in range(settings.repetitions):
                yield _run(study, settings, stimulus, repetition)


def playable(study: StudyConfig, stimulus: Stimulus) -> bool:
    """Whether there is something to play: the stimulus, and of a recorded system its answer."""
    answer = recorded_file(study.pairing.a, stimulus)
    return not stimulus.problem and (answer is None or _is_there(answer))


def recorded_file(agent: AgentSpec, stimulus: Stimulus) -> Path | None:
    """Return the file of a recorded system's answer; None for a system that is played."""
    if agent.adapter != RECORDED:
        return None
    stem = agent.params["stem"]
    return Path(stimulus.folder) / (f"clean_{stem}.wav" if stimulus.clean else f"{stem}.wav")


def given_words(agent: AgentSpec, settings: SuiteSettings, stimulus: Stimulus) -> dict[Seat, Path]:
    """Return the transcripts beside the sounds, by seat: of a recorded answer, and of what is played."""
    files: dict[Seat, Path] = {"b": stimulus.path.with_suffix(".json")}
    if (answer := recorded_file(agent, stimulus)) and settings.transcripts == "given":
        whole = answer.with_name(f"{answer.stem}_whole.json")
        files["a"] = whole if _is_there(whole) else answer.with_suffix(".json")
    return {seat: file for seat, file in files.items() if _is_there(file)}


def seats_to_hear(stimulus: Stimulus, given: Mapping[Seat, Path]) -> frozenset[Seat]:
    """Return whose words an ASR has to find: the model's, and where there is an overlap the user's."""
    wanted: set[Seat] = {"a", "b"} if stimulus.kind == "overlap" else {"a"}
    return frozenset(wanted - given.keys())


def _is_there(file: Path) -> bool:
    """Whether a file lies in its set; a link may lead anywhere."""
    return file.is_file() and (not file.is_symlink() or inside(file, file.parent.parent))


def _run(study: StudyConfig, settings: SuiteSettings, stimulus: Stimulus, repetition: int) -> RunSpec:
    start = start_tick(settings)
    samples, model = scored_samples(settings, stimulus), study.pairing.a
    if answer := recorded_file(model, stimulus):
        model = _playing(model, answer, start)
        samples = max(samples, _samples(answer))  # compat scores all of it, so all must be heard
    ticks = start + -(-samples // TICK)
    player = _playing(study.pairing.b, stimulus.path, start - 1)
    told = Prompt(text=settings.prompt)
    rendered = family_of(model.adapter).render(told)
    return RunSpec(
        suite=settings.name,
        pairing=study.pairing.name,
        archetype=stimulus.kind,
        scenario=stimulus.id,
        scenario_version=1,
        lang=settings.lang,
        anchor="a",
        symmetric=False,
        opener="b",
        repetition=repetition,
        seed=study.seed,
        ticks=-(-ticks // GRID) * GRID,
        lead_ticks=0,
        channel=study.channel,
        a=SeatSpec(agent=model, role="a", prompt=told, rendered=rendered),
        b=SeatSpec(agent=player, role="b", prompt=Prompt(text=""), rendered=""),
    )


def _samples(file: Path) -> int:
    """Return the length of a sound at 24 kHz, at most an hour; 0 where playing it will say what is wrong."""
    try:
        return round(min(facts(file).seconds, LONGEST_S) * RATE)
    except soundfile.LibsndfileError:
        return 0


def _playing(player: AgentSpec, file: Path, tick: int) -> AgentSpec:
    """Return a playback agent that plays a file from a tick on; the file is named by what it holds."""
    held = hashlib.sha256(file.read_bytes()).hexdigest()
    params = {**player.params, "start_tick": tick}
    return player.model_copy(update={"params": params, "voice": str(file), "assets": {"voice": held}})
