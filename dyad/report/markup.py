"""Markup and number formats: what is not `Html` is escaped on its way into the page."""

from __future__ import annotations

import html
import math

MISSING = "–"


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


def unit_words(unit: str) -> str:
    """Return a unit as people read it: `per_min` is `per min`."""
    return unit.replace("_", " ")


def markup(value: object) -> str:
    """Return `value` as markup: unchanged if it is `Html`, else its text, escaped."""
    return value if isinstance(value, Html) else html.escape(str(value))


def number(value: float | None) -> str:
    """Return about three significant digits, an int in full, a dash for missing or not finite."""
    if value is None or not math.isfinite(value):
        return MISSING
    size = abs(value)
    decimals = 0 if isinstance(value, int) or size >= 100 else 1 if size >= 10 else 2
    return f"{value:,.{decimals}f}".replace("-", "−")


def count(value: float | None) -> str:
    """Return a whole number, also where a table has made a float of it."""
    return number(value if value is None or not math.isfinite(value) else round(value))


def interval(lo: float | None, hi: float | None) -> str:
    """Return `[lo, hi]`, or nothing where there is no interval."""
    return "" if lo is None or hi is None else f"[{number(lo)}, {number(hi)}]"


def _attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(str(value))}"'
