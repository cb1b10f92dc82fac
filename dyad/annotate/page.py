"""The page: markup, style and script in one file, and the policy that keeps everything else out of it."""

from __future__ import annotations

import base64
import hashlib
import string
from importlib.resources import files

# What the report shows of a conversation is shown here too: one player, one look.
_STYLE = (("dyad.report", "style.css"), ("dyad.annotate", "annotate.css"))
_SCRIPT = (
    ("dyad.report", "dom.js"),
    ("dyad.report", "player.js"),
    ("dyad.report", "run.js"),
    ("dyad.annotate", "controls.js"),
    ("dyad.annotate", "annotate.js"),
)


def page() -> tuple[bytes, str]:
    """Return the page as UTF-8 and its Content-Security-Policy; it is the same for every study and person."""
    style, script = (
        "\n".join(files(package).joinpath(name).read_text("utf-8") for package, name in parts)
        for parts in (_STYLE, _SCRIPT)
    )
    template = string.Template(files("dyad.annotate").joinpath("page.html").read_text("utf-8"))
    policy = (
        "default-src 'none'",
        f"script-src '{_hash(script)}'",
        f"style-src '{_hash(style)}'",
        "connect-src 'self'",
        "media-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
    return template.substitute(style=style, script=script).encode(), "; ".join(policy)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
