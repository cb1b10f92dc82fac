"""The preparation from a corpus to a folder of sets, which appears whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dyad.errors import ConfigError

from .backchannels import backchannels
from .choose import Chosen, choose, shares
from .corpus import Dialogue, Format, Hear, read_corpus
from .events import Voices, samples
from .export import RULES, Item, export, write_json
from .lcs import transfer
from .publish import REPORT, check_out, publish
from .turns import Turn, turns

CAP = 150  # samples per task


@dataclass(frozen=True)
class Settings:
    """What is made of which corpus. `name` begins the names of the sets; "" takes that of the form."""

    corpus: Path
    out: Path
    form: Format
    lang: str = "fr"
    name: str = ""
    cap: int = CAP
    audio: bool = True
    user: int | None = None  # channel of the user, where files do not say so; None: both in turn
    rate: int | None = None  # of exported sounds, in Hz; None: as the corpus
    words: Path | None = None  # the list of backchannels
    force: bool = False  # replace an earlier export
    hear: Hear | None = field(default=None, compare=False)

    @property
    def prefix(self) -> str:
        """What the names of sets begin with, e.g. callfr or media."""
        return self.name or {"callfriend": f"call{self.lang}", "media": "media"}[self.form]


def prepare(settings: Settings) -> dict[str, Any]:
    """Make the sets and return the counts that prepare.json holds.

    Raises ConfigError, one line with file and remedy; nothing is written then.
    """
    _check(settings)
    listed = backchannels(settings.lang, settings.words)
    corpus = read_corpus(settings.corpus, settings.form, settings.audio, settings.user, settings.hear)
    voices, counts = _voices(corpus, settings.lang)
    found = [s for d in corpus for user in d.users for s in samples(d.id, voices[d.id], user, listed)]
    chosen = choose(found, settings.cap)
    items = _items(settings.prefix, chosen, corpus, voices)
    report = _report(settings, corpus, counts, chosen)

    def write(folder: Path) -> None:
        export(folder, items, settings.audio, settings.rate)
        write_json(folder / REPORT, report)

    publish(settings.out, settings.force, write)
    return report


def _report(
    settings: Settings, corpus: Sequence[Dialogue], counts: Mapping[str, int], chosen: Sequence[Chosen]
) -> dict[str, Any]:
    return {
        "rules": RULES,
        "format": settings.form,
        "lang": settings.lang,
        "cap": settings.cap,
        "audio": settings.audio,
        "rate": settings.rate,
        "user": settings.user,
        "dialogues": len(corpus),
        "dropped_words_and_turns": sum(dialogue.dropped for dialogue in corpus),
        "transfer": counts,
        "sets": {f"{settings.prefix}_{c.task}": c.record() for c in chosen},
        "total": shares(chosen),
    }


def voices_of(dialogue: Dialogue, lang: str) -> tuple[Voices, dict[str, int]]:
    """Return words and turns of both channels, and the counts of the transfer of word times."""
    if dialogue.heard is not None:
        moved = transfer(dialogue.manual, dialogue.heard, lang)
        one, two = moved.words
        return Voices(moved.words, (tuple(turns(one)), tuple(turns(two)))), moved.counts
    by_channel = [_given(dialogue, channel) for channel in (0, 1)]
    said = [tuple(w for turn in given for w in turn.words) for given in by_channel]
    return Voices((said[0], said[1]), (by_channel[0], by_channel[1])), {}


def _given(dialogue: Dialogue, channel: int) -> tuple[Turn, ...]:
    mine = [Turn(t.start, t.end, t.times) for t in dialogue.manual if t.channel == channel]
    return tuple(sorted(mine, key=lambda t: (t.start, t.end)))


def _voices(corpus: Sequence[Dialogue], lang: str) -> tuple[dict[str, Voices], dict[str, int]]:
    voices: dict[str, Voices] = {}
    total: dict[str, int] = {}
    for dialogue in corpus:
        voices[dialogue.id], counts = voices_of(dialogue, lang)
        total = {key: total.get(key, 0) + n for key, n in counts.items()}
    return voices, total


def _items(
    prefix: str, chosen: Sequence[Chosen], corpus: Sequence[Dialogue], voices: Mapping[str, Voices]
) -> list[Item]:
    by_id = {dialogue.id: dialogue for dialogue in corpus}
    return [
        Item(f"{prefix}_{c.task}", str(number), s, by_id[s.dialogue], voices[s.dialogue])
        for c in chosen
        for number, s in enumerate(c.samples)
    ]


def _check(settings: Settings) -> None:
    """Raise ConfigError for what can be told before anything is read."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9_]{0,19}", settings.prefix):
        raise ConfigError(f"name: '{settings.prefix}' must be 1 to 20 of a-z, 0-9 and '_', e.g. name=callfr")
    if settings.rate and settings.rate % 25:
        raise ConfigError(f"rate: {settings.rate} Hz is no multiple of 25 Hz; use e.g. rate=16000")
    out, corpus = settings.out.resolve(), settings.corpus.resolve()
    if corpus.is_relative_to(out):
        raise ConfigError(f"out: {settings.out} holds the corpus; name a folder of its own")
    check_out(settings.out, settings.force)
