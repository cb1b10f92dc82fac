"""Words of a corpus that comes without any, by a real recogniser."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from dyad.audio import resampled
from dyad.suites.prepare.hear import hearing


def test_both_channels_are_heard_on_the_clock_of_the_file(tmp_path: Path):
    for package in ("onnxruntime", "pocketsphinx", "hibari"):
        pytest.importorskip(package)
    from dyad.speech.voices import load_voice

    said = load_voice("hibari", "bright")("We should take the morning train.")
    tracks = np.zeros((2, 24_000 * 4), np.float32)
    tracks[1, 24_000 : 24_000 + len(said.pcm)] = said.pcm
    pcm = np.stack([resampled(track, 24_000, 16_000) for track in tracks], axis=1)
    soundfile.write(tmp_path / "d.wav", pcm, 16_000)
    first, second = hearing("sphinx", "en")(tmp_path / "d.wav")
    assert first == ()
    assert len(second) >= 4
    begin, end = 1 + said.words[0].start / 24_000, 1 + said.words[-1].end / 24_000
    assert second[0].start == pytest.approx(begin, abs=0.25)
    assert second[-1].end == pytest.approx(end, abs=0.25)
