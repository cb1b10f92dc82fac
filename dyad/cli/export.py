"""The verb `export`: what a model said to the stimuli of a suite, as folders that its authors score."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from dyad import pipeline
from dyad.cli.args import Args
from dyad.cli.progress import say
from dyad.cli.verbs import stored
from dyad.errors import ConfigError, near
from dyad.pipeline import Study
from dyad.pipeline.trials import played_trial
from dyad.spec import RunSpec
from dyad.suites.protocol import Exported

USAGE = "study=NAME to=FOLDER [agent=NAME rep=0 seed=N channel=TEXT crop=true store=DIR]"
CHOICES: dict[str, Callable[[RunSpec], str]] = {
    "agent": lambda spec: spec.a.agent.name,
    "rep": lambda spec: str(spec.repetition),
    "seed": lambda spec: str(spec.seed),
    "channel": lambda spec: spec.channel.phrase,
}
KEYS = {
    "to": "a new folder",
    "crop": "false: transcripts keep what was said before an interruption; default true",
    "agent": "which agent's answers, where the study has several",
    "rep": "which repetition; default 0",
    "seed": "which seed, where the study has several",
    "channel": "which line, where the study has several",
}


def export(args: Args) -> int:
    """Write the trials of one agent, one repetition of each stimulus, into a new folder."""
    own, rest = args.parted(KEYS)
    if not own.get("to"):
        raise ConfigError(f"to is missing: which folder? usage: python -m dyad export {USAGE}")
    if own.setdefault("crop", "true") not in ("true", "false"):
        raise ConfigError(f"crop = '{own['crop']}' must be true or false")
    study = stored(rest)
    if study.suite is None:
        raise ConfigError(
            f"study '{study.name}' is of conversations; only the trials of a suite are exported"
        )
    if study.suite.export is None:
        raise ConfigError(f"suite '{study.suite.name}' has no folders of its own to export to")
    ids = chosen(study, own)
    _check_heard(study, ids)
    trials, folder = (played_trial(study, run_id) for run_id in ids), Path(own["to"])
    return _say(args, study, ids, folder, study.suite.export(trials, folder, own["crop"] == "true"))


def chosen(study: Study, own: Mapping[str, str]) -> list[str]:
    """Return the runs of one agent, repetition, seed and line, without twins.

    `own` names them, by the keys of `CHOICES`. Raises ConfigError for what the study does not have, and where
    it has several and none is named; of repetitions that is the first.
    """
    ids = [run_id for run_id, spec in study.specs.items() if not study.stimulus(spec).clean]
    if not ids:
        raise ConfigError(f"study '{study.name}' has no recording yet; play it first")
    for key, of in CHOICES.items():
        known = list(dict.fromkeys(of(study.specs[run_id]) for run_id in ids))
        wanted = own.get(key, "0" if key == "rep" else known[0])
        if len(known) > 1 and key not in own and key != "rep":
            raise ConfigError(f"study '{study.name}' has several: {', '.join(known)}; choose one by {key}=")
        if wanted not in known:
            raise ConfigError(f"{key}: no '{wanted}' in study '{study.name}'{near(wanted, known)}")
        ids = [run_id for run_id in ids if of(study.specs[run_id]) == wanted]
    return ids


def _check_heard(study: Study, ids: Sequence[str]) -> None:
    twins = (study.twin(study.specs[run_id]) for run_id in ids)
    if lacking := {*ids, *filter(None, twins)} & {*pipeline.unheard(study)}:
        again = f"python -m dyad hear study={study.name} store={study.store.root}"
        raise ConfigError(f"{len(lacking)} recordings have not been heard; run: {again}")


def _say(args: Args, study: Study, ids: Sequence[str], folder: Path, made: Exported) -> int:
    """Say what was written, and what a reader of the folder must know."""
    assert study.config.suite is not None
    planned = sum(not stimulus.clean for stimulus in study.stimuli.values())
    agent, tail_s = study.specs[ids[0]].a.agent.name, study.config.suite.tail_s
    remarks = {"at_fault": [i for i in ids if not study.fit(i)], "untranscribed": [*made.untranscribed]}
    if args.json:
        counts = {"trials": len(ids), "stimuli": planned}
        print(json.dumps({"study": study.name, "agent": agent, "folder": str(folder), **counts, **remarks}))
        return 0
    say(f"export    {len(ids)} trials of {agent}, of {planned} stimuli")
    for what, found in remarks.items():
        if found:
            say(f"note      {len(found)} {what.replace('_', ' ')}, the first is {found[0]}")
    if tail_s:
        say(f"note      to score the folder here, give suite.tail_s={tail_s:g} as this study has it")
    print(folder)
    return 0
