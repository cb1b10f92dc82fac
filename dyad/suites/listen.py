"""What is heard of a suite's run: Silero's speech probabilities and words, written beside the recording."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from dyad.audio import read_mono, resampled, to_float, to_int16
from dyad.hear.asr import transcribe
from dyad.spec import RATE, SEATS, Seat
from dyad.spec.study import AsrSettings
from dyad.spec.suite import Stimulus
from dyad.speech.spans import window_probs
from dyad.store import Store, write_atomic

VAD_RATE = 16_000
SPEECH = "segments/silero-suite-1.npz"  # the number is raised by hand when the same sound would give others
Pcm = NDArray[np.int16]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Listening:
    """One run to be heard: where its scored part lies in the recording, in samples at 24 kHz.

    `answer` is the file of a recorded system, `given` are transcripts that lie beside sounds, and `seats`
    those whose words an ASR has to find.
    """

    store: Store
    run_id: str
    stimulus: Stimulus
    start: int
    length: int
    answer: Path | None
    given: Mapping[Seat, Path]
    seats: frozenset[Seat]
    asr: AsrSettings
    words_file: str
    lang: str


def listen(task: Listening) -> None:
    """Write what is lacking of the sidecars of one run."""
    speech = task.store.sidecar(task.run_id, SPEECH)
    if not speech.exists():
        write_atomic(speech, _npz(_speech(task)))
    if task.words_file and not task.store.sidecar(task.run_id, task.words_file).exists():
        asr, pcm = task.asr, _only(task.store.pcm(task.run_id), task.seats)
        words = transcribe(pcm, asr.engine, (), asr.model_dir, task.lang, asr.params)
        task.store.add_sidecar(task.run_id, task.words_file, words)


def model_sound(task: Listening) -> tuple[Pcm, int]:
    """Return what the model said and its rate: a recorded answer as it is, else the scored part at 16 kHz."""
    if task.answer is not None:
        pcm, rate = soundfile.read(task.answer, dtype="int16", always_2d=True)
        return np.ascontiguousarray(pcm[:, 0]), int(rate)
    whole = task.store.pcm(task.run_id)[0]
    return to_16k(whole[task.start : task.start + task.length]), VAD_RATE


def user_sound(task: Listening) -> tuple[Pcm, int]:
    """Return what was played, from the stimulus' own file, at 16 kHz."""
    return to_int16(read_mono(task.stimulus.path, wanted=VAD_RATE)), VAD_RATE


def to_16k(pcm: Pcm) -> Pcm:
    """Return int16 [N] at 24 kHz as int16 at 16 kHz: what is exported, and what is scored."""
    return to_int16(resampled(to_float(pcm), RATE, VAD_RATE))


def read_speech(store: Store, run_id: str) -> dict[str, Floats]:
    """Return the probabilities of a run: `model`, `as_read`, and `user` where there is an overlap."""
    with np.load(store.sidecar(run_id, SPEECH), allow_pickle=False) as held:
        return {name: held[name] for name in held.files}


def _speech(task: Listening) -> dict[str, Floats]:
    pcm, rate = model_sound(task)
    found = {"model": _probs(resampled(to_float(pcm), rate, VAD_RATE))}
    found["as_read"] = found["model"] if rate == VAD_RATE else _probs(to_float(pcm))
    if task.stimulus.kind == "overlap":
        found["user"] = _probs(to_float(user_sound(task)[0]))
    return found


def _probs(pcm16k: Floats) -> Floats:
    probs: Floats = window_probs(pcm16k[None])[0]
    return probs


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
