"""The built folders: files, exact times, clean twins, the same bits again."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from dyad.errors import ConfigError
from dyad.suites.fdb.layout import read_v1, read_v15
from dyad.suites.mini import METHOD, REFERENCES, SETS, build, folder_of
from dyad.suites.mini.texts import load_set

pytest.importorskip("hibari")
pytest.importorskip("onnxruntime")

RATE = 24_000
FEW = [f"{name}.{k}" for name in SETS for k in (0, 7)]
OVERLAPS = [name for name in SETS if load_set(name).kind == "overlap"]
WORDS = {"input.json", "clean_input.json"}
FILES = {
    "pause": {"input.wav", "transcription.json", "pause.json"},
    "backchannel": {"input.wav", "transcription.json"},
    "turn_taking": {"input.wav", "transcription.json", "turn_taking.json"},
    "interruption": {"input.wav", "transcription.json", "interrupt.json", "context.wav", "interrupt.wav"},
    "overlap": {"input.wav", "clean_input.wav", "metadata.json", *WORDS},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mini") / "set"
    build(folder, FEW)
    return folder


def clip(made: Path, stimulus: str) -> Path:
    name, _, id_ = stimulus.partition(".")
    return made / load_set(name).version / name / id_


def sound(path: Path) -> np.ndarray[Any, np.dtype[np.int16]]:
    pcm, rate = soundfile.read(path, dtype="int16")
    assert (rate, pcm.ndim, soundfile.info(path).subtype) == (RATE, 1, "PCM_16")
    return pcm


def known(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def sample(seconds: float) -> int:
    """Return the sample of an exact time."""
    assert round(seconds * RATE) / RATE == seconds
    return round(seconds * RATE)


def span_of(folder: Path) -> tuple[int, int]:
    """Return the event of a stimulus in samples, from the file that states it."""
    names = ("pause.json", "turn_taking.json", "interrupt.json", "metadata.json")
    (file,) = [folder / name for name in names if (folder / name).is_file()]
    about = known(file)
    start, end = about["timestamps"] if isinstance(about, dict) else about[0]["timestamp"]
    return sample(start), sample(end)


def words_of(folder: Path, name: str) -> list[tuple[str, int, int]]:
    held = known(folder / name)
    chunks = held["chunks"] if isinstance(held, dict) else held[0]["item"]
    return [(c["text"], sample(c["timestamp"][0]), sample(c["timestamp"][1])) for c in chunks]


def audible(pcm: np.ndarray[Any, Any], gain_db: float = 0.0) -> bool:
    """Whether the first 20 ms hold more than -68 dBFS, from a voice that is as far away as `gain_db`."""
    return float(np.sqrt(np.mean(np.square(pcm[:480] / 32768)))) > 4e-4 * 10 ** (gain_db / 20)


@pytest.mark.parametrize("stimulus", FEW)
def test_a_folder_holds_the_files_of_its_kind(made: Path, stimulus: str) -> None:
    name = stimulus.partition(".")[0]
    assert {p.name for p in clip(made, stimulus).iterdir()} == FILES[load_set(name).kind]


@pytest.mark.parametrize("stimulus", FEW)
def test_words_are_where_the_text_says_and_silence_is_digital_zero(made: Path, stimulus: str) -> None:
    name, _, id_ = stimulus.partition(".")
    texts, folder = load_set(name), clip(made, stimulus)
    words = words_of(folder, "input.json" if texts.kind == "overlap" else "transcription.json")
    turns = texts.items[int(id_)].turns
    assert [text for text, _, _ in words] == [token for turn in turns for token in turn.split()]
    assert all(start < end for _, start, end in words)
    edges = [edge for _, start, end in words for edge in (start, end)]
    assert edges == sorted(edges)
    pcm, last = sound(folder / "input.wav"), 0
    first = 0
    for k, turn in enumerate(turns):
        said = words[first : first + len(turn.split())]
        first += len(said)
        start, end = said[0][1], said[-1][2]
        assert not pcm[last:start].any()
        assert audible(pcm[start:], texts.event.gain_db if k else 0.0)
        assert audible(pcm[end - 480 : end], texts.event.gain_db if k else 0.0)
        last = end
    assert not pcm[last:].any()
    assert len(pcm) - last == round(texts.tail_s * RATE)


@pytest.mark.parametrize("stimulus", [s for s in FEW if "pause" in s])
def test_the_pause_is_the_silence_between_the_parts(made: Path, stimulus: str) -> None:
    folder = clip(made, stimulus)
    start, end = span_of(folder)
    pcm = sound(folder / "input.wav")
    wanted = load_set("mini_pause_handling").items[int(folder.name)].gaps[0]
    assert end - start == round(wanted * RATE)
    assert not pcm[start:end].any()
    assert audible(pcm[start - 480 : start])
    assert audible(pcm[end : end + 480])


@pytest.mark.parametrize("stimulus", [s for s in FEW if "turn_taking" in s])
def test_the_turn_ends_with_its_last_word(made: Path, stimulus: str) -> None:
    folder = clip(made, stimulus)
    start, end = span_of(folder)
    pcm = sound(folder / "input.wav")
    assert start == words_of(folder, "transcription.json")[-1][2]
    assert end == len(pcm) == start + 6 * RATE


@pytest.mark.parametrize("stimulus", [s for s in FEW if s.startswith("mini_user_interruption")])
def test_an_interruption_is_its_own_sound_at_its_time(made: Path, stimulus: str) -> None:
    folder = clip(made, stimulus)
    (about,) = known(folder / "interrupt.json")
    item = load_set("mini_user_interruption").items[int(folder.name)]
    assert (about["context"], about["interrupt"]) == item.turns
    start, end = span_of(folder)
    pcm, context = sound(folder / "input.wav"), sound(folder / "context.wav")
    assert np.array_equal(pcm[start:end], sound(folder / "interrupt.wav"))
    before = words_of(folder, "transcription.json")[0][1]
    assert np.array_equal(pcm[before : before + len(context)], context)
    assert start - before - len(context) == round(item.gaps[0] * RATE)


@pytest.mark.parametrize("stimulus", [s for s in FEW if s.startswith("mini_overlap")])
def test_a_clean_twin_lacks_the_overlap_and_nothing_else(made: Path, stimulus: str) -> None:
    folder = clip(made, stimulus)
    start, end = span_of(folder)
    pcm, clean = sound(folder / "input.wav"), sound(folder / "clean_input.wav")
    assert len(pcm) == len(clean)
    assert np.array_equal(pcm[:start], clean[:start])
    assert not clean[start:].any()
    assert not pcm[end:].any()
    words = words_of(folder, "input.json")
    without = words_of(folder, "clean_input.json")
    assert words[: len(without)] == without
    assert (words[len(without)][1], words[-1][2]) == (start, end)
    about, item = known(folder / "metadata.json"), load_set(folder.parent.name).items[int(folder.name)]
    assert (about["context_text"], about["current_turn_text"]) == item.turns


@pytest.mark.parametrize(
    ("name", "softer"),
    [("user_interruption", 0.0), ("talking_to_other", 9.0), ("background_speech", 14.0)],
)
def test_who_is_turned_away_or_far_away_is_softer(made: Path, name: str, softer: float) -> None:
    def level(pcm: np.ndarray[Any, Any]) -> float:
        frames = pcm[: len(pcm) // 480 * 480].reshape(-1, 480).astype(float)
        power = np.square(frames).mean(axis=1)
        return float(10 * np.log10(power[power > power.max() * 1e-3].mean()))

    folder = clip(made, f"mini_overlap_{name}.0")
    start, end = span_of(folder)
    pcm = sound(folder / "input.wav")
    assert level(pcm[: start - RATE]) - level(pcm[start:end]) == pytest.approx(softer, abs=1.5)


def test_references_belong_to_the_clips_of_the_backchannel_set(made: Path) -> None:
    references = known(made / REFERENCES)
    assert list(references) == ["0", "7"]
    for id_, nods in references.items():
        assert math.fsum(nods) == pytest.approx(1, abs=1e-12)
        assert min(nods) >= 1.9e-13
        assert len(nods) == len(sound(clip(made, f"mini_backchannel.{id_}") / "input.wav")) // 4800 + 1
        silent = [p for p in nods if p < 1e-9]
        assert 0.2 < len(silent) / len(nods) < 0.9


def test_the_reader_of_the_convention_finds_all_of_it(made: Path) -> None:
    found = [*read_v1(made), *read_v15(made)]
    assert {one.id for one in found if not one.clean} == set(FEW)
    assert len(found) == len(FEW) + 2 * len(OVERLAPS)
    for one in found:
        assert one.problem == ""
        assert one.kind == load_set(one.task).kind
        assert round(one.duration_s * RATE) == len(sound(one.path))
        assert bool(one.reference) == (one.kind == "backchannel")
        if one.kind in ("pause", "interruption") or (one.kind == "overlap" and not one.clean):
            assert one.span is not None
            assert (sample(one.span[0]), sample(one.span[1])) == span_of(Path(one.folder))


@pytest.mark.parametrize("stimulus", ["mini_overlap_background_speech.7", "mini_backchannel.0"])
def test_the_same_stimulus_alone_has_the_same_bits(made: Path, tmp_path: Path, stimulus: str) -> None:
    from dyad.speech.voices import _say

    _say.cache_clear()
    build(tmp_path / "again", [stimulus])
    again = clip(tmp_path / "again", stimulus)
    assert {p.name: p.read_bytes() for p in again.iterdir()} == {
        p.name: p.read_bytes() for p in clip(made, stimulus).iterdir()
    }
    assert len([p for p in (tmp_path / "again").glob("*/*/*") if p.is_dir()]) == 1


def test_an_unknown_stimulus_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no stimulus 'mini_turn_taking\.99'"):
        build(tmp_path / "none", ["mini_turn_taking.99"])
    assert not (tmp_path / "none").exists()


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Let `folder_of` build one stimulus instead of all, and say where."""
    folders: list[Path] = []

    def few(folder: Path) -> None:
        folders.append(folder)
        build(folder, ["mini_turn_taking.2"])

    monkeypatch.setattr("dyad.suites.mini.folders.build", few)
    return folders


def test_the_folder_is_built_once_and_named_by_what_it_is_made_of(
    tmp_path: Path, short: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(tmp_path / "cache")
    assert folder_of(tmp_path / "cache") == folder
    assert len(short) == 1
    assert [p.name for p in (tmp_path / "cache").iterdir()] == [folder.name]
    assert (folder / "v1_0/mini_turn_taking/2/input.wav").is_file()
    monkeypatch.setattr("dyad.suites.mini.folders.METHOD", METHOD + 1)
    assert folder_of(tmp_path / "cache") != folder


def test_the_slower_of_two_builders_takes_what_the_other_made(
    tmp_path: Path, short: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = folder_of(tmp_path)

    def later(folder: Path) -> None:  # the other publishes while this one is at work
        build(folder, ["mini_turn_taking.2"])
        other.rename(first)

    other = tmp_path / "other"
    first.rename(other)
    monkeypatch.setattr("dyad.suites.mini.folders.build", later)
    assert folder_of(tmp_path) == first
    assert [p.name for p in tmp_path.iterdir()] == [first.name]


def test_without_the_voices_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dyad.speech.engines.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"hibari.* not installed; run: .*cascade"):
        folder_of(tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
