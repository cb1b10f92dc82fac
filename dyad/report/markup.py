"""Markup: what is not `Html` is escaped on its way into the page."""

from __future__ import annotations

import html


class Html(str):
    """Text that is already markup; any other value is data and gets escaped."""


def tag(name: str, *children: object, **attributes: object) -> Html:
    """Return one element; None children and attributes are left out, `_` in an attribute is `-`."""
    inner = "".join(markup(child) for child in children if child is not None)
    pairs = "".join(_attribute(key, value) for key, value in attributes.items())
    return Html(f"<{name}{pairs}>{inner}</{name}>")


def join(*parts: object) -> Html:
    """Return the parts side by side without an element around them."""
    return Html("".join(markup(part) for part in parts))


def breakable(name: str) -> Html:
    """Return a name whose lines break after an underscore, if they must."""
    return Html("_<wbr>".join(html.escape(part) for part in name.split("_")))


def markup(value: object) -> str:
    """Return `value` as markup: unchanged if it is `Html`, else its text, escaped."""
    return value if isinstance(value, Html) else html.escape(str(value))


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(str(value))}"'
