"""PocketSphinx: small, fast, English only, and poor at names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dyad.errors import ConfigError
from dyad.hear.ears import Ears, Setting
from dyad.hear.pack import Pack
from dyad.hear.utterances import packs_of
from dyad.speech.sphinx import free_recogniser
from dyad.speech.types import Floats
from dyad.speech.words import Chunk

from .parts import Placed, by_track, need_silero_and_sphinx, placed


def _check(setting: Setting) -> None:
    need_silero_and_sphinx()
    if setting.lang != "en":
        raise ConfigError(f"asr=sphinx knows English only, not '{setting.lang}'; use asr=whisper")


def _hear(tracks: Sequence[Floats], setting: Setting) -> list[list[Chunk]]:
    found = (word for channel in packs_of(tracks) for word in _of_channel(channel))
    return by_track(found, len(tracks))


def _of_channel(channel: Pack) -> Iterable[Placed]:
    if not (packs := channel.alone()):
        return  # making a recogniser takes longer than hearing a sentence
    recognise = free_recogniser()
    for pack in packs:
        timed = recognise(pack.pcm)
        yield from placed(pack, [word for word, _, _ in timed], [(a, b) for _, a, b in timed], None)


EARS = Ears(
    name="sphinx",
    about="PocketSphinx: English, small and fast, poor at names",
    hear=_hear,
    check=_check,
    key=lambda setting: [""],
    method=2,
)
