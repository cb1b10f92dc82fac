"""A stand-in for `mfa`: its command line and its JSON files (MFA 3.4), and nothing of its ability.

Words share the sound of their file evenly. Words with an apostrophe are cut there, as MFA does with clitics;
a file with the word `unheard` is left out, as MFA leaves out what it cannot align.
"""

import argparse
import json
import sys
import wave
from pathlib import Path

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("command", choices=["align"])
for name in ("corpus", "dictionary", "acoustic", "output"):
    parser.add_argument(name)
parser.add_argument("--output_format", choices=["long_textgrid", "short_textgrid", "json", "csv"])
parser.add_argument("--num_jobs", "-j", type=int)
parser.add_argument("--temporary_directory", "-t")
for flag in ("--clean", "--single_speaker", "--quiet"):
    parser.add_argument(flag, action="store_true")
args = parser.parse_args()
if args.dictionary != "english_us_arpa":
    sys.exit(f"PretrainedModelNotFoundError: could not find '{args.dictionary}' as a dictionary model")
assert args.output_format == "json"


def labels(path: Path) -> list[str]:
    words = [word.strip(".,?!").lower() for word in path.read_text("utf-8").split()]
    return [part for word in words for part in word.replace("'", "' ").split()]


for sound in sorted(Path(args.corpus).rglob("*.wav")):
    said = labels(sound.with_suffix(".lab"))
    with wave.open(str(sound)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16_000, 1, 2)
        pcm = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    loud = np.flatnonzero(np.abs(pcm) > 300) / 16_000
    marks = np.round(np.linspace(loud[0], loud[-1], len(said) + 1), 2).tolist()
    words = [[a, b, s] for a, b, s in zip(marks, marks[1:], said, strict=False)]
    silence = [[0, marks[0], ""], [marks[-1], round(len(pcm) / 16_000, 6), ""]]
    tiers = {"words": silence[:1] + words + silence[1:], "phones": [[a, b, "spn"] for a, b, _ in words]}
    if "unheard" not in said:
        path = Path(args.output) / sound.parent.name / f"{sound.stem}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        made = {name: {"type": "interval", "entries": entries} for name, entries in tiers.items()}
        path.write_text(json.dumps({"start": 0, "end": len(pcm) / 16_000, "tiers": made}))
