"""Where a voice of PersonaPlex lies: a sound file, or a voice file by its name. Light: a plan asks too."""

from __future__ import annotations

import hashlib
import tarfile
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dyad.errors import ConfigError, near

# The voices that come with PersonaPlex: natural and varied, female and male.
OFFICIAL = (
    *(f"NAT{sex}{n}" for sex in "FM" for n in range(4)),
    *(f"VAR{sex}{n}" for sex in "FM" for n in range(5)),
)
ARCHIVE = "voices.tgz"  # in which they come, as voices/NAME.pt
SOUNDS = (".wav", ".flac")
KINDS = (".pt", *SOUNDS)
BROKEN = (OSError, EOFError, zlib.error, tarfile.TarError)  # what reading a damaged archive raises
SAYS = f"give one of the official names, or the path of a {', '.join(KINDS)} file"


@dataclass(frozen=True)
class VoiceFile:
    """A file, or a member of an archive of voices."""

    path: Path
    member: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.member}" if self.member else str(self.path)

    @property
    def is_sound(self) -> bool:
        """Whether it holds audio, not the embeddings of one."""
        return not self.member and self.path.suffix.lower() in SOUNDS

    def read(self) -> bytes:
        """Return its bytes; a member is read in memory. Raises ConfigError when it cannot be read."""
        try:
            return _member(self.path, self.member) if self.member else self.path.read_bytes()
        except (*BROKEN, KeyError) as error:
            raise ConfigError(f"voice {self} cannot be read ({error}); fetch it again") from error


def voice_assets(voice: str, folder: Path | None) -> dict[str, str]:
    """Return what a run's identity needs to know of its voice: its sha256, nothing for none or a drawn one.

    Raises ConfigError as `find_voice` does.
    """
    file = find_voice(voice, folder)
    return {"voice": hashlib.sha256(file.read()).hexdigest()} if file else {}


def find_voice(voice: str, folder: Path | None) -> VoiceFile | None:
    """Return the file of a voice: a path, or a name in `voices/` or `voices.tgz` of a folder of weights.

    None without a voice, and for an official name without a folder: random weights have drawn voices.
    Raises ConfigError, naming the voices that there are, when there is no such voice.
    """
    name = voice.removesuffix(".pt") if voice.removesuffix(".pt") in OFFICIAL else voice
    if not name or (folder is None and name in OFFICIAL):
        return None
    if Path(name).suffix.lower() in KINDS or PurePosixPath(name).name != name:
        return _named_path(Path(name).expanduser())
    if folder is None:
        raise ConfigError(f"no voice '{name}' beside random weights{near(name, OFFICIAL)}")
    there = _voices(folder)
    if not there:
        raise ConfigError(f"{folder} has neither voices/ nor {ARCHIVE}; put one there, or {SAYS}")
    if name not in there:
        raise ConfigError(f"{folder} has no voice '{name}'{near(name, there)}")
    return there[name]


def _named_path(path: Path) -> VoiceFile:
    if path.suffix.lower() not in KINDS:
        raise ConfigError(f"{path} is not a voice; {SAYS}")
    if not path.is_file():
        raise ConfigError(f"voice {path} does not exist; {SAYS}")
    return VoiceFile(path)


def _voices(folder: Path) -> dict[str, VoiceFile]:
    """Return the voices of a folder by name; a file in `voices/` goes before the archive's."""
    packed = _packed(folder / ARCHIVE)
    loose = (path for kind in reversed(KINDS) for path in (folder / "voices").glob(f"*{kind}"))
    return packed | {path.stem: VoiceFile(path) for path in loose}


def _packed(archive: Path) -> dict[str, VoiceFile]:
    if not archive.is_file():
        return {}
    try:
        with tarfile.open(archive, "r:gz") as tar:
            members = [member.name for member in tar if member.isfile() and member.name.endswith(".pt")]
    except BROKEN as error:
        raise ConfigError(f"{archive} cannot be read ({error}); fetch it again") from error
    return {PurePosixPath(name).stem: VoiceFile(archive, name) for name in members}


def _member(archive: Path, name: str) -> bytes:
    with tarfile.open(archive, "r:gz") as tar:
        part = tar.extractfile(name)
        assert part is not None  # only plain files are listed
        return part.read()
