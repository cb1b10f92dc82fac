"""The Montreal Forced Aligner as a program of its own: `mfa align`, once for all utterances of a recording.

It is no package of PyPI alone (Kaldi comes by conda), so it is called by name, in its own environment or not.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from dyad.errors import ConfigError, Missing
from dyad.hear.ears import RATE
from dyad.hear.pack import Place
from dyad.speech.types import Floats

PROGRAM = "DYAD_MFA"  # environment variable: where `mfa` lies, if not on PATH
INSTALL = "conda create -n mfa -c conda-forge montreal-forced-aligner"
_TIMEOUT_S = 1800
_SPEAKER = "speaker"
_SILENCE = ("", "<eps>", "sil", "sp")


def check(dictionary: str, acoustic_model: str) -> None:
    """Raise ConfigError unless the program is there and both models are named."""
    _program()
    if not (dictionary and acoustic_model):
        raise ConfigError(
            "align.by=mfa needs asr.params.align.dictionary and .acoustic_model, e.g. english_us_arpa for "
            "both, after: mfa model download dictionary english_us_arpa (and acoustic)"
        )
    if odd := [name for name in (dictionary, acoustic_model) if name.startswith("-")]:
        raise ConfigError(f"'{odd[0]}' is no model of mfa; name one, or give a path")


def align_pieces(
    pieces: Sequence[tuple[Floats, Sequence[str]]], dictionary: str, acoustic_model: str
) -> list[list[Place] | None]:
    """Return the place of each word of each utterance at 16 kHz, in samples; None where that failed.

    An utterance fails where mfa writes nothing for it, or other words than it was given.
    Raises ConfigError with mfa's last line when it does not run.
    """
    if not pieces:
        return []
    with tempfile.TemporaryDirectory(prefix="dyad-mfa-") as folder:
        corpus, out = Path(folder) / "corpus", Path(folder) / "aligned"
        for number, (pcm, words) in enumerate(pieces):
            _write(corpus / _SPEAKER, f"u{number:05d}", pcm, words)
        _run([corpus, dictionary, acoustic_model, out], Path(folder))
        read = {path.stem: json.loads(path.read_text("utf-8")) for path in out.rglob("u*.json")}
    return [_places(read.get(f"u{k:05d}"), words, len(pcm)) for k, (pcm, words) in enumerate(pieces)]


def _write(folder: Path, stem: str, pcm: Floats, words: Sequence[str]) -> None:
    import soundfile

    folder.mkdir(parents=True, exist_ok=True)
    soundfile.write(folder / f"{stem}.wav", pcm, RATE, subtype="PCM_16")
    (folder / f"{stem}.lab").write_text(" ".join(words), "utf-8")


def _run(what: Sequence[Path | str], folder: Path) -> None:
    options = ["--output_format", "json", "--single_speaker", "--clean", "--quiet", "--num_jobs", "1"]
    call = [str(_program()), "align", *map(str, what), *options, "--temporary_directory", str(folder / "tmp")]
    try:
        ran = subprocess.run(
            call, capture_output=True, encoding="utf-8", errors="replace", timeout=_TIMEOUT_S, cwd=folder
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"mfa does not align ({error}); try it in a shell: {call[0]} version") from None
    if ran.returncode:
        said = [line.strip() for line in (ran.stderr or ran.stdout).splitlines() if line.strip()]
        raise ConfigError(f"mfa align failed: {(said or ['it gave no reason'])[-1][:300]}")


def _places(aligned: Mapping[str, Any] | None, words: Sequence[str], samples: int) -> list[Place] | None:
    """Return the places of words in mfa's tier of words; silence has no label there, or one of its own."""
    tiers = aligned["tiers"] if aligned else {}
    words_tiers = [tier["entries"] for name, tier in tiers.items() if name.endswith("words")]
    entries: list[tuple[float, float, str]] = words_tiers[0] if words_tiers else []
    spoken = sorted((a, b, label) for a, b, label in entries if label not in _SILENCE)
    counts = [1] * len(words) if len(spoken) == len(words) else _labels_of(words, [s for _, _, s in spoken])
    if not counts:
        return None
    edges = np.concatenate([[0], np.cumsum(counts)])
    spans = [(spoken[a][0], spoken[b - 1][1]) for a, b in pairwise(edges.tolist())]
    return [(min(round(a * RATE), samples), min(round(b * RATE), samples)) for a, b in spans]


def _labels_of(words: Sequence[str], labels: Sequence[str]) -> list[int]:
    """Return how many labels spell each word, where mfa cuts words (l'ami); empty where they do not."""
    counts, left = list[int](), [_letters(label) for label in labels]
    for word in map(_letters, words):
        made, count = "", 0
        while left and len(made) < len(word):
            made, count = made + left.pop(0), count + 1
        if made != word or not count:
            return []
        counts.append(count)
    return [] if left else counts


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _program() -> Path:
    found = shutil.which(os.environ.get(PROGRAM) or "mfa")
    if found is None:
        raise Missing([f"mfa is not on PATH; run: {INSTALL}, and set {PROGRAM}=…/envs/mfa/bin/mfa"])
    return Path(found)
