"""From the files of a run to the trial that a suite scores, and from the trial to its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dyad import registry
from dyad.spec import RATE, TICK, Label, Seat, Word
from dyad.spec.suite import Stimulus
from dyad.speech.vad import WINDOW
from dyad.store import read_jsonl

from .listen import Floats, Heard, Listening, model_sound, read_speech, user_sound
from .protocol import INVALID, NO_TRANSCRIPT, Chunk, Mode, Scored, Sound, SuiteFamily, Trial
from .resample import VAD_RATE
from .transcripts import beyond, read_chunks

MODES: tuple[Mode, ...] = ("compat", "strict")
LASTS_S = 10  # a reply, where none is recorded yet
WHOLE = Path("_whole.json")  # how the name of a transcript ends that holds all words of a channel


@dataclass(frozen=True)
class Scoring:
    """One run to be scored by a family, from the labels of each judge; `clean` is its twin."""

    family: str
    run: Listening
    clean: Listening | None
    labels: Mapping[str, Sequence[Label]]
    flags: Mapping[str, bool]


def trial(
    run: Listening, clean: Listening | None = None, mode: Mode = "compat", shown: bool = False
) -> Trial:
    """Assemble a trial; one that is only `shown` needs the store alone.

    A recorded answer counts as a whole in compat mode, as for the authors' scripts; in strict mode what is
    longer than the stimulus is cut, as it always is of what was played here.
    """
    return _trial(_files(run, shown), None if clean is None else _files(clean, shown), mode)


def imagined(stimulus: Stimulus) -> Trial:
    """Return a trial in which both sides speak three words a second throughout: what judging might take.

    They go on when the stimulus is over, for what an interruption at its end might be answered.
    """
    seconds = int(stimulus.duration_s) + LASTS_S
    words = tuple(Chunk("anything", k / 3, (k + 1) / 3) for k in range(3 * seconds))
    speech = np.ones(-(-seconds * VAD_RATE // WINDOW), np.float32)
    sound = Sound(np.zeros(seconds * VAD_RATE, np.int16), VAD_RATE, words, speech, speech)
    return Trial(stimulus, sound, sound, sound, sound)


def score(task: Scoring) -> list[tuple[str, Mode, Scored]]:
    """Return the numbers of one run as (judge, mode, number); judge "" where none has a part in it."""
    family: SuiteFamily = registry.load("suites", task.family)
    found = list[tuple[str, Mode, Scored]]()
    files = _files(task.run), None if task.clean is None else _files(task.clean)
    for mode in MODES:
        made = _trial(*files, mode)
        for number, (judge, labels) in enumerate(task.labels.items()):
            for one in _without(made.fault, family.score(made, labels, mode, task.flags)):
                if one.measure in family.judged:
                    found.append((judge, mode, one))
                elif number == 0:
                    found.append(("", mode, one))
    return found


def _without(fault: str, found: Sequence[Scored]) -> Sequence[Scored]:
    """The same measures, of which none is known where the files of the trial are at fault."""
    return [Scored(one.measure, None, 0.0, reason=fault) for one in found] if fault else found


class _Files(NamedTuple):
    """What the files of a run hold, read once for both modes: sounds, probabilities, given words."""

    run: Listening
    model: Heard
    user: Heard
    speech: Mapping[str, Floats]
    given: Mapping[Seat, tuple[Chunk, ...]]
    fault: str


def _files(run: Listening, shown: bool = False) -> _Files:
    sounds: dict[Seat, Heard] = {"a": model_sound(run, shown), "b": user_sound(run, shown)}
    given, faults = dict[Seat, tuple[Chunk, ...]](), [sound.lacks for sound in sounds.values()]
    unread = list[str]()
    for seat, path in run.given.items():
        if seat == "b" and run.stimulus.kind != "overlap":
            continue  # nobody asks for those words
        given[seat], problem = read_chunks(path)
        unread.append(problem)
        faults.append(beyond(path, given[seat], len(sounds[seat].pcm) / sounds[seat].rate))
    told = [f"{INVALID}: {fault}" for fault in faults if fault]
    told += [f"{NO_TRANSCRIPT}: {problem}" for problem in unread if problem]
    return _Files(
        run, sounds["a"], sounds["b"], read_speech(run), {} if told else given, next(iter(told), "")
    )


def _trial(own: _Files, clean: _Files | None, mode: Mode) -> Trial:
    model, cut_s = _model(own, mode)
    answer, fault = own.run.answer, own.fault or (clean.fault if clean else "")
    found = Trial(own.run.stimulus, model, _user(own), tail_cut_s=cut_s, answer=answer, fault=fault)
    if clean is None:
        return found
    return replace(found, clean=_model(clean, mode)[0], clean_user=_user(clean))


def _model(files: _Files, mode: Mode) -> tuple[Sound, float]:
    run, (pcm, rate, _), speech = files.run, files.model, files.speech
    length = round(run.length * rate / RATE)
    cut_s = max(0.0, (len(pcm) - length) / rate) if run.answer else _recorded_after(run)
    kept = pcm[:length] if mode == "strict" else pcm
    words, whole = _words(files, "a", len(kept) / rate), run.given.get("a", WHOLE).stem.endswith(WHOLE.stem)
    return Sound(kept, rate, words, speech["model"], speech["as_read"], whole), cut_s


def _recorded_after(run: Listening) -> float:
    """Seconds of a recording beyond its scored part."""
    ticks = run.store.manifest(run.run_id).ticks
    return max(0.0, (ticks * TICK - run.start - run.length) / RATE)


def _user(files: _Files) -> Sound:
    pcm, rate, _ = files.user
    probs = files.speech.get("user", _none())
    return Sound(pcm, rate, _words(files, "b", len(pcm) / rate), probs, probs)


def _words(files: _Files, seat: Seat, duration_s: float) -> tuple[Chunk, ...] | None:
    """The words of a seat: as a file beside the sound has them, else as the ASR heard them."""
    run = files.run
    if seat in run.given or files.fault:
        return files.given.get(seat)
    if seat not in run.seats or not run.words_file:
        return None
    zero = run.start if seat == "a" else run.start - TICK  # what is played is said one tick early
    heard = read_jsonl(run.store.sidecar(run.run_id, run.words_file), Word)
    placed = [(w.s, (w.start - zero) / RATE, (w.end - zero) / RATE) for w in heard if w.seat == seat]
    inside = [(s, max(0.0, a), min(b, duration_s)) for s, a, b in placed if 0 <= (a + b) / 2 < duration_s]
    return tuple(Chunk(s, start, end) for s, start, end in inside)


def _none() -> Floats:
    return np.zeros(0, np.float32)
