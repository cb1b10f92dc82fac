"""What is heard of a suite's run: Silero's speech probabilities and words, written beside the recording."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyad.audio import decoded, resampled, to_float, to_int16
from dyad.errors import ConfigError
from dyad.hear.asr import transcribe
from dyad.spec import RATE, SEATS, TICK, Seat
from dyad.spec.study import AsrSettings
from dyad.spec.suite import Stimulus
from dyad.speech.spans import window_probs
from dyad.speech.vad import WINDOW
from dyad.store import Store, write_atomic

from .resample import VAD_RATE, at_16k

SPEECH = "segments/silero-suite-2"  # the number is raised by hand when the same sound would give others …
EARLIER = ("segments/silero-suite-1",)  # … and what the earlier ones hold is still read
TOGETHER = 16  # runs that Silero hears at once, which takes a third of the time …
LONGEST = 180 * VAD_RATE  # … unless a sound is longer, which would fill memory
Pcm = NDArray[np.int16]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Listening:
    """One run to be heard: where its scored part lies in the recording, in samples at 24 kHz.

    `answer` is the file of a recorded system, of which `channel` is the model's; `held` are the SHA-256 of
    the files that were played, by seat. `given` are transcripts that lie beside sounds, and `seats` those
    whose words an ASR has to find.
    """

    store: Store
    run_id: str
    stimulus: Stimulus
    start: int
    length: int
    answer: Path | None
    channel: int
    held: Mapping[Seat, str]
    given: Mapping[Seat, Path]
    seats: frozenset[Seat]
    asr: AsrSettings
    words_file: str
    lang: str

    @property
    def speech_file(self) -> str:
        """Its sidecar of speech probabilities."""
        return speech_name(self.length)


def speech_name(length: int, kind: str = SPEECH) -> str:
    """Return the sidecar of the speech in `length` samples at 24 kHz: runs are longer than what is scored."""
    return f"{kind}-{length}.npz"


def held_speech(store: Store, run_id: str, length: int) -> str:
    """Return the sidecar that a run has, the newest; where it has none, the one that it will have."""
    names = [speech_name(length, kind) for kind in (SPEECH, *EARLIER)]
    return next((name for name in names if store.sidecar(run_id, name).exists()), names[0])


def batches(tasks: Iterable[Listening], workers: int) -> list[tuple[Listening, ...]]:
    """Return the runs whose speech has not been found, in groups of about one length, the longest first.

    No group has more than a worker's fair share.
    """
    todo = sorted((t for t in tasks if not _there(t, t.speech_file)), key=lambda t: (-t.length, t.run_id))
    width = max(1, min(TOGETHER, -(-len(todo) // workers)))
    return [tuple(todo[start : start + width]) for start in range(0, len(todo), width)]


def find_speech(tasks: Sequence[Listening]) -> None:
    """Write the speech probabilities of several runs; one that cannot be heard with others is left out."""
    together = list[tuple[Listening, dict[str, Floats]]]()
    for task in tasks:
        with suppress(Exception):  # `listen` will say what is wrong with it
            sounds = _sounds(task)
            if max(map(len, sounds.values())) <= LONGEST:
                together.append((task, sounds))
    for (task, _), found in zip(together, _speech([sounds for _, sounds in together]), strict=True):
        write_atomic(task.store.sidecar(task.run_id, task.speech_file), _npz(found))


def is_heard(task: Listening) -> bool:
    """Whether no sidecar of a run is lacking."""
    return all(_there(task, name) for name in (task.speech_file, task.words_file) if name)


def listen(task: Listening) -> None:
    """Write what is lacking of the sidecars of one run."""
    if not _there(task, task.speech_file):
        found = _npz(_speech([_sounds(task)])[0])
        write_atomic(task.store.sidecar(task.run_id, task.speech_file), found)
    if task.words_file and not _there(task, task.words_file):
        asr, pcm = task.asr, _only(task.store.pcm(task.run_id), task.seats)
        words = transcribe(pcm, asr.engine, (), asr.model_dir, task.lang, asr.params)
        task.store.add_sidecar(task.run_id, task.words_file, words)


class Heard(NamedTuple):
    """One channel as it is scored, and its rate; `lacks` says what of its file is not there."""

    pcm: Pcm
    rate: int
    lacks: str = ""


def model_sound(task: Listening, shown: bool = False) -> Heard:
    """Return what the model said and its rate: a recorded answer as it is, else the scored part at 16 kHz.

    Raises ConfigError where the file is not the one that was played. Where it is `shown` and not scored, the
    recording stands for a file that is gone.
    """
    if task.answer is not None and not (shown and not task.answer.is_file()):
        return _read(_unchanged(task.answer, task.held["a"]), task.channel)
    whole = task.store.pcm(task.run_id)[0]
    return Heard(to_16k(whole[task.start : task.start + task.length]), VAD_RATE)


def user_sound(task: Listening, shown: bool = False) -> Heard:
    """Return what was played and its rate: the stimulus as it is; see `model_sound`."""
    if shown and not task.stimulus.path.is_file():
        start = task.start - TICK  # what is played is said one tick early
        played = task.store.pcm(task.run_id)[1, start : start + round(task.stimulus.duration_s * RATE)]
        return Heard(to_16k(played), VAD_RATE)
    return _read(_unchanged(task.stimulus.path, task.held["b"]))


def to_16k(pcm: Pcm) -> Pcm:
    """Return int16 [N] at 24 kHz as int16 at 16 kHz: what is exported, and what is scored."""
    return to_int16(resampled(to_float(pcm), RATE, VAD_RATE))


def read_speech(task: Listening) -> dict[str, Floats]:
    """Return the probabilities of a run: `model`, `as_read`, and `user` where there is an overlap."""
    name = held_speech(task.store, task.run_id, task.length)
    with np.load(task.store.sidecar(task.run_id, name), allow_pickle=False) as held:
        return {name: held[name] for name in held.files}


def _unchanged(path: Path, held: str) -> Path:
    """Return the path of a sound that is still the one that was played."""
    if not path.is_file():
        raise ConfigError(f"{path} is gone; restore it")
    if hashlib.sha256(path.read_bytes()).hexdigest() != held:
        raise ConfigError(f"{path} has changed since it was played; run the suite again")
    return path


def _read(path: Path, channel: int = 0) -> Heard:
    """Return one channel of a file as far as it goes; samples that are not int16 are rounded."""
    whole, held = decoded(path, "")
    pcm = np.ascontiguousarray(whole[:, channel])
    lacks = f"{path.name} is {held.lacks}" if held.lacks else ""
    return Heard(pcm if pcm.dtype == np.int16 else to_int16(pcm), held.rate, lacks)


def _there(task: Listening, name: str) -> bool:
    return task.store.sidecar(task.run_id, name).exists()


def _sounds(task: Listening) -> dict[str, Floats]:
    """What Silero hears of a run, float32 [N] at 16 kHz, by the name of its probabilities."""
    pcm, rate, _ = model_sound(task)
    found = {"model": at_16k(pcm, rate)} | ({} if rate == VAD_RATE else {"as_read": to_float(pcm)})
    if task.stimulus.kind == "overlap":
        pcm, rate, _ = user_sound(task)
        found["user"] = at_16k(pcm, rate)
    return found


def _speech(sounds: Sequence[Mapping[str, Floats]]) -> list[dict[str, Floats]]:
    """Return the probabilities of the sounds of each run."""
    found = [dict[str, Floats]() for _ in sounds]
    for name in ("model", "as_read", "user"):
        have = [k for k, of_run in enumerate(sounds) if name in of_run]
        for k, probs in zip(have, _probs([sounds[k][name] for k in have]), strict=True):
            found[k][name] = probs
    return [{"as_read": own["model"], **own} for own in found]


def _probs(sounds: Sequence[Floats]) -> list[Floats]:
    together = np.zeros((len(sounds), max(map(len, sounds), default=0)), np.float32)
    for row, sound in zip(together, sounds, strict=True):
        row[: len(sound)] = sound
    found = zip(window_probs(together), sounds, strict=True)
    return [probs[: -(-len(sound) // WINDOW)] for probs, sound in found]


def _npz(arrays: dict[str, Floats]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def _only(pcm: Pcm, seats: Iterable[Seat]) -> Pcm:
    """Return a recording in which the other seats are silent."""
    kept = pcm.copy()
    for row, seat in enumerate(SEATS):
        if seat not in seats:
            kept[row] = 0
    return kept
