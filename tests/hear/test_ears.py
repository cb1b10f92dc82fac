"""The registry of engines: names, parameters, keys, and engines of third parties."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from dyad import registry
from dyad.cli.compose import compose
from dyad.errors import ConfigError
from dyad.hear.asr import asr_key, check_asr, transcribe
from dyad.hear.ears import Ears, Setting, ears_of, setting_of
from dyad.spec import RATE
from dyad.spec.base import Frozen
from dyad.speech.words import Chunk


class LoudParams(Frozen):
    level: float = 0.1


def _hear(tracks, setting: Setting):
    loud = [np.flatnonzero(np.abs(track) > setting.params.level) for track in tracks]
    return [[Chunk("loud", at[0] / 16_000, at[-1] / 16_000)] if len(at) else [] for at in loud]


LOUD = Ears("loud", "hears what is loud", _hear, key=lambda s: [str(s.params.level)], params=LoudParams)


@pytest.fixture
def third_party(tmp_path, monkeypatch):
    """The engine above as an installed package would bring it: by its entry point."""
    module = ModuleType("loud_ears")
    module.LOUD, module.NO_EARS = LOUD, object()
    monkeypatch.setitem(sys.modules, "loud_ears", module)
    package = tmp_path / "loud_ears-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: loud-ears\nVersion: 1\n")
    (package / "entry_points.txt").write_text("[dyad.asr]\nloud = loud_ears:LOUD\nodd = loud_ears:NO_EARS\n")
    monkeypatch.syspath_prepend(str(tmp_path))


def test_every_built_in_engine_answers_to_its_name():
    assert registry.names("asr") == ["faster_whisper", "none", "parakeet", "sphinx", "whisper"]
    for name in registry.names("asr"):
        ears = ears_of(name)
        assert ears.name == name
        assert setting_of(ears).params == ears.params()


def test_names_of_words_of_the_first_engines_stay(monkeypatch):
    monkeypatch.delenv("DYAD_WHISPER_DIR", raising=False)
    for name in ("none", "sphinx", "whisper"):
        assert asr_key(name) == [name, "2", ""]


@pytest.mark.usefixtures("third_party")
def test_an_engine_of_a_third_party_is_known_by_its_entry_point():
    assert "loud" in registry.names("asr")
    pcm = np.zeros((2, RATE), np.int16)
    pcm[1, RATE // 4 : RATE // 2] = 20_000
    check_asr("loud")
    (word,) = transcribe(pcm, "loud")
    assert (word.seat, word.s) == ("b", "loud")
    assert abs(word.start - RATE // 4) < 30
    assert transcribe(pcm, "loud", params={"level": 0.9}) == []
    assert asr_key("loud") == ["loud", "1", "0.1"] != asr_key("loud", params={"level": 0.9})
    with pytest.raises(ConfigError, match=r"no asr.params.levl; did you mean 'level'\?"):
        check_asr("loud", params={"levl": 1})
    with pytest.raises(ConfigError, match=r"asr 'odd' is no dyad\.hear\.ears\.Ears"):
        check_asr("odd")


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        ({"beem": 2}, r"asr 'faster_whisper' has no asr.params.beem; did you mean 'beam'\?"),
        ({"beam": 0}, r"asr.params.beam = 0: Input should be greater than or equal to 1"),
        ({"align": {"by": "kaldi"}}, r"asr.params.align.by = 'kaldi'"),
        ({"align": {"with": "x"}}, r"has no asr.params.align.with"),
    ],
)
def test_parameters_are_checked_by_the_engine(params, complaint):
    with pytest.raises(ConfigError, match=complaint):
        asr_key("faster_whisper", params=params)


@pytest.mark.parametrize("name", ["none", "sphinx", "whisper", "faster_whisper", "parakeet"])
def test_each_configured_asr_is_composed_and_states_its_engines_defaults(name):
    (config,) = compose([f"asr={name}"]).studies
    assert (config.asr.name, config.asr.engine) == (name, name)
    ears = ears_of(name)
    assert setting_of(ears, config.asr.params).params == ears.params()
    assert set(config.asr.params) == set(ears.params.model_fields)


def test_an_unknown_engine_is_named_with_the_near_one():
    with pytest.raises(ConfigError, match=r"unknown ASR 'parakeat'; did you mean 'parakeet'\?"):
        asr_key("parakeat")
