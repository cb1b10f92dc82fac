"""The family of DuplexCascade: where its server is, and what its client can do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from dyad.bridge.protocol import Caps
from dyad.host.family import LOCAL, Hosted, HostParams, hosted
from dyad.host.home import Home

HOME = Home(name="duplex_cascade", python="3.10")
SERVER = "ws://127.0.0.1:31606"  # wss where it is given a certificate
STAND_IN = "module:duplex_cascade_server"


class DuplexCascadeParams(HostParams):
    """Where the server is, and how long it takes after a connection is made until it can hear.

    `url`: ws://…, wss://…, or module:NAME, a module of the client's environment whose `start()` serves and
    returns the url; empty: this machine, at upstream's port. `server` is a name for what is served, part of a
    run's id, which the url is not.
    """

    url: str = Field(default="", pattern=r"^(wss?://|module:).+$")
    server: str = "default"
    verify: bool = True  # the server's certificate
    startup_s: float = Field(default=1.0, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _located(cls, given: dict[str, Any]) -> dict[str, Any]:
        """The stand-in is a server, too: that of the worker."""
        return given | {
            "url": given.get("url") or (STAND_IN if given.get("upstream") == "double" else SERVER)
        }


def _caps(params: DuplexCascadeParams) -> Caps:
    return Caps(
        name=HOME.name,
        max_batch=8,
        clock="wall",
        deterministic=False,
        flags=frozenset({"flush"}),
        licence="that of the server's models",
    )


FAMILY = replace(
    hosted(
        Hosted(
            home=HOME,
            params=DuplexCascadeParams,
            caps=_caps,
            inside=Path(__file__).with_name("inside.py"),
            about="client of a DuplexCascade server, in real time; free conversation",
            render=lambda prompt: "",
        )
    ),
    local=(*LOCAL, "url", "verify", "startup_s"),
)
