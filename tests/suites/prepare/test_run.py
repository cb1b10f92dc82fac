"""A synthetic corpus of 20 minutes goes through to sets that the reader of Full-Duplex-Bench v1 reads."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from dyad.errors import ConfigError
from dyad.suites.fdb.layout import read_v1
from dyad.suites.prepare import run
from dyad.suites.prepare.run import Settings
from tests.suites.prepare.synthetic import RATE, Corpus, make

TASKS = ("pause_handling", "backchannel", "turn_taking", "user_interruption")
FILES = {
    "pause_handling": {"pause.json"},
    "backchannel": set(),
    "turn_taking": {"turn_taking.json"},
    "user_interruption": {"interrupt.json", "context.wav", "interrupt.wav", "human_whole.json"},
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return make(tmp_path_factory.mktemp("corpus") / "calls")


@pytest.fixture(scope="module")
def report(corpus: Corpus) -> dict[str, Any]:
    return run.prepare(Settings(corpus.folder, out_of(corpus), "callfriend", cap=1000))


@pytest.fixture(scope="module")
def out(corpus: Corpus, report: dict[str, Any]) -> Path:
    return out_of(corpus)


def out_of(corpus: Corpus) -> Path:
    return corpus.folder.parent / "sets"


def manifest(out: Path) -> list[dict[str, Any]]:
    return list(json.loads((out / "manifest.json").read_text())["samples"])


def read(path: Path) -> Any:
    return json.loads(path.read_text("ascii"))


def test_events_are_those_of_the_script(corpus: Corpus, report: dict[str, Any]):
    counted: Counter[tuple[str, str]] = Counter()
    for task in TASKS:
        record = report["sets"][f"callfr_{task}"]
        counted[task, "kept"] = record["exported"]
        for reason, n in record["dropped"].items():
            counted[task, reason] = n
    assert counted == corpus.events
    assert min(counted.values()) >= 8


def test_keep_rates_add_up_and_are_written_down(report: dict[str, Any], out: Path):
    assert read(out / "prepare.json") == report
    records = report["sets"].values()
    for record in records:
        assert record["candidates"] - sum(record["dropped"].values()) == record["after_filters"]
        assert record["after_filters"] - record["over_cap"] == record["exported"]
    total = report["total"]
    assert total["candidates"] == sum(r["candidates"] for r in records)
    assert total["share_after_filters"] == sum(r["after_filters"] for r in records) / total["candidates"]
    assert len(manifest(out)) == total["exported"]


def test_words_of_the_transfer_are_all_accounted_for(corpus: Corpus, report: dict[str, Any]):
    said = [word for words in corpus.words.values() for word in words]
    moved, garbled = report["transfer"], sum(word.garbled for word in said)
    assert moved["recovered"] == corpus.unwritten
    assert moved["manual_words"] == len(said) - corpus.unwritten
    assert moved["spread"] == garbled > 0
    assert moved["matched"] + moved["spread"] == moved["manual_words"]


def test_a_cap_keeps_the_best(corpus: Corpus, tmp_path: Path, out: Path):
    capped = run.prepare(Settings(corpus.folder, tmp_path / "sets", "callfriend", cap=3, audio=False))
    record = capped["sets"]["callfr_pause_handling"]
    assert (record["exported"], record["over_cap"]) == (3, record["after_filters"] - 3)
    best = [s["quality"] for s in manifest(out) if s["set"] == "callfr_pause_handling"]
    kept = [s["quality"] for s in manifest(tmp_path / "sets") if s["set"] == "callfr_pause_handling"]
    assert kept == best[:3] == sorted(best, reverse=True)[:3]


def test_every_clip_has_the_files_of_the_convention(out: Path):
    for task in TASKS:
        folder = out / f"callfr_{task}"
        clips = sorted(folder.iterdir(), key=lambda path: int(path.name))
        assert [clip.name for clip in clips] == [str(n) for n in range(len(clips))]
        common = {"input.wav", "human.wav", "human.json", "transcription.json"}
        for clip in clips:
            assert {path.name for path in clip.iterdir()} == common | FILES[task]


def test_the_reader_of_the_suite_takes_every_clip(out: Path):
    stimuli = read_v1(out)
    assert [s.problem for s in stimuli if s.problem] == []
    assert len(stimuli) == len(manifest(out))
    assert {s.task: s.kind for s in stimuli} == {
        "callfr_pause_handling": "pause",
        "callfr_backchannel": "backchannel",
        "callfr_turn_taking": "turn_taking",
        "callfr_user_interruption": "interruption",
    }
    assert all(s.reference for s in stimuli if s.kind == "backchannel")


def test_sounds_are_the_right_samples(corpus: Corpus, out: Path):
    """Every sound, cut again from the corpus by cuts.tsv alone."""
    with (out / "cuts.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == len(list(out.glob("*/*/*.wav")))
    for row in rows:
        pcm, rate = soundfile.read(out / row["set"] / row["clip"] / row["file"], dtype="int16")
        first, last = (round(float(row[key]) * RATE) for key in ("start_s", "end_s"))
        source = corpus.sounds[row["dialogue"]][first:last, int(row["channel"])]
        zeros = round(float(row["zeros_s"]) * RATE)
        assert rate == RATE
        np.testing.assert_array_equal(pcm, np.concatenate([source, np.zeros(zeros, np.int16)]))


def test_input_and_human_are_the_two_channels_of_one_span(out: Path):
    for entry in manifest(out):
        clip = out / entry["set"] / entry["clip"]
        user, other = (soundfile.read(clip / f"{name}.wav", dtype="int16")[0] for name in ("input", "human"))
        assert len(user) == len(other)
        assert bool(user.any())
        if entry["set"] != "callfr_pause_handling":
            assert bool(other.any())


def test_pauses_are_silent_between_speech(out: Path):
    """The note of the clip, against its sound: tones before and after, nothing in between."""
    for clip in (out / "callfr_pause_handling").iterdir():
        pcm, rate = soundfile.read(clip / "input.wav", dtype="int16")
        (note,) = read(clip / "pause.json")
        first, last = (round(time * rate) for time in note["timestamp"])
        assert note["text"] == "[PAUSE]"
        assert last - first in (round(0.9 * rate), round(2.0 * rate))
        assert not pcm[first:last].any()
        assert pcm[first - 800 : first].all()
        assert pcm[last : last + 800].all()


def test_a_smooth_change_is_the_last_sentence_and_five_seconds_of_zeros(out: Path):
    for clip in (out / "callfr_turn_taking").iterdir():
        pcm, rate = soundfile.read(clip / "input.wav", dtype="int16")
        (note,) = read(clip / "turn_taking.json")
        start, end = note["timestamp"]
        said = 4 * 0.25 + 3 * 0.05
        assert (start, end) == pytest.approx((said, said + 0.25))
        assert len(pcm) == round((said + 5) * rate)
        assert not pcm[round(said * rate) :].any()
        human = read(clip / "human.json")
        assert human["chunks"][0]["timestamp"] == pytest.approx([said + 0.25, said + 0.5])
        assert len(human["chunks"]) == 4


def test_an_interruption_tells_what_came_before_it(out: Path):
    for clip in (out / "callfr_user_interruption").iterdir():
        (note,) = read(clip / "interrupt.json")
        (own,) = read(clip / "transcription.json")
        words = [chunk["text"] for chunk in own["item"]]
        assert f"{note['context']} {note['interrupt']}".split() == words
        assert len(note["context"].split()) == 4
        start, end = note["timestamp"]
        assert end - start == pytest.approx(6 * 0.25 + 5 * 0.05)
        assert own["item"][4]["timestamp"][0] == pytest.approx(start)
        whole, rest = (read(clip / name)["chunks"] for name in ("human_whole.json", "human.json"))
        assert len(whole) == 14
        assert sum(chunk["timestamp"][1] <= start for chunk in whole) >= 8  # it speaks when cut short
        assert rest == [chunk for chunk in whole if sum(chunk["timestamp"]) / 2 > end]


def test_references_say_where_people_put_backchannels(out: Path):
    """Two units in 18 s: "oui" [5.0, 5.25] in bins 25 and 26, "ah d'accord" [10.0, 10.55] in 50 to 52."""
    found = read(out / "icc_gt_distribution.json")
    assert set(found) == {path.name for path in (out / "callfr_backchannel").iterdir()}
    for shares in found.values():
        assert sum(shares) == pytest.approx(1)
        assert [i for i, share in enumerate(shares) if share > 0.01] == [25, 26, 50, 51, 52]
        assert len(shares) == 90  # int(17.95 / 0.2) + 1


def test_without_audio_there_are_annotations_and_cuts_only(corpus: Corpus, out: Path, tmp_path: Path):
    """And they need no sounds to be made from."""
    bare = tmp_path / "bare"
    bare.mkdir()
    for path in corpus.folder.iterdir():
        if path.suffix != ".wav":
            (bare / path.name).write_bytes(path.read_bytes())
    run.prepare(Settings(bare, tmp_path / "sets", "callfriend", cap=1000, audio=False))
    assert list((tmp_path / "sets").rglob("*.wav")) == []
    assert (tmp_path / "sets" / "cuts.tsv").read_bytes() == (out / "cuts.tsv").read_bytes()
    for path in out.glob("*/*/*.json"):
        assert (tmp_path / "sets" / path.relative_to(out)).read_bytes() == path.read_bytes()


def test_sounds_at_another_rate_keep_their_times(tmp_path: Path):
    small = make(tmp_path / "calls", dialogues=1, seconds=60)
    for rate in (8000, 16000):
        run.prepare(Settings(small.folder, tmp_path / str(rate), "callfriend", rate=rate))
    for path in (tmp_path / "8000").glob("*/*/*.wav"):
        there = tmp_path / "16000" / path.relative_to(tmp_path / "8000")
        (one, rate), (two, twice) = soundfile.read(path), soundfile.read(there)
        assert (rate, twice) == (8000, 16000)
        assert len(two) == 2 * len(one)
        middle = slice(200, len(one) - 200)
        assert float(np.abs(two[::2] - one)[middle].max()) < 0.02  # of full scale; at steps of tones it rings


def test_the_same_corpus_gives_the_same_bytes(corpus: Corpus, out: Path, tmp_path: Path):
    run.prepare(Settings(corpus.folder, tmp_path / "again", "callfriend", cap=1000, audio=False))
    for name in ("manifest.json", "cuts.tsv", "icc_gt_distribution.json"):
        assert (tmp_path / "again" / name).read_bytes() == (out / name).read_bytes()


def test_a_corpus_with_speakers_has_one_user(tmp_path: Path):
    """The client asks, the operator answers after 0.4 s and breaks off; words are spread over their turns."""
    corpus = tmp_path / "c"
    corpus.mkdir()
    media = {
        "speakers": {"client": 1, "woz": 0},
        "user": "client",
        "turns": [
            {"speaker": "client", "start": 1.0, "end": 3.0, "text": "une chambre pour deux"},
            {"speaker": "woz", "start": 3.4, "end": 5.0, "text": "pour quelle nuit"},
            {"speaker": "client", "start": 5.2, "end": 6.0, "text": "vendredi"},
        ],
    }
    (corpus / "d.json").write_text(json.dumps(media))
    noise = np.random.default_rng(0).integers(-9000, 9000, (16_000 * 8, 2), np.int16)
    soundfile.write(corpus / "d.flac", noise, 16_000)
    report = run.prepare(Settings(corpus, tmp_path / "out", "media"))
    assert {name: record["exported"] for name, record in report["sets"].items()} == {
        "media_pause_handling": 0, "media_backchannel": 0,
        "media_turn_taking": 1, "media_user_interruption": 0,
    }  # fmt: skip
    clip = tmp_path / "out/media_turn_taking/0"
    assert read(clip / "turn_taking.json") == [{"text": "[TURN-TAKING]", "timestamp": [2.0, 2.4]}]
    assert read(clip / "human.json")["text"] == "pour quelle nuit"
    np.testing.assert_array_equal(soundfile.read(clip / "human.wav", dtype="int16")[0], noise[16_000:, 0])
    pcm = soundfile.read(clip / "input.wav", dtype="int16")[0]
    np.testing.assert_array_equal(pcm[:32_000], noise[16_000:48_000, 1])
    assert len(pcm) == 7 * 16_000


@pytest.mark.parametrize("subtype", ["FLOAT", "DOUBLE", "PCM_24", "ULAW"])
def test_sounds_of_any_encoding_keep_their_level(tmp_path: Path, subtype: str):
    made = make(tmp_path / "calls", dialogues=1, seconds=30)
    source = made.sounds["call0"] / 32768
    soundfile.write(tmp_path / "calls/call0.wav", source, RATE, subtype=subtype)
    run.prepare(Settings(made.folder, tmp_path / "out", "callfriend"))
    (entry, *_) = manifest(tmp_path / "out")
    pcm = soundfile.read(tmp_path / "out" / entry["set"] / entry["clip"] / "input.wav")[0]
    first, last = round(entry["start"] * RATE), round(entry["end"] * RATE)
    assert np.abs(pcm - source[first:last, entry["channel"]]).max() < 0.02


def small(folder: Path) -> Path:
    """A corpus of one dialogue without sound."""
    folder.mkdir()
    turns = {"turns": [{"start": 0, "end": 1, "text": "bonjour"}]}
    words = {"channels": [{"chunks": [{"text": "bonjour", "timestamp": [0, 1]}]}, {"chunks": []}]}
    (folder / "d.json").write_text(json.dumps(turns))
    (folder / "d.words.json").write_text(json.dumps(words))
    return folder


def test_a_corpus_without_events_gives_empty_sets(tmp_path: Path):
    report = run.prepare(Settings(small(tmp_path / "c"), tmp_path / "out", "callfriend", audio=False))
    assert report["total"]["share_exported"] is None
    assert manifest(tmp_path / "out") == []


def test_only_an_earlier_export_is_replaced_and_only_when_asked(tmp_path: Path):
    corpus, out = small(tmp_path / "c"), tmp_path / "out"
    wanted = Settings(corpus, out, "callfriend", audio=False)
    run.prepare(wanted)
    (out / "stale").touch()
    with pytest.raises(ConfigError, match="holds an export"):
        run.prepare(wanted)
    run.prepare(Settings(corpus, out, "callfriend", audio=False, force=True))
    assert not (out / "stale").exists()
    (out / "manifest.json").unlink()
    with pytest.raises(ConfigError, match="no earlier export"):
        run.prepare(Settings(corpus, out, "callfriend", audio=False, force=True))
    with pytest.raises(ConfigError, match="holds the corpus"):
        run.prepare(Settings(corpus, tmp_path, "callfriend", audio=False, force=True))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "out"]


def test_nothing_is_left_of_a_failure_and_an_earlier_export_stays(tmp_path: Path, monkeypatch: Any):
    corpus, out = small(tmp_path / "c"), tmp_path / "out"
    run.prepare(Settings(corpus, out, "callfriend", audio=False))
    before = {path: path.read_bytes() for path in out.iterdir()}

    def full(folder: Path, *rest: Any) -> None:
        (folder / "half").touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run, "export", full)
    for name in ("out", "other"):
        with pytest.raises(ConfigError, match="No space left on device"):
            run.prepare(Settings(corpus, tmp_path / name, "callfriend", audio=False, force=True))
    assert {path: path.read_bytes() for path in out.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "out"]


@pytest.mark.parametrize("name", ["../x", "Upper", "a" * 21, "a b"])
def test_names_of_sets_are_plain(tmp_path: Path, name: str):
    with pytest.raises(ConfigError, match=r"name: "):
        run.prepare(Settings(tmp_path, tmp_path / "out", "callfriend", name=name))
