"""faster-whisper: any size of Whisper, over whole channels, with word times of its own.

Nothing is downloaded. What could change words is fixed and recorded: model, beam, voice-activity filter,
number format. It never samples: where it is unsure it does not try again at a higher temperature.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from dyad.errors import ConfigError, Missing
from dyad.hear.align import AlignSettings, aligner_key, check_aligner, single_tokens
from dyad.hear.ears import Ears, Setting
from dyad.spec.base import Frozen, canonical_json
from dyad.speech.engines import need
from dyad.speech.types import Floats
from dyad.speech.weights import need_whisper
from dyad.speech.words import Chunk

from .whisper import check_language, named_weights

INSTALL = 'pip install ".[faster_whisper]"'
LOCAL = {"device", "align"}  # parameters that the key leaves out, or names otherwise


class FasterWhisperParams(Frozen):
    """`model`: a size, such as large-v3, or a repository of the hub; empty: what asr=whisper would take."""

    model: str = Field(default="", pattern=r"^[A-Za-z0-9._/-]*$")
    revision: str = Field(default="", pattern=r"^[A-Za-z0-9._-]*$")  # of the hub; empty: what is here
    beam: int = Field(default=5, ge=1, le=20)
    vad_filter: bool = True  # Silero, inside of faster-whisper: leaves out what is no speech
    vad_threshold: float = Field(default=0.5, gt=0, lt=1)
    vad_min_silence_ms: int = Field(default=2000, ge=0)
    vad_pad_ms: int = Field(default=400, ge=0)
    compute_type: Literal["int8", "int8_float16", "float16", "bfloat16", "float32"] = "int8"
    device: str = Field(default="cpu", pattern=r"^(cpu|cuda)$")
    align: AlignSettings = AlignSettings()


def _check(setting: Setting) -> None:
    need("faster_whisper", INSTALL)
    if setting.params.model:
        _folder(setting)
        if setting.lang != "en" and setting.params.model.endswith(".en"):
            raise ConfigError(
                f"Whisper {setting.params.model} knows English, not '{setting.lang}'; leave '.en' out"
            )
    else:
        check_language(setting.model_dir, setting.lang)
    check_aligner(setting.params.align, setting.lang)


def _key(setting: Setting) -> list[str]:
    weights = "" if setting.params.model else named_weights(setting.model_dir)
    return [
        weights,
        canonical_json(setting.params.model_dump(exclude=LOCAL)),
        *aligner_key(setting.params.align),
    ]


def _folder(setting: Setting) -> str:
    """Return where the model lies; raises ConfigError, with the way to get it, when it is not here."""
    params: FasterWhisperParams = setting.params
    if not params.model:
        return str(need_whisper(setting.model_dir).folder)
    if setting.model_dir:
        raise ConfigError("asr.model_dir and asr.params.model both name a model; give one of them")
    utils = need("faster_whisper.utils", INSTALL)
    revision = params.revision or None
    try:
        return str(utils.download_model(params.model, local_files_only=True, revision=revision))
    except ValueError as error:
        raise ConfigError(f"asr.params.model = '{params.model}' is no size of Whisper ({error})") from None
    except Exception:  # huggingface-hub has many ways to say that something is not in the cache
        fetch = f"from faster_whisper import download_model; download_model({params.model!r})"
        lack = (
            f"Whisper '{params.model}' is not on this machine; run: python -c \"{fetch}\", or name a folder: "
        )
        raise Missing([f"{lack}asr.model_dir=FOLDER with asr.params.model=''"]) from None


def _hear(tracks: Sequence[Floats], setting: Setting) -> list[list[Chunk]]:
    params: FasterWhisperParams = setting.params
    model = _load(_folder(setting), params.device, params.compute_type)
    return [single_tokens(list(_words(model, track, setting))) for track in tracks]


def _words(model: Any, track: Floats, setting: Setting) -> Iterator[Chunk]:
    params: FasterWhisperParams = setting.params
    if not len(track):
        return
    gate = {
        "threshold": params.vad_threshold,
        "min_silence_duration_ms": params.vad_min_silence_ms,
        "speech_pad_ms": params.vad_pad_ms,
    }
    segments, _ = model.transcribe(
        track,
        language=setting.lang,
        beam_size=params.beam,
        temperature=0.0,
        condition_on_previous_text=False,
        word_timestamps=True,
        vad_filter=params.vad_filter,
        vad_parameters=gate if params.vad_filter else None,
        hotwords=", ".join(setting.hotwords) or None,
    )
    for segment in segments:
        for word in segment.words or ():
            yield Chunk(word.word.strip(), word.start, word.end, round(float(word.probability), 3))


@cache
def _load(folder: str, device: str, compute_type: str) -> Any:
    """Load a model once per process, on one CPU thread, so that it repeats."""
    whisper = need("faster_whisper", INSTALL)
    try:
        return whisper.WhisperModel(folder, device=device, compute_type=compute_type, cpu_threads=1)
    except Exception as error:  # CTranslate2 and tokenizers raise many kinds for a broken folder
        raise ConfigError(f"the Whisper model in '{Path(folder)}' cannot be loaded ({error})") from error


EARS = Ears(
    name="faster_whisper",
    about="any size of Whisper over whole channels, with its own word times or an aligner's",
    hear=_hear,
    check=_check,
    key=_key,
    params=FasterWhisperParams,
)
