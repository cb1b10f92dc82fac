"""Hotwords spoken by the packaged voice and heard by the packaged recogniser."""

from __future__ import annotations

import pytest

from dyad.library import load_library
from dyad.probes import Order, measures_named, probe, speech_source
from dyad.probes.speech import spellings


@pytest.fixture(scope="module")
def library():
    return load_library()


def test_other_spellings_count_as_the_name(library) -> None:
    assert spellings(library.scenarios["t4_1_radio"], "Late Harbour") == ("Late Harbour", "Late Harbor")
    assert "velvets trumpet" in spellings(library.scenarios["t4_2_marina"], "Velvet Trumpet")
    assert spellings(library.scenarios["t2_minibus"], "Mercer") == ("Mercer",)


def test_names_that_can_be_said_are_heard_and_others_are_not(library, tmp_path) -> None:
    for package in ("onnxruntime", "hibari", "ctranslate2", "tokenizers"):
        pytest.importorskip(package)
    sources, order = {"speech": speech_source()}, Order(measures_named(["speech"]), 1, tmp_path)
    said = library.scenarios["t4_1_radio"]
    unsaid = said.model_copy(update={"asr": {"hotwords": ["Late Harbour", "Xqzvtkprw"]}})
    good, bad = probe(library, [said, unsaid], sources, order)
    assert (good.value, good.ok, good.backend) == (1.0, True, "speech")
    assert (bad.value, bad.ok) == (0.5, False)


def test_what_has_no_hotwords_or_another_language_is_left_out(library, tmp_path) -> None:
    chosen = [library.scenarios[id] for id in ("t1_1_lost_bag", "t2_fr_bateau")]
    sources, order = {"speech": speech_source()}, Order(measures_named(["speech"]), 1, tmp_path)
    assert list(probe(library, chosen, sources, order)) == []
