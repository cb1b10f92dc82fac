"""Files that hold less than they declare, and files of streaming writers, which declare nothing."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile

from dyad.agents.moshi.engine.lengths import voice_frames
from dyad.agents.playback import FAMILY
from dyad.audio import decoded, facts, read_flac, read_mono
from dyad.errors import ConfigError
from dyad.host.family import voice_asset

RATE, SIZE = 16_000, 128_000  # 8 s
PCM = np.random.default_rng(0).normal(0, 3_000, SIZE).astype(np.int16)
FORMATS = [
    ("WAV", "PCM_16"), ("WAV", "FLOAT"), ("WAVEX", "PCM_24"), ("RF64", "PCM_16"), ("AIFF", "PCM_16"),
    ("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("OGG", "OPUS"),
]  # fmt: skip


def written(form: str = "WAV", subtype: str = "PCM_16") -> bytes:
    file = io.BytesIO()
    soundfile.write(file, PCM / np.float32(32_768), RATE, format=form, subtype=subtype)
    return file.getvalue()


def sized(riff: int, data: int, content: bytes = b"") -> bytes:
    """A WAV file of 16 bits whose two sizes are other ones."""
    raw = content or written()
    return raw[:4] + struct.pack("<I", riff) + raw[8:40] + struct.pack("<I", data) + raw[44:]


@pytest.mark.parametrize(("form", "subtype"), FORMATS)
def test_a_whole_file_lacks_nothing(form: str, subtype: str) -> None:
    found = decoded(written(form, subtype))
    assert (found.facts.frames, found.facts.lacks) == (len(found.pcm), "")
    assert found.facts.frames == pytest.approx(SIZE, abs=400)  # Opus works at 48 kHz
    assert facts(written(form, subtype)) == found.facts


@pytest.mark.parametrize(("form", "subtype"), FORMATS)
def test_a_file_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path: Path, form: str, subtype: str) -> None:
    whole = written(form, subtype)
    path = tmp_path / "sound.wav"
    path.write_bytes(whole[: len(whole) * 5 // 8])
    found = decoded(path)
    assert 3.9 <= found.facts.seconds <= 5.0  # Ogg loses the page that is not whole
    assert found.facts.frames == len(found.pcm)
    assert np.isfinite(found.pcm).all()
    here = f"{found.facts.seconds:.1f}"
    says = "and its last page is lacking" if form == "OGG" else f"cut off: {here} of 8.0 s"
    assert says in found.facts.lacks
    assert here in found.facts.lacks
    assert facts(path) == found.facts
    with pytest.raises(ConfigError, match=r"sound.wav is cut off: .*; copy or export it again"):
        read_mono(path)
    assert len(read_mono(path, part=True))


@pytest.mark.parametrize(
    ("riff", "data"),
    [
        (0, 0),
        (0xFFFFFFFF, 0xFFFFFFFF),
        (0xFFFFFFFF, 0xFFFFFFFF - 36),
        (0x7FFFF024, 0x7FFFF000),
        (36, 0),
    ],
)
def test_a_streaming_writer_s_file_is_read_to_its_end(tmp_path: Path, riff: int, data: int) -> None:
    path = tmp_path / "sound.wav"
    path.write_bytes(sized(riff, data))
    found = decoded(path, "")
    assert np.array_equal(found.pcm[:, 0], PCM)
    assert (facts(path).frames, facts(path).lacks) == (SIZE, "")
    assert len(read_mono(path, wanted=RATE)) == SIZE


def test_a_flac_without_a_length_is_read_to_its_end(tmp_path: Path) -> None:
    raw = bytearray(written("FLAC"))
    raw[21] &= 0xF0
    raw[22:26] = bytes(4)  # the number of samples, 0 where the writer did not know it
    path = tmp_path / "sound.flac"
    path.write_bytes(raw)
    found = decoded(path, "int16")
    assert np.array_equal(found.pcm[:, 0], PCM)
    assert found.facts.lacks == ""


def test_an_empty_file_is_empty_and_not_streamed() -> None:
    empty = sized(44, 0, written()[:44] + b"LIST" + struct.pack("<I", 4) + b"INFO")
    assert (facts(empty).frames, facts(empty).lacks) == (0, "")
    assert facts(sized(36, 0, written()[:44])).frames == 0


def test_a_few_samples_are_no_reason_to_refuse_a_file() -> None:
    assert facts(written()[:-100]).lacks == ""
    assert facts(written()[:-1_000]).lacks == "cut off: 7.97 of 8.00 s"


def test_a_recording_and_a_stimulus_that_are_cut_off_are_refused(tmp_path: Path) -> None:
    file = io.BytesIO()
    soundfile.write(file, np.stack([PCM, PCM], axis=1), 24_000, format="FLAC", subtype="PCM_16")
    (tmp_path / "audio.flac").write_bytes(file.getvalue()[:200_000])
    with pytest.raises(ConfigError, match=r"audio.flac is cut off: "):
        read_flac(tmp_path / "audio.flac")
    (tmp_path / "said.wav").write_bytes(written()[:160_044])
    with pytest.raises(ConfigError, match=r"said.wav is cut off: 5.0 of 8.0 s"):
        FAMILY.assets({"path": str(tmp_path / "said.wav")}, "")


def test_voices_that_are_cut_off_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "voice.flac"
    path.write_bytes(written("FLAC")[:100_000])
    for asked in (lambda: voice_asset(str(path)), lambda: voice_frames(str(path), None)):
        with pytest.raises(ConfigError, match=r"voice.flac is cut off: .* of 8.0 s"):
            asked()
