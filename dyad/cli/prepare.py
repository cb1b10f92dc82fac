"""The verb `prepare`: stimulus sets from a corpus of two-channel dialogues."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dyad.cli.args import Args
from dyad.cli.output import grid, wide_console
from dyad.cli.overrides import key_of
from dyad.errors import ConfigError, near

USAGE = (
    "prepare fdb_french corpus=DIR out=DIR format=callfriend|media [lang=fr name=… cap=150 audio=true "
    "user=0|1 rate=… words=FILE asr=none force=false]"
)
KEYS = {
    "corpus": "the folder of the recordings",
    "out": "a folder for the sets",
    "format": "how the corpus lies: callfriend or media",
    "lang": "the language; default fr",
    "name": "what names of sets begin with; default: call and the language, or media",
    "cap": "samples per set; default 150",
    "audio": "false: annotations only, no sound",
    "user": "the channel that is the user's, 0 or 1; default: both in turn",
    "rate": "of exported sounds in Hz; default: the corpus's",
    "words": "YAML with a list of backchannels per language; default: ours",
    "asr": "recognises dialogues that come without words; default none",
    "force": "true: replace an earlier export",
}
NEEDED = ("corpus", "out", "format")

Own = Mapping[str, str]


def prepare(args: Args) -> int:
    """Make the sets of a corpus, and print what became of its events."""
    from dyad.suites.prepare import run

    settings = _settings(_own(args))
    report = run.prepare(settings)
    if args.json:
        print(json.dumps(report, ensure_ascii=False))
    else:
        _print(report, settings.out)
    return 0


def _own(args: Args) -> Own:
    if args.words != ("fdb_french",):
        raise ConfigError(f"say what to prepare; usage: {USAGE}")
    own, rest = args.parted(KEYS)
    if other := [key_of(override) for override in rest.overrides]:
        raise ConfigError(f"prepare takes no '{other[0]}'{near(other[0], KEYS)}")
    if empty := [key for key in (*NEEDED, *own) if not own.get(key)]:
        raise ConfigError(f"{empty[0]} is missing; usage: {USAGE}")
    return own


def _settings(own: Own) -> Any:
    from dyad.suites.prepare.corpus import FORMATS
    from dyad.suites.prepare.run import Settings

    lang, asr = own.get("lang", "fr"), own.get("asr", "none")
    form = next((known for known in FORMATS if known == own["format"]), None)
    if form is None:
        raise ConfigError(f"unknown format '{own['format']}'{near(own['format'], FORMATS)}")
    return Settings(
        corpus=Path(own["corpus"]),
        out=Path(own["out"]),
        form=form,
        lang=lang,
        name=own.get("name", ""),
        cap=_whole(own, "cap", 1) or 150,
        audio=_flag(own, "audio", True),
        user=_whole(own, "user", 0, 1),
        rate=_whole(own, "rate", 8000, 192_000),
        words=Path(own["words"]) if "words" in own else None,
        force=_flag(own, "force", False),
        hear=_hearing(asr, lang),
    )


def _hearing(asr: str, lang: str) -> Any:
    if asr == "none":
        return None
    from dyad.suites.prepare.hear import hearing

    return hearing(asr, lang)


def _flag(own: Own, key: str, default: bool) -> bool:
    text = own.get(key, str(default)).lower()
    if text not in ("true", "false"):
        raise ConfigError(f"{key} = '{own[key]}' must be true or false")
    return text == "true"


def _whole(own: Own, key: str, least: int, most: int = 10**6) -> int | None:
    if key not in own:
        return None
    text = own[key]
    if not re.fullmatch(r"\d{1,7}", text, re.ASCII) or not least <= int(text) <= most:
        raise ConfigError(f"{key} = '{text}' must be a whole number from {least} to {most}")
    return int(text)


def _print(report: Mapping[str, Any], out: Path) -> None:
    heads = ("set", "candidates", "dropped", "after filters", "over the cap", "exported", "why dropped")
    body = []
    for name, counts in report["sets"].items():
        why = "; ".join(f"{n} {reason}" for reason, n in counts["dropped"].items())
        numbers = (
            counts["candidates"], sum(counts["dropped"].values()), counts["after_filters"],
            counts["over_cap"], counts["exported"],
        )  # fmt: skip
        body.append((name, *map(str, numbers), why))
    wide_console().print(grid(f"dialogues: {report['dialogues']}", heads, body))
    total = report["total"]
    if total["candidates"]:
        kept = (
            f"{total['share_after_filters']:.1%} pass the filters, {total['share_exported']:.1%} are exported"
        )
        print(f"of {total['candidates']} candidates {kept}")
    if moved := report["transfer"]:
        print("words: " + ", ".join(f"{n} {key.replace('_', ' ')}" for key, n in moved.items()))
    if left := report["dropped_words_and_turns"]:
        print(f"{left} words and turns had no text or no times, or lay outside of the sound")
    print(out)
