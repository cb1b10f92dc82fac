"""Clients of services: loopback goes past every proxy; a setting of this machine that breaks one is named."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from dyad.errors import ConfigError

if TYPE_CHECKING:
    import httpx2

SETTINGS = ("SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")  # what a client reads


def opened(url: str, **options: Any) -> httpx2.Client:
    """Return a client for one service; it follows no redirect.

    Raises ConfigError where variables of this machine allow none.
    """
    import httpx2

    with breaking_named(url):
        return httpx2.Client(trust_env=not is_loopback(url), **options)


def is_loopback(url: str) -> bool:
    """Whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


@contextmanager
def breaking_named(url: str) -> Iterator[None]:
    """Turn what a client raises when it is made into a ConfigError that names the variables to look at."""
    try:
        yield
    except (ImportError, ValueError, OSError) as error:  # a SOCKS proxy, an unknown scheme, no certificates
        why = str(error).partition(". ")[0]
        raise ConfigError(
            f"no connection to {url} can be made ({why}); correct or unset {', '.join(_set()) or 'it'}"
        ) from None


def proxied(url: str) -> str:
    """Return which proxy a connection takes, for a line about its failure; empty where it takes none."""
    parts, known = urlsplit(url), getproxies()
    by = next((kind for kind in (parts.scheme, "all") if kind in known), "")
    if not by or is_loopback(url) or proxy_bypass(parts.hostname or ""):
        return ""
    return f", through the proxy that {by.upper()}_PROXY names: correct or unset it"


def _set() -> list[str]:
    return [name for name in SETTINGS if os.environ.get(name) or os.environ.get(name.lower())]
