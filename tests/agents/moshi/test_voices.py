"""Voices: which file a name means, and what a system prompt makes of it."""

from __future__ import annotations

import gzip
import io
import re
import sys
import tarfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

torch = pytest.importorskip("torch")
pytest.importorskip("moshi")
pytest.importorskip("pyloudnorm")

from dyad.agents.moshi.engine.system_prompt import NO_VOICE, SINE  # noqa: E402
from dyad.agents.moshi.engine.voices import encode, load_voice, normalised, read_voice  # noqa: E402
from dyad.agents.moshi.engine.weights import Loaded, load_model  # noqa: E402
from dyad.agents.moshi.engine.words import PAD  # noqa: E402
from dyad.agents.moshi.params import PersonaPlexParams  # noqa: E402
from dyad.agents.moshi.voice_files import OFFICIAL, find_voice, voice_assets  # noqa: E402
from dyad.errors import ConfigError  # noqa: E402
from dyad.spec.base import RATE, TICK  # noqa: E402

FILED = Path(__file__).parents[2] / "golden" / "personaplex_tiny" / "voice.pt"


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return load_model(PersonaPlexParams(weights="random:tiny"), "cpu")


def speech(seconds: float, rate: int = RATE) -> Any:
    """Noise in syllables: float32 [N], the same sound at every rate up to noise."""
    size = round(seconds * rate)
    envelope = 0.5 + 0.5 * np.sin(2 * np.pi * 3 * np.arange(size) / rate)
    return (0.05 * envelope * np.random.default_rng(3).standard_normal(size)).astype(np.float32)


def wav(pcm: Any, rate: int = RATE) -> bytes:
    held = io.BytesIO()
    soundfile.write(held, pcm, rate, format="WAV", subtype="FLOAT")
    return held.getvalue()


def voice_file(dim: int, frames: int, **other: Any) -> bytes:
    held = io.BytesIO()
    ring = torch.arange(17 * 4).reshape(1, 17, 4) % 40
    torch.save({"embeddings": torch.ones(frames - 1, 1, 1, dim), "cache": ring} | other, held)
    return held.getvalue()


def archive(folder: Path, members: dict[str, bytes]) -> None:
    with tarfile.open(folder / "voices.tgz", "w:gz") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def refused(needle: str) -> Any:
    return pytest.raises(ConfigError, match=rf"^(?=[^\n]*{needle})[^\n]+$")


# ---- which file


def test_there_are_eighteen_official_voices() -> None:
    assert len(set(OFFICIAL)) == 18
    assert {"NATF0", "NATF3", "NATM0", "NATM3", "VARF0", "VARF4", "VARM0", "VARM4"} < set(OFFICIAL)


def test_a_name_is_looked_up_in_the_folder_then_in_the_archive(tmp_path: Path) -> None:
    archive(tmp_path, {"voices/NATF2.pt": b"packed", "voices/NATM1.pt": b"other"})
    packed = find_voice("NATF2", tmp_path)
    assert packed is not None
    assert packed.read() == b"packed"
    assert not (tmp_path / "voices").exists()
    (tmp_path / "voices").mkdir()
    (tmp_path / "voices" / "NATF2.pt").write_bytes(b"loose")
    (tmp_path / "voices" / "mine.wav").write_bytes(b"sound")
    found = {name: find_voice(name, tmp_path) for name in ("NATF2", "NATF2.pt", "NATM1", "mine")}
    assert {name: file.read() for name, file in found.items() if file} == {
        "NATF2": b"loose", "NATF2.pt": b"loose", "NATM1": b"other", "mine": b"sound",
    }  # fmt: skip


def test_an_archive_reaches_nothing_outside_itself(tmp_path: Path) -> None:
    (tmp_path / "secret.pt").write_bytes(b"secret")
    folder = tmp_path / "weights"
    folder.mkdir()
    archive(folder, {"../secret.pt": b"packed", "voices/NATF0.pt": b"voice"})
    with tarfile.open(folder / "voices.tgz", "r:gz") as tar:
        assert "../secret.pt" in tar.getnames()
    found = find_voice("secret", folder)
    assert found is not None
    assert found.read() == b"packed"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["secret.pt", "voices.tgz", "weights"]


def test_a_link_in_an_archive_is_no_voice(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "voices.tgz", "w:gz") as tar:
        link = tarfile.TarInfo("voices/NATF0.pt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    with refused("neither voices/ nor voices.tgz"):
        find_voice("NATF0", tmp_path)


def test_an_asset_is_what_the_voice_holds(tmp_path: Path) -> None:
    archive(tmp_path, {"voices/NATF2.pt": b"one", "voices/NATM1.pt": b"two"})
    first, second = voice_assets("NATF2", tmp_path), voice_assets("NATM1", tmp_path)
    (tmp_path / "voices").mkdir()
    (tmp_path / "voices" / "copy.pt").write_bytes(b"one")
    assert first == voice_assets("copy", tmp_path) != second
    assert len(first["voice"]) == 64
    assert voice_assets("", tmp_path) == voice_assets("NATF2", None) == {}


@pytest.mark.parametrize(
    ("voice", "told"),
    [
        ("NATF9", "no voice 'NATF9'; did you mean 'NATF"),
        ("Zeus", "no voice 'Zeus'; known: NATF0, NATM1"),
        ("gone.wav", "gone.wav does not exist"),
        ("voices/NATF0", "voices/NATF0 is not a voice; give one of the official names"),
    ],
)
def test_an_unknown_voice_is_refused(tmp_path: Path, voice: str, told: str) -> None:
    archive(tmp_path, {"voices/NATF0.pt": b"one", "voices/NATM1.pt": b"two"})
    with refused(re.escape(told)):
        find_voice(voice, tmp_path)


def test_random_weights_know_the_official_names_alone() -> None:
    with refused("no voice 'NATX0' beside random weights; did you mean"):
        find_voice("NATX0", None)


def test_a_broken_archive_is_refused(tmp_path: Path) -> None:
    with refused("neither voices/ nor voices.tgz"):
        find_voice("NATF0", tmp_path)
    (tmp_path / "voices.tgz").write_bytes(b"\x1f\x8b broken")
    with refused("voices.tgz cannot be read"):
        find_voice("NATF0", tmp_path)


def test_an_archive_that_is_damaged_inside_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "voices.tgz"
    archive(tmp_path, {"voices/NATF0.pt": bytes(100_000), "voices/NATM1.pt": b"two"})
    found = find_voice("NATF0", tmp_path)
    assert found is not None
    packer = zlib.compressobj(wbits=31)
    half = packer.compress(gzip.decompress(path.read_bytes())[:50_000]) + packer.flush(zlib.Z_FULL_FLUSH)
    path.write_bytes(half + b"\xff" * 99)  # there is no such block
    with refused("NATF0.pt cannot be read"):
        found.read()
    with refused("voices.tgz cannot be read"):
        find_voice("NATF0", tmp_path)


# ---- what it holds


def test_no_voice_and_drawn_voices(loaded: Loaded) -> None:
    assert load_voice("", loaded) is NO_VOICE
    drawn = {name: load_voice(name, loaded) for name in OFFICIAL}
    assert {voice.frames.shape for voice in drawn.values()} == {(17, 8)}
    assert len({str(voice.codes.tolist()) for voice in drawn.values()}) == 18
    assert all(int(v.frames.min()) >= 0 and int(v.frames.max()) < loaded.lm.card for v in drawn.values())
    assert torch.equal(drawn["NATF2"].frames, load_voice("NATF2.pt", loaded).frames)
    assert drawn["NATF0"].codes[:, 0].tolist() == [42, 35, 32, 3, 10, 55, 11, 29]


def test_a_voice_file_gives_its_last_two_frames_and_its_embeddings(tmp_path: Path, loaded: Loaded) -> None:
    path = tmp_path / "mine.pt"
    path.write_bytes(voice_file(loaded.lm.dim, 6))
    voice = load_voice(str(path), loaded)
    ring = torch.arange(17 * 4).reshape(17, 4) % 40
    assert voice.embeddings is not None
    assert voice.embeddings.shape == (5, loaded.lm.dim)
    assert voice.frames.shape == (17, 6)
    # frame 5 of a stream without delay stands at position 5, slot 1; of a delayed one at position 6, slot 2
    assert voice.frames[[0, 1, 2, 9, 16], 5].tolist() == ring[[0, 1, 2, 9, 16], [1, 1, 2, 1, 2]].tolist()
    assert voice.frames[[0, 1, 2, 9, 16], 4].tolist() == ring[[0, 1, 2, 9, 16], [0, 0, 1, 0, 1]].tolist()
    assert not voice.frames[:, :4].any()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "mine.pt is not a voice file"),
        (b"not a voice", "mine.pt is not a voice file"),
        (voice_file(64, 4)[:-300], "mine.pt is not a voice file"),
        (voice_file(64, 4, cache=torch.zeros(1, 17, 3)), "mine.pt is not a voice file"),
        (voice_file(64, 4, embeddings=None), "mine.pt is not a voice file"),
        (voice_file(32, 4), "a voice of width 32, the model has 64"),
        (voice_file(64, 1), "mine.pt is not a voice file"),
        (voice_file(64, 4, cache=torch.full((1, 17, 4), 65)), "that the model does not know"),
        (voice_file(64, 4, cache=torch.full((1, 17, 4), -2)), "that the model does not know"),
        (voice_file(64, 4, embeddings=torch.full((3, 64), torch.nan)), "that the model does not know"),
    ],
)
def test_what_is_no_voice_file_is_refused(loaded: Loaded, data: bytes, told: str) -> None:
    with refused(told):
        read_voice(data, "mine.pt", loaded.lm)


def test_a_voice_file_runs_nothing(loaded: Loaded, tmp_path: Path) -> None:
    """What a pickle would call is not called."""
    held = io.BytesIO()
    torch.save({"embeddings": Touch(tmp_path / "ran"), "cache": torch.zeros(1, 17, 4)}, held)
    with refused(r"mine.pt is not a voice file \(UnpicklingError\); save one"):
        read_voice(held.getvalue(), "mine.pt", loaded.lm)
    assert not (tmp_path / "ran").exists()


class Touch:
    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self._path,)


# ---- from sound


def test_a_sound_becomes_its_codes(loaded: Loaded, tmp_path: Path) -> None:
    path = tmp_path / "mine.wav"
    path.write_bytes(wav(speech(1.0)))
    voice = load_voice(str(path), loaded)
    assert voice.frames.shape == (17, 13)  # 12.5 frames, the last one half silence
    assert voice.embeddings is None
    assert voice.frames[0].tolist() == [PAD] * 13
    assert torch.equal(voice.frames[9:], (SINE % loaded.lm.card)[:, None].expand(-1, 13))
    pcm = np.pad(normalised(path.read_bytes(), "mine.wav"), (0, TICK // 2)).reshape(-1, 1, 1, TICK)
    mimi = loaded.new_mimi()
    with mimi.streaming(1), torch.no_grad():
        codes = [mimi.encode(torch.from_numpy(frame)) for frame in pcm]
    assert torch.equal(voice.codes, torch.cat(codes, 2)[0])
    assert len(set(voice.codes[0].tolist())) > 3


def test_loudness_rate_and_format_do_not_change_the_level() -> None:
    from pyloudnorm import Meter

    flac = io.BytesIO()
    soundfile.write(flac, speech(1.5, 44_100), 44_100, format="FLAC")
    stereo = np.stack([speech(1.5, 16_000), np.zeros(24_000, np.float32)], 1)
    for data in (wav(speech(1.5)), wav(0.01 * speech(1.5)), flac.getvalue(), wav(stereo, 16_000)):
        pcm = normalised(data, "mine.wav")
        assert pcm.dtype == np.float32
        assert pcm.shape == (36_000,)
        assert Meter(RATE).integrated_loudness(pcm) == pytest.approx(-24.0, abs=0.01)


def test_gain_alone_changes_nothing() -> None:
    quiet, loud = (normalised(wav(gain * speech(1.0)), "mine.wav") for gain in (0.1, 1.0))
    np.testing.assert_allclose(quiet, loud, atol=1e-6)


@pytest.mark.parametrize(
    ("pcm", "told"),
    [
        (speech(0.3), "no loudness; give at least 0.4 s"),
        (np.zeros(RATE, np.float32), "no loudness"),
        (np.zeros(0, np.float32), "no loudness"),
        (np.full(RATE, np.nan, np.float32), "no loudness"),
    ],
)
def test_a_sound_without_loudness_is_refused(pcm: Any, told: str) -> None:
    with refused(told):
        normalised(wav(pcm), "mine.wav")


def test_what_is_no_sound_is_refused() -> None:
    with refused(r"mine.wav cannot be read as audio .*use WAV or FLAC"):
        normalised(b"RIFF but not much else", "mine.wav")


def test_without_pyloudnorm_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyloudnorm", None)
    with refused(r'pip install "\.\[moshi\]"'):
        normalised(wav(speech(1.0)), "mine.wav")


def test_a_sound_that_fills_its_frames_gets_no_more(loaded: Loaded) -> None:
    mimi = loaded.new_mimi()
    assert encode(mimi, speech(0.48)).shape == (8, 6)
    assert encode(mimi, speech(0.4801)).shape == (8, 7)
    assert torch.equal(encode(mimi, speech(0.48)), encode(mimi, speech(0.48)))


def test_a_real_voice_file_does_not_fit_another_model(loaded: Loaded) -> None:
    with refused("voice.pt is a voice of width 16, the model has 64"):
        load_voice(str(FILED), loaded)
