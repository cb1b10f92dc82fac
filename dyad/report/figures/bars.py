"""Shares as bars from 0 to 1, with intervals, and a mark where another estimate of each lies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dyad.report.markup import Html, join, tag
from dyad.tables.words import number

LEFT, WIDTH, THICK, STEP = 110, 200, 15, 34  # pixels
LONGEST = 16  # characters of a name that fit on the left; longer ones stand above their bar
ABOVE = 15  # pixels that such a name takes


class Bar(NamedTuple):
    """One share. `raw` is a mark on it, both cut off at 0 and 1; numbers are printed as they are."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    raw: float | None = None
    note: str = ""
    rest: bool = False  # what nothing explains, in grey


def bars(shares: Sequence[Bar], label: str) -> Html:
    """Return the drawing of shares, one below the other."""
    above = ABOVE if any(len(bar.name) > LONGEST for bar in shares) else 0
    step = STEP + above
    drawn = join(*(_bar(bar, 6 + above + step * i, above) for i, bar in enumerate(shares)))
    return tag("svg", drawn, viewBox=f"0 0 470 {step * len(shares) + 4}", role="img", aria_label=label)


def _bar(bar: Bar, y: float, above: float) -> Html:
    place = {"x": LEFT, "y": y - 4} if above else {"x": LEFT - 8, "y": y + 12, "text_anchor": "end"}
    name = tag("text", bar.name, **place)
    track = tag("rect", x=LEFT, y=y, width=WIDTH, height=THICK, rx=2, class_="track")
    kind = "bar residual" if bar.rest else "bar"
    drawn = [] if bar.value is None else [_rect(bar.value, y, kind)]
    if bar.low is not None and bar.high is not None:
        drawn.append(_whisker(_x(bar.low), _x(bar.high), y))
    if bar.raw is not None:
        drawn.append(tag("path", d=f"M{_x(bar.raw):.1f} {y - 2:.1f}v{THICK + 4}", class_="raw"))
    texts = [tag("text", _text(bar), x=LEFT + WIDTH + 10, y=y + 12)]
    if bar.raw is not None or bar.note:
        texts.append(tag("text", _below(bar), x=LEFT + WIDTH + 10, y=y + 25, class_="dim"))
    return join(name, track, *drawn, *texts)


def _rect(value: float, y: float, kind: str) -> Html:
    return tag("rect", x=LEFT, y=y, width=f"{_x(value) - LEFT:.1f}", height=THICK, rx=2, class_=kind)


def _text(bar: Bar) -> str:
    ends = "" if bar.low is None or bar.high is None else f" [{number(bar.low)}, {number(bar.high)}]"
    return f"{number(bar.value)}{ends}"


def _below(bar: Bar) -> str:
    return " · ".join(filter(None, ("" if bar.raw is None else f"raw {number(bar.raw)}", bar.note)))


def _x(share: float) -> float:
    return LEFT + WIDTH * min(max(share, 0.0), 1.0)


def _whisker(low: float, high: float, y: float) -> Html:
    return tag("path", d=f"M{low:.1f} {y + 4:.1f}v7m0-3.5H{high:.1f}m0-3.5v7", class_="whisker")
