"""What an agent is: the identity holds what its files contain, and neither paths nor the machine."""

from __future__ import annotations

from fractions import Fraction

from dyad.spec import AgentSpec, Manifest, SeatReport


def agent(**fields: object) -> AgentSpec:
    return AgentSpec.model_validate({"name": "one", "adapter": "some", **fields})


def test_a_voice_that_is_named_by_its_content_may_lie_anywhere() -> None:
    here = agent(voice="/home/me/anna.wav", assets={"weights": "1", "voice": "sha of anna"})
    there = agent(voice="C:/voices/a.wav", assets={"weights": "1", "voice": "sha of anna"})
    assert here.identity() == there.identity()
    assert "voice" not in here.identity()
    other = agent(voice="/home/me/anna.wav", assets={"weights": "1", "voice": "sha of bert"})
    assert other.identity() != here.identity()


def test_a_voice_that_is_a_name_is_part_of_the_identity() -> None:
    assert agent(voice="low").identity() != agent(voice="high").identity()
    assert agent(voice="low").identity()["voice"] == "low"


def test_manifests_of_older_versions_are_read() -> None:
    """They did not say what of the machine could change the last bits."""
    old = {"under_runs": 1, "flushes": 0, "dropped_ms": 0.5, "lag_ms": 0, "chunk_ms": 80, "text_pieces": 2}
    assert SeatReport.model_validate(old).numerics == {}
    plain = {"id": "x", "dyad": "0", "created_utc": "", "ticks": 1, "wall_s": 1.0, "lanes": 1, "lane": 0}
    manifest = {**plain, "clock": "sim", "seats": {"a": old, "b": old}, "health": {}, "files": {}}
    assert Manifest.model_validate(manifest).seats["b"].text_pieces == 2


def test_a_unit_that_is_no_whole_number_of_ms_is_stored_exactly() -> None:
    """Whole ones are numbers, as they always were."""
    report = SeatReport(chunk_ms=Fraction(400, 3), lag_ms=160)
    told = report.model_dump_json()
    assert '"lag_ms":160,"chunk_ms":"400/3"' in told
    assert SeatReport.model_validate_json(told) == report
    assert report.chunk_ms * 24 == 3_200
