"""How often agents act against what they achieve when they do, with curves of equal score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dyad.report.markup import Html, join, tag

LEFT, TOP, SIZE = 44, 10, 250  # pixels
ISO = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8)
COLOURS = 8


class Point(NamedTuple):
    """P(act) and P(score | act) of an agent: over all partners, or `small` with one of them."""

    name: str
    act: float
    then: float
    act_ends: tuple[float, float] | None = None
    then_ends: tuple[float, float] | None = None
    colour: int = 0
    small: bool = False


def success(points: Sequence[Point], label: str) -> Html:
    """Return the plot; along a curve the product, the score over all runs, is the same."""
    ordered = sorted(points, key=lambda point: not point.small)
    covered = [sum(_same(point, other) for other in ordered[:i]) for i, point in enumerate(ordered)]
    dots = (_point(point, below) for point, below in zip(ordered, covered, strict=True))
    return tag(
        "svg",
        join(*_frame(), *map(_iso, ISO), *dots),
        viewBox=f"0 0 {LEFT + SIZE + 40} {TOP + SIZE + 36}", role="img", aria_label=label, class_="success",
    )  # fmt: skip


def _x(share: float) -> float:
    return LEFT + SIZE * min(max(share, 0.0), 1.0)


def _y(share: float) -> float:
    return TOP + SIZE * (1 - min(max(share, 0.0), 1.0))


def _frame() -> list[Html]:
    drawn = [tag("rect", x=LEFT, y=TOP, width=SIZE, height=SIZE, class_="frame")]
    for share in (0, 0.25, 0.5, 0.75, 1):
        drawn += [
            tag("text", f"{share:g}", x=_x(share), y=TOP + SIZE + 15, text_anchor="middle", class_="dim"),
            tag("text", f"{share:g}", x=LEFT - 6, y=_y(share) + 4, text_anchor="end", class_="dim"),
        ]
    down = f"rotate(-90 12 {TOP + SIZE / 2:g})"
    return [
        *drawn,
        tag("text", "P(act)", x=LEFT + SIZE / 2, y=TOP + SIZE + 31, text_anchor="middle"),
        tag("text", "score, given the act", x=12, y=TOP + SIZE / 2, text_anchor="middle", transform=down),
    ]


def iso_path(product: float, steps: int = 24) -> str:
    """Return the path of the curve on which act times score is `product`, from the left to the right edge."""
    shares = [product ** (1 - k / steps) for k in range(steps + 1)]  # evenly spaced where the curve bends
    return "M" + "L".join(f"{_x(act):.1f} {_y(product / act):.1f}" for act in shares)


def _iso(product: float) -> Html:
    label = tag("text", f"{product:g}", x=LEFT + SIZE + 5, y=f"{_y(product) + 4:.1f}", class_="dim")
    return join(tag("path", d=iso_path(product), class_="iso"), label)


def _same(one: Point, other: Point) -> bool:
    return one.small == other.small and (one.act, one.then) == (other.act, other.then)


def _point(point: Point, below: int) -> Html:
    """A dot; the more others it lies on, the smaller it is, so that each shows as a ring."""
    colour = f"k{point.colour % COLOURS}"
    radius = 3 if point.small else max(7 - 2 * below, 1)
    kind = f"spot {colour}{' small' if point.small else ''}"
    place = {"cx": f"{_x(point.act):.1f}", "cy": f"{_y(point.then):.1f}"}
    return join(
        *_whiskers(point, colour), tag("circle", tag("title", point.name), **place, r=radius, class_=kind)
    )


def _whiskers(point: Point, colour: str) -> list[Html]:
    """Both intervals as one cross."""
    path, x, y = "", f"{_x(point.act):.1f}", f"{_y(point.then):.1f}"
    if point.act_ends:
        low, high = map(_x, point.act_ends)
        path += f"M{low:.1f} {y}H{high:.1f}"
    if point.then_ends:
        low, high = map(_y, point.then_ends)
        path += f"M{x} {low:.1f}V{high:.1f}"
    return [tag("path", d=path, class_=f"reach {colour}")] if path else []
