"""What the family of DuplexCascade says of itself."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from dyad.agents.duplex_cascade.family import FAMILY, SERVER, STAND_IN, DuplexCascadeParams
from dyad.bridge.protocol import default_params
from dyad.spec import Prompt


def test_it_lives_on_the_wall_clock() -> None:
    caps = FAMILY.caps({})
    assert (caps.clock, caps.deterministic, caps.snapshot) == ("wall", False, "none")
    assert (caps.rate_in, caps.rate_out, caps.chunk_ms) == (24_000, 24_000, 80)
    assert (caps.prompt, caps.voice, caps.force) == ("none", "none", frozenset())
    assert FAMILY.render(Prompt(text="You are Ann.")) == ""


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ({}, SERVER),
        ({"upstream": "double"}, STAND_IN),
        ({"upstream": "double", "url": "ws://elsewhere:1"}, "ws://elsewhere:1"),
        ({"url": "ws://elsewhere:1"}, "ws://elsewhere:1"),
    ],
)
def test_the_server_is_found(given: dict[str, str], url: str) -> None:
    """As a configuration gives parameters, which is with all defaults."""
    assert DuplexCascadeParams(**{**default_params(DuplexCascadeParams), **given}).url == url


@pytest.mark.parametrize("url", ["elsewhere:1", "http://elsewhere", "ws://"])
def test_a_url_is_of_a_websocket(url: str) -> None:
    with pytest.raises(ValidationError, match="url"):
        DuplexCascadeParams(url=url)


def test_a_run_is_known_by_the_name_of_its_server_and_not_by_its_place() -> None:
    assert {"url", "verify", "startup_s"} < set(FAMILY.local)
    assert "server" not in FAMILY.local
    assert FAMILY.assets({"url": "ws://elsewhere:1"}, "") == {"engine": "1"}
