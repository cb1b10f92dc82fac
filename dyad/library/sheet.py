"""What one seat is told: as fields (`Sheet`) and as the plain text for models (`Prompt`).

Both are made from the seat's own role and the shared setting alone. Of the truth only what the setting or
the own role says as well is used: the candidates, the two named outcomes and the unit of prices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dyad.spec.base import Seat, other
from dyad.spec.scenario import Item, Prompt, Role, Scenario, Sheet

from .load import Library
from .truth import PoolTruth, PriceTruth, TacticTruth, options_of, truth_of
from .words import find_phrase

_FULL_WIDTH = "。！？」』…"  # Japanese and Chinese set no space after these
_FROM_ROLE = (
    *("kind", "name", "private", "points", "reasons", "duties", "steps", "episodes", "topic"),
    *("pretext", "escalation", "demand", "busy_with", "cost", "grants_at"),
)


def role_of(library: Library, scenario: Scenario, seat: Seat) -> Role:
    """Return the role that a seat of a scenario plays; a free conversation has none (KeyError)."""
    return library.roles[scenario.seats[seat].role]


def told(role: Role) -> str:
    """Return what a role's prompt says: brief, private statements in their order, closing.

    The pass word of an authorised caller comes last: it is the exception to what the closing forbids.
    """
    facts = [item.text for item in role.private if item.kind != "passphrase"]
    words = [item.text for item in role.private if item.kind == "passphrase"]
    return spaced([role.brief, *facts, role.closing, *words])


def spaced(sentences: Iterable[str]) -> str:
    """Join sentences with a space, except after one that ends in a full-width sign."""
    text = ""
    for sentence in filter(None, map(str.strip, sentences)):
        text += sentence if not text or text[-1] in _FULL_WIDTH else f" {sentence}"
    return text


def sheet(library: Library, scenario: Scenario, seat: Seat, opens: bool) -> Sheet:
    """Return what a seat may know, as fields: never the answer, nor anything private to the other seat."""
    role = role_of(library, scenario, seat)
    return Sheet(
        archetype=scenario.archetype,
        setting=scenario.setting,
        opens=opens,
        lang=scenario.lang,
        options=_options(scenario, seat, role),
        secret=_secret(role.private),
        open_price=_value(role.private, "open"),
        limit_price=_value(role.private, "limit"),
        **_shared(scenario),
        **{field: getattr(role, field) for field in _FROM_ROLE},
    )


def prompt(
    library: Library, scenario: Scenario, seat: Seat, opens: bool, window_s: float | None = None
) -> Prompt:
    """Return what an agent in a seat is opened with.

    The text is the setting, a blank line, the role (brief, private statements, closing), then the window
    line where `window_s` (seconds) is given, then the opening line for the seat that opens. In a free
    conversation nobody is told anything: the text is empty, and there is no sheet.
    """
    if scenario.free:
        return Prompt(text="")
    role = role_of(library, scenario, seat)
    parts, lines = [told(role)], library.lines[scenario.lang]
    if window_s is not None:
        parts.append(lines.window.format(window=round(window_s)))
    if opens:
        parts.append(lines.opening)
    text = f"{scenario.setting.strip()}\n\n" + "\n".join(parts)
    return Prompt(text=text, sheet=sheet(library, scenario, seat, opens))


def _shared(scenario: Scenario) -> dict[str, Any]:
    match truth_of(scenario):
        case PoolTruth(candidates=candidates):
            return {"candidates": candidates}
        case TacticTruth(tactic=tactic):
            return {"tactic": tactic}
        case PriceTruth(unit=unit):
            return {"unit": unit}
    return {}


def _options(scenario: Scenario, seat: Seat, role: Role) -> tuple[str, ...]:
    """The own option first; of a role with nothing to say for one, in the order of the setting."""
    options = options_of(scenario)
    if not options or role.reasons or role.private:
        return (options[seat], options[other(seat)]) if options else ()
    return tuple(sorted(options.values(), key=lambda option: find_phrase(scenario.setting, option)))


def _secret(items: Sequence[Item]) -> str:
    return next((item.target[0] for item in items if item.kind == "secret" and item.target), "")


def _value(items: Sequence[Item], kind: str) -> int | None:
    return next((item.value for item in items if item.kind == kind), None)
