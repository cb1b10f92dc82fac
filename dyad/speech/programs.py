"""Voices that are programs of their own: espeak-ng, flite and piper, each run as a separate process.

They give no word times, so words are placed by their number of letters.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from dyad.errors import ConfigError, near

from .engines import file_sha256
from .places import RATE, joined, proportional, read_aloud, tokens_of, trim
from .types import Floats, Speech

_TIMEOUT_S = 60
_INSTALL = {
    "espeak-ng": "apt install espeak-ng",
    "flite": "apt install flite",
    "piper": "pipx install piper-tts",
}


def check_espeak(preset: str) -> None:
    """Raise ConfigError unless espeak-ng is there; it knows voices named like `en-us` or `en-us+f3`."""
    _program("espeak-ng")
    if not re.fullmatch(r"[a-z]{2,3}(-[a-z0-9-]+)?(\+[A-Za-z0-9_]+)?", preset):
        raise ConfigError(f"'{preset}' is no espeak-ng voice; write e.g. en-us or en-us+f3")


def speak_espeak(preset: str, text: str, seed: int, pace: float) -> Speech:
    """Speak with espeak-ng."""
    speed, pitch = variation(seed)
    options = ["-v", preset, "-s", f"{165 * pace * speed:.0f}", "-p", f"{50 * pitch:.0f}", "-b", "1"]
    return _placed(text, ["espeak-ng", *options, "-f", "text.txt", "-w", "speech.wav"])


def language_espeak(preset: str) -> str:
    """Return the language of a voice such as `fr-fr+f3`."""
    code = re.split(r"[-+]", preset)[0]
    return {"cmn": "zh"}.get(code, code)


def espeak_phonemes(preset: str, text: str) -> str:
    """Return how espeak-ng would say a text, in the International Phonetic Alphabet."""
    call = [str(_program("espeak-ng")), "-v", preset, "-q", "--ipa", "--stdin", "-b", "1"]
    try:
        said = subprocess.run(
            call, input=text, capture_output=True, encoding="utf-8", timeout=_TIMEOUT_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigError(f"espeak-ng did not read a text ({error}); try it in a shell") from error
    return " ".join(said.stdout.split())


def check_flite(preset: str) -> None:
    """Raise ConfigError unless flite runs and has the preset, one of its own voices."""
    if preset not in _flite_voices():  # flite would also take a path or an address here
        raise ConfigError(f"unknown flite voice '{preset}'{near(preset, _flite_voices())}")


def speak_flite(preset: str, text: str, seed: int, pace: float) -> Speech:
    """Speak with flite."""
    speed, _ = variation(seed)
    stretch = f"duration_stretch={1 / (pace * speed):.3f}"
    options = ["-voice", preset, "--setf", stretch]
    return _placed(text, ["flite", *options, "-f", "text.txt", "-o", "speech.wav"])


def check_piper(preset: str) -> None:
    """Raise ConfigError unless piper runs and the preset is a voice file with its `.json` beside it."""
    _program("piper")
    voice = Path(preset).expanduser()
    if not voice.is_file() or not Path(f"{voice}.json").is_file():
        raise ConfigError(f"piper's preset is a voice file: '{preset}' or '{preset}.json' is missing")


def speak_piper(preset: str, text: str, seed: int, pace: float) -> Speech:
    """Speak with piper; its own noise is off, because it cannot be seeded."""
    speed, _ = variation(seed)
    scales = ["--length_scale", f"{1 / (pace * speed):.3f}", "--noise_scale", "0", "--noise_w", "0"]
    voice = str(Path(preset).expanduser().resolve())
    return _placed(text, ["piper", "-m", voice, *scales, "-f", "speech.wav"])


def assets_espeak(preset: str) -> dict[str, str]:
    """Return the hash of the program."""
    return {"espeak-ng": file_sha256(_program("espeak-ng"))}


def assets_flite(preset: str) -> dict[str, str]:
    """Return the hash of the program."""
    return {"flite": file_sha256(_program("flite"))}


def language_piper(preset: str) -> str:
    """Return the language that a voice file's `.json` names; empty where it names none."""
    told = json.loads(Path(f"{Path(preset).expanduser()}.json").read_text("utf-8"))
    code = told.get("language", {}).get("code") or told.get("espeak", {}).get("voice", "")
    return language_espeak(str(code).replace("_", "-"))


def assets_piper(preset: str) -> dict[str, str]:
    """Return the hashes of the program and of the voice file."""
    voice = Path(preset).expanduser().resolve()
    return {"piper": file_sha256(_program("piper")), "piper voice": file_sha256(voice)}


def variation(seed: int) -> tuple[float, float]:
    """Return factors near 1 for speed and pitch: a repeat under another seed sounds a little different."""
    speed, pitch = 1 + np.random.default_rng(seed).uniform(-0.03, 0.03, 2)
    return float(speed), float(pitch)


def _placed(text: str, command: Sequence[str]) -> Speech:
    tokens = tokens_of(text)
    pcm, _ = trim(_run(read_aloud(tokens), command), ())
    return joined([(pcm, proportional(tokens, len(pcm)))], tokens, 0)


def _run(text: str, command: Sequence[str]) -> Floats:
    """Run a speaking program in a folder of its own and return its speech, mono at 24 kHz."""
    import soundfile

    from dyad.audio import check_whole, decoded

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "text.txt").write_text(text + "\n", "utf-8")
        call = [str(_program(command[0])), *command[1:]]
        try:
            done = subprocess.run(
                call,
                input=text + "\n",
                text=True,
                capture_output=True,
                cwd=folder,
                timeout=_TIMEOUT_S,
                check=False,
            )
            pcm, held = decoded(Path(folder) / "speech.wav")
        except (OSError, subprocess.TimeoutExpired, soundfile.SoundFileError) as error:
            raise ConfigError(f"{command[0]} did not speak ({error}); try it in a shell") from error
    if done.returncode:
        raise ConfigError(f"{command[0]} failed: {done.stderr.strip()[-200:]!r}; try it in a shell")
    check_whole(f"what {command[0]} said", held)
    return at_24k(pcm.mean(axis=1), held.rate)


def at_24k(pcm: Floats, rate: int) -> Floats:
    """Bring mono speech to 24 kHz."""
    if rate == RATE:
        return pcm
    from scipy.signal import resample_poly

    common = int(np.gcd(rate, RATE))
    return np.asarray(resample_poly(pcm, RATE // common, rate // common), np.float32)


def _program(name: str) -> Path:
    found = shutil.which(name)
    if found is None:
        raise ConfigError(
            f"the program '{name}' is not installed; run: {_INSTALL[name]}, or use the voice 'hibari'"
        )
    return Path(found).resolve()


@cache
def _flite_voices() -> tuple[str, ...]:
    listed = subprocess.run(
        [_program("flite"), "-lv"], capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
    )
    return tuple(listed.stdout.partition(":")[2].split())
